//===- FlatMapTest.cpp - Hash table in one array --------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Against the standard library's, on keys that repeat.
//
//===----------------------------------------------------------------------===//

#include "Soap/Support/FlatMap.h"
#include "Random.h"

#include <gtest/gtest.h>

#include <map>

using namespace soap;
using soap::test::Random;

namespace {

TEST(FlatMap, KeepsTheFirstValueOfEachKey) {
  Random random(91);
  FlatMap<int> map;
  std::map<uint64_t, int> expected;
  for (int i = 0; i < 20000; ++i) {
    SCOPED_TRACE(random.trace(i));
    // Few low bits, as packed numbers of sets have.
    auto key = static_cast<uint64_t>(random(0, 40)) << 48 |
               static_cast<uint64_t>(random(0, 40)) << 16 |
               static_cast<uint64_t>(random(0, 3));
    auto [value, isNew] = map.tryEmplace(key, i);
    auto [it, isFirst] = expected.try_emplace(key, i);
    ASSERT_EQ(isNew, isFirst);
    ASSERT_EQ(value, it->second);
  }
  EXPECT_EQ(map.size(), expected.size());
}

} // namespace
