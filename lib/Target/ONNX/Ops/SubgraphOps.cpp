//===- SubgraphOps.cpp - If and Loop of ONNX --------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The branch that a known condition takes; the rounds of a loop whose number is
// known.
//
//===----------------------------------------------------------------------===//

#include "Target/ONNX/Importer.h"

using namespace mlir;
using namespace mlir::soap;
using namespace mlir::soap::onnx;

/// Graphs of attributes within each other.
static constexpr int64_t kLargestDepth = 16;
/// Rounds of one loop.
static constexpr int64_t kLargestRounds = 4096;
/// Floats in a branch or body: more are weights, which nothing would train.
static constexpr int64_t kLargestConstant = 64;

/// `names` of what a graph defines, so that each use of it has its own.
static void rename(Node &node,
                   const std::map<std::string, std::string> &names) {
  auto replace = [&](std::string &name) {
    if (auto found = names.find(name); found != names.end())
      name = found->second;
  };
  for (std::string &input : node.inputs)
    replace(input);
  for (std::string &output : node.outputs)
    replace(output);
  for (NodeAttribute &attribute : node.attributes) {
    if (!attribute.graph)
      continue;
    auto graph = std::make_shared<Graph>(*attribute.graph);
    // Names that an inner graph defines again are its own.
    std::map<std::string, std::string> outer = names;
    for (const std::string &input : graph->inputs)
      outer.erase(input);
    for (const Tensor &tensor : graph->initializers)
      outer.erase(tensor.name);
    for (const Node &inner : graph->nodes)
      for (const std::string &output : inner.outputs)
        outer.erase(output);
    for (Node &inner : graph->nodes)
      rename(inner, outer);
    for (std::string &output : graph->outputs)
      if (auto found = outer.find(output); found != outer.end())
        output = found->second;
    attribute.graph = std::move(graph);
  }
}

FailureOr<std::vector<Operand>>
GraphImporter::importGraph(const Graph &graph, std::vector<Operand> arguments,
                           NodeContext &user) {
  if (depth >= kLargestDepth)
    return user.error("branches and bodies are nested more than " +
                      Twine(kLargestDepth) + " deep");
  if (arguments.size() != graph.inputs.size())
    return user.error("a graph with " + Twine(graph.inputs.size()) +
                      " inputs gets " + Twine(arguments.size()));
  std::string suffix = "/graph" + std::to_string(++numGraphs);
  std::map<std::string, std::string> names;
  auto define = [&](const std::string &name) {
    return name.empty() || names.emplace(name, name + suffix).second;
  };
  bool isUnique = llvm::all_of(graph.inputs, define);
  for (const Tensor &tensor : graph.initializers)
    isUnique &= define(tensor.name);
  for (const Node &node : graph.nodes)
    for (const std::string &output : node.outputs)
      isUnique &= define(output);
  if (!isUnique)
    return user.error("a graph defines a value twice");
  for (auto [name, argument] : llvm::zip(graph.inputs, arguments))
    operands[names[name]] = argument;
  for (const Tensor &tensor : graph.initializers) {
    if (tensor.isFloat() && tensor.size() > kLargestConstant)
      return user.error("a branch or body holds " + quote(tensor.name) +
                        " of " + Twine(tensor.size()) +
                        " floats, which would not be trained: weights are "
                        "only supported outside of it");
    Operand operand;
    operand.constant = std::make_shared<Tensor>(tensor);
    operand.shape = tensor.dims;
    operands[names[tensor.name]] = operand;
  }
  std::vector<Node> nodes = graph.nodes;
  for (Node &node : nodes) {
    rename(node, names);
    for (const std::string &input : node.inputs)
      ++useCounts[input];
    for (const NodeAttribute &attribute : node.attributes)
      if (attribute.graph)
        countUses(*attribute.graph);
  }
  std::vector<std::string> outputs = graph.outputs;
  for (std::string &output : outputs) {
    if (auto found = names.find(output); found != names.end())
      output = found->second;
    ++useCounts[output];
  }
  ++depth;
  for (const Node &node : nodes)
    if (failed(importNode(node)))
      return failure();
  --depth;
  std::vector<Operand> results;
  for (const std::string &output : outputs) {
    auto found = operands.find(output);
    if (found == operands.end())
      return user.error("the result " + quote(output) +
                        " of a branch or body is defined nowhere");
    results.push_back(found->second);
  }
  return results;
}

namespace {

/// The graph of an attribute; null after an error.
const Graph *readGraph(NodeContext &node, const char *name) {
  const NodeAttribute *attribute = node.rawAttribute(name);
  if (attribute && attribute->graph)
    return attribute->graph.get();
  (void)node.error("attribute " + quote(name) + ": expected a graph");
  return nullptr;
}

LogicalResult importIf(NodeContext &node) {
  if (!node.checkCounts(1, 1, SIZE_MAX))
    return failure();
  const Graph *branches[2] = {readGraph(node, "else_branch"),
                              readGraph(node, "then_branch")};
  if (!branches[0] || !branches[1])
    return failure();
  if (!node.isConstant(0))
    return node.error("operand " + quote(node.node.inputs[0]) +
                      ": a condition that data decide is not supported, only "
                      "one that is known at import");
  auto condition = node.constantNumber(0);
  if (!condition)
    return node.failed() ? failure()
                         : node.error("expected a condition of one element");
  auto results =
      node.importer.importGraph(*branches[*condition != 0], {}, node);
  if (failed(results))
    return failure();
  if (results->size() < node.node.outputs.size())
    return node.error("the branch has " + Twine(results->size()) +
                      " results, expected " + Twine(node.node.outputs.size()));
  for (size_t i = 0; i < node.node.outputs.size(); ++i)
    if (failed(node.setOperand(i, (*results)[i])))
      return failure();
  return success();
}

Operand constantOf(int64_t value, int32_t type) {
  Operand operand;
  operand.constant = std::make_shared<Tensor>();
  operand.constant->dataType = type;
  operand.constant->ints = {value};
  return operand;
}

/// Operands are the largest number of rounds, whether the first one runs, and
/// what each round hands to the next one.
LogicalResult importLoop(NodeContext &node) {
  if (!node.checkCounts(0, SIZE_MAX, SIZE_MAX))
    return failure();
  const Graph *body = readGraph(node, "body");
  if (!body)
    return failure();
  int64_t rounds = INT64_MAX;
  bool runs = true;
  for (size_t i = 0; i < 2; ++i) {
    if (!node.hasInput(i))
      continue;
    const Tensor *value = node.isConstant(i) ? node.constant(i) : nullptr;
    if (!value || value->isFloat() || value->size() != 1)
      return node.error("operand " + quote(node.node.inputs[i]) +
                        ": only loops whose number of rounds is known at "
                        "import are supported");
    if (i == 0)
      rounds = value->ints[0];
    else
      runs = value->ints[0] != 0;
  }
  size_t carried = node.numInputs() > 2 ? node.numInputs() - 2 : 0;
  if (body->inputs.size() != carried + 2 ||
      body->outputs.size() < carried + 1 ||
      node.node.outputs.size() > body->outputs.size() - 1)
    return node.error("the body has " + Twine(body->inputs.size()) +
                      " inputs and " + Twine(body->outputs.size()) +
                      " outputs, which do not fit " + Twine(carried) +
                      " values that it hands on");
  std::vector<Operand> values;
  for (size_t i = 0; i < carried; ++i)
    values.push_back(node.operand(i + 2));
  size_t scans = body->outputs.size() - 1 - carried;
  std::vector<std::vector<Operand>> rows(scans);
  for (int64_t round = 0; runs && round < rounds; ++round) {
    if (round >= kLargestRounds)
      return node.error("more than " + Twine(kLargestRounds) +
                        " rounds are not supported");
    std::vector<Operand> arguments = {constantOf(round, kInt64),
                                      constantOf(1, kBool)};
    arguments.insert(arguments.end(), values.begin(), values.end());
    auto results = node.importer.importGraph(*body, std::move(arguments), node);
    if (failed(results))
      return failure();
    const Operand &next = results->front();
    if (!next.constant || next.constant->size() != 1)
      return node.error("whether the loop goes on depends on data, which is "
                        "not supported");
    runs = next.constant->number(0) != 0;
    values.assign(results->begin() + 1, results->begin() + 1 + carried);
    for (size_t i = 0; i < scans; ++i)
      rows[i].push_back((*results)[1 + carried + i]);
  }
  for (size_t i = 0; i < node.node.outputs.size(); ++i) {
    if (i < carried) {
      if (failed(node.setOperand(i, values[i])))
        return failure();
      continue;
    }
    if (!node.wantsResult(i))
      continue;
    auto stacked = joinOperands(node, "scan", rows[i - carried], 0,
                                /*addsDim=*/true);
    if (failed(stacked) || failed(node.setOperand(i, *stacked)))
      return failure();
  }
  return success();
}

} // namespace

void mlir::soap::onnx::addSubgraphOps(OpTable &table) {
  table["If"] = {7, kLastOpset, importIf, importIf};
  table["Loop"] = {7, kLastOpset, importLoop, importLoop};
}
