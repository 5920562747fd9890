//===- Algorithm2SimulatorTest.cpp - Propagation of changes --------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// After any sequence of changes, kept or undone, propagated times equal the
// times of Algorithm 1 on the written-out task graph, task by task.
//
//===----------------------------------------------------------------------===//

#include "Support/RandomGraphs.h"

#include "Soap/Simulator/Algorithm1Simulator.h"
#include "Soap/Simulator/Algorithm2Simulator.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>

using namespace soap;
using namespace soap::randomgraphs;

namespace {

/// Counts of what the tests have met: without these they would show nothing.
struct Seen {
  int64_t proposals = 0, tasks = 0, simulated = 0, stopped = 0, ties = 0;
  int64_t deferred = 0, severalResources = 0;
};

void expectTimes(const Algorithm2Simulator &simulator, TaskGraph expected,
                 Seen &seen) {
  simulateFull(expected);
  std::vector<std::vector<TaskTimes>> times;
  simulator.timeline(times);
  std::set<std::pair<int64_t, int>> ready;
  for (const Task &task : expected.tasks) {
    const TaskTimes &t = times[task.key[0]][task.key[1]];
    ASSERT_EQ(t.readyNs, task.readyNs) << task.name;
    ASSERT_EQ(t.startNs, task.startNs) << task.name;
    ASSERT_EQ(t.endNs, task.endNs) << task.name;
    seen.deferred += task.deferred;
    seen.severalResources += task.resources.size() > 1;
    for (int resource : task.resources)
      seen.ties += !ready.insert({task.readyNs, resource}).second;
  }
}

TaskGraph writtenOut(const StrategyPlan &plan) {
  return buildTaskGraph(plan.getGraph(),
                        buildPlan(plan.getGraph(), plan.getStrategy(),
                                  plan.getCost().getTopology()),
                        plan.getCost());
}

/// One chain of changes, each of one or a few nodes.
void checkChain(uint64_t seed, int64_t maxNodes, const std::string &topologies,
                int steps, Seen &seen) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random random(seed);
  RandomProblem problem = randomProblem(random, maxNodes);
  std::string devices = std::to_string(problem.devices);
  Topology topology =
      *builtinTopology(topologies == "cpu" ? "cpu-" + devices
                                           : topologies + "-" + devices + "x1");
  CostModel cost(topology);
  StrategyPlan plan(problem.graph, cost);
  Algorithm2Simulator simulator(plan);
  plan.set(problem.strategy);
  ASSERT_EQ(simulator.start(),
            simulateFull(*std::make_unique<TaskGraph>(writtenOut(plan))));
  expectTimes(simulator, writtenOut(plan), seen);
  for (int step = 0; step < steps && !::testing::Test::HasFatalFailure();
       ++step) {
    std::vector<int> nodes;
    std::vector<Config> configs;
    int64_t chance = uniform(random, 1, 4);
    for (size_t n = 0; n < problem.graph.nodes.size(); ++n)
      if (uniform(random, 0, 2 * chance) == 0) {
        nodes.push_back(static_cast<int>(n));
        configs.push_back(randomConfig(
            random, problem.graph.nodes[n].whole.space, problem.devices));
      }
    plan.change(nodes, configs);
    plan.finish();
    TaskGraph expected = writtenOut(plan);
    int64_t makespanNs = simulateFull(expected);
    if (uniform(random, 0, 2) == 0) {
      int64_t limit = uniform(random, 1, 2 * makespanNs);
      int64_t bounded = simulator.propagate(limit);
      if (makespanNs <= limit)
        ASSERT_EQ(bounded, makespanNs);
      else
        ASSERT_GT(bounded, limit);
      ++seen.stopped;
    }
    ASSERT_EQ(simulator.propagate(), makespanNs);
    ++seen.proposals;
    seen.tasks += plan.taskCount();
    seen.simulated += simulator.simulatedTasks();
    expectTimes(simulator, expected, seen);
    if (uniform(random, 0, 1)) {
      simulator.commit();
      plan.commit();
      expectTimes(simulator, std::move(expected), seen);
    } else {
      plan.revert();
    }
  }
}

TEST(Algorithm2Simulator, EqualsFullSimulation) {
  Seen seen;
  for (uint64_t seed = 0; seed < 150 && !HasFatalFailure(); ++seed)
    for (const char *topology : {"cpu", "p100", "k80"})
      checkChain(seed, seed % 3 == 0 ? 25 : 8, topology, 10, seen);
  EXPECT_GT(seen.ties, seen.proposals);
  EXPECT_GT(seen.deferred, seen.proposals);
  EXPECT_GT(seen.severalResources, seen.proposals);
  EXPECT_GT(seen.stopped, 500);
  EXPECT_LT(seen.simulated, seen.tasks);
}

} // namespace
