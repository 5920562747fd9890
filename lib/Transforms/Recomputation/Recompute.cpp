//===- Recompute.cpp - Ops that the backward pass computes again ----------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Recompute.h. That clones do not run before the backward pass gets there
// is decided where the op graph is built (Analysis/OpGraph.cpp), from the
// attribute alone.
//
//===----------------------------------------------------------------------===//

#include "Recompute.h"

#include "Soap/Dialect/Soap/ReuseAttributes.h"
#include "Soap/Dialect/Soap/SoapDialect.h"
#include "Soap/Dialect/Soap/SoapOps.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/StringMap.h"

#include <cassert>
#include <map>

using namespace mlir;
using namespace mlir::soap;

ForwardPass::ForwardPass(const OpGraph &opGraph)
    : opGraph(opGraph), writer(opGraph.graph.values.size(), -1),
      readers(opGraph.graph.values.size()),
      isOutput(opGraph.graph.values.size()),
      updatesState(opGraph.graph.nodes.size()),
      order(opGraph.graph,
            std::vector<bool>(opGraph.graph.nodes.size(), false)) {
  const ::soap::Graph &graph = opGraph.graph;
  for (int n = 0; n < static_cast<int>(graph.nodes.size()); ++n) {
    for (int value : kernel(n).results)
      writer[value] = n;
    for (int value : kernel(n).operands)
      if (readers[value].empty() || readers[value].back() != n)
        readers[value].push_back(n);
  }
  for (const ::soap::GraphOutput &output : graph.outputs)
    isOutput.set(output.value);
  for (const ::soap::GraphInput &input : graph.inputs)
    if (input.updateNode >= 0)
      updatesState.set(input.updateNode);
}

bool ForwardPass::isReadByGradients(int value) const {
  return llvm::any_of(readers[value], [&](int reader) {
    return kernel(reader).phase == ::soap::Phase::Backward;
  });
}

std::string ForwardPass::whyNot(int node) const {
  assert(node >= 0 && static_cast<size_t>(node) < opGraph.ops.size() &&
         "no such node");
  if (!isForward(node))
    return "it is not of the forward pass";
  if (updatesState.test(node))
    return "it updates a state";
  if (llvm::any_of(kernel(node).results,
                   [&](int value) { return isOutput.test(value); }))
    return "its result is one of the function";
  if (llvm::none_of(kernel(node).operands,
                    [&](int value) { return writer[value] >= 0; }))
    return "it reads arguments alone, so nothing of the backward pass can be "
           "waited for";
  if (opGraph.ops[node]->getNumRegions() != 0 &&
      !isa_and_nonnull<SoapDialect>(opGraph.ops[node]->getDialect()) &&
      !isMemoryEffectFree(opGraph.ops[node]))
    return "it may have side effects";
  return "";
}

ArrayRef<int> ForwardPass::recomputedResults(int node) const {
  ArrayRef<int> results = kernel(node).results;
  return isa<BatchNormTrainOp>(opGraph.ops[node]) ? results.take_front()
                                                  : results;
}

llvm::BitVector ForwardPass::findRead(const llvm::BitVector &nodes) const {
  assert(nodes.size() == opGraph.ops.size() && "a bit a node");
  llvm::BitVector read(nodes.size());
  for (int n = static_cast<int>(nodes.size()); n-- > 0;)
    if (nodes.test(n) && llvm::any_of(recomputedResults(n), [&](int value) {
          return isReadByGradients(value) ||
                 llvm::any_of(readers[value],
                              [&](int reader) { return read.test(reader); });
        }))
      read.set(n);
  return read;
}

std::vector<ForwardPass::Together>
ForwardPass::findTogether(const llvm::BitVector &nodes) const {
  assert(nodes.size() == opGraph.ops.size() && "a bit a node");
  llvm::EquivalenceClasses<int> classes;
  for (int n : nodes.set_bits()) {
    classes.insert(n);
    for (int value : kernel(n).operands)
      if (int from = writer[value];
          from >= 0 && nodes.test(from) &&
          llvm::is_contained(recomputedResults(from), value))
        classes.unionSets(n, from);
  }
  std::vector<Together> result;
  std::map<int, size_t> numbers; // by leader
  for (int n : nodes.set_bits()) {
    auto [it, isNew] =
        numbers.try_emplace(classes.getLeaderValue(n), result.size());
    if (isNew)
      result.emplace_back();
    Together &together = result[it->second];
    together.nodes.push_back(n);
    for (int value : recomputedResults(n))
      for (int reader : readers[value])
        if (kernel(reader).phase == ::soap::Phase::Backward &&
            (together.firstReader < 0 || reader < together.firstReader))
          together.firstReader = reader;
  }
  for (Together &together : result) {
    std::vector<int> results;
    for (int n : together.nodes)
      llvm::append_range(results, recomputedResults(n));
    together.isUseless = together.firstReader < 0 ||
                         order.trigger(results, together.firstReader) < 0;
  }
  return result;
}

llvm::BitVector ForwardPass::findUseful(const llvm::BitVector &nodes) const {
  llvm::BitVector useful = findRead(nodes);
  // The values that the first reader needs are kept then, and the rest may wait
  // for the gradient that it computes.
  for (bool changes = true; changes; useful = findRead(useful)) {
    changes = false;
    for (const Together &together : findTogether(useful)) {
      if (!together.isUseless)
        continue;
      changes = true;
      std::vector<int> firstLate;
      for (int n : together.nodes)
        firstLate.push_back(order.firstLateReader(recomputedResults(n)));
      int first = -1;
      for (int reader : firstLate)
        if (reader >= 0 && (first < 0 || reader < first))
          first = reader;
      for (auto [n, reader] : llvm::zip_equal(together.nodes, firstLate))
        if (reader == first)
          useful.reset(n);
    }
  }
  return useful;
}

/// Computes an op a second time. Of a batch norm only the normalization: the
/// statistics are kept.
static Operation *cloneOp(OpBuilder &builder, Operation *op,
                          IRMapping &mapping) {
  auto norm = dyn_cast<BatchNormTrainOp>(op);
  if (!norm)
    return builder.clone(*op, mapping);
  Operation *clone = BatchNormApplyOp::create(
      builder, op->getLoc(), norm.getY().getType(),
      mapping.lookupOrDefault(norm.getX()), norm.getStats(),
      mapping.lookupOrDefault(norm.getGamma()),
      mapping.lookupOrDefault(norm.getBeta()), norm.getEpsilonAttr(),
      norm.getGroupsAttr());
  if (Attribute config = op->getAttr(SoapDialect::kConfig))
    clone->setAttr(SoapDialect::kConfig, config);
  mapping.map(norm.getY(), clone->getResult(0));
  return clone;
}

FailureOr<int> mlir::soap::recompute(const ForwardPass &pass,
                                     const llvm::BitVector &nodes) {
  assert(llvm::all_of(nodes.set_bits(),
                      [&](unsigned n) {
                        return pass.whyNot(static_cast<int>(n)).empty();
                      }) &&
         "nodes must have passed `whyNot`");
  const OpGraph &opGraph = pass.getOpGraph();
  llvm::BitVector read = pass.findRead(nodes);
  int count = 0;
  for (const ForwardPass::Together &together : pass.findTogether(read)) {
    if (together.isUseless)
      return opGraph.ops[together.nodes.front()]->emitOpError()
             << "\"" << pass.kernel(together.nodes.front()).name
             << "\" is recomputed for no op of the backward pass that waits "
                "for "
                "a gradient, so it would save nothing";
    assert(together.firstReader > together.nodes.back() &&
           "gradients read what was computed before");
    OpBuilder builder(opGraph.ops[together.firstReader]);
    IRMapping mapping;
    for (int n : together.nodes) {
      Operation *op = opGraph.ops[n];
      std::string name = pass.kernel(n).name;
      op->setAttr(SoapDialect::kName, builder.getStringAttr(name));
      Operation *clone = cloneOp(builder, op, mapping);
      clone->setAttr(SoapDialect::kName,
                     builder.getStringAttr(name + ".recompute"));
      clone->setAttr(kRecomputeOf, builder.getStringAttr(name));
      clone->removeAttr(kKeep);
      ++count;
    }
    for (int n : together.nodes)
      for (auto [value, result] :
           llvm::zip(pass.recomputedResults(n), opGraph.ops[n]->getResults()))
        for (int reader : pass.readersOf(value))
          if (pass.kernel(reader).phase == ::soap::Phase::Backward)
            opGraph.ops[reader]->replaceUsesOfWith(
                result, mapping.lookup(Value(result)));
  }
  return count;
}

std::vector<std::string> mlir::soap::recomputedOps(func::FuncOp function) {
  std::vector<std::string> names;
  for (Operation &op : function.getBody().front())
    if (auto name = op.getAttrOfType<StringAttr>(kRecomputeOf))
      names.push_back(name.str());
  return names;
}

void mlir::soap::dropRecomputation(func::FuncOp function) {
  llvm::StringMap<Operation *> named;
  SmallVector<Operation *> clones;
  for (Operation &op : function.getBody().front()) {
    if (auto name = op.getAttrOfType<StringAttr>(SoapDialect::kName))
      named[name.getValue()] = &op;
    if (op.hasAttr(kRecomputeOf))
      clones.push_back(&op);
  }
  for (Operation *clone : llvm::reverse(clones)) {
    Operation *of =
        named.lookup(clone->getAttrOfType<StringAttr>(kRecomputeOf).getValue());
    if (!of)
      continue; // building the op graph says so
    for (auto [again, result] :
         llvm::zip(clone->getResults(), of->getResults()))
      again.replaceAllUsesWith(result);
    clone->erase();
  }
}

LogicalResult mlir::soap::recomputeNamed(func::FuncOp function,
                                         ArrayRef<std::string> names) {
  dropRecomputation(function);
  FailureOr<OpGraph> opGraph = buildOpGraph(function);
  if (failed(opGraph))
    return failure();
  ForwardPass pass(*opGraph);
  llvm::StringMap<int> nodes;
  for (auto [n, node] : llvm::enumerate(opGraph->graph.nodes))
    nodes[node.whole.name] = static_cast<int>(n);
  llvm::BitVector chosen(opGraph->graph.nodes.size());
  for (const std::string &name : names) {
    auto it = nodes.find(name);
    if (it == nodes.end())
      return function.emitError()
             << "'@" << function.getName() << "' has no op \"" << name
             << "\" that could be recomputed";
    if (std::string why = pass.whyNot(it->second); !why.empty())
      return opGraph->ops[it->second]->emitOpError()
             << "\"" << name << "\" cannot be recomputed: " << why;
    chosen.set(it->second);
  }
  for (int n : chosen.set_bits())
    if (!pass.findRead(chosen).test(n))
      return opGraph->ops[n]->emitOpError()
             << "\"" << pass.kernel(n).name
             << "\" cannot be recomputed: no op of the backward pass reads it";
  return failure(failed(recompute(pass, chosen)));
}
