//===- IterationSpace.h - Loops of an op and its indexing maps --*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every op is an iteration space: named loops and, per operand and result, a
// map from boxes of loops to regions. Roles, shards, halos, partial results and
// communication are all derived from it.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_MODEL_ITERATIONSPACE_H
#define SOAP_MODEL_ITERATIONSPACE_H

#include "Soap/Model/Region.h"
#include "Soap/Support/Error.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace soap {

enum class IteratorType { Parallel, Reduction, Serial };

/// One loop. `Serial` loops may not be split; a split `Reduction` loop leaves
/// results partial.
struct Loop {
  std::string name;
  int64_t extent = 1;
  IteratorType type = IteratorType::Parallel;
  /// Splitting this loop replaces the op by its stages (softmax's class loop,
  /// batch norm's sample and spatial loops).
  bool stage = false;
};

/// One range per loop, in the order of the space.
using LoopBox = std::vector<Interval>;

/// `coefficient * loop` of a `DimMap`; `loop` is a position in
/// `IterationSpace::loops`, the coefficient is positive. (Negative coefficients
/// are allowed for hull maps.)
struct Term {
  int loop = 0;
  int64_t coefficient = 1;
  bool operator==(const Term &) const = default;
};

// clang-format off
/// Maps a box of loops to the indices of one tensor dimension of some extent;
/// see docs/Architecture.md, section 2.
///
/// - Radix: the indices {offset + sum(coefficient * loop)} in [0, extent), over
///   all points of the box.
/// - Window: an interval, in four steps; empty if a step leaves nothing.
///     1. [a, b] is the hull of those indices;
///     2. a := ceil(a / divisor), b := floor(b / divisor);
///     3. if clip >= 0, both are clipped to [0, clip);
///     4. [a * scale + extraLow, b * scale + extraHigh], clipped to [0, extent).
/// - Whole: [0, extent), whatever the box.
// clang-format on
struct DimMap {
  enum class Kind { Radix, Window, Whole };
  Kind kind = Kind::Radix;
  std::vector<Term> terms;
  int64_t offset = 0;
  int64_t divisor = 1;
  int64_t clip = -1;
  int64_t scale = 1, extraLow = 0, extraHigh = 0;

  static DimMap loop(int loop) { return {Kind::Radix, {{loop, 1}}}; }
  static DimMap radix(std::vector<Term> terms) {
    return {Kind::Radix, std::move(terms)};
  }
  static DimMap constant(int64_t index) { return {Kind::Radix, {}, index}; }
  static DimMap whole() { return {Kind::Whole, {}}; }
  /// Hull of `offset + sum(terms)`, divided exactly by `divisor`.
  static DimMap window(std::vector<Term> terms, int64_t offset,
                       int64_t divisor = 1) {
    return {Kind::Window, std::move(terms), offset, divisor};
  }
  bool operator==(const DimMap &) const = default;
};

/// One `DimMap` per dimension of the tensor.
using AccessMap = std::vector<DimMap>;

/// How contributions of a split reduction fold into one tensor. Statistics
/// tensors keep their statistics along dim 0:
///
/// - Moments: [count, mean, M2] (Chan et al.);
/// - Softmax: [max, sum of exp(x - max), logit of the label or 0];
/// - LogSumExp: [log of the sum of exp(x), mean of values weighed by exp(x)...]
///   (attention over parts of the keys; Rabe and Staats, 2021).
enum class Combiner { Sum, Max, Min, Moments, Softmax, LogSumExp };

/// Dim 0 of the tensor holds jointly combined statistics and must not be split.
inline bool hasStatisticsDim(Combiner c) {
  return c == Combiner::Moments || c == Combiner::Softmax ||
         c == Combiner::LogSumExp;
}

/// Of all points of a space, those with low <= column - row <= high count, for
/// the coordinates of two loops: the keys that queries see. Others have no
/// work, and pieces without points that count are left out.
struct Band {
  int rows = 0, columns = 0; ///< positions in `IterationSpace::loops`
  int64_t low = 0, high = 0;
  /// Not 0: coordinates are permuted so that each range has its part of all
  /// points: this share of its own.
  double share = 0;
  bool operator==(const Band &) const = default;

  /// Whether some point of the ranges counts.
  bool meets(const Interval &rowRange, const Interval &columnRange) const;
  /// How many do, exactly up to 2^53.
  double count(const Interval &rowRange, const Interval &columnRange) const;
};

struct OperandAccess {
  AccessMap map;
};

struct ResultAccess {
  AccessMap map;
  Combiner combiner = Combiner::Sum;
};

/// The loops and accesses of one op, and what the cost model needs to know of
/// it.
struct IterationSpace {
  std::vector<Loop> loops;
  std::vector<OperandAccess> operands;
  std::vector<ResultAccess> results;
  /// f(x + y) = f(x) + f(y) over all operands together: passes partial sums on.
  bool linear = false;
  /// An operand tile may be empty without the op becoming a fill (concat,
  /// accumulate, pad).
  bool allowsEmptyOperands = false;
  /// Value of a result whose operand tile is empty (0 for sums, -inf for a
  /// maximum).
  double neutral = 0;
  /// Floating-point operations per point of the iteration space (2 for a
  /// multiply-add).
  double flopsPerPoint = 1;
  /// Absent: all points count.
  std::optional<Band> band = std::nullopt;

  /// Position of a loop, or -1.
  int findLoop(const std::string &name) const;
  LoopBox wholeBox() const;
};

/// Indices of one tensor dimension of extent `extent` that a box of loops
/// touches.
IndexSet image(const DimMap &map, const LoopBox &box, int64_t extent);
/// Region of a tensor of `shape` that a box of loops touches. An empty box
/// gives an empty region.
Region image(const AccessMap &map, const LoopBox &box,
             const std::vector<int64_t> &shape);
/// Some range of the box is empty.
bool isEmpty(const LoopBox &box);
/// Points of the box that count.
double pointsOf(const IterationSpace &space, const LoopBox &box);
/// Piece `i` of a loop of `extent` split in `degree` pieces:
///
///     [i * extent / degree, (i + 1) * extent / degree)
Interval cut(int64_t extent, int64_t degree, int64_t i);
/// Whether the map of a result mentions the loop (a split loop that no map
/// mentions leaves the result partial).
bool usesLoop(const AccessMap &map, int loop);

} // namespace soap

#endif // SOAP_MODEL_ITERATIONSPACE_H
