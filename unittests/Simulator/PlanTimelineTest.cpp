//===- PlanTimelineTest.cpp - Compact plans beside task graphs ------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A compact plan says what the task graph of the same plan says: times of
// devices, and the critical path.
//
//===----------------------------------------------------------------------===//

#include "Support/RandomGraphs.h"

#include "Soap/Plan/StrategyPlan.h"
#include "Soap/Simulator/Algorithm1Simulator.h"
#include "Soap/Simulator/PlanTimeline.h"

#include <gtest/gtest.h>

using namespace soap;

namespace {

void check(const Graph &graph, const Strategy &strategy,
           const Topology &topology) {
  CostModel cost(topology);
  StrategyPlan plan(graph, cost);
  plan.set(strategy);
  PlanTimeline compact(plan);
  TaskGraph written =
      buildTaskGraph(graph, buildPlan(graph, strategy, topology), cost);
  simulateFull(written);
  ASSERT_EQ(compact.getMakespanNs(), written.makespanNs);
  int devices = topology.deviceCount();
  std::vector<DeviceTimes> times = compact.deviceTimes(),
                           expected = deviceTimes(written, devices);
  for (int d = 0; d < devices; ++d) {
    SCOPED_TRACE("device " + std::to_string(d));
    auto device = static_cast<size_t>(d);
    EXPECT_EQ(times[device].computeNs, expected[device].computeNs);
    EXPECT_EQ(times[device].movementNs, expected[device].movementNs);
    EXPECT_EQ(times[device].communicationNs, expected[device].communicationNs);
    EXPECT_EQ(times[device].exposedNs, expected[device].exposedNs);
  }
  Expected<std::vector<PathStretch>> path = compact.criticalPath();
  ASSERT_TRUE(path) << path.error();
  std::vector<PathStretch> stretches =
      stretchesOf(written, criticalPath(written));
  ASSERT_EQ(path->size(), stretches.size());
  for (size_t i = 0; i < path->size(); ++i) {
    SCOPED_TRACE("stretch " + std::to_string(i));
    EXPECT_EQ((*path)[i].subject, stretches[i].subject);
    EXPECT_EQ((*path)[i].taskClass, stretches[i].taskClass);
    EXPECT_EQ((*path)[i].tasks, stretches[i].tasks);
    EXPECT_EQ((*path)[i].startNs, stretches[i].startNs);
    EXPECT_EQ((*path)[i].endNs, stretches[i].endNs);
    EXPECT_EQ((*path)[i].queuedNs, stretches[i].queuedNs);
  }
}

TEST(PlanTimeline, EqualsTheTaskGraph) {
  for (uint64_t seed = 0; seed < 300 && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    randomgraphs::Random random(seed);
    randomgraphs::RandomProblem problem =
        randomgraphs::randomProblem(random, seed % 2 ? 4 : 12);
    std::string devices = std::to_string(problem.devices);
    for (const std::string &name : {"cpu-" + devices, "p100-" + devices + "x1",
                                    "h100-1x" + devices, "k80-1x" + devices})
      check(problem.graph, problem.strategy, *builtinTopology(name));
  }
}

} // namespace
