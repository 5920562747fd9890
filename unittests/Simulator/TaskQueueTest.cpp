//===- TaskQueueTest.cpp - Ready tasks of a simulation --------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Soap/Simulator/TaskQueue.h"
#include "Support/Random.h"

#include <gtest/gtest.h>
#include <queue>

using namespace soap;

using Pair = std::pair<int64_t, uint64_t>;

/// Beside a binary heap: pushes after what was popped, with many ties and with
/// none, few and many entries, saved and loaded now and then.
TEST(TaskQueue, PopsInOrder) {
  for (int round = 0; round < 60; ++round) {
    test::Random draw(static_cast<uint64_t>(round));
    SCOPED_TRACE(draw.trace(round));
    std::mt19937_64 &random = draw.engine;
    TaskQueue queue;
    std::priority_queue<Pair, std::vector<Pair>, std::greater<>> expected;
    int64_t range = round % 3 == 0 ? 3 : round % 3 == 1 ? 1000 : 1 << 30;
    size_t most = round % 2 ? 40 : 3000;
    int index = 0;
    auto push = [&](int64_t readyNs) {
      int block = static_cast<int>(random() % 50);
      queue.push(readyNs, block, index);
      expected.emplace(readyNs, static_cast<uint64_t>(block) << 32 |
                                    static_cast<uint64_t>(index));
      ++index;
    };
    for (size_t i = 0; i < most / 2; ++i)
      push(0);
    std::vector<TaskQueue::Entry> saved;
    for (int step = 0; step < 5000 && !expected.empty(); ++step) {
      ASSERT_FALSE(queue.empty());
      if (step % 500 == 0) {
        saved.clear();
        queue.save(saved);
        ASSERT_EQ(saved.size(), expected.size());
        queue.load(saved);
      }
      TaskQueue::Entry first = queue.pop();
      ASSERT_EQ(Pair(first.readyNs, first.key), expected.top());
      expected.pop();
      if (expected.size() < most)
        for (uint64_t n = random() % 3; n > 0; --n)
          push(first.readyNs + 1 +
               static_cast<int64_t>(random() % static_cast<uint64_t>(range)));
    }
    if (expected.empty()) {
      EXPECT_TRUE(queue.empty());
    }
    queue.clear();
    EXPECT_TRUE(queue.empty());
    // All tasks may be pushed again after that.
    queue.push(0, 0, 0);
    EXPECT_EQ(queue.pop().key, 0u);
  }
}
