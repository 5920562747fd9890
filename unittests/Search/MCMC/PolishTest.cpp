//===- PolishTest.cpp - Local optimality under single-group changes -------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Strategies called locally optimal are compared with pricing every neighbour
// from nothing; memory, budgets, starts.
//
//===----------------------------------------------------------------------===//

#include "Soap/Search/MCMC/Polish.h"
#include "Search/Problem/ConfigSpace.h"
#include "Search/Problems.h"
#include "Soap/Search/Presets/Presets.h"

#include <gtest/gtest.h>

#include <set>

using namespace soap;
using namespace soap::test;

/// The fastest neighbour, priced without evaluator and limits; counts them.
static int64_t fastestNeighbour(const ParallelizationProblem &problem,
                                const Strategy &strategy, int64_t &count) {
  int64_t fastest = INT64_MAX;
  count = 0;
  int devices = problem.getTopology().deviceCount();
  for (const OpGroup &group : problem.getGroups())
    for (const std::vector<int64_t> &degrees :
         legalDegrees(problem, group.leader))
      for (const std::vector<int> &list :
           arrangements(devices, pieceCount(degrees))) {
        Strategy changed = strategy;
        problem.assign(changed, group, makeConfig(degrees, list));
        if (changed == strategy)
          continue;
        ++count;
        Evaluation evaluation = problem.evaluate(changed);
        if (evaluation.excessBytes == 0)
          fastest = std::min(fastest, evaluation.makespanNs);
      }
  return fastest;
}

TEST(Polish, LocallyOptimalUnderEveryChange) {
  MlpProblem p(makeMlp(16, {12, 8, 6}), 3);
  for (const std::string &preset : presetNames()) {
    PolishOptions options;
    options.initial = {*presetStrategy(preset, p.problem)};
    options.initialNames = {preset};
    PolishResult result = searchPolish(p.problem, options);
    EXPECT_TRUE(result.locallyOptimal);
    EXPECT_TRUE(result.allDeviceLists);
    EXPECT_FALSE(p.problem.verify(result.search.best));
    EXPECT_EQ(p.problem.evaluate(result.search.best).makespanNs,
              result.search.bestEvaluation.makespanNs);
    EXPECT_LE(result.search.bestEvaluation.makespanNs,
              result.search.initialNs.at(0));
    int64_t count = 0;
    EXPECT_GE(fastestNeighbour(p.problem, result.search.best, count),
              result.search.bestEvaluation.makespanNs)
        << preset;
    EXPECT_EQ(result.alternatives, count) << preset;
  }
}

TEST(Polish, BudgetsEndItUnproven) {
  MlpProblem p(makeMlp(64, {100, 80, 10}), 4);
  PolishOptions options;
  options.proposals = 10;
  PolishResult result = searchPolish(p.problem, options);
  EXPECT_FALSE(result.locallyOptimal);
  EXPECT_EQ(result.search.proposals, 10);
  EXPECT_FALSE(p.problem.verify(result.search.best));
  std::atomic<bool> stop = true;
  options.proposals = 0;
  options.stop = &stop;
  result = searchPolish(p.problem, options);
  EXPECT_FALSE(result.locallyOptimal);
  EXPECT_EQ(result.search.best, dataParallelStrategy(p.problem));
  // Starts take long on large clusters: of them, too, only the first.
  options.initial = {singleStrategy(p.problem),
                     dataParallelStrategy(p.problem)};
  options.initialNames = {"single", "data-parallel"};
  result = searchPolish(p.problem, options);
  EXPECT_EQ(result.search.initialNames, std::vector<std::string>{"single"});
  EXPECT_EQ(result.search.best, options.initial[0]);
}

TEST(Polish, StartsFromTheBest) {
  MlpProblem p(makeMlp(64, {100, 80, 10}), 4);
  PolishOptions options;
  for (const std::string &preset : presetNames())
    options.initial.push_back(*presetStrategy(preset, p.problem));
  options.initialNames = presetNames();
  PolishResult result = searchPolish(p.problem, options);
  EXPECT_EQ(result.search.initialNames, presetNames());
  for (int64_t ns : result.search.initialNs)
    EXPECT_LE(result.search.bestEvaluation.makespanNs, ns);
  // The curve falls.
  ASSERT_FALSE(result.search.curve.empty());
  for (size_t i = 1; i < result.search.curve.size(); ++i)
    EXPECT_LE(result.search.curve[i].bestNs, result.search.curve[i - 1].bestNs);
}

TEST(Polish, GetsIntoMemory) {
  MlpProblem roomy(makeMlp(64, {64, 64, 64}), 4);
  Evaluation all = roomy.problem.evaluate(singleStrategy(roomy.problem));
  ASSERT_EQ(all.excessBytes, 0);
  MlpProblem p(makeMlp(64, {64, 64, 64}), 4, 100000);
  PolishOptions options;
  options.initial = {singleStrategy(p.problem)};
  ASSERT_GT(p.problem.evaluate(options.initial[0]).excessBytes, 0);
  PolishResult result = searchPolish(p.problem, options);
  EXPECT_EQ(result.search.bestEvaluation.excessBytes, 0);
  EXPECT_FALSE(p.problem.verify(result.search.best));
}

TEST(Polish, NeighbourhoodsOfManyDevices) {
  MlpProblem p(makeMlp(64, {100, 80, 10}), 8);
  Strategy strategy = dataParallelStrategy(p.problem);
  std::vector<std::vector<int>> lists;
  EXPECT_TRUE(polishDeviceLists(p.problem, strategy, 0, {}, 2, 120, lists));
  EXPECT_EQ(lists.size(), 56u);
  EXPECT_FALSE(polishDeviceLists(p.problem, strategy, 0, {}, 8, 120, lists));
  // 8 rotations and 28 swaps.
  EXPECT_EQ(lists.size(), 36u);
  EXPECT_FALSE(polishDeviceLists(p.problem, strategy, 0, {}, 4, 120, lists));
  // 8 starts, with strides 1 and 2.
  EXPECT_EQ(lists.size(), 16u);
  strategy[p.problem.getGroups()[0].leader].devices = {0, 1, 2, 4};
  EXPECT_FALSE(polishDeviceLists(p.problem, strategy, 0, {}, 4, 120, lists));
  std::set<std::vector<int>> distinct(lists.begin(), lists.end());
  EXPECT_EQ(distinct.size(), lists.size());
  // And its own, 6 swaps, 16 replacements, of which {0, 1, 2, 3} is known.
  EXPECT_EQ(lists.size(), 16u + 1 + 6 + 15);
}

TEST(Polish, EmptyGraph) {
  Graph graph;
  Topology topology = *builtinTopology("cpu-2");
  ParallelizationProblem problem(graph, topology, {}, {});
  PolishResult result = searchPolish(problem, {});
  EXPECT_TRUE(result.locallyOptimal);
  EXPECT_EQ(result.search.bestEvaluation.makespanNs, 0);
}
