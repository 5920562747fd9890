//===- ResourceListsTest.cpp - Lists of resources by number ---------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Against a map from the standard library, on lists that repeat.
//
//===----------------------------------------------------------------------===//

#include "Soap/Topology/ResourceLists.h"
#include "Support/Random.h"

#include <gtest/gtest.h>

#include <map>

using namespace soap;
using soap::test::Random;

namespace {

TEST(ResourceLists, NumbersEachListOnce) {
  Random random(92);
  ResourceLists lists;
  std::map<std::vector<int>, int> expected;
  for (int i = 0; i < 5000; ++i) {
    SCOPED_TRACE(random.trace(i));
    std::vector<int> list;
    for (int64_t count = random(0, 3); count > 0; --count)
      list.push_back(static_cast<int>(random(0, 12)));
    auto [it, isNew] =
        expected.try_emplace(list, static_cast<int>(expected.size()));
    ASSERT_EQ(lists.number(list), it->second);
    std::span<const int> known = lists[it->second];
    ASSERT_EQ(std::vector<int>(known.begin(), known.end()), list);
  }
  EXPECT_EQ(lists.size(), expected.size());
}

} // namespace
