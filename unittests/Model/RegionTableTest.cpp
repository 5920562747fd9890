//===- RegionTableTest.cpp - Regions by number against elements -----------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the elements of a part lie in a packed tile, compared with a walk over
// all elements of the tile.
//
//===----------------------------------------------------------------------===//

#include "Soap/Model/RegionTable.h"
#include "Support/Random.h"

#include <gtest/gtest.h>

using namespace soap;
using soap::test::Random;

static IndexSet randomSet(Random &random) {
  std::vector<Interval> intervals;
  for (int64_t i = random(1, 3), lo = random(0, 2); i > 0; --i) {
    intervals.push_back({lo, lo + random(1, 3)});
    lo = intervals.back().hi + random(0, 2);
  }
  return IndexSet::fromIntervals(std::move(intervals));
}

/// Whether the elements of `part` follow each other in a walk over `whole`,
/// row-major.
static bool followEachOther(const Region &part, const Region &whole) {
  int64_t runs = 0;
  bool wasInside = false;
  std::vector<int64_t> point(whole.rank());
  auto walk = [&](auto &walk, size_t d, bool isInside) -> void {
    if (d == whole.rank()) {
      runs += isInside && !wasInside;
      wasInside = isInside;
      return;
    }
    for (const Interval &range : whole[d].intervals())
      for (int64_t i = range.lo; i < range.hi; ++i)
        walk(walk, d + 1, isInside && part[d].contains(IndexSet(i, i + 1)));
  };
  walk(walk, 0, true);
  return runs == 1;
}

TEST(RegionTable, RunsFollowEachOther) {
  Random random(1);
  int runs = 0, others = 0;
  for (int i = 0; i < 4000; ++i) {
    auto rank = static_cast<size_t>(random(0, 3));
    std::vector<IndexSet> outer, inner;
    for (size_t d = 0; d < rank; ++d) {
      outer.push_back(randomSet(random));
      inner.push_back(
          random(0, 1) ? outer.back()
                       : IndexSet(outer.back().intersect(randomSet(random))));
    }
    Region whole(outer), part(inner);
    if (part.empty())
      continue;
    RegionTable table(rank, 4);
    bool isRun = table.isRun(table.number(part), table.number(whole));
    ASSERT_EQ(isRun, followEachOther(part, whole))
        << part.str() << " of " << whole.str();
    ++(isRun ? runs : others);
  }
  EXPECT_GT(runs, 500);
  EXPECT_GT(others, 500);
}
