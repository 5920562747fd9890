//===- Graphs.h - Small op graphs for tests ---------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A training step of a multi-layer perceptron, built by hand: matmuls, relus,
// their gradients, updates. Has everything that plans distinguish: split
// reductions, partial gradients, elementwise ops, updated parameters, outputs.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_UNITTESTS_SUPPORT_GRAPHS_H
#define SOAP_UNITTESTS_SUPPORT_GRAPHS_H

#include "Random.h"
#include "Soap/Model/Graph.h"
#include "Soap/Model/Roles.h"

#include <string>
#include <vector>

namespace soap::test {

class GraphBuilder {
public:
  Graph graph;
  std::vector<std::vector<Role>> roles;

  int value(const std::string &name, std::vector<int64_t> shape) {
    graph.values.push_back({name, std::move(shape)});
    return static_cast<int>(graph.values.size()) - 1;
  }
  int input(const std::string &name, std::vector<int64_t> shape) {
    int v = value(name, std::move(shape));
    GraphInput input;
    input.value = v;
    graph.inputs.push_back(input);
    return v;
  }

  /// A node whose maps are given as loop positions per tensor dim.
  int node(const std::string &name, const std::string &kind, Phase phase,
           std::vector<Loop> loops, std::vector<Role> loopRoles,
           const std::vector<std::pair<int, std::vector<int>>> &operands,
           int result, const std::vector<int> &resultLoops, double flops = 1,
           bool linear = false) {
    GraphNode node;
    Kernel &kernel = node.whole;
    kernel.name = name;
    kernel.kind = kind;
    kernel.phase = phase;
    kernel.space.loops = std::move(loops);
    kernel.space.flopsPerPoint = flops;
    kernel.space.linear = linear;
    auto map = [](const std::vector<int> &positions) {
      AccessMap dims;
      for (int loop : positions)
        dims.push_back(DimMap::loop(loop));
      return dims;
    };
    for (const auto &[value, positions] : operands) {
      kernel.operands.push_back(value);
      kernel.space.operands.push_back({map(positions)});
    }
    kernel.results = {result};
    kernel.space.results = {{map(resultLoops), Combiner::Sum}};
    graph.nodes.push_back(std::move(node));
    roles.push_back(std::move(loopRoles));
    return static_cast<int>(graph.nodes.size()) - 1;
  }
};

/// Node ids of one layer.
struct MlpLayer {
  int matmul = -1, relu = -1, reluGrad = -1, inputGrad = -1, weightGrad = -1,
      update = -1;
};

struct Mlp {
  Graph graph;
  std::vector<std::vector<Role>> roles;
  std::vector<MlpLayer> layers;
};

/// `widths[0]` inputs, then one layer per further width; every layer is a
/// matmul and a relu.
inline Mlp makeMlp(int64_t batch, const std::vector<int64_t> &widths) {
  using enum Role;
  const IteratorType reduce = IteratorType::Reduction;
  GraphBuilder b;
  Mlp mlp;
  size_t count = widths.size() - 1;
  mlp.layers.resize(count);
  std::vector<int> acts = {b.input("x", {batch, widths[0]})}, pre(count),
                   weights(count);
  for (size_t i = 0; i < count; ++i)
    weights[i] = b.input("w" + std::to_string(i), {widths[i], widths[i + 1]});
  int grad = b.input("seed", {batch, widths.back()});
  for (size_t i = 0; i < count; ++i) {
    std::string name = "fc" + std::to_string(i);
    int64_t c = widths[i], k = widths[i + 1];
    pre[i] = b.value(name + ".out", {batch, k});
    mlp.layers[i].matmul =
        b.node(name, "matmul", Phase::Forward,
               {{"n", batch}, {"k", k}, {"c", c, reduce}},
               {Sample, Parameter, Reduction},
               {{acts[i], {0, 2}}, {weights[i], {2, 1}}}, pre[i], {0, 1}, 2);
    int out = b.value("relu" + std::to_string(i) + ".out", {batch, k});
    mlp.layers[i].relu =
        b.node("relu" + std::to_string(i), "relu", Phase::Forward,
               {{"n", batch}, {"k", k}}, {Sample, Attribute},
               {{pre[i], {0, 1}}}, out, {0, 1});
    acts.push_back(out);
  }
  for (size_t i = count; i-- > 0;) {
    std::string name = "fc" + std::to_string(i);
    int64_t c = widths[i], k = widths[i + 1];
    int preGrad =
        b.value("relu" + std::to_string(i) + ".input_grad.out", {batch, k});
    mlp.layers[i].reluGrad =
        b.node("relu" + std::to_string(i) + ".input_grad", "relu_grad",
               Phase::Backward, {{"n", batch}, {"k", k}}, {Sample, Attribute},
               {{grad, {0, 1}}, {pre[i], {0, 1}}}, preGrad, {0, 1});
    int weightGrad = b.value(name + ".weight_grad.out", {c, k});
    mlp.layers[i].weightGrad =
        b.node(name + ".weight_grad", "matmul", Phase::Backward,
               {{"n", batch, reduce}, {"k", k}, {"c", c}},
               {Sample, Parameter, Parameter},
               {{acts[i], {0, 2}}, {preGrad, {0, 1}}}, weightGrad, {2, 1}, 2);
    if (i > 0) {
      grad = b.value(name + ".input_grad.out", {batch, c});
      mlp.layers[i].inputGrad =
          b.node(name + ".input_grad", "matmul", Phase::Backward,
                 {{"n", batch}, {"k", k, reduce}, {"c", c}},
                 {Sample, Parameter, Parameter},
                 {{preGrad, {0, 1}}, {weights[i], {2, 1}}}, grad, {0, 2}, 2);
    }
    int updated = b.value("w" + std::to_string(i) + ".new", {c, k});
    mlp.layers[i].update = b.node(
        "w" + std::to_string(i) + ".sgd", "sgd", Phase::Update,
        {{"d0", c}, {"d1", k}}, {Parameter, Parameter},
        {{weights[i], {0, 1}}, {weightGrad, {0, 1}}}, updated, {0, 1}, 2);
    GraphInput &parameter = b.graph.inputs[1 + i];
    parameter.updateNode = mlp.layers[i].update;
    parameter.updateOperand = 0;
    parameter.updateResult = 0;
  }
  GraphOutput output;
  output.value = acts.back();
  output.name = "y";
  b.graph.outputs.push_back(output);
  mlp.graph = std::move(b.graph);
  mlp.roles = std::move(b.roles);
  return mlp;
}

/// Any legal config: uneven splits, more pieces than extents, replicas,
/// repeated devices.
inline Config randomConfig(Random &random, const IterationSpace &space,
                           int deviceCount, int64_t maxPieces = 8) {
  Config config;
  int64_t pieces = 1;
  for (const Loop &loop : space.loops) {
    int64_t degree = loop.type != IteratorType::Serial && random.chance(40)
                         ? random(1, maxPieces / pieces)
                         : 1;
    config.degrees.push_back(degree);
    pieces *= degree;
  }
  config.replicas = random.chance(25) ? random(1, maxPieces / pieces) : 1;
  for (int64_t i = 0; i < pieces * config.replicas; ++i)
    config.devices.push_back(random(0, deviceCount - 1));
  return config;
}

inline Strategy randomStrategy(Random &random, const Graph &graph,
                               int deviceCount) {
  Strategy strategy;
  for (const GraphNode &node : graph.nodes)
    strategy.push_back(randomConfig(random, node.whole.space, deviceCount));
  return strategy;
}

} // namespace soap::test

#endif // SOAP_UNITTESTS_SUPPORT_GRAPHS_H
