//===- Region.h - Index sets and regions of tensors -------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A region is what a shard reads or writes of a tensor: one set of indices per
// dimension, meaning their product (a union of disjoint boxes, closed under
// intersection). A tile holds a region packed: dense, row-major, of shape
// `Region::shape()`.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_MODEL_REGION_H
#define SOAP_MODEL_REGION_H

#include "Soap/Support/InlineVector.h"

#include <cstdint>
#include <string>
#include <vector>

namespace soap {

/// Half-open range of indices `[lo, hi)`.
struct Interval {
  int64_t lo = 0, hi = 0;
  int64_t size() const { return hi > lo ? hi - lo : 0; }
  bool operator==(const Interval &) const = default;
  auto operator<=>(const Interval &) const = default;
};

/// Almost always one.
using Intervals = InlineVector<Interval, 1>;

/// A set of indices: sorted, disjoint, non-empty intervals of which no two
/// touch. Canonical: equal sets compare equal.
class IndexSet {
public:
  IndexSet() = default;
  /// `[lo, hi)`, empty if `hi <= lo`.
  IndexSet(int64_t lo, int64_t hi);
  /// The union of any intervals, in any order.
  static IndexSet fromIntervals(std::vector<Interval> intervals);

  const Intervals &intervals() const { return ranges; }
  bool empty() const { return ranges.empty(); }
  /// Number of indices.
  int64_t size() const;
  /// Smallest index and one past the largest; 0 if empty.
  int64_t lo() const { return ranges.empty() ? 0 : ranges.front().lo; }
  int64_t hi() const { return ranges.empty() ? 0 : ranges.back().hi; }
  bool isInterval() const { return ranges.size() <= 1; }

  bool contains(int64_t index) const;
  bool contains(const IndexSet &other) const;
  IndexSet intersect(const IndexSet &other) const;
  IndexSet unite(const IndexSet &other) const;
  /// All indices moved by `offset`.
  IndexSet shift(int64_t offset) const;
  /// Positions of `sub`'s indices in the packed order of this set; `sub` must
  /// be contained in it.
  IndexSet positionsOf(const IndexSet &sub) const;
  /// The indices at packed positions `[from, to)`.
  IndexSet slicePositions(int64_t from, int64_t to) const;

  bool operator==(const IndexSet &) const = default;
  auto operator<=>(const IndexSet &) const = default;

private:
  Intervals ranges;
};

/// One per dimension; hardly ever more than four.
using IndexSets = InlineVector<IndexSet, 4>;

/// A product of index sets, one per tensor dimension. A rank-0 region holds the
/// one element of a scalar.
class Region {
public:
  Region() = default;
  explicit Region(IndexSets dims) : dims(std::move(dims)) {}
  explicit Region(const std::vector<IndexSet> &dims)
      : dims(dims.begin(), dims.end()) {}
  Region(std::initializer_list<IndexSet> dims) : dims(dims) {}
  /// The whole tensor of `shape`.
  static Region whole(const std::vector<int64_t> &shape);

  size_t rank() const { return dims.size(); }
  const IndexSet &operator[](size_t dim) const { return dims[dim]; }
  IndexSet &operator[](size_t dim) { return dims[dim]; }
  const IndexSets &indexSets() const { return dims; }

  /// Some dimension is empty (never for rank 0).
  bool empty() const;
  /// Number of elements.
  int64_t volume() const;
  /// Shape of the packed tile.
  std::vector<int64_t> shape() const;
  bool contains(const Region &other) const;
  Region intersect(const Region &other) const;
  /// `sub` in the coordinates of this region's packed tile; `sub` must be
  /// contained.
  Region positionsOf(const Region &sub) const;
  /// `[0:4], [0:2, 4:6]`: the text inside of `#soap.region<...>`; the empty set
  /// prints as `[]`.
  std::string str() const;

  bool operator==(const Region &) const = default;
  auto operator<=>(const Region &) const = default;

private:
  IndexSets dims;
};

} // namespace soap

#endif // SOAP_MODEL_REGION_H
