//===- GroupCostsTest.cpp - Prices of groups on their own -----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which groups share their prices, and which pairs have one.
//
//===----------------------------------------------------------------------===//

#include "Search/Evaluator/GroupCosts.h"
#include "Search/Problems.h"

#include <gtest/gtest.h>

using namespace soap;
using namespace soap::test;

namespace {

/// Three equal ops in a row: the first reads data, the others what the one
/// before has written.
struct Chain {
  GraphBuilder builder;
  std::vector<OpGroup> groups;

  Chain() {
    int x = builder.input("x", {8, 8});
    for (int i = 0; i < 3; ++i) {
      std::string name = "relu" + std::to_string(i);
      int y = builder.value(name + ".y", {8, 8});
      int node = builder.node(
          name, "relu", Phase::Forward,
          {{"n", 8, IteratorType::Parallel}, {"c", 8, IteratorType::Parallel}},
          {Role::Sample, Role::Parameter}, {{x, {0, 1}}}, y, {0, 1});
      OpGroup group;
      group.leader = node;
      group.nodes = {node};
      group.loops = {{0, 1}};
      groups.push_back(std::move(group));
      x = y;
    }
    GraphOutput output;
    output.value = x;
    builder.graph.outputs.push_back(output);
  }
};

} // namespace

/// A group that is given data holds it, so its table of bytes has a column
/// more than that of an equal group behind it.
TEST(GroupCosts, GroupsThatHoldOtherValuesDiffer) {
  Chain chain;
  Topology topology = *builtinTopology("cpu-2");
  ParallelizationProblem problem(chain.builder.graph, topology, chain.groups,
                                 chain.builder.roles);
  ASSERT_FALSE(problem.check());
  GroupCosts costs(problem);
  std::vector<Config> configs = {
      Config::single(chain.builder.graph.nodes[0].whole.space)};
  EXPECT_EQ(costs.heldValues(0).size(), 2u);
  EXPECT_EQ(costs.heldValues(1).size(), 1u);
  EXPECT_EQ(costs.heldValues(2).size(), 1u);
  EXPECT_NE(costs.signature(0, configs), costs.signature(1, configs));
  EXPECT_EQ(costs.signature(1, configs), costs.signature(2, configs));
}

/// A number that all read, as the norm of all gradients, ties no groups.
TEST(GroupCosts, NumbersMakeNoPairs) {
  Chain chain;
  std::vector<GraphNode> &nodes = chain.builder.graph.nodes;
  int number = chain.builder.value("number", {1});
  nodes[chain.groups[0].leader].whole.results.push_back(number);
  for (size_t g = 1; g < chain.groups.size(); ++g)
    nodes[chain.groups[g].leader].whole.operands.push_back(number);
  Topology topology = *builtinTopology("cpu-2");
  ParallelizationProblem problem(chain.builder.graph, topology, chain.groups,
                                 chain.builder.roles);
  std::set<std::pair<int, int>> neighbours = {{0, 1}, {1, 2}};
  EXPECT_EQ(GroupCosts(problem).pairs(), neighbours);
}
