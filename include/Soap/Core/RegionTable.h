//===- RegionTable.h - Regions of one tensor by number ----------*- C++ -*-===//
//
// A search meets the same regions of a tensor again and again. Numbered once,
// they are compared, intersected and cut by table instead of by interval.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_CORE_REGIONTABLE_H
#define SOAP_CORE_REGIONTABLE_H

#include "Soap/Core/Region.h"

#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

namespace soap {

/// Numbers of regions of one tensor; -1 stands for every empty region. Numbers
/// depend on the order of questions, so nothing that is compared or printed may
/// depend on them.
class RegionTable {
public:
  explicit RegionTable(int64_t elementBytes) : elementBytes(elementBytes) {}

  int number(const Region &region);
  const Region &operator[](int id) const { return entries[id].region; }
  int64_t volume(int id) const { return entries[id].volume; }
  int64_t bytes(int id) const { return entries[id].volume * elementBytes; }
  /// Number of the intersection, -1 if it is empty.
  int intersect(int a, int b);
  bool contains(int outer, int inner) {
    return outer == inner || intersect(outer, inner) == inner;
  }
  /// The region in `count` slices for as many readers, of which late ones may
  /// be -1; empty if it is not worth splitting. `statistics`: dim 0 stays
  /// whole. Along the first dim that gives about equal slices, so that they lie
  /// together in memory and nobody packs them; else along the largest.
  const std::vector<int> &slices(int id, int count, bool statistics);

private:
  struct Entry {
    Region region;
    int64_t volume;
  };
  struct Hash {
    size_t operator()(const Region &region) const;
  };

  int64_t elementBytes;
  std::deque<Entry> entries; ///< references stay valid
  std::unordered_map<Region, int, Hash> numbers;
  std::unordered_map<uint64_t, int> intersections;
  std::unordered_map<uint64_t, std::vector<int>> splits;
};

} // namespace soap

#endif // SOAP_CORE_REGIONTABLE_H
