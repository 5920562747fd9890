//===- MakespanBoundsTest.cpp - Lower bounds of the makespan --------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bounds against what was bounded, on clusters of so many devices that
// exchanges are one operation, and with links so slow that they matter.
//
//===----------------------------------------------------------------------===//

#include "Soap/Bounds/MakespanBounds.h"
#include "Soap/Simulator/StrategySimulator.h"
#include "Support/RandomGraphs.h"

#include <gtest/gtest.h>

using namespace soap;
using namespace soap::randomgraphs;

namespace {

Topology slowCluster(const std::string &name) {
  Topology topology = *builtinTopology(name);
  for (Link &link : topology.links)
    link.bandwidthBytesPerSecond *= 1e-6;
  EXPECT_FALSE(topology.computeRoutes());
  return topology;
}

TEST(MakespanBounds, AreBelowMakespansOfClusters) {
  constexpr int devices = 16;
  int strategies = 0, close = 0;
  for (const char *name :
       {"k80-4x4", "k80-8x2", "p100-4x4", "h100-2x8", "cpu-16"}) {
    Topology topology = slowCluster(name);
    CostModel cost(topology);
    for (uint64_t seed = 1; seed <= 60; ++seed) {
      SCOPED_TRACE(std::string(name) + ", seed " + std::to_string(seed));
      Random random(seed);
      RandomProblem problem = randomProblem(random, 8, 32);
      for (size_t n = 0; n < problem.strategy.size(); ++n)
        problem.strategy[n] =
            wideConfig(random, problem.graph.nodes[n].whole.space, devices);
      StrategyPlan plan(problem.graph, cost);
      MakespanBounds bounds(plan);
      StrategySimulator simulator(plan, &bounds);
      plan.set(problem.strategy);
      for (int step = 0; step < 12; ++step) {
        auto node = static_cast<int>(uniform(
            random, 0, static_cast<int64_t>(problem.strategy.size()) - 1));
        Config config =
            wideConfig(random, problem.graph.nodes[node].whole.space, devices);
        plan.change({&node, 1}, {&config, 1});
        int64_t boundNs = bounds.boundNs();
        plan.finish();
        int64_t makespanNs = simulator.makespan();
        ASSERT_LE(boundNs, makespanNs) << "step " << step;
        // Paths of planned values are a bound, too.
        bounds.findPaths();
        for (size_t k = 0; k < plan.getSlots().size(); ++k)
          ASSERT_LE(bounds.tailNs(static_cast<int>(k)), makespanNs);
        ++strategies;
        close += 2 * boundNs > makespanNs;
        if (uniform(random, 0, 1))
          plan.commit();
        else
          plan.revert();
      }
    }
  }
  // They would hold if they were 0.
  EXPECT_GT(close, strategies / 4);
}

} // namespace
