//===- RandomGraphs.h - Random op graphs and strategies ---------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small graphs of ops with every kind of access (identity, halos, contractions,
// permutations, updates of parameters), under random configs.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_UNITTESTS_SUPPORT_RANDOMGRAPHS_H
#define SOAP_UNITTESTS_SUPPORT_RANDOMGRAPHS_H

#include "Soap/Model/Graph.h"

#include <algorithm>
#include <random>

namespace soap::randomgraphs {

using Random = std::mt19937_64;
inline int64_t uniform(Random &random, int64_t lo, int64_t hi) {
  return std::uniform_int_distribution<int64_t>(lo, hi)(random);
}

struct GraphBuilder {
  Graph graph;
  Random &random;

  int value(std::vector<int64_t> shape) {
    graph.values.push_back(
        {"v" + std::to_string(graph.values.size()), std::move(shape), 4});
    return static_cast<int>(graph.values.size()) - 1;
  }
  int input(std::vector<int64_t> shape) {
    int v = value(std::move(shape));
    GraphInput in;
    in.value = v;
    graph.inputs.push_back(in);
    return v;
  }
  int node(const std::string &kind, IterationSpace space,
           std::vector<int> operands, std::vector<int64_t> shape) {
    Kernel kernel;
    kernel.name = kind + std::to_string(graph.nodes.size());
    kernel.kind = kind;
    kernel.space = std::move(space);
    kernel.operands = std::move(operands);
    int result = value(std::move(shape));
    kernel.results = {result};
    graph.nodes.push_back({std::move(kernel), {}});
    return result;
  }
  IterationSpace loops(const std::vector<int64_t> &extents, size_t parallel) {
    IterationSpace space;
    for (size_t l = 0; l < extents.size(); ++l)
      space.loops.push_back(
          {"l" + std::to_string(l), extents[l],
           l < parallel ? IteratorType::Parallel : IteratorType::Reduction,
           false});
    return space;
  }
  /// To the last node: sums of rows, and the columns that they become.
  void addStages(int64_t n, int64_t m) {
    AccessMap identity{DimMap::loop(0), DimMap::loop(1)}, rows{DimMap::loop(0)};
    int sums = value({n});
    GraphNode &last = graph.nodes.back();
    Kernel stages[2];
    stages[0].name = last.whole.name + "/sums";
    stages[0].space = loops({n, m}, 1);
    stages[0].space.operands = {{identity}};
    stages[0].space.results = {{rows, Combiner::Sum}};
    stages[0].operands = last.whole.operands;
    stages[0].results = {sums};
    stages[0].wholeLoops = {0, 2};
    stages[1].name = last.whole.name + "/columns";
    stages[1].space = loops({n, m}, 2);
    stages[1].space.operands = {{rows}};
    stages[1].space.results = {{identity, Combiner::Sum}};
    stages[1].operands = {sums};
    stages[1].results = last.whole.results;
    stages[1].wholeLoops = {0, 1};
    for (Kernel &stage : stages) {
      stage.kind = "norm";
      last.stages.push_back(stage);
    }
  }
  /// One random op on 2-D tensors of shape n x m.
  int randomNode(int x, int y, int64_t n, int64_t m) {
    AccessMap identity{DimMap::loop(0), DimMap::loop(1)};
    IterationSpace space = loops({n, m}, 2);
    switch (uniform(random, 0, 5)) {
    case 0: // elementwise, not linear as far as the plan knows
      space.operands = {{identity}};
      space.results = {{identity, Combiner::Sum}};
      return node("copy", space, {x}, {n, m});
    case 1: // linear: passes partial sums on
      space.operands = {{identity}, {identity}};
      space.results = {{identity, Combiner::Sum}};
      space.linear = true;
      return node("add", space, {x, y}, {n, m});
    case 2: { // window of three rows: halos
      space = loops({n, m, 3}, 2);
      space.operands = {
          {{DimMap::window({{0, 1}, {2, 1}}, -1), DimMap::loop(1)}}};
      space.results = {{identity, Combiner::Sum}};
      return node("window", space, {x}, {n, m});
    }
    case 3: // contraction over the columns of x, which are the rows of y:
            // partial sums
      space = loops({n, m, n}, 2);
      space.loops[2].extent = std::min(n, m);
      space.operands = {{{DimMap::loop(0), DimMap::loop(2)}},
                        {{DimMap::loop(2), DimMap::loop(1)}}};
      space.results = {{identity, Combiner::Sum}};
      return node("contract", space, {x, y}, {n, m});
    case 4: { // every column is the sum of all: stages where sums are split
      AccessMap columns{DimMap::loop(0), DimMap::loop(2)};
      space = loops({n, m, m}, 2);
      space.operands = {{columns}};
      space.results = {{identity, Combiner::Sum}};
      space.loops[2].stage = true;
      int result = node("norm", space, {x}, {n, m});
      addStages(n, m);
      return result;
    }
    default: // linear with a permutation of rows: y[i, j] = x[n - 1 - i, j]
      space.operands = {{{DimMap::window({{0, -1}}, n - 1), DimMap::loop(1)}}};
      space.results = {{identity, Combiner::Sum}};
      space.linear = true;
      return node("flip", space, {x}, {n, m});
    }
  }
  /// An update op that replaces an input.
  void update(size_t input, int gradient, int64_t n, int64_t m) {
    AccessMap identity{DimMap::loop(0), DimMap::loop(1)};
    IterationSpace space = loops({n, m}, 2);
    space.operands = {{identity}, {identity}};
    space.results = {{identity, Combiner::Sum}};
    node("update", space, {graph.inputs[input].value, gradient}, {n, m});
    graph.inputs[input].updateNode = static_cast<int>(graph.nodes.size()) - 1;
    graph.inputs[input].updateOperand = 0;
    graph.inputs[input].updateResult = 0;
  }
};

inline Config randomConfig(Random &random, const IterationSpace &space,
                           int devices) {
  for (;;) {
    Config config;
    for (size_t l = 0; l < space.loops.size(); ++l)
      config.degrees.push_back(uniform(random, 0, 1) ? 1
                                                     : uniform(random, 1, 5));
    config.replicas = uniform(random, 0, 1) ? 1 : uniform(random, 1, 3);
    int64_t pieces = config.piecesPerReplica() * config.replicas;
    if (pieces > 12)
      continue;
    for (int64_t i = 0; i < pieces; ++i)
      config.devices.push_back(
          static_cast<int>(uniform(random, 0, devices - 1)));
    return config;
  }
}

/// Any number of pieces up to that of the devices, mostly on different ones, in
/// order or not.
inline Config wideConfig(Random &random, const IterationSpace &space,
                         int devices) {
  Config config = Config::single(space, 0);
  int64_t pieces = 1;
  for (int64_t tries = uniform(random, 1, 4); tries > 0; --tries) {
    auto loop = static_cast<size_t>(
        uniform(random, 0, static_cast<int64_t>(space.loops.size())));
    int64_t factor = uniform(random, 2, 4);
    bool isLoop = loop < space.loops.size();
    if (pieces * factor > devices ||
        (isLoop && config.degrees[loop] * factor > space.loops[loop].extent))
      continue;
    pieces *= factor;
    (isLoop ? config.degrees[loop] : config.replicas) *= factor;
  }
  std::vector<int> list;
  for (int d = 0; d < devices; ++d)
    list.push_back(d);
  if (uniform(random, 0, 1))
    std::shuffle(list.begin(), list.end(), random);
  else
    std::rotate(list.begin(), list.begin() + uniform(random, 0, devices - 1),
                list.end());
  if (uniform(random, 0, 4) == 0)
    for (int &device : list)
      device = static_cast<int>(uniform(random, 0, devices - 1));
  config.devices.assign(list.begin(), list.begin() + pieces);
  return config;
}

/// A graph on n x m tensors, with a strategy for `devices` devices.
struct RandomProblem {
  Graph graph;
  Strategy strategy;
  int64_t n, m;
  int devices;
};

inline RandomProblem randomProblem(Random &random, int64_t maxNodes = 6,
                                   int64_t largest = 6) {
  int64_t n = uniform(random, 1, largest), m = uniform(random, 1, largest);
  GraphBuilder builder{{}, random};
  std::vector<int> live{builder.input({n, m}), builder.input({n, m}),
                        builder.input({n, m})};
  for (int64_t i = uniform(random, 1, maxNodes); i > 0; --i) {
    auto pick = [&] {
      return live[uniform(random, 0, static_cast<int64_t>(live.size()) - 1)];
    };
    int x = pick(), y = pick();
    live.push_back(builder.randomNode(x, y, n, m));
  }
  if (uniform(random, 0, 1))
    builder.update(0, live.back(), n, m);
  Graph &graph = builder.graph;
  int devices = static_cast<int>(uniform(random, 1, 6));
  for (int i = 0; i < 2; ++i) {
    GraphOutput output;
    output.value = live[live.size() - 1 - static_cast<size_t>(i)];
    output.name = "out" + std::to_string(i);
    output.hasConfig = uniform(random, 0, 1);
    if (output.hasConfig)
      output.config = randomConfig(random, tensorSpace({n, m}), devices);
    graph.outputs.push_back(output);
  }
  for (GraphInput &input : graph.inputs)
    if (input.updateNode < 0 && uniform(random, 0, 1)) {
      input.hasConfig = true;
      input.config = randomConfig(random, tensorSpace({n, m}), devices);
    }
  Strategy strategy;
  for (const GraphNode &node : graph.nodes)
    strategy.push_back(randomConfig(random, node.whole.space, devices));

  return {std::move(graph), std::move(strategy), n, m, devices};
}

} // namespace soap::randomgraphs

#endif // SOAP_UNITTESTS_SUPPORT_RANDOMGRAPHS_H
