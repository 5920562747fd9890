//===- ConvergenceTest.cpp - Timelines that are equal except a shift ------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Soap/Simulator/DeltaSimulator.h"
#include "Soap/Topology/Topology.h"
#include "Support/Graphs.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace soap;

namespace {

/// Layers whose last parallel loop is split: each waits for all devices of the
/// one before.
struct Layers {
  test::Mlp mlp = test::makeMlp(64, std::vector<int64_t>(41, 64));
  Topology topology = *builtinTopology("p100-1x4");
  CostModel cost{topology};
  StrategyPlan plan{mlp.graph, cost};
  MakespanBounds bounds{plan};

  Layers() {
    Strategy strategy;
    for (const GraphNode &node : mlp.graph.nodes) {
      const std::vector<Loop> &loops = node.whole.space.loops;
      Config config = Config::single(node.whole.space);
      for (size_t l = loops.size(); l-- > 0;)
        if (loops[l].type == IteratorType::Parallel) {
          config.degrees[l] = 4;
          config.devices = {0, 1, 2, 3};
          break;
        }
      strategy.push_back(std::move(config));
    }
    plan.set(strategy);
  }

  /// Puts the activation of a layer on one device.
  void change(size_t layer) {
    int node = mlp.layers[layer].relu;
    Config config = Config::single(mlp.graph.nodes[node].whole.space);
    plan.change({&node, 1}, {&config, 1});
  }
};

/// Checks simulations after `layers` have changed, one after the other.
void checkChanges(const std::vector<size_t> &layers, int64_t maxSimulated) {
  Layers parts, whole;
  DeltaSimulator simulator(parts.plan, parts.bounds, 16);
  StrategySimulator fresh(whole.plan);
  simulator.start();
  for (size_t layer : layers) {
    parts.change(layer);
    whole.change(layer);
    whole.plan.finish();
    int64_t expected = fresh.makespan();
    // It is known exactly whether a limit is kept.
    EXPECT_GT(simulator.propose(expected - 1), expected - 1);
    parts.plan.revert();
    parts.change(layer);
    EXPECT_EQ(simulator.propose(expected), expected);
    EXPECT_LE(simulator.simulatedTasks(), maxSimulated);
    std::vector<TaskQueue::Entry> starts, freshStarts;
    auto check = [&] {
      simulator.starts(starts);
      fresh.starts(freshStarts);
      std::sort(starts.begin(), starts.end());
      std::sort(freshStarts.begin(), freshStarts.end());
      ASSERT_EQ(starts.size(), freshStarts.size());
      for (size_t t = 0; t < starts.size(); ++t) {
        ASSERT_EQ(starts[t].readyNs, freshStarts[t].readyNs);
        ASSERT_EQ(starts[t].key, freshStarts[t].key);
      }
    };
    check();
    simulator.commit();
    parts.plan.commit();
    whole.plan.commit();
    check();
  }
}

} // namespace

TEST(Convergence, PartsThatComeAgainAreNotSimulated) {
  Layers layers;
  ASSERT_GT(layers.plan.taskCount(), 800);
  checkChanges({20}, 200);
}

TEST(Convergence, CommittedPartsAreChangedAgain) {
  checkChanges({20, 5, 35, 6, 19, 20, 21, 0, 39}, 400);
}
