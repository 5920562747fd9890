//===- Region.cpp - Index sets and regions of tensors ---------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Set algebra on sorted interval lists. Every operation is one merge pass,
// linear in the number of intervals, because plans call these functions for
// every pair of producer and consumer shards.
//
//===----------------------------------------------------------------------===//

#include "Soap/Model/Region.h"

#include <algorithm>
#include <cassert>

using namespace soap;

//===----------------------------------------------------------------------===//
// IndexSet
//===----------------------------------------------------------------------===//

/// Appends an interval that starts at or after the start of the last one,
/// merging what overlaps or touches.
static void append(Intervals &ranges, Interval next) {
  assert((ranges.empty() || ranges.back().lo <= next.lo) &&
         "in the order of their starts");
  if (!ranges.empty() && next.lo <= ranges.back().hi) {
    ranges.back().hi = std::max(ranges.back().hi, next.hi);
    return;
  }
  ranges.push_back(next);
}

IndexSet::IndexSet(int64_t lo, int64_t hi) {
  if (lo < hi)
    ranges.push_back({lo, hi});
}

IndexSet IndexSet::fromIntervals(std::vector<Interval> intervals) {
  // Callers mostly produce sorted lists: the check is cheaper than the sort.
  if (!std::is_sorted(intervals.begin(), intervals.end()))
    std::sort(intervals.begin(), intervals.end());
  IndexSet result;
  result.ranges.reserve(intervals.size());
  for (const Interval &interval : intervals)
    if (interval.lo < interval.hi)
      append(result.ranges, interval);
  return result;
}

int64_t IndexSet::size() const {
  int64_t n = 0;
  for (const Interval &range : ranges)
    n += range.hi - range.lo;
  return n;
}

bool IndexSet::contains(int64_t index) const {
  auto it = std::upper_bound(
      ranges.begin(), ranges.end(), index,
      [](int64_t i, const Interval &range) { return i < range.hi; });
  return it != ranges.end() && it->lo <= index;
}

bool IndexSet::contains(const IndexSet &other) const {
  auto it = ranges.begin();
  for (const Interval &range : other.ranges) {
    while (it != ranges.end() && it->hi <= range.lo)
      ++it;
    // Intervals of a set never touch, so one of them must hold all of `range`.
    if (it == ranges.end() || it->lo > range.lo || it->hi < range.hi)
      return false;
  }
  return true;
}

IndexSet IndexSet::intersect(const IndexSet &other) const {
  IndexSet result;
  auto a = ranges.begin(), b = other.ranges.begin();
  while (a != ranges.end() && b != other.ranges.end()) {
    int64_t lo = std::max(a->lo, b->lo), hi = std::min(a->hi, b->hi);
    if (lo < hi)
      result.ranges.push_back({lo, hi});
    if (a->hi < b->hi)
      ++a;
    else
      ++b;
  }
  return result;
}

IndexSet IndexSet::unite(const IndexSet &other) const {
  IndexSet result;
  result.ranges.reserve(ranges.size() + other.ranges.size());
  auto a = ranges.begin(), b = other.ranges.begin();
  while (a != ranges.end() || b != other.ranges.end()) {
    bool takeA =
        b == other.ranges.end() || (a != ranges.end() && a->lo <= b->lo);
    append(result.ranges, takeA ? *a++ : *b++);
  }
  return result;
}

IndexSet IndexSet::shift(int64_t offset) const {
  IndexSet result = *this;
  for (Interval &range : result.ranges) {
    range.lo += offset;
    range.hi += offset;
  }
  return result;
}

IndexSet IndexSet::positionsOf(const IndexSet &sub) const {
  IndexSet result;
  auto it = ranges.begin();
  int64_t before = 0; // indices of this set below `it`
  for (const Interval &range : sub.ranges) {
    while (it != ranges.end() && it->hi <= range.lo) {
      before += it->hi - it->lo;
      ++it;
    }
    assert(it != ranges.end() && it->lo <= range.lo && range.hi <= it->hi &&
           "not a subset");
    if (it == ranges.end())
      break;
    int64_t from = before + (range.lo - it->lo);
    append(result.ranges, {from, from + (range.hi - range.lo)});
  }
  assert(result.size() == sub.size() && "a position an index");
  return result;
}

IndexSet IndexSet::slicePositions(int64_t from, int64_t to) const {
  assert(from <= to && "a range of positions");
  IndexSet result;
  int64_t before = 0;
  for (const Interval &range : ranges) {
    int64_t length = range.hi - range.lo;
    int64_t lo = range.lo + std::max<int64_t>(from - before, 0);
    int64_t hi = range.lo + std::min(to - before, length);
    if (lo < hi)
      result.ranges.push_back({lo, hi});
    before += length;
    if (before >= to)
      break;
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Region
//===----------------------------------------------------------------------===//

Region Region::whole(const std::vector<int64_t> &shape) {
  IndexSets dims;
  dims.reserve(shape.size());
  for (int64_t extent : shape)
    dims.push_back(IndexSet(0, extent));
  return Region(std::move(dims));
}

bool Region::empty() const {
  return std::any_of(dims.begin(), dims.end(),
                     [](const IndexSet &set) { return set.empty(); });
}

int64_t Region::volume() const {
  int64_t n = 1;
  for (const IndexSet &set : dims)
    n *= set.size();
  return n;
}

std::vector<int64_t> Region::shape() const {
  std::vector<int64_t> sizes;
  sizes.reserve(dims.size());
  for (const IndexSet &set : dims)
    sizes.push_back(set.size());
  return sizes;
}

bool Region::contains(const Region &other) const {
  assert(rank() == other.rank());
  if (other.empty())
    return true;
  for (size_t d = 0; d < dims.size(); ++d)
    if (!dims[d].contains(other.dims[d]))
      return false;
  return true;
}

Region Region::intersect(const Region &other) const {
  assert(rank() == other.rank());
  IndexSets result;
  result.reserve(dims.size());
  for (size_t d = 0; d < dims.size(); ++d)
    result.push_back(dims[d].intersect(other.dims[d]));
  return Region(std::move(result));
}

Region Region::positionsOf(const Region &sub) const {
  assert(rank() == sub.rank());
  IndexSets result;
  result.reserve(dims.size());
  for (size_t d = 0; d < dims.size(); ++d)
    result.push_back(dims[d].positionsOf(sub.dims[d]));
  return Region(std::move(result));
}

std::string Region::str() const {
  std::string text;
  for (const IndexSet &set : dims) {
    if (!text.empty())
      text += ", ";
    text += '[';
    for (const Interval &range : set.intervals()) {
      if (&range != &set.intervals().front())
        text += ", ";
      text += std::to_string(range.lo) + ":" + std::to_string(range.hi);
    }
    text += ']';
  }
  return text;
}
