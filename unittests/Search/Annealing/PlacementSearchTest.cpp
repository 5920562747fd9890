//===- PlacementSearchTest.cpp - Every group on one device ----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Placements against plain enumeration; seeds, starts, memory.
//
//===----------------------------------------------------------------------===//

#include "Soap/Search/Annealing/PlacementSearch.h"
#include "Search/Problems.h"
#include "Soap/Search/Presets/Presets.h"

#include <gtest/gtest.h>

using namespace soap;
using namespace soap::test;

static bool isPlacement(const Strategy &strategy) {
  for (const Config &config : strategy)
    if (config.devices.size() != 1)
      return false;
  return true;
}

TEST(Placement, FindsTheBestOfAll) {
  MlpProblem p(makeMlp(64, {100, 80, 60, 10}), 3);
  const std::vector<OpGroup> &groups = p.problem.getGroups();
  int64_t best = INT64_MAX;
  std::vector<int> place(groups.size());
  for (bool more = true; more;) {
    Strategy strategy = singleStrategy(p.problem);
    for (size_t g = 0; g < groups.size(); ++g)
      p.problem.assign(
          strategy, groups[g],
          Config::single(p.mlp.graph.nodes[groups[g].leader].whole.space,
                         place[g]));
    best = std::min(best, p.problem.evaluate(strategy).makespanNs);
    more = false;
    for (size_t g = 0; g < groups.size() && !more; ++g) {
      more = ++place[g] < 3;
      if (!more)
        place[g] = 0;
    }
  }
  PlacementResult result = searchPlacement(p.problem, {});
  EXPECT_TRUE(isPlacement(result.found));
  EXPECT_TRUE(result.locallyOptimal);
  EXPECT_EQ(result.search.bestEvaluation.makespanNs, best);
  EXPECT_EQ(p.problem.evaluate(result.found).makespanNs, best);
}

TEST(Placement, RepeatsForASeed) {
  MlpProblem p(makeMlp(64, {100, 80, 60, 40, 20, 10}), 4);
  PlacementOptions options;
  options.seed = 5;
  options.proposals = 300;
  PlacementResult a = searchPlacement(p.problem, options),
                  b = searchPlacement(p.problem, options);
  EXPECT_EQ(a.found, b.found);
  EXPECT_EQ(a.search.accepted, b.search.accepted);
  EXPECT_LE(a.search.proposals, 300);
  options.seed = 6;
  PlacementResult c = searchPlacement(p.problem, options);
  EXPECT_NE(a.search.accepted, c.search.accepted);
}

TEST(Placement, NeverWorseThanItsStarts) {
  MlpProblem p(makeMlp(1024, {512, 512, 512, 10}), 4);
  PlacementOptions options;
  options.initial = {dataParallelStrategy(p.problem)};
  options.initialNames = {"data-parallel"};
  PlacementResult result = searchPlacement(p.problem, options);
  EXPECT_LE(result.search.bestEvaluation.makespanNs,
            result.search.initialNs.at(0));
  EXPECT_LE(result.search.bestEvaluation.makespanNs,
            result.foundEvaluation.makespanNs);
  EXPECT_TRUE(isPlacement(result.found));
}

TEST(Placement, GetsIntoMemory) {
  MlpProblem p(makeMlp(64, {64, 64, 64, 64, 64}), 4, 110000);
  ASSERT_GT(p.problem.evaluate(singleStrategy(p.problem)).excessBytes, 0);
  PlacementResult result = searchPlacement(p.problem, {});
  EXPECT_EQ(result.foundEvaluation.excessBytes, 0);
  EXPECT_FALSE(p.problem.verify(result.found));
}

TEST(Placement, StoppedEarly) {
  MlpProblem p(makeMlp(64, {100, 80, 10}), 4);
  std::atomic<bool> stop = true;
  PlacementOptions options;
  options.stop = &stop;
  PlacementResult result = searchPlacement(p.problem, options);
  EXPECT_EQ(result.search.proposals, 0);
  EXPECT_FALSE(result.locallyOptimal);
  EXPECT_FALSE(p.problem.verify(result.search.best));
}

TEST(Placement, EmptyGraph) {
  Graph graph;
  Topology topology = *builtinTopology("cpu-2");
  ParallelizationProblem problem(graph, topology, {}, {});
  EXPECT_EQ(searchPlacement(problem, {}).search.bestEvaluation.makespanNs, 0);
}
