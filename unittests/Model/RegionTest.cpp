//===- RegionTest.cpp - Region algebra against sets of points -------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every operation of IndexSet and Region, compared with std::set of points on
// random sets.
//
//===----------------------------------------------------------------------===//

#include "Soap/Model/Region.h"
#include "Support/Random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <set>

using namespace soap;
using soap::test::Random;

using Points = std::set<int64_t>;

static Points pointsOf(const IndexSet &set) {
  Points points;
  for (const Interval &range : set.intervals())
    for (int64_t i = range.lo; i < range.hi; ++i)
      points.insert(i);
  return points;
}

/// Random intervals: overlapping, touching, reversed and empty ones included.
static std::vector<Interval> randomIntervals(Random &random, int64_t most,
                                             int64_t low, int64_t high) {
  std::vector<Interval> intervals(random(0, most));
  for (Interval &interval : intervals) {
    interval.lo = random(low, high);
    interval.hi = interval.lo + random(-1, 6);
  }
  return intervals;
}

static void expectCanonical(const IndexSet &set) {
  const Intervals &ranges = set.intervals();
  for (size_t i = 0; i < ranges.size(); ++i) {
    EXPECT_LT(ranges[i].lo, ranges[i].hi);
    if (i > 0) {
      EXPECT_LT(ranges[i - 1].hi, ranges[i].lo);
    }
  }
}

TEST(IndexSet, Constructors) {
  EXPECT_TRUE(IndexSet(3, 3).empty());
  EXPECT_TRUE(IndexSet(4, 3).empty());
  EXPECT_EQ(IndexSet(2, 5).size(), 3);
  EXPECT_EQ(IndexSet::fromIntervals({{4, 6}, {0, 2}, {2, 4}}), IndexSet(0, 6));
  EXPECT_EQ(IndexSet::fromIntervals({{0, 2}, {3, 3}, {4, 6}}).intervals(),
            (Intervals{{0, 2}, {4, 6}}));
  EXPECT_EQ(IndexSet().lo(), 0);
  EXPECT_EQ(IndexSet().hi(), 0);
}

TEST(IndexSet, AgainstPoints) {
  Random random(1);
  for (int round = 0; round < 20000; ++round) {
    SCOPED_TRACE(random.trace(round));
    std::vector<Interval> ia = randomIntervals(random, 6, -10, 25),
                          ib = randomIntervals(random, 6, -10, 25);
    Points pa, pb;
    for (const Interval &range : ia)
      for (int64_t i = range.lo; i < range.hi; ++i)
        pa.insert(i);
    IndexSet a = IndexSet::fromIntervals(ia), b = IndexSet::fromIntervals(ib);
    pb = pointsOf(b);
    expectCanonical(a);
    ASSERT_EQ(pointsOf(a), pa);
    ASSERT_EQ(a.size(), static_cast<int64_t>(pa.size()));
    ASSERT_EQ(a.empty(), pa.empty());
    if (!pa.empty()) {
      ASSERT_EQ(a.lo(), *pa.begin());
      ASSERT_EQ(a.hi(), *pa.rbegin() + 1);
      ASSERT_EQ(a.isInterval(), *pa.rbegin() - *pa.begin() + 1 == a.size());
    }
    for (int64_t i = -15; i < 40; ++i)
      ASSERT_EQ(a.contains(i), pa.count(i) == 1) << i;

    Points both, either;
    std::set_intersection(pa.begin(), pa.end(), pb.begin(), pb.end(),
                          std::inserter(both, both.end()));
    std::set_union(pa.begin(), pa.end(), pb.begin(), pb.end(),
                   std::inserter(either, either.end()));
    IndexSet intersection = a.intersect(b), united = a.unite(b);
    expectCanonical(intersection);
    expectCanonical(united);
    ASSERT_EQ(pointsOf(intersection), both);
    ASSERT_EQ(pointsOf(united), either);
    ASSERT_EQ(a.contains(b), both == pb);
    ASSERT_EQ(a == b, pa == pb);
    ASSERT_TRUE(united.contains(a));

    int64_t offset = random(-20, 20);
    Points shifted;
    for (int64_t i : pa)
      shifted.insert(i + offset);
    ASSERT_EQ(pointsOf(a.shift(offset)), shifted);

    // Positions in packed order, and back.
    Points positions;
    int64_t position = 0;
    for (int64_t i : pa) {
      if (pb.count(i))
        positions.insert(position);
      ++position;
    }
    IndexSet packed = a.positionsOf(intersection);
    expectCanonical(packed);
    ASSERT_EQ(pointsOf(packed), positions);

    int64_t from = random(0, a.size()), to = random(from, a.size());
    Points slice;
    position = 0;
    for (int64_t i : pa) {
      if (position >= from && position < to)
        slice.insert(i);
      ++position;
    }
    IndexSet sliced = a.slicePositions(from, to);
    expectCanonical(sliced);
    ASSERT_EQ(pointsOf(sliced), slice);
  }
}

/// All points of a region, as coordinate tuples in row-major order.
static std::vector<std::vector<int64_t>> pointsOf(const Region &region) {
  std::vector<std::vector<int64_t>> points = {{}};
  for (const IndexSet &set : region.indexSets()) {
    std::vector<std::vector<int64_t>> next;
    for (const std::vector<int64_t> &prefix : points)
      for (int64_t i : pointsOf(set)) {
        next.push_back(prefix);
        next.back().push_back(i);
      }
    points = std::move(next);
  }
  return points;
}

static Region randomRegion(Random &random, size_t rank) {
  std::vector<IndexSet> dims;
  for (size_t d = 0; d < rank; ++d)
    dims.push_back(IndexSet::fromIntervals(randomIntervals(random, 3, 0, 8)));
  return Region(std::move(dims));
}

TEST(Region, AgainstPoints) {
  Random random(2);
  for (int round = 0; round < 3000; ++round) {
    SCOPED_TRACE(random.trace(round));
    size_t rank = random(0, 3);
    Region a = randomRegion(random, rank), b = randomRegion(random, rank);
    std::vector<std::vector<int64_t>> pa = pointsOf(a), pb = pointsOf(b), both;
    std::set_intersection(pa.begin(), pa.end(), pb.begin(), pb.end(),
                          std::back_inserter(both));
    ASSERT_EQ(a.volume(), static_cast<int64_t>(pa.size()));
    ASSERT_EQ(a.empty(), pa.empty());
    Region intersection = a.intersect(b);
    ASSERT_EQ(pointsOf(intersection), both);
    ASSERT_EQ(a.contains(b),
              std::includes(pa.begin(), pa.end(), pb.begin(), pb.end()));

    // The packed position of every common point is its rank per dimension.
    Region packed = a.positionsOf(intersection);
    std::vector<std::vector<int64_t>> expected;
    for (const std::vector<int64_t> &point : both) {
      std::vector<int64_t> position;
      for (size_t d = 0; d < rank; ++d) {
        Points set = pointsOf(a[d]);
        position.push_back(std::distance(set.begin(), set.find(point[d])));
      }
      expected.push_back(position);
    }
    ASSERT_EQ(pointsOf(packed), expected);
    std::vector<int64_t> shape = a.shape();
    for (size_t d = 0; d < rank; ++d)
      ASSERT_EQ(shape[d], a[d].size());
  }
}

TEST(Region, RankZero) {
  Region scalar;
  EXPECT_FALSE(scalar.empty());
  EXPECT_EQ(scalar.volume(), 1);
  EXPECT_EQ(scalar.str(), "");
  EXPECT_TRUE(scalar.contains(scalar.intersect(scalar)));
}

TEST(Region, Prints) {
  EXPECT_EQ(
      Region({IndexSet(0, 4), IndexSet::fromIntervals({{0, 2}, {4, 6}})}).str(),
      "[0:4], [0:2, 4:6]");
  EXPECT_EQ(Region({IndexSet()}).str(), "[]");
  EXPECT_EQ(Region::whole({2, 3}).str(), "[0:2], [0:3]");
}
