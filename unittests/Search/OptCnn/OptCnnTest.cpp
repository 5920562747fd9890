//===- OptCnnTest.cpp - Dynamic programming over equal partitions ---------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elimination against plain enumeration; the space, bounds and starts of the
// search.
//
//===----------------------------------------------------------------------===//

#include "Soap/Search/OptCnn/OptCnn.h"
#include "Search/Evaluator/GroupCosts.h"
#include "Search/OptCnn/PairwiseModel.h"
#include "Search/Problem/ConfigSpace.h"
#include "Search/Problems.h"
#include "Soap/Search/CostGraph/SolveCostGraph.h"
#include "Soap/Search/Presets/Presets.h"

#include <gtest/gtest.h>

#include <random>

using namespace soap;
using namespace soap::test;

/// OptCNN's sums as a cost graph: two solvers, one cost.
TEST(PairwiseModel, CostGraphsAgree) {
  for (uint64_t seed = 0; seed < 100; ++seed) {
    std::mt19937_64 engine(seed);
    auto below = [&](uint64_t n) { return static_cast<int>(engine() % n); };
    PairwiseModel model;
    CostGraph graph;
    int count = 2 + below(10);
    for (int v = 0; v < count; ++v) {
      CostGraphNode &node = graph.nodes.emplace_back();
      for (int c = 1 + below(4); c > 0; --c)
        node.costs.push_back(below(50));
      node.memory.resize(node.costs.size());
      model.addVariable(node.costs);
    }
    for (int e = below(2 * count); e > 0; --e) {
      int a = below(count), b = below(count);
      if (a == b)
        continue;
      CostGraphEdge edge{a, b, {}};
      edge.costs.resize(model.size(a) * model.size(b));
      for (int64_t &cost : edge.costs)
        cost = below(50);
      model.addEdge(a, b, edge.costs);
      graph.edges.push_back(std::move(edge));
    }
    CostGraphOptions options;
    options.algorithm = CostGraphAlgorithm::Elimination;
    options.seconds = 1e6;
    CostGraphResult result = solveCostGraph(graph, options);
    ASSERT_EQ(result.status, CostGraphResult::Solved) << seed;
    EXPECT_TRUE(result.solution.optimal) << seed;
    EXPECT_EQ(result.solution.cost, model.solve().cost) << seed;
  }
}

TEST(PairwiseModel, EnumerationAgrees) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    std::mt19937_64 engine(seed);
    auto below = [&](uint64_t n) { return static_cast<int>(engine() % n); };
    int count = 1 + below(6);
    PairwiseModel model;
    std::vector<std::vector<int64_t>> unary;
    for (int v = 0; v < count; ++v) {
      std::vector<int64_t> costs(1 + below(3));
      for (int64_t &cost : costs)
        cost = below(10);
      unary.push_back(costs);
      model.addVariable(costs);
    }
    struct Edge {
      int a, b;
      std::vector<int64_t> costs;
    };
    std::vector<Edge> edges;
    for (int e = below(13); e > 0 && count > 1; --e) {
      int a = below(count), b = below(count);
      if (a == b)
        continue;
      Edge edge{a, b, std::vector<int64_t>(unary[a].size() * unary[b].size())};
      for (int64_t &cost : edge.costs)
        cost = below(10);
      model.addEdge(a, b, edge.costs);
      edges.push_back(std::move(edge));
    }
    auto priceOf = [&](const std::vector<int> &values) {
      int64_t sum = 0;
      for (int v = 0; v < count; ++v)
        sum += unary[v][values[v]];
      for (const Edge &edge : edges)
        sum +=
            edge.costs[values[edge.a] * unary[edge.b].size() + values[edge.b]];
      return sum;
    };
    int64_t least = INT64_MAX;
    std::vector<int> values(count);
    for (bool more = true; more;) {
      least = std::min(least, priceOf(values));
      more = false;
      for (int v = 0; v < count && !more; ++v) {
        more = ++values[v] < static_cast<int>(unary[v].size());
        if (!more)
          values[v] = 0;
      }
    }
    PairwiseModel::Solution solution = model.solve();
    EXPECT_EQ(solution.cost, least) << "seed " << seed;
    EXPECT_EQ(priceOf(solution.values), least) << "seed " << seed;
    EXPECT_GE(model.work(), 1);
  }
}

TEST(OptCnn, MinimalOverTheSpace) {
  MlpProblem p(makeMlp(64, {48, 32, 10}), 4);
  OptCnnOptions options;
  options.maxConfigs = 1000;
  OptCnnResult result = searchOptCnn(p.problem, options);
  EXPECT_TRUE(result.minimal);
  EXPECT_FALSE(result.tiedLayers);
  EXPECT_FALSE(p.problem.verify(result.found));
  EXPECT_EQ(p.problem.evaluate(result.found).makespanNs,
            result.search.bestEvaluation.makespanNs);

  // All strategies of the space by the sum that the search claims to minimize.
  const std::vector<OpGroup> &groups = p.problem.getGroups();
  std::vector<std::vector<Config>> configs;
  for (const OpGroup &group : groups) {
    configs.emplace_back();
    for (const std::vector<int64_t> &degrees :
         legalDegrees(p.problem, group.leader)) {
      int64_t count = pieceCount(degrees);
      // Loop 2 is the reduction.
      if (degrees[2] > 1 || degrees[3] > 1 || count == 3)
        continue;
      std::vector<int> devices;
      for (int d = 0; d < count; ++d)
        devices.push_back(d);
      configs.back().push_back(makeConfig(degrees, devices));
    }
    EXPECT_EQ(configs.back().size(), 6u); // 1, 2 twice, 4 three times
  }
  GroupCosts costs(p.problem);
  auto never = [] { return false; };
  int64_t least = INT64_MAX, found = -1;
  for (const Config &a : configs[0])
    for (const Config &b : configs[1])
      for (const Config &c :
           configs.size() > 2 ? configs[2] : std::vector<Config>{{}}) {
        std::vector<Config> chosen = {a, b, c};
        int64_t sum = 0;
        for (size_t g = 0; g < groups.size(); ++g)
          sum += costs.alone(static_cast<int>(g), {chosen[g]})[0];
        for (auto [x, y] : costs.pairs())
          sum += costs.between(x, y, {chosen[x]}, {chosen[y]}, never)[0];
        least = std::min(least, sum);
        Strategy strategy = singleStrategy(p.problem);
        for (size_t g = 0; g < groups.size(); ++g)
          p.problem.assign(strategy, groups[g], chosen[g]);
        if (strategy == result.found)
          found = sum;
      }
  EXPECT_EQ(result.estimateNs, least);
  EXPECT_EQ(found, least);
}

TEST(OptCnn, NeverWorseThanItsStarts) {
  MlpProblem p(makeMlp(64, {100, 80, 10}), 4);
  OptCnnOptions options;
  for (const std::string &preset : presetNames())
    options.initial.push_back(*presetStrategy(preset, p.problem));
  OptCnnResult result = searchOptCnn(p.problem, options);
  EXPECT_EQ(result.search.initialNs.size(), presetNames().size());
  for (int64_t ns : result.search.initialNs)
    EXPECT_LE(result.search.bestEvaluation.makespanNs, ns);
  EXPECT_LE(result.search.bestEvaluation.makespanNs,
            result.foundEvaluation.makespanNs);
}

TEST(OptCnn, StoppedEarly) {
  MlpProblem p(makeMlp(64, {100, 80, 10}), 4);
  std::atomic<bool> stop = true;
  OptCnnOptions options;
  options.stop = &stop;
  OptCnnResult result = searchOptCnn(p.problem, options);
  EXPECT_TRUE(result.found.empty());
  EXPECT_FALSE(result.minimal);
  EXPECT_EQ(result.search.best, dataParallelStrategy(p.problem));
}

TEST(OptCnn, EmptyGraph) {
  Graph graph;
  Topology topology = *builtinTopology("cpu-2");
  ParallelizationProblem problem(graph, topology, {}, {});
  EXPECT_EQ(searchOptCnn(problem, {}).search.bestEvaluation.makespanNs, 0);
}
