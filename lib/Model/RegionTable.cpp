//===- RegionTable.cpp - Regions of one tensor by number ------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nearly all sets are intervals, and nearly every intersection is one of the
// two sets: both are decided without a look into a table.
//
//===----------------------------------------------------------------------===//

#include "Soap/Model/RegionTable.h"
#include "Soap/Model/IterationSpace.h"

#include <algorithm>
#include <cassert>

using namespace soap;

/// Below this size a combined block is not split among its readers: messages
/// would cost more than bytes.
static constexpr int64_t minimumSplitBytes = 4096;

//===----------------------------------------------------------------------===//
// Index sets
//===----------------------------------------------------------------------===//

int IndexSetTable::numberInterval(int64_t lo, int64_t hi) {
  assert(lo < hi && "an empty set has no number");
  auto [it, isNew] =
      intervals.try_emplace({lo, hi}, static_cast<int>(entries.size()));
  if (isNew)
    entries.push_back({IndexSet(lo, hi), lo, hi, hi - lo});
  return it->second;
}

int IndexSetTable::number(const IndexSet &set) {
  if (set.empty())
    return -1;
  if (set.isInterval())
    return numberInterval(set.lo(), set.hi());
  auto [it, isNew] = others.try_emplace(set, static_cast<int>(entries.size()));
  if (isNew)
    entries.push_back({set, set.lo(), set.hi(), set.size()});
  return it->second;
}

IndexSetTable::Common &IndexSetTable::intersectAny(int a, int b) const {
  auto [common, isNew] =
      known.tryEmplace(static_cast<uint64_t>(static_cast<uint32_t>(a)) << 32 |
                           static_cast<uint32_t>(b),
                       {0, unknown});
  if (isNew)
    common.size = entries[a].set.intersect(entries[b].set).size();
  return common;
}

int IndexSetTable::intersect(int a, int b) {
  assert(a >= 0 && b >= 0 && "empty sets have no number");
  assert(static_cast<size_t>(a) < entries.size() &&
         static_cast<size_t>(b) < entries.size() && "of another table");
  if (a == b)
    return a;
  const Entry &x = entries[a], &y = entries[b];
  int64_t lo = std::max(x.lo, y.lo), hi = std::min(x.hi, y.hi);
  if (lo >= hi)
    return -1;
  if (!x.isInterval() || !y.isInterval()) {
    Common &common = intersectAny(a, b);
    if (common.number == unknown)
      common.number = number(IndexSet(x.set.intersect(y.set)));
    return common.number;
  }
  if (lo == x.lo && hi == x.hi)
    return a;
  if (lo == y.lo && hi == y.hi)
    return b;
  return numberInterval(lo, hi);
}

bool IndexSetTable::contains(int outer, int inner) const {
  assert(outer >= 0 && inner >= 0 && "empty sets have no number");
  assert(static_cast<size_t>(outer) < entries.size() &&
         static_cast<size_t>(inner) < entries.size() && "of another table");
  if (outer == inner)
    return true;
  const Entry &x = entries[outer], &y = entries[inner];
  if (x.lo > y.lo || x.hi < y.hi)
    return false;
  return x.isInterval() || x.set.contains(y.set);
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

int RegionTable::number(const Region &region) {
  assert(static_cast<size_t>(region.rank()) == dims.size() && "another rank");
  std::vector<int> sets;
  for (size_t d = 0; d < dims.size(); ++d)
    sets.push_back(dims[d].number(region[d]));
  return number(sets.data());
}

int RegionTable::number(const int *sets) {
  uint64_t key = 0;
  bool small = dims.size() <= 4;
  int64_t volume = 1;
  for (size_t d = 0; d < dims.size(); ++d) {
    if (sets[d] < 0)
      return -1;
    small &= sets[d] < 0xFFFF;
    key = key << 16 | static_cast<uint64_t>(sets[d]);
  }
  int id = static_cast<int>(volumes.size());
  if (small) {
    auto [known, isNew] = packed.tryEmplace(key, id);
    if (!isNew)
      return known;
  } else {
    auto [it, isNew] =
        others.try_emplace(std::vector<int>(sets, sets + dims.size()), id);
    if (!isNew)
      return it->second;
  }
  for (size_t d = 0; d < dims.size(); ++d) {
    volume *= dims[d].size(sets[d]);
    members.push_back(sets[d]);
  }
  volumes.push_back(volume);
  return id;
}

Region RegionTable::operator[](int id) const {
  assert(id >= 0 && "an empty region has no sets");
  IndexSets region;
  for (size_t d = 0; d < dims.size(); ++d)
    region.push_back(dims[d][sets(id)[d]]);
  return Region(std::move(region));
}

int RegionTable::intersect(int a, int b) {
  if (a < 0 || b < 0 || a == b)
    return std::min(a, b);
  constexpr size_t maxDims = 16;
  int inPlace[maxDims];
  std::vector<int> onHeap;
  int *result = inPlace;
  if (dims.size() > maxDims) {
    onHeap.resize(dims.size());
    result = onHeap.data();
  }
  bool isA = true, isB = true;
  for (size_t d = 0; d < dims.size(); ++d) {
    int x = sets(a)[d], y = sets(b)[d];
    result[d] = dims[d].intersect(x, y);
    if (result[d] < 0)
      return -1;
    isA &= result[d] == x;
    isB &= result[d] == y;
  }
  return isA ? a : isB ? b : number(result);
}

bool RegionTable::contains(int outer, int inner) const {
  assert(outer >= 0 && inner >= 0 && "empty regions have no number");
  if (outer == inner)
    return true;
  for (size_t d = 0; d < dims.size(); ++d)
    if (!dims[d].contains(sets(outer)[d], sets(inner)[d]))
      return false;
  return true;
}

bool RegionTable::isRun(int part, int whole) const {
  assert(part >= 0 && whole >= 0 && "empty regions have no number");
  assert(contains(whole, part) && "no part");
  bool isInside = false; // All dims behind this one are whole.
  for (size_t d = dims.size(); d-- > 0;) {
    int set = sets(part)[d], all = sets(whole)[d];
    if (isInside && dims[d].size(set) != 1)
      return false;
    if (isInside || set == all)
      continue;
    isInside = true;
    if (const IndexSet &outer = dims[d][all];
        !(outer.isInterval() && dims[d][set].isInterval()) &&
        !outer.positionsOf(dims[d][set]).isInterval())
      return false;
  }
  return true;
}

const std::vector<int> &RegionTable::slices(int id, int count,
                                            bool statistics) {
  assert(id >= 0 && "an empty region has no slices");
  assert(count > 0 && "no slices");
  auto [it, isNew] =
      splits.try_emplace(static_cast<uint64_t>(id) << 32 |
                         static_cast<uint32_t>(2 * count + statistics));
  std::vector<int> &result = it->second;
  if (!isNew)
    return result;
  Region region = (*this)[id];
  size_t dim = region.rank();
  for (size_t d = statistics ? 1 : 0; d < region.rank(); ++d) {
    int64_t extent = region[d].size();
    if (extent <= 1)
      continue;
    if (extent >= 8 * count || extent % count == 0) {
      dim = d;
      break;
    }
    if (dim == region.rank() || extent > region[dim].size())
      dim = d;
  }
  if (count <= 1 || bytes(id) < minimumSplitBytes || dim == region.rank())
    return result;
  for (int i = 0; i < count; ++i) {
    Interval range = cut(region[dim].size(), count, i);
    if (range.size() == 0) {
      result.push_back(-1);
      continue;
    }
    Region slice = region;
    slice[dim] = region[dim].slicePositions(range.lo, range.hi);
    result.push_back(number(slice));
  }
  assert(static_cast<int>(result.size()) == count && "a slice a reader");
  return result;
}
