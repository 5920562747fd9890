//===- CollectiveGroupTest.cpp - Which collectives are regular ------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Soap/Plan/CollectiveGroup.h"

#include "gtest/gtest.h"

using namespace soap;

namespace {

using Devices = std::vector<int>;

TEST(CollectiveGroup, KeepsTheOrderOfContributions) {
  auto group = regularGroup(CollectiveKind::AllReduce, {3, 1, 2}, {1, 2, 3});
  ASSERT_TRUE(group);
  EXPECT_EQ(group->members, Devices({3, 1, 2}));
  EXPECT_EQ(group->inputs, Devices({0, 1, 2}));
  EXPECT_EQ(group->outputs, Devices({2, 0, 1}));
  EXPECT_EQ(group->root, -1);
  EXPECT_EQ(group->placeOf(2), 2);
  EXPECT_EQ(group->placeOf(7), -1);
}

TEST(CollectiveGroup, Roots) {
  auto reduce = regularGroup(CollectiveKind::Reduce, {3, 1, 2}, {1});
  ASSERT_TRUE(reduce);
  EXPECT_EQ(reduce->root, 1);
  EXPECT_EQ(reduce->outputs, Devices({-1, 0, -1}));
  auto broadcast = regularGroup(CollectiveKind::Broadcast, {2}, {5, 4});
  ASSERT_TRUE(broadcast);
  EXPECT_EQ(broadcast->members, Devices({2, 5, 4}));
  EXPECT_EQ(broadcast->root, 0);
}

TEST(CollectiveGroup, Irregular) {
  // A device with two tiles, readers that give nothing, and messages.
  EXPECT_FALSE(regularGroup(CollectiveKind::AllReduce, {0, 1, 1}, {0, 1}));
  EXPECT_FALSE(regularGroup(CollectiveKind::AllReduce, {0, 1}, {0, 1, 1}));
  EXPECT_FALSE(regularGroup(CollectiveKind::AllGather, {0, 1, 1}, {0, 1}));
  EXPECT_FALSE(regularGroup(CollectiveKind::AllGather, {0, 1}, {0, 1, 2}));
  EXPECT_FALSE(regularGroup(CollectiveKind::ReduceScatter, {0, 1}, {1, 2}));
  EXPECT_FALSE(regularGroup(CollectiveKind::Reduce, {0, 1}, {0, 1}));
  EXPECT_FALSE(regularGroup(CollectiveKind::Broadcast, {0}, {0, 1}));
  EXPECT_FALSE(regularGroup(CollectiveKind::Exchange, {0, 1}, {0, 1, 2}));
  EXPECT_FALSE(regularGroup(CollectiveKind::Exchange, {0, 1, 2}, {0, 1}));
  EXPECT_FALSE(regularGroup(CollectiveKind::Exchange, {0, 1, 1}, {0, 1}));
  EXPECT_FALSE(regularGroup(CollectiveKind::Exchange, {0, 1}, {0, 1, 1}));
}

Region box(std::vector<Interval> intervals) {
  std::vector<IndexSet> sets;
  for (Interval interval : intervals)
    sets.emplace_back(interval.lo, interval.hi);
  return Region(sets);
}

TEST(CollectiveGroup, AllToAll) {
  // Rows become columns.
  std::vector<Region> rows = {box({{0, 2}, {0, 5}}), box({{2, 3}, {0, 5}})},
                      columns = {box({{0, 3}, {0, 4}}), box({{0, 3}, {4, 5}})};
  EXPECT_TRUE(isAllToAll(rows, columns));
  EXPECT_TRUE(isAllToAll(columns, rows));
  // A pair that has nothing for each other; elements that two devices have.
  EXPECT_FALSE(isAllToAll(rows, rows));
  EXPECT_FALSE(isAllToAll({rows[0], rows[1], rows[1]}, columns));
  auto group = regularGroup(CollectiveKind::Exchange, {3, 1}, {1, 3});
  ASSERT_TRUE(group);
  EXPECT_EQ(group->members, Devices({1, 3}));
  EXPECT_EQ(group->inputs, Devices({1, 0}));
  EXPECT_EQ(group->outputs, Devices({0, 1}));
  std::vector<CollectiveStep> steps = stepsOf(*group, Combiner::Sum);
  ASSERT_EQ(steps.size(), 1u);
  EXPECT_EQ(steps[0].kind, CollectiveKind::AllToAll);
  EXPECT_EQ(steps[0].root, -1);
  std::vector<std::array<int64_t, 3>> messages;
  forEachMessage(CollectiveKind::AllToAll, 2, -1, 0, 4, {8, 2, 4, 1},
                 [&](int from, int to, int64_t count) {
                   messages.push_back({from, to, count});
                 });
  EXPECT_EQ(messages,
            (std::vector<std::array<int64_t, 3>>{{0, 1, 2}, {1, 0, 4}}));
}

TEST(CollectiveGroup, StepsOfOtherFolds) {
  auto all = regularGroup(CollectiveKind::AllReduce, {3, 1}, {1, 3});
  auto one = regularGroup(CollectiveKind::Reduce, {3, 1}, {1});
  ASSERT_TRUE(all && one);
  EXPECT_EQ(stepsOf(*all, Combiner::Sum).size(), 1u);
  std::vector<CollectiveStep> steps = stepsOf(*all, Combiner::Moments);
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(steps[0].kind, CollectiveKind::AllToAll);
  EXPECT_EQ(steps[0].root, 0);
  EXPECT_EQ(steps[1].kind, CollectiveKind::Broadcast);
  steps = stepsOf(*one, Combiner::Max);
  ASSERT_EQ(steps.size(), 1u);
  EXPECT_EQ(steps[0].root, 1);
}

void expectStep(const CollectiveStep &step, CollectiveKind kind, int root,
                const Devices &members) {
  EXPECT_EQ(step.kind, kind);
  EXPECT_EQ(step.root, root);
  EXPECT_EQ(step.members, members);
}

TEST(CollectiveGroup, SpreadSums) {
  // Readers that contribute nothing: the first contributor that reads folds,
  // and broadcasts.
  auto group = regularGroup(CollectiveKind::AllReduce, {8, 0}, {0, 4, 8, 5});
  ASSERT_TRUE(group);
  EXPECT_TRUE(group->isSpread());
  EXPECT_EQ(group->members, Devices({8, 0, 4, 5}));
  EXPECT_EQ(group->inputs, Devices({0, 1, -1, -1}));
  EXPECT_EQ(group->outputs, Devices({2, 0, 1, 3}));
  auto steps = stepsOf(*group, Combiner::Sum);
  ASSERT_EQ(steps.size(), 2u);
  expectStep(steps[0], CollectiveKind::Reduce, 0, {8, 0});
  expectStep(steps[1], CollectiveKind::Broadcast, 0, {8, 0, 4, 5});
  steps = stepsOf(*group, Combiner::Max);
  ASSERT_EQ(steps.size(), 2u);
  expectStep(steps[0], CollectiveKind::AllToAll, 0, {8, 0});

  // A contributor that reads nothing is no root, if there is another.
  group = regularGroup(CollectiveKind::AllReduce, {2, 0, 1}, {0, 1});
  ASSERT_TRUE(group);
  steps = stepsOf(*group, Combiner::Sum);
  ASSERT_EQ(steps.size(), 2u);
  expectStep(steps[0], CollectiveKind::Reduce, 1, {2, 0, 1});
  expectStep(steps[1], CollectiveKind::Broadcast, 0, {0, 1});

  // One reader, which contributes nothing; and one that does is not spread.
  group = regularGroup(CollectiveKind::Reduce, {0, 1}, {2});
  ASSERT_TRUE(group);
  steps = stepsOf(*group, Combiner::Sum);
  ASSERT_EQ(steps.size(), 2u);
  expectStep(steps[0], CollectiveKind::Reduce, 0, {0, 1});
  expectStep(steps[1], CollectiveKind::Broadcast, 0, {0, 2});
  group = regularGroup(CollectiveKind::Reduce, {0, 1}, {1});
  ASSERT_TRUE(group);
  EXPECT_FALSE(group->isSpread());
}

TEST(CollectiveGroup, MessagesOfAnAllReduce) {
  // As many bytes as a reduce-scatter and an all-gather, however it is split.
  for (int64_t elements : {10, 1023, 1024, 4001})
    for (int n : {2, 3, 8}) {
      int64_t sent = 0;
      forEachMessage(CollectiveKind::AllReduce, n, -1, elements, 4, {},
                     [&](int from, int to, int64_t count) {
                       EXPECT_NE(from, to);
                       sent += count;
                     });
      EXPECT_EQ(sent, 2 * (n - 1) * elements);
    }
}

} // namespace
