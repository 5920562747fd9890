//===- TaskBundleTest.cpp - Tasks that are ready together -----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Soap/Simulator/TaskBundle.h"

#include <gtest/gtest.h>

#include <limits>

using namespace soap;

namespace {

TEST(TaskBundle, KeysKeepWhatTheyPackAndItsOrder) {
  for (size_t blocks :
       {size_t(1), size_t(7), size_t(8000), size_t(1) << 20, size_t(1) << 30}) {
    BundleKeys keys(blocks);
    int last = static_cast<int>(blocks) - 1,
        highest = std::numeric_limits<int>::max() - keys.maxTasks();
    EXPECT_GE(keys.maxTasks(), 2);
    uint64_t before = 0;
    bool isFirst = true;
    for (int block : {0, last / 2, last})
      for (int first : {0, 1000000, highest})
        for (int count : {1, keys.maxTasks()}) {
          uint64_t key = keys.pack({block, first, count});
          TaskBundle bundle = keys.unpack(key);
          EXPECT_EQ(bundle.block, block);
          EXPECT_EQ(bundle.first, first);
          EXPECT_EQ(bundle.count, count);
          // The queue needs the highest bit.
          EXPECT_EQ(key >> 63, 0u);
          if (!isFirst && count == 1 && (first > 0 || block > 0) && last > 2)
            EXPECT_GT(key, before);
          before = key;
          isFirst = false;
        }
  }
}

TEST(TaskBundle, GrowsByTheTaskAfterIt) {
  for (size_t blocks : {size_t(1), size_t(8000), size_t(1) << 30}) {
    BundleKeys keys(blocks);
    int block = static_cast<int>(blocks) - 1;
    for (int first : {0, 7, 1000000}) {
      uint64_t bundle = keys.pack({block, first, 1});
      for (int count = 1; count < 5 && count < keys.maxTasks(); ++count) {
        EXPECT_TRUE(keys.follows(keys.pack({block, first + count, 1}), bundle));
        for (int other : {-1, 1, 2})
          EXPECT_FALSE(keys.follows(
              keys.pack({block, first + count + other, 1}), bundle));
        if (block > 0)
          EXPECT_FALSE(
              keys.follows(keys.pack({block - 1, first + count, 1}), bundle));
        bundle = keys.append(bundle);
        EXPECT_EQ(bundle, keys.pack({block, first, count + 1}));
      }
      // A full one takes no more.
      int most = keys.maxTasks();
      EXPECT_FALSE(keys.follows(keys.pack({block, first + most, 1}),
                                keys.pack({block, first, most})));
    }
  }
}

} // namespace
