//===- IterationSpaceTest.cpp - Images against enumeration ----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Images of random boxes through random maps, compared with the definition
// applied to every point of the box.
//
//===----------------------------------------------------------------------===//

#include "Soap/Model/IterationSpace.h"
#include "Support/Random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
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

/// Calls `visit` for every point of the box.
static void
forEachPoint(const LoopBox &box,
             const std::function<void(const std::vector<int64_t> &)> &visit) {
  std::vector<int64_t> point(box.size());
  std::function<void(size_t)> walk = [&](size_t l) {
    if (l == box.size())
      return visit(point);
    for (point[l] = box[l].lo; point[l] < box[l].hi; ++point[l])
      walk(l + 1);
  };
  walk(0);
}

/// The definition in docs/Architecture.md, section 2, point by point.
static Points naiveImage(const DimMap &map, const LoopBox &box,
                         int64_t extent) {
  Points values, result;
  forEachPoint(box, [&](const std::vector<int64_t> &point) {
    int64_t value = map.offset;
    for (const Term &term : map.terms)
      value += term.coefficient * point[term.loop];
    values.insert(value);
  });
  if (values.empty())
    return {};
  if (map.kind == DimMap::Kind::Whole) {
    for (int64_t i = 0; i < extent; ++i)
      result.insert(i);
    return result;
  }
  if (map.kind == DimMap::Kind::Radix) {
    for (int64_t value : values)
      if (value >= 0 && value < extent)
        result.insert(value);
    return result;
  }
  double divisor = static_cast<double>(map.divisor);
  int64_t low =
      std::llround(std::ceil(static_cast<double>(*values.begin()) / divisor));
  int64_t high =
      std::llround(std::floor(static_cast<double>(*values.rbegin()) / divisor));
  std::vector<int64_t> kept;
  for (int64_t i = low; i <= high; ++i)
    if (map.clip < 0 || (i >= 0 && i < map.clip))
      kept.push_back(i);
  if (kept.empty())
    return {};
  for (int64_t i = kept.front() * map.scale + map.extraLow;
       i <= kept.back() * map.scale + map.extraHigh; ++i)
    if (i >= 0 && i < extent)
      result.insert(i);
  return result;
}

static LoopBox randomBox(Random &random, size_t loops) {
  LoopBox box(loops);
  for (Interval &range : box) {
    range.lo = random(0, 5);
    range.hi = range.lo + (random.chance(3) ? 0 : random(1, 6));
  }
  return box;
}

static std::vector<Term> randomTerms(Random &random, size_t loops,
                                     bool negative) {
  std::vector<Term> terms;
  for (size_t l = 0; l < loops; ++l)
    if (random.chance(70))
      terms.push_back(
          {static_cast<int>(l), (negative && random.chance(25) ? -1 : 1) *
                                    random(1, random.chance(50) ? 3 : 30)});
  std::shuffle(terms.begin(), terms.end(), random.engine);
  return terms;
}

TEST(Image, RadixAgainstEnumeration) {
  Random random(3);
  for (int round = 0; round < 20000; ++round) {
    SCOPED_TRACE(random.trace(round));
    size_t loops = random(0, 4);
    DimMap map = DimMap::radix(randomTerms(random, loops, random.chance(10)));
    map.offset = random.chance(50) ? 0 : random(-5, 20);
    LoopBox box = randomBox(random, loops);
    int64_t extent = random(1, 300);
    ASSERT_EQ(pointsOf(image(map, box, extent)), naiveImage(map, box, extent));
  }
}

TEST(Image, WindowAgainstEnumeration) {
  Random random(4);
  for (int round = 0; round < 20000; ++round) {
    SCOPED_TRACE(random.trace(round));
    size_t loops = random(0, 3);
    DimMap map = DimMap::window(randomTerms(random, loops, true),
                                random(-12, 12), random(1, 4));
    map.clip = random.chance(50) ? -1 : random(0, 12);
    map.scale = random.chance(50) ? 1 : random(1, 4);
    map.extraLow = random.chance(50) ? 0 : random(-4, 2);
    map.extraHigh = random.chance(50) ? 0 : random(-2, 4);
    LoopBox box = randomBox(random, loops);
    int64_t extent = random(1, 60);
    ASSERT_EQ(pointsOf(image(map, box, extent)), naiveImage(map, box, extent));
  }
}

TEST(Image, SharedLoopMovesBothTerms) {
  DimMap map = DimMap::radix({{0, 1}, {0, 2}});
  EXPECT_EQ(pointsOf(image(map, {{0, 4}}, 100)), (Points{0, 3, 6, 9}));
}

TEST(Image, Whole) {
  EXPECT_EQ(image(DimMap::whole(), LoopBox{{2, 3}}, 7), IndexSet(0, 7));
  EXPECT_TRUE(image(DimMap::whole(), LoopBox{{3, 3}}, 7).empty());
}

/// Convolution: a 3-wide window with stride 2 and padding 1 over 8 rows: halos
/// and borders fall out of the map.
TEST(Image, ConvolutionHalo) {
  DimMap map = DimMap::window({{0, 2}, {1, 1}}, -1);
  EXPECT_EQ(image(map, {{0, 4}, {0, 3}}, 8), IndexSet(0, 8));
  EXPECT_EQ(image(map, {{0, 2}, {0, 3}}, 8), IndexSet(0, 4));
  EXPECT_EQ(image(map, {{2, 4}, {0, 3}}, 8), IndexSet(3, 8));
}

/// Groups of a convolution: c = g * O + o, with o split: one run per group.
TEST(Image, GroupedChannels) {
  DimMap map = DimMap::radix({{0, 4}, {1, 1}});
  EXPECT_EQ(image(map, {{0, 3}, {0, 2}}, 12),
            IndexSet::fromIntervals({{0, 2}, {4, 6}, {8, 10}}));
  EXPECT_EQ(image(map, {{1, 3}, {0, 4}}, 12), IndexSet(4, 12));
}

/// Contiguous images of a huge reshape must not be enumerated.
TEST(Image, ContiguousRunsAreNotEnumerated) {
  const int64_t big = int64_t(1) << 40;
  DimMap map = DimMap::radix({{0, big}, {1, 1}});
  auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(image(map, {{0, 1 << 20}, {0, big}}, big << 20),
            IndexSet(0, big << 20));
  EXPECT_EQ(image(map, {{0, 3}, {5, 9}}, big << 20).intervals().size(), 3u);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(1));
}

TEST(Image, Region) {
  AccessMap map = {DimMap::loop(0), DimMap::whole(), DimMap::constant(1)};
  EXPECT_EQ(image(map, {{1, 3}}, {4, 5, 2}),
            Region({IndexSet(1, 3), IndexSet(0, 5), IndexSet(1, 2)}));
  EXPECT_TRUE(image(map, {{3, 3}}, {4, 5, 2}).empty());
  EXPECT_TRUE(usesLoop(map, 0));
  EXPECT_FALSE(usesLoop(map, 1));
}

TEST(Cut, CoversEvenlyAndInOrder) {
  for (int64_t extent = 0; extent < 40; ++extent)
    for (int64_t degree = 1; degree < 12; ++degree) {
      int64_t next = 0;
      for (int64_t i = 0; i < degree; ++i) {
        Interval piece = cut(extent, degree, i);
        EXPECT_EQ(piece.lo, next);
        EXPECT_GE(piece.size(), extent / degree);
        EXPECT_LE(piece.size(), (extent + degree - 1) / degree);
        next = piece.hi;
      }
      EXPECT_EQ(next, extent);
    }
}

TEST(IterationSpace, FindLoop) {
  IterationSpace space;
  space.loops = {{"n", 4}, {"k", 6}};
  EXPECT_EQ(space.findLoop("k"), 1);
  EXPECT_EQ(space.findLoop("c"), -1);
  EXPECT_EQ(space.wholeBox(), (LoopBox{{0, 4}, {0, 6}}));
}
