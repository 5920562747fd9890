//===- ParameterUses.cpp - What float tensors of a model are used for -----===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Follows every float tensor through nodes that compute with known values only,
// to the operands of nodes that depend on data.
//
//===----------------------------------------------------------------------===//

#include "ParameterPlan.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <unordered_map>
#include <unordered_set>

using namespace mlir::soap::onnx;
using llvm::StringRef;

bool mlir::soap::onnx::isSplat(const Tensor &tensor) {
  return llvm::all_equal(tensor.floats);
}

std::optional<std::string>
mlir::soap::onnx::scopeOf(const Model &model, const NamedTensor &tensor) {
  for (const TensorUse &use : tensor.uses)
    if (const auto &scope = model.nodes[use.node].scope)
      return scope;
  return std::nullopt;
}

namespace {

class UseFinder {
public:
  UseFinder(const Model &model, const std::set<std::string> &data)
      : model(model) {
    dependent.insert(data.begin(), data.end());
    raw.insert(data.begin(), data.end());
    for (auto [index, node] : llvm::enumerate(model.nodes)) {
      for (auto [operand, name] : llvm::enumerate(node.inputs))
        if (!name.empty())
          consumers[name].emplace_back(index, operand);
      for (const NodeAttribute &attribute : node.attributes)
        if (attribute.graph)
          indexBody(*attribute.graph, index, {});
      for (const std::string &name : node.outputs)
        producers.emplace(name, index);
      // Shapes are known whatever the data are.
      if (node.opType == "Shape" || node.opType == "Size")
        continue;
      if (isDependent(node))
        for (const std::string &name : node.outputs)
          dependent.insert(name);
      if (keepsRaw(node))
        raw.insert(node.outputs[0]);
    }
  }

  std::vector<TensorUse> find(const NamedTensor &tensor) const {
    struct Value {
      std::string name;
      std::optional<std::pair<size_t, size_t>> hop;
    };
    std::vector<TensorUse> uses;
    std::vector<Value> pending = {{tensor.name, std::nullopt}};
    std::set<std::pair<std::string, std::pair<size_t, size_t>>> seen;
    while (!pending.empty()) {
      Value value = std::move(pending.back());
      pending.pop_back();
      if (auto found = bodies.find(value.name); found != bodies.end())
        for (const BodyUse &use : found->second)
          uses.push_back({use.owner, 0,
                          value.hop ? value.hop->first : use.owner, 0,
                          kindOf(*use.node, use.operand, *tensor.values),
                          /*isInBody=*/true});
      auto found = consumers.find(value.name);
      if (found == consumers.end())
        continue;
      for (auto consumer : found->second) {
        auto [index, operand] = consumer;
        const Node &node = model.nodes[index];
        auto hop = value.hop.value_or(consumer);
        if (isDependent(node)) {
          uses.push_back({index, operand, hop.first, hop.second,
                          kindOf(node, operand, *tensor.values)});
          continue;
        }
        // An Identity of a tensor is a name with uses of its own.
        bool isIdentity = node.opType == "Identity" && !value.hop;
        if (isIdentity || node.opType == "Shape" || node.opType == "Size")
          continue;
        for (const std::string &output : node.outputs)
          if (!output.empty() && seen.insert({output, hop}).second)
            pending.push_back({output, hop});
      }
    }
    llvm::sort(uses, [](const TensorUse &a, const TensorUse &b) {
      return std::pair(a.node, a.operand) < std::pair(b.node, b.operand);
    });
    return uses;
  }

private:
  /// An operand of a node in a branch or body of node `owner`.
  struct BodyUse {
    size_t owner;
    const Node *node;
    size_t operand;
  };

  /// Notes the values of outer graphs that `graph` and its inner graphs read;
  /// `own` are the names that these define themselves. Any may meet data.
  void indexBody(const Graph &graph, size_t owner, std::set<std::string> own) {
    own.insert(graph.inputs.begin(), graph.inputs.end());
    for (const Tensor &tensor : graph.initializers)
      own.insert(tensor.name);
    for (const Node &node : graph.nodes)
      own.insert(node.outputs.begin(), node.outputs.end());
    for (const Node &node : graph.nodes) {
      for (auto [operand, name] : llvm::enumerate(node.inputs))
        if (!name.empty() && !own.count(name) && node.opType != "Shape" &&
            node.opType != "Size")
          bodies[name].push_back({owner, &node, operand});
      for (const NodeAttribute &attribute : node.attributes)
        if (attribute.graph)
          indexBody(*attribute.graph, owner, own);
    }
  }

  bool isDependent(const Node &node) const {
    return node.opType != "Shape" && node.opType != "Size" &&
           readsDependent(node);
  }
  /// The node, or a graph of its attributes, reads what depends on data.
  bool readsDependent(const Node &node) const {
    return llvm::any_of(node.inputs,
                        [&](const std::string &name) {
                          return dependent.count(name) != 0;
                        }) ||
           llvm::any_of(node.attributes, [&](const NodeAttribute &attribute) {
             return attribute.graph &&
                    (llvm::any_of(attribute.graph->nodes,
                                  [&](const Node &inner) {
                                    return readsDependent(inner);
                                  }) ||
                     llvm::any_of(attribute.graph->outputs,
                                  [&](const std::string &name) {
                                    return dependent.count(name) != 0;
                                  }));
           });
  }

  /// The result is data, shifted or scaled by known numbers.
  bool keepsRaw(const Node &node) const {
    static const std::set<StringRef> ops = {"Add", "Sub",  "Mul",
                                            "Div", "Cast", "Identity"};
    return ops.count(node.opType) && !node.inputs.empty() &&
           !node.outputs.empty() && isDependent(node) &&
           llvm::all_of(node.inputs, [&](const std::string &name) {
             return !dependent.count(name) || raw.count(name);
           });
  }

  UseKind kindOf(const Node &node, size_t operand, const Tensor &values) const {
    const StringRef op = node.opType;
    auto pick = [&](std::initializer_list<UseKind> kinds) {
      return operand < kinds.size() ? kinds.begin()[operand] : UseKind::Other;
    };
    using enum UseKind;
    if (op == "Conv" || op == "ConvTranspose" || op == "DeformConv")
      return pick({Other, Product, Bias});
    if (op == "Gemm")
      return pick({Product, Product, Bias});
    if (op == "MatMul" || op == "Einsum")
      return Product;
    if (op == "PRelu")
      return pick({Other, Product});
    if (op == "ScatterND" || op == "ScatterElements")
      return pick({Other, Setting, Other});
    if (op == "Gather" || op == "GatherElements" || op == "GatherND")
      return pick({Table, Setting});
    if (op == "Loop")
      return operand < 2 ? Setting : Other;
    if (op == "SequenceConstruct")
      return Other;
    if (op == "SequenceInsert")
      return pick({Other, Other, Setting});
    if (op == "Attention")
      return pick({Other, Other, Other, Term, Other, Other});
    if (op == "LSTM" || op == "GRU" || op == "RNN")
      return pick({Other, Product, Product, Bias, Setting, FirstState,
                   FirstState, Bias});
    if (op == "BatchNormalization")
      return pick({Other, NormScale, NormBias, Mean, Variance});
    if (op == "RotaryEmbedding")
      return pick({Other, Setting, Setting, Setting});
    if (op.ends_with("Normalization"))
      return pick({Other, NormScale, NormBias});
    // One number for each channel of an image, as its mean.
    if (keepsRaw(node) && countWideDims(values.dims) <= 1)
      return Input;
    if (op == "Mul" || op == "Div")
      return Factor;
    if (op == "Add" && countWideDims(values.dims) <= 1 &&
        isProduct(node.inputs[1 - std::min<size_t>(operand, 1)]))
      return Bias;
    if (op == "Add" || op == "Sub" || op == "Sum" || op == "Mean")
      return Term;
    if (op == "Concat")
      return Joined;
    if (op == "Where")
      return pick({Setting, Other, Other});
    if (operand > 0 && op != "Pow" && op != "Max" && op != "Min")
      return Setting;
    bool isTest = llvm::StringSwitch<bool>(op)
                      .Cases({"Equal", "Greater", "GreaterOrEqual", "Less",
                              "LessOrEqual", "And", "Or", "Xor", "Not"},
                             true)
                      .Default(false);
    return isTest ? Setting : Other;
  }

  /// A product with weights, perhaps in another shape.
  bool isProduct(const std::string &name) const {
    static const std::set<StringRef> moves = {
        "Reshape", "Transpose", "Squeeze", "Unsqueeze", "Identity", "Cast"};
    static const std::set<StringRef> products = {"MatMul", "Gemm", "Conv",
                                                 "ConvTranspose", "Einsum"};
    const std::string *value = &name;
    for (int step = 0; step < 4; ++step) {
      auto found = producers.find(*value);
      if (found == producers.end())
        return false;
      const Node &node = model.nodes[found->second];
      if (products.count(node.opType))
        return node.inputs.size() > 1 &&
               llvm::any_of(node.inputs, [&](const std::string &input) {
                 return !dependent.count(input);
               });
      if (!moves.count(node.opType) || node.inputs.empty())
        return false;
      value = &node.inputs[0];
    }
    return false;
  }

  const Model &model;
  /// Tensors that depend on data, and tensors that are data up to shifts and
  /// factors.
  std::unordered_set<std::string> dependent, raw;
  std::unordered_map<std::string, std::vector<std::pair<size_t, size_t>>>
      consumers;
  std::unordered_map<std::string, size_t> producers;
  std::unordered_map<std::string, std::vector<BodyUse>> bodies;
};

} // namespace

std::deque<NamedTensor>
mlir::soap::onnx::findTensors(const Model &model,
                              const std::set<std::string> &data) {
  std::deque<NamedTensor> result;
  std::unordered_map<std::string, const Tensor *> known;
  auto add = [&](const std::string &name, const Tensor &values,
                 bool isConstantNode, const std::string &identityOf) {
    if (!values.isFloat() || values.size() <= 0 || data.count(name) ||
        !known.emplace(name, &values).second)
      return;
    NamedTensor tensor;
    tensor.name = name;
    tensor.values = &values;
    tensor.isConstantNode = isConstantNode;
    tensor.identityOf = identityOf;
    result.push_back(std::move(tensor));
  };
  for (const Tensor &tensor : model.initializers)
    add(tensor.name, tensor, false, "");
  for (const Node &node : model.nodes) {
    if (node.outputs.empty())
      continue;
    if (node.opType == "Constant" && node.attributes.size() == 1 &&
        node.attributes[0].kind == NodeAttribute::Kind::Tensor)
      add(node.outputs[0], node.attributes[0].tensor, true, "");
    if (node.opType == "Identity" && node.inputs.size() == 1)
      if (auto found = known.find(node.inputs[0]); found != known.end())
        add(node.outputs[0], *found->second, false, node.inputs[0]);
  }
  UseFinder finder(model, data);
  for (NamedTensor &tensor : result)
    tensor.uses = finder.find(tensor);
  return result;
}
