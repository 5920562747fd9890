//===- CopyGeometryTest.cpp - Runs of parts of tiles ----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs against a walk over all elements; what is made in place, and what is
// cold.
//
//===----------------------------------------------------------------------===//

#include "Soap/Profile/CopyGeometry.h"
#include "Support/Random.h"

#include <gtest/gtest.h>

using namespace soap;
using soap::test::Random;

namespace {

/// Places in a packed tile of the elements of a part of it, in order.
std::vector<int64_t> placesOf(const Region &part, const Region &tile) {
  Region positions = tile.positionsOf(part);
  std::vector<int64_t> places = {0};
  for (size_t d = 0; d < positions.rank(); ++d) {
    std::vector<int64_t> next;
    for (int64_t place : places)
      for (const Interval &range : positions[d].intervals())
        for (int64_t i = range.lo; i < range.hi; ++i)
          next.push_back(place * tile[d].size() + i);
    places = std::move(next);
  }
  return places;
}

int64_t countRuns(const Region &part, const Region &from, const Region &to) {
  std::vector<int64_t> a = placesOf(part, from), b = placesOf(part, to);
  int64_t runs = 0;
  for (size_t i = 0; i < a.size(); ++i)
    runs += i == 0 || a[i] != a[i - 1] + 1 || b[i] != b[i - 1] + 1;
  return runs;
}

IndexSet randomSet(Random &random, int64_t extent) {
  if (random.chance(30))
    return IndexSet(0, extent);
  std::vector<Interval> intervals;
  for (int64_t i = random(1, 3); i-- > 0;) {
    int64_t lo = random(0, extent - 1);
    intervals.push_back({lo, random(lo + 1, extent)});
  }
  return IndexSet::fromIntervals(std::move(intervals));
}

} // namespace

TEST(CopyGeometry, RunsAreThoseOfTheElements) {
  Random random(91);
  int several = 0;
  for (int round = 0; round < 3000; ++round) {
    SCOPED_TRACE(random.trace(round));
    IndexSets from, to;
    for (int64_t d = random(0, 4); d-- > 0;) {
      int64_t extent = random(1, 7);
      from.push_back(randomSet(random, extent));
      to.push_back(random.chance(40) ? from[from.size() - 1]
                                     : randomSet(random, extent));
    }
    Region source(std::move(from)), target(std::move(to)),
        part = source.intersect(target);
    int64_t runs = contiguousRuns(part, source, target);
    // By positions, as partitioned programs have them.
    EXPECT_EQ(contiguousRuns(source.positionsOf(part), source.shape(),
                             target.positionsOf(part), target.shape()),
              runs);
    if (part.empty()) {
      ASSERT_EQ(runs, 0);
      continue;
    }
    // Elements may happen to follow each other where a set ends at the end of a
    // row of both tiles and the next begins with one: not counted as one run,
    // since copies are made row by row.
    int64_t exact = countRuns(part, source, target);
    ASSERT_GE(runs, exact);
    ASSERT_LE(runs, part.volume());
    bool intervals = true;
    for (size_t d = 0; d < part.rank(); ++d)
      intervals &= source[d].isInterval() && target[d].isInterval();
    if (intervals)
      ASSERT_EQ(runs, exact);
    several += runs > 1;
  }
  EXPECT_GT(several, 500);
}

TEST(CopyGeometry, Examples) {
  Region tile = Region::whole({8, 6});
  auto runs = [&](IndexSet rows, IndexSet columns) {
    Region part({rows, columns});
    return contiguousRuns(part, tile, part);
  };
  EXPECT_EQ(runs({0, 8}, {0, 6}), 1);
  EXPECT_EQ(runs({2, 5}, {0, 6}), 1);
  EXPECT_EQ(runs({2, 5}, {0, 3}), 3);
  EXPECT_EQ(runs({2, 3}, {1, 3}), 1);
  EXPECT_EQ(runs(IndexSet::fromIntervals({{0, 2}, {4, 6}}), {0, 6}), 2);
  EXPECT_EQ(runs({0, 8}, IndexSet::fromIntervals({{0, 1}, {3, 4}})), 16);
  EXPECT_EQ(contiguousRuns(Region(), Region(), Region()), 1); // a scalar
}

TEST(CopyGeometry, WhatIsCopied) {
  // Two halves of a tile, made in it.
  CopyPart half{512, 1, 512, 1024, false};
  EXPECT_EQ(assembleSizes({half, half}, 4096), CopySizes());
  // Beside a part that is none, they are copied.
  CopyPart columns{512, 16, 2048, 1024, false};
  EXPECT_EQ(assembleSizes({half, columns}, 4096), (CopySizes{1024, 17, 0, 0}));
  // An input stays where it is.
  CopyPart weight = half;
  weight.isInput = true;
  EXPECT_EQ(assembleSizes({half, weight}, 4096), (CopySizes{512, 1, 512, 1}));
  // Larger than the cache: either tile.
  EXPECT_EQ(assembleSizes({columns}, 2047), (CopySizes{512, 16, 512, 16}));
  columns.sourceBytes = 1024;
  EXPECT_EQ(assembleSizes({columns}, 1023), (CopySizes{512, 16, 512, 16}));
  EXPECT_EQ(assembleSizes({columns}, 1024), (CopySizes{512, 16, 0, 0}));
  // Sent as it lies, or packed.
  EXPECT_EQ(packSizes(weight, 4096), CopySizes());
  EXPECT_EQ(packSizes(columns, 4096), (CopySizes{512, 16, 0, 0}));
}
