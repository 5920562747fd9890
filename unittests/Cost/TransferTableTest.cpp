//===- TransferTableTest.cpp - Routes of a topology by table --------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables forget lists of searches, not routes.
//
//===----------------------------------------------------------------------===//

#include "Soap/Cost/TransferTable.h"

#include <gtest/gtest.h>

using namespace soap;

namespace {

TEST(TransferTable, RoutesAreNoCache) {
  Topology topology = *builtinTopology("k80-2x4");
  TransferTable transfers(topology);
  for (int from = 0; from < 8; ++from)
    transfers.resources(from, 7 - from);
  EXPECT_EQ(transfers.cacheBytes(), 0u);
  int known = transfers.resources(0, 7);
  std::vector<int> list = {1, 3, 5};
  int number = transfers.resourceNumber(list);
  EXPECT_NE(number, known);
  EXPECT_GT(transfers.cacheBytes(), 0u);
  // Forgets all but that one.
  std::vector<bool> wanted(transfers.resourceLists().size());
  wanted[static_cast<size_t>(number)] = true;
  int calls = 0;
  transfers.keep(wanted, [&](int before, int now) {
    EXPECT_EQ(before, number);
    EXPECT_EQ(now, 0);
    ++calls;
  });
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(transfers.resourceLists().size(), 1u);
  EXPECT_EQ(transfers.resourceNumber(list), 0);
  EXPECT_EQ(transfers.cacheBytes(), 0u);
  transfers.resources(0, 7);
  EXPECT_EQ(transfers.cacheBytes(), 0u);
}

} // namespace
