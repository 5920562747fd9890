//===- GroupBlocksTest.cpp - Parts of an op graph that repeat -------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Equal layers are blocks; layers that differ are not.
//
//===----------------------------------------------------------------------===//

#include "Search/Problems.h"

#include "Soap/Search/Problem/GroupBlocks.h"

#include <gtest/gtest.h>

using namespace soap;
using namespace soap::test;

namespace {

GroupBlocks blocksOf(const std::vector<int64_t> &widths) {
  MlpProblem problem(makeMlp(16, widths), 4);
  return findBlocks(problem.problem.getGraph(), problem.problem.getGroups(),
                    problem.problem.getRoles());
}

TEST(GroupBlocks, LayersOfOneSize) {
  // The first layer has another input, and no gradient of it.
  GroupBlocks blocks = blocksOf({8, 16, 16, 16, 16, 4});
  ASSERT_EQ(blocks.runs.size(), 1u);
  EXPECT_EQ(blocks.runs[0].first, 1);
  EXPECT_EQ(blocks.runs[0].size, 1);
  EXPECT_EQ(blocks.runs[0].count, 3);
  EXPECT_EQ(blocks.mates[0], (std::vector<int>{0}));
  EXPECT_EQ(blocks.mates[2], (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(blocks.mates[4], (std::vector<int>{4}));
}

TEST(GroupBlocks, TwoLayersInTurn) {
  GroupBlocks blocks = blocksOf({4, 8, 16, 8, 16, 8, 16});
  // 8 to 16 and 16 to 8 in turn; the last layer is half a block.
  ASSERT_EQ(blocks.runs.size(), 1u);
  EXPECT_EQ(blocks.runs[0].first, 1);
  EXPECT_EQ(blocks.runs[0].size, 2);
  EXPECT_EQ(blocks.runs[0].count, 2);
  EXPECT_EQ(blocks.mates[1], (std::vector<int>{1, 3}));
  EXPECT_EQ(blocks.mates[4], (std::vector<int>{2, 4}));
  EXPECT_EQ(blocks.mates[5], (std::vector<int>{5}));
}

TEST(GroupBlocks, NothingRepeats) {
  GroupBlocks blocks = blocksOf({4, 8, 12, 16});
  EXPECT_TRUE(blocks.runs.empty());
  for (size_t g = 0; g < blocks.mates.size(); ++g)
    EXPECT_EQ(blocks.mates[g], (std::vector<int>{static_cast<int>(g)}));
}

TEST(GroupBlocks, OtherEdgesAreOtherBlocks) {
  MlpProblem problem(makeMlp(16, {16, 16, 16, 16, 16, 16, 16}), 4);
  std::vector<OpGroup> groups = problem.problem.getGroups();
  Graph graph = problem.problem.getGraph();
  // Pairs of layers as one group each, so that a block has edges inside.
  std::vector<OpGroup> pairs;
  for (size_t g = 0; g + 1 < groups.size(); ++g)
    pairs.push_back(groups[g]);
  pairs.push_back(groups.back());
  GroupBlocks before = findBlocks(graph, pairs, problem.problem.getRoles());
  ASSERT_EQ(before.runs.size(), 1u);
  EXPECT_EQ(before.runs[0].count, 5);
  // Another role of a loop makes another group.
  std::vector<std::vector<Role>> roles = problem.problem.getRoles();
  roles[problem.mlp.layers[3].matmul][0] = Role::Attribute;
  GroupBlocks after = findBlocks(graph, pairs, roles);
  EXPECT_EQ(after.mates[3], (std::vector<int>{3}));
}

} // namespace
