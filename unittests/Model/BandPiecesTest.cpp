//===- BandPiecesTest.cpp - Pieces of a space with a band -----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Points that count, beside counting them one by one.
//
//===----------------------------------------------------------------------===//

#include "Soap/Model/BandPieces.h"
#include "Soap/Model/Graph.h"

#include <gtest/gtest.h>

#include <random>

using namespace soap;

namespace {

int64_t countOneByOne(const Band &band, const Interval &rows,
                      const Interval &columns) {
  int64_t count = 0;
  for (int64_t r = rows.lo; r < rows.hi; ++r)
    for (int64_t c = columns.lo; c < columns.hi; ++c)
      count += c - r >= band.low && c - r <= band.high;
  return count;
}

/// Loops q and k, with results that have q, k or both, as the gradient of
/// attention has them.
IterationSpace spaceOf(int64_t rows, int64_t columns, const Band &band) {
  IterationSpace space;
  space.loops = {{"q", rows}, {"k", columns}};
  space.band = band;
  return space;
}

TEST(BandPieces, PointsAsCounted) {
  std::mt19937 random(3);
  auto draw = [&](int64_t lo, int64_t hi) {
    return std::uniform_int_distribution<int64_t>(lo, hi)(random);
  };
  for (int i = 0; i < 2000; ++i) {
    Band band{0, 1, draw(-12, 12), draw(-12, 12)};
    Interval rows{draw(0, 9), 0}, columns{draw(0, 9), 0};
    rows.hi = rows.lo + draw(0, 9);
    columns.hi = columns.lo + draw(0, 9);
    int64_t expected = countOneByOne(band, rows, columns);
    EXPECT_EQ(band.count(rows, columns), static_cast<double>(expected));
    EXPECT_EQ(band.meets(rows, columns), expected > 0);
  }
}

/// Permuted positions: every piece is there, pieces of a size have equal parts,
/// and all have what the band has.
TEST(BandPieces, PermutedPiecesAreEqual) {
  Graph graph;
  graph.nodes.resize(1);
  graph.nodes[0].whole.space = spaceOf(16, 16, {0, 1, -100, 0});
  permuteBands(graph);
  IterationSpace &space = graph.nodes[0].whole.space;
  space.results = {{{DimMap::loop(0)}}, {{DimMap::loop(1)}}};
  BandPieces pieces(space, {4, 4});
  for (int64_t r = 0; r < 4; ++r)
    for (int64_t c = 0; c < 4; ++c) {
      EXPECT_FALSE(pieces.isAbsent(r, c));
      EXPECT_DOUBLE_EQ(
          space.band->count({4 * r, 4 * r + 4}, {4 * c, 4 * c + 4}),
          136.0 / 16);
    }
  EXPECT_DOUBLE_EQ(space.band->count({0, 16}, {0, 16}), 136);
}

TEST(BandPieces, CausalPiecesAboveTheDiagonalAreAbsent) {
  IterationSpace space = spaceOf(16, 16, {0, 1, -100, 0});
  space.results = {{{DimMap::loop(0)}}, {{DimMap::loop(1)}}};
  BandPieces pieces(space, {4, 4});
  int there = 0;
  for (int64_t r = 0; r < 4; ++r)
    for (int64_t c = 0; c < 4; ++c) {
      EXPECT_EQ(pieces.isAbsent(r, c), c > r);
      there += !pieces.isAbsent(r, c);
    }
  EXPECT_EQ(there, 10);
  EXPECT_EQ(pieces.pointsAt(1, 1), 10);
  EXPECT_EQ(pieces.pointsAt(2, 1), 16);
}

TEST(BandPieces, SomePieceWritesEachPart) {
  // Keys beyond 8 are seen by no query: their gradient is written all the same.
  IterationSpace space = spaceOf(8, 16, {0, 1, -100, 0});
  space.results = {{{DimMap::loop(0)}}, {{DimMap::loop(1)}}};
  BandPieces gradient(space, {2, 4});
  EXPECT_TRUE(gradient.isAbsent(0, 1));
  EXPECT_FALSE(gradient.isAbsent(0, 2));
  EXPECT_FALSE(gradient.isAbsent(1, 3));
  // A result of both loops has no other piece.
  space.results = {{{DimMap::loop(0), DimMap::loop(1)}}};
  EXPECT_FALSE(BandPieces(space, {4, 4}).isAbsent(0, 3));
}

} // namespace
