//===- RegionTable.h - Regions of one tensor by number ----------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers the regions of a tensor: their index sets dim by dim, and regions by
// the numbers of their sets. A search meets the same regions again and again,
// so it compares, intersects and cuts numbers.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_MODEL_REGIONTABLE_H
#define SOAP_MODEL_REGIONTABLE_H

#include "Soap/Model/Region.h"
#include "Soap/Support/FlatMap.h"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

namespace soap {

/// Numbers of the index sets of one dim; -1 stands for the empty set.
class IndexSetTable {
public:
  int number(const IndexSet &set);
  const IndexSet &operator[](int id) const { return entries[id].set; }
  int64_t size(int id) const { return id < 0 ? 0 : entries[id].size; }
  /// From the first index to the last.
  Interval hull(int id) const { return {entries[id].lo, entries[id].hi}; }
  int intersect(int a, int b);
  bool contains(int outer, int inner) const;
  /// Number of indices that two sets have in common.
  int64_t commonSize(int a, int b) const {
    assert(a >= 0 && b >= 0 && "empty sets have no number");
    const Entry &x = entries[a], &y = entries[b];
    int64_t size = std::min(x.hi, y.hi) - std::max(x.lo, y.lo);
    if (size <= 0 || (x.isInterval() && y.isInterval()))
      return std::max<int64_t>(size, 0);
    return intersectAny(a, b).size;
  }
  bool overlaps(int a, int b) const { return commonSize(a, b) > 0; }

private:
  struct Entry {
    IndexSet set;
    int64_t lo, hi, size; ///< hull and number of indices
    bool isInterval() const { return hi - lo == size; }
  };
  struct Hash {
    size_t operator()(const std::pair<int64_t, int64_t> &range) const {
      uint64_t h = static_cast<uint64_t>(range.first) * 0x9E3779B97F4A7C15u ^
                   static_cast<uint64_t>(range.second);
      return h ^ h >> 32;
    }
  };
  /// Of two sets that are not both intervals: how much they have in common,
  /// and the number of that if it was asked for (`unknown` else).
  struct Common {
    int64_t size;
    int number;
  };
  static constexpr int unknown = -2;
  std::vector<Entry> entries;
  mutable FlatMap<Common> known; ///< by a, b
  std::unordered_map<std::pair<int64_t, int64_t>, int, Hash> intervals;
  std::map<IndexSet, int> others;

  int numberInterval(int64_t lo, int64_t hi);
  Common &intersectAny(int a, int b) const;
};

/// Numbers of regions of one tensor; -1 stands for every empty region. Numbers
/// depend on the order of questions, so nothing that is compared or printed may
/// depend on them.
class RegionTable {
public:
  /// `rank` dims of elements of `elementBytes`.
  RegionTable(size_t rank, int64_t elementBytes)
      : elementBytes(elementBytes), dims(rank) {}

  size_t rank() const { return dims.size(); }
  /// Numbers given so far.
  size_t size() const { return volumes.size(); }
  IndexSetTable &dim(size_t d) { return dims[d]; }
  int number(const Region &region);
  /// The region with these sets, one per dim.
  int number(const int *sets);
  /// The sets of a region, one per dim.
  const int *sets(int id) const {
    assert(id >= 0 && static_cast<size_t>(id) < volumes.size() &&
           "no such region");
    return members.data() + static_cast<size_t>(id) * dims.size();
  }
  Region operator[](int id) const;
  int64_t volume(int id) const {
    assert(id >= 0 && static_cast<size_t>(id) < volumes.size() &&
           "no such region");
    return volumes[id];
  }
  int64_t bytes(int id) const { return volume(id) * elementBytes; }
  /// Number of the intersection, -1 if it is empty.
  int intersect(int a, int b);
  bool contains(int outer, int inner) const;
  /// Whether the elements of `part` lie one after the other in a packed tile of
  /// `whole`, which contains it.
  bool isRun(int part, int whole) const;
  /// The region in `count` slices for as many readers, of which late ones may
  /// be -1; empty if it is not worth splitting. `statistics`: dim 0 stays
  /// whole. Along the first dim that gives about equal slices, so that they lie
  /// together in memory and need no packing; else along the largest.
  const std::vector<int> &slices(int id, int count, bool statistics);

private:
  int64_t elementBytes;
  std::vector<IndexSetTable> dims;
  std::vector<int> members; ///< by region, `rank` each
  std::vector<int64_t> volumes;
  /// By the numbers of sets: packed where they are small, which they nearly
  /// always are.
  FlatMap<int> packed;
  std::map<std::vector<int>, int> others;
  std::unordered_map<uint64_t, std::vector<int>> splits;
};

} // namespace soap

#endif // SOAP_MODEL_REGIONTABLE_H
