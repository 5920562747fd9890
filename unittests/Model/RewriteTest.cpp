//===- RewriteTest.cpp - Graphs that compute something again --------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clones of a perceptron: where they are, what they read, and for what they
// wait.
//
//===----------------------------------------------------------------------===//

#include "Soap/Model/Rewrite.h"
#include "Support/Graphs.h"

#include <gtest/gtest.h>

using namespace soap;
using namespace soap::test;

namespace {

class RewrittenGraphs : public ::testing::Test {
protected:
  RewrittenGraphs()
      : mlp(makeMlp(/*batch=*/8, std::vector<int64_t>(5, 16))),
        pass(mlp.graph) {}

  std::vector<bool> setOf(std::initializer_list<int> nodes) const {
    std::vector<bool> set(mlp.graph.nodes.size());
    for (int node : nodes)
      set[static_cast<size_t>(node)] = true;
    return set;
  }

  Mlp mlp;
  ForwardPass pass;
};

TEST_F(RewrittenGraphs, AreEqualWithoutClones) {
  auto made = withRecomputation(pass, setOf({}), /*keeps=*/{});
  ASSERT_TRUE(made) << made.error();
  ASSERT_EQ(made->graph.nodes.size(), mlp.graph.nodes.size());
  for (size_t n = 0; n < mlp.graph.nodes.size(); ++n) {
    EXPECT_EQ(made->of[n], static_cast<int>(n));
    EXPECT_EQ(made->graph.nodes[n].whole.name, mlp.graph.nodes[n].whole.name);
  }
  EXPECT_TRUE(made->graph.restores.empty());
}

TEST_F(RewrittenGraphs, HaveClonesBeforeTheFirstReader) {
  int relu = mlp.layers[1].relu;
  ASSERT_EQ(pass.whyNot(relu), "");
  auto made = withRecomputation(pass, pass.findRecomputable(setOf({relu})), {});
  ASSERT_TRUE(made) << made.error();
  const Graph &graph = made->graph;
  ASSERT_EQ(graph.nodes.size(), mlp.graph.nodes.size() + 1);
  auto clone = static_cast<size_t>(std::ranges::find(made->isClone, true) -
                                   made->isClone.begin());
  const Kernel &again = graph.nodes[clone].whole;
  EXPECT_EQ(again.name, pass.kernel(relu).name + ".recompute");
  EXPECT_EQ(again.phase, Phase::Backward);
  EXPECT_EQ(made->of[clone], relu);
  // Its operand of the forward pass waits for a gradient.
  ASSERT_EQ(graph.restores.size(), 1u);
  EXPECT_TRUE(graph.restores[0].delaysReaders);
  EXPECT_EQ(graph.restores[0].value, again.operands[0]);
  // The next node is the first reader in the backward pass, and no gradient
  // reads the value of the forward pass any more.
  int value = again.results[0];
  const Kernel &reader = graph.nodes[clone + 1].whole;
  EXPECT_EQ(std::ranges::count(reader.operands, value), 1);
  int first =
      graph
          .nodes[static_cast<size_t>(made->numberOf[static_cast<size_t>(relu)])]
          .whole.results[0];
  for (const GraphNode &node : graph.nodes)
    if (node.whole.phase == Phase::Backward)
      EXPECT_EQ(std::ranges::count(node.whole.operands, first), 0)
          << node.whole.name;
}

TEST_F(RewrittenGraphs, GiveClonesTheConfigOfTheirNode) {
  std::vector<bool> all(mlp.graph.nodes.size(), true);
  auto made = withRecomputation(pass, pass.findRecomputable(all), {});
  ASSERT_TRUE(made) << made.error();
  Strategy strategy;
  for (size_t n = 0; n < mlp.graph.nodes.size(); ++n)
    strategy.push_back(
        Config::single(mlp.graph.nodes[n].whole.space, static_cast<int>(n)));
  Strategy configs = made->configs(strategy);
  std::vector<std::vector<Role>> roles = made->roles(mlp.graph, mlp.roles);
  EXPECT_GT(configs.size(), strategy.size());
  for (size_t n = 0; n < configs.size(); ++n) {
    EXPECT_EQ(configs[n].devices[0], made->of[n]);
    EXPECT_EQ(roles[n], mlp.roles[static_cast<size_t>(made->of[n])]);
  }
}

} // namespace
