//===- RegionTable.cpp - Regions of one tensor by number ------------------===//
//
// Everything is computed once per pair of numbers.
//
//===----------------------------------------------------------------------===//

#include "Soap/Core/RegionTable.h"
#include "Soap/Core/IterationSpace.h"

using namespace soap;

/// Below this size a combined block is not split among its readers: messages
/// would cost more than bytes.
static constexpr int64_t minimumSplitBytes = 4096;

size_t RegionTable::Hash::operator()(const Region &region) const {
  uint64_t hash = region.rank();
  auto mix = [&](int64_t value) {
    hash = (hash ^ static_cast<uint64_t>(value)) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 29;
  };
  for (const IndexSet &set : region.indexSets())
    for (const Interval &range : set.intervals()) {
      mix(range.lo);
      mix(range.hi);
    }
  return hash;
}

int RegionTable::number(const Region &region) {
  if (region.empty())
    return -1;
  auto [it, isNew] =
      numbers.try_emplace(region, static_cast<int>(entries.size()));
  if (isNew)
    entries.push_back({region, region.volume()});
  return it->second;
}

static uint64_t pairKey(int a, int b) {
  return static_cast<uint64_t>(a) << 32 | static_cast<uint32_t>(b);
}

int RegionTable::intersect(int a, int b) {
  if (a < 0 || b < 0 || a == b)
    return a < b ? a : b;
  uint64_t key = a < b ? pairKey(a, b) : pairKey(b, a);
  auto [it, isNew] = intersections.try_emplace(key, -1);
  if (isNew)
    it->second = number(entries[a].region.intersect(entries[b].region));
  return it->second;
}

const std::vector<int> &RegionTable::slices(int id, int count,
                                            bool statistics) {
  auto [it, isNew] = splits.try_emplace(pairKey(id, 2 * count + statistics));
  std::vector<int> &result = it->second;
  if (!isNew)
    return result;
  const Region &region = entries[id].region;
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
  return result;
}
