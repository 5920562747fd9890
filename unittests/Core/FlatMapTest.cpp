//===- FlatMapTest.cpp - Tables in one array ------------------------------===//
//
// Against the standard library's tables, on keys and lists that repeat.
//
//===----------------------------------------------------------------------===//

#include "Soap/Core/FlatMap.h"
#include "Random.h"
#include "Soap/Core/ResourceLists.h"

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
