//===- ShardTiles.h - Tiles that shards write and read ----------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The elements that tiles of a writer and a reader have in common, and the
// shards of a device, in memory that is kept from one pair of kernels to the
// next.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_BOUNDS_SHARDTILES_H
#define SOAP_LIB_BOUNDS_SHARDTILES_H

#include "Soap/Model/RegionTable.h"
#include "Soap/Plan/KernelGeometry.h"

#include <algorithm>
#include <vector>

namespace soap {

/// How many elements a tile of a reader and one of a writer have in common.
/// Only dims that one of them splits differ from pair to pair, and nearly all
/// sets are intervals.
class CommonElements {
public:
  void assign(RegionTable &regions, const TileSets &readTiles,
              const TileSets &writtenTiles) {
    table = &regions;
    read = &readTiles;
    written = &writtenTiles;
    rank = readTiles.rank;
    factor = 1;
    cutDims = 0;
    isExact = true;
    for (size_t d = 0; d < rank; ++d) {
      const DimTiles &a = *read->dims[d], &b = *written->dims[d];
      IndexSetTable &sets = table->dim(d);
      if (a.ids.size() == 1 && b.ids.size() == 1) {
        factor *= a.ids[0] < 0 || b.ids[0] < 0
                      ? 0
                      : sets.commonSize(a.ids[0], b.ids[0]);
        continue;
      }
      if (cutDims == dims.size())
        dims.emplace_back();
      Dim &dim = dims[cutDims++];
      isExact &= list(sets, *read, d, dim.read) &&
                 list(sets, *written, d, dim.written);
    }
  }
  /// Of tiles that are not empty.
  int64_t of(int reader, int writer) const {
    if (!isExact)
      return ofSets(reader, writer);
    int64_t common = factor;
    for (size_t i = 0; i < cutDims; ++i) {
      const Interval &a = dims[i].read[static_cast<size_t>(reader)],
                     &b = dims[i].written[static_cast<size_t>(writer)];
      int64_t size = std::min(a.hi, b.hi) - std::max(a.lo, b.lo);
      if (size <= 0)
        return 0;
      common *= size;
    }
    return common;
  }

private:
  struct Dim {
    std::vector<Interval> read, written; ///< by piece
  };
  RegionTable *table = nullptr;
  const TileSets *read = nullptr, *written = nullptr;
  size_t rank = 0, cutDims = 0;
  int64_t factor = 1; ///< of the other dims
  bool isExact = true;
  std::vector<Dim> dims;

  /// Whether they are intervals.
  static bool list(const IndexSetTable &sets, const TileSets &tiles, size_t d,
                   std::vector<Interval> &intervals) {
    size_t pieces = tiles.volumes.size();
    intervals.resize(pieces);
    for (size_t p = 0; p < pieces; ++p) {
      int id = tiles.sets[p * tiles.rank + d];
      intervals[p] = id < 0 ? Interval{} : sets.hull(id);
      if (intervals[p].size() != sets.size(id))
        return false;
    }
    return true;
  }
  int64_t ofSets(int reader, int writer) const {
    int64_t common = 1;
    for (size_t d = 0; d < rank && common > 0; ++d)
      common *= table->dim(d).commonSize(
          read->sets[static_cast<size_t>(reader) * rank + d],
          written->sets[static_cast<size_t>(writer) * rank + d]);
    return common;
  }
};

/// Shards by the device that they run on.
class ShardsByDevice {
public:
  void assign(const std::vector<int> &devices, size_t deviceCount) {
    first.assign(deviceCount, -1);
    next.resize(devices.size());
    for (size_t s = devices.size(); s-- > 0;) {
      next[s] = first[devices[s]];
      first[devices[s]] = static_cast<int>(s);
    }
  }
  template <typename Visit>
  void visit(int device, Visit visit) const {
    for (int s = first[device]; s >= 0; s = next[s])
      visit(s);
  }
  std::vector<int> first, next;
};

} // namespace soap

#endif // SOAP_LIB_BOUNDS_SHARDTILES_H
