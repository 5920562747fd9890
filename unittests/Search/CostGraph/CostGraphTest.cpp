//===- CostGraphTest.cpp - Checks of cost graphs and solutions ------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each message of `check` and `verify`, and sums at their limits.
//
//===----------------------------------------------------------------------===//

#include "Soap/Search/CostGraph/CostGraph.h"

#include <gtest/gtest.h>

using namespace soap;

/// Two nodes of two configs, and an edge.
static CostGraph makePair() {
  CostGraph graph;
  graph.nodes = {{{1, 5}, {10, 4}, 0, 2}, {{2, 3}, {7, 6}, 1, 3}};
  graph.edges = {{0, 1, {0, 9, 8, CostGraph::forbidden}}};
  graph.capacity = 17;
  return graph;
}

static void expectError(const MaybeError &error, const std::string &text) {
  ASSERT_TRUE(error) << text;
  EXPECT_NE(error->message.find(text), std::string::npos) << error->message;
}

TEST(CostGraph, AcceptsAPair) {
  CostGraph graph = makePair();
  EXPECT_FALSE(graph.check());
  EXPECT_EQ(graph.costOf({0, 1}), 13);
  EXPECT_EQ(graph.costOf({1, 1}), std::nullopt);
  EXPECT_EQ(graph.peakOf({0, 1}).bytes, 16);
  EXPECT_EQ(graph.peakOf({0, 1}).time, 1);
  EXPECT_FALSE(graph.verify({{0, 0}, 3, true, 3, 0, {}}));
}

TEST(CostGraph, EmptyIntervalsHoldNothing) {
  CostGraph graph = makePair();
  graph.nodes[0].liveTo = 0;
  EXPECT_EQ(graph.peakOf({0, 0}).bytes, 7);
  graph.nodes[1].liveTo = -5;
  EXPECT_EQ(graph.peakOf({0, 0}).bytes, 0);
}

TEST(CostGraph, RefusesWhatIsNotWellFormed) {
  auto refuse = [](auto change, const std::string &text) {
    CostGraph graph = makePair();
    change(graph);
    expectError(graph.check(), text);
  };
  refuse([](CostGraph &g) { g.nodes[1] = {}; },
         "node 1: expected at least one config");
  refuse([](CostGraph &g) { g.nodes[0].memory.pop_back(); },
         "node 0: expected a memory for each of its 2 costs, got 1");
  refuse([](CostGraph &g) { g.nodes[0].costs[1] = -2; }, "got -2");
  refuse([](CostGraph &g) { g.nodes[1].memory[0] = -3; }, "got -3");
  refuse([](CostGraph &g) { g.edges[0].target = 2; },
         "edge 0: expected nodes of 0 to 1, got 2");
  refuse([](CostGraph &g) { g.edges[0].source = -1; }, "got -1");
  refuse([](CostGraph &g) { g.edges[0].target = 0; },
         "expected two different nodes, got 0 twice");
  refuse([](CostGraph &g) { g.edges[0].costs.push_back(1); },
         "expected 2 * 2 costs");
  refuse([](CostGraph &g) { g.edges[0].costs[0] = -1; }, "got -1");
  refuse([](CostGraph &g) { g.capacity = -1; }, "capacity");
  refuse([](CostGraph &g) { g.nodes[0].memory[0] = INT64_MAX; },
         "time 1 adds up to 2^63");
  refuse(
      [](CostGraph &g) {
        for (int i = 0; i < 4; ++i)
          g.nodes.push_back({{CostGraph::forbidden - 1}, {0}, 0, 0});
        g.nodes[2].costs.push_back(4);
        g.nodes[2].memory.push_back(0);
      },
      "4e18");
}

TEST(CostGraph, VerifyFindsWhatIsWrong) {
  CostGraph graph = makePair();
  auto refuse = [&](const CostGraphSolution &solution,
                    const std::string &text) {
    expectError(graph.verify(solution), text);
  };
  refuse({{0}, 1, false, 0, 0, {}},
         "expected a choice for each of 2 nodes, got 1");
  refuse({{0, 2}, 1, false, 0, 0, {}},
         "node 1: expected a choice of 0 to 1, got 2");
  refuse({{0, -1}, 1, false, 0, 0, {}}, "got -1");
  refuse({{1, 1}, 8, false, 0, 0, {}}, "edge 0: config 1 of node 0");
  refuse({{0, 0}, 4, false, 0, 0, {}}, "costs 3, not 4");
  refuse({{0, 0}, 3, false, 4, 0, {}}, "bound 4 is larger");
  refuse({{0, 0}, 3, true, 2, 0, {}}, "called optimal");
  graph.capacity = 16;
  refuse({{0, 0}, 3, true, 3, 0, {}}, "17 bytes at time 1");
  graph.nodes[0].costs[0] = CostGraph::forbidden;
  refuse({{0, 0}, 3, true, 3, 0, {}}, "node 0: config 0 is forbidden");
}
