//===- TaskRunPoolTest.cpp - Memory of a simulation's tasks ---------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Soap/Simulator/TaskRunPool.h"

#include "Support/Random.h"

#include <gtest/gtest.h>

using namespace soap;

namespace {

/// Tasks are as asked for, and keep their state whatever is allocated later,
/// over several runs.
TEST(TaskRunPool, KeepsWhatItAllocates) {
  test::Random draw(1);
  SCOPED_TRACE(draw.trace(0));
  TaskRunPool pool;
  for (int run = 0; run < 20; ++run) {
    struct Block {
      TaskRun *tasks;
      std::vector<int> waiting;
      int64_t readyNs;
    };
    std::vector<Block> blocks;
    pool.reset();
    for (int b = 0; b < 200; ++b) {
      int most = b % 50 == 7 ? 20000 : 100;
      std::vector<int> waiting(static_cast<size_t>(draw(0, most)));
      bool isCounted = draw.chance(50);
      if (isCounted)
        for (int &count : waiting)
          count = static_cast<int>(draw(0, 9));
      TaskRun *tasks =
          isCounted ? pool.allocate(waiting) : pool.allocate(waiting.size());
      for (size_t i = 0; i < waiting.size(); ++i) {
        ASSERT_EQ(tasks[i].readyNs, 0);
        ASSERT_EQ(tasks[i].waiting, waiting[i]);
        tasks[i].readyNs = 1000 * run + b;
      }
      blocks.push_back({tasks, waiting, 1000 * run + b});
    }
    for (const Block &block : blocks)
      for (size_t i = 0; i < block.waiting.size(); ++i) {
        ASSERT_EQ(block.tasks[i].readyNs, block.readyNs);
        ASSERT_EQ(block.tasks[i].waiting, block.waiting[i]);
      }
  }
}

} // namespace
