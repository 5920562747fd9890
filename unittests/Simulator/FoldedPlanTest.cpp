//===- FoldedPlanTest.cpp - One task for all that are alike ---------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Folded or not, the times of every task are the same; and what should fold,
// folds.
//
//===----------------------------------------------------------------------===//

#include "Support/Graphs.h"
#include "Support/RandomGraphs.h"

#include "Simulator/FoldedPlan.h"
#include "Soap/Simulator/Algorithm1Simulator.h"

#include <gtest/gtest.h>

#include <numeric>

using namespace soap;
using namespace soap::test;

namespace {

/// Simulates a strategy folded and unfolded.
FoldedPlan check(const Graph &graph, const Strategy &strategy,
                 const Topology &topology) {
  CostModel cost(topology);
  StrategyPlan plan(graph, cost);
  plan.set(strategy);
  StrategySimulator simulator(plan);
  std::vector<std::vector<TaskTimes>> unfolded, folded;
  int64_t makespanNs = simulator.timeline(unfolded);
  FoldedPlan result = foldPlan(plan);
  EXPECT_EQ(simulateFull(result.graph), makespanNs);
  result.timeline(folded);
  EXPECT_EQ(folded, unfolded);
  EXPECT_EQ(result.unfoldedTasks, plan.taskCount());
  EXPECT_EQ(std::accumulate(result.taskCounts.begin(), result.taskCounts.end(),
                            int64_t(0)),
            plan.taskCount());
  return result;
}

TEST(FoldedPlan, EqualsTheUnfoldedSimulation) {
  int64_t folded = 0, kept = 0;
  for (uint64_t seed = 0; seed < 300 && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    randomgraphs::Random random(seed);
    randomgraphs::RandomProblem problem =
        randomgraphs::randomProblem(random, seed % 2 ? 4 : 12);
    std::string devices = std::to_string(problem.devices);
    for (const std::string &name : {"cpu-" + devices, "p100-" + devices + "x1",
                                    "h100-1x" + devices, "k80-1x" + devices})
      (check(problem.graph, problem.strategy, *builtinTopology(name)).isFolded()
           ? folded
           : kept)++;
  }
  EXPECT_GT(folded, 20);
  EXPECT_GT(kept, 20);
}

/// Samples over `across` groups of devices, outputs of layers over the devices
/// of a group.
Strategy layersOver(const Graph &graph, int devices, int perGroup) {
  Strategy strategy;
  for (const GraphNode &node : graph.nodes) {
    const IterationSpace &space = node.whole.space;
    Config config = Config::single(space);
    int samples = space.findLoop("n");
    int features = perGroup > 1 ? space.findLoop("k") : -1;
    if (samples >= 0)
      config.degrees[samples] = devices / perGroup;
    if (features >= 0)
      config.degrees[features] = perGroup;
    config.replicas = devices / config.piecesPerReplica();
    config.devices.resize(devices);
    std::iota(config.devices.begin(), config.devices.end(), 0);
    strategy.push_back(config);
  }
  return strategy;
}

TEST(FoldedPlan, DataParallelism) {
  Mlp mlp = makeMlp(64, {16, 32, 8});
  for (const char *name : {"h100-2x8", "h100-1x8", "p100-4x4", "k80-4x4",
                           "a100-4x4", "h100-8x8", "cpu-8"}) {
    SCOPED_TRACE(name);
    Topology topology = *builtinTopology(name);
    FoldedPlan folded = check(
        mlp.graph, layersOver(mlp.graph, topology.deviceCount(), 1), topology);
    EXPECT_LE(folded.deviceClasses, 8) << folded.reason;
    EXPECT_TRUE(folded.reason.empty()) << folded.reason;
  }
}

TEST(FoldedPlan, LayoutsThatRepeat) {
  Mlp mlp = makeMlp(64, {16, 32, 8});
  for (const char *name : {"h100-4x4", "p100-4x4", "a100-2x8"})
    for (int perGroup : {2, 4}) {
      SCOPED_TRACE(name + std::string(" ") + std::to_string(perGroup));
      Topology topology = *builtinTopology(name);
      check(mlp.graph, layersOver(mlp.graph, topology.deviceCount(), perGroup),
            topology);
    }
}

} // namespace
