//===- IdealLattice.h - All ideals of a unit graph --------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The downward-closed sets of units (Definition 5.1), and what each becomes
// when one of its maximal units leaves.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SEARCH_DEVICEPLACEMENT_ALGORITHMS_IDEALLATTICE_H
#define SOAP_LIB_SEARCH_DEVICEPLACEMENT_ALGORITHMS_IDEALLATTICE_H

#include "Search/DevicePlacement/Deadline.h"
#include "UnitGraph.h"

#include <cassert>

namespace soap::placement {

class IdealLattice {
public:
  /// An ideal without one of its maximal units.
  struct Step {
    int32_t unit;
    uint32_t ideal;
  };

  /// Empty (`size() == 0`) if there are more than `maxIdeals` or the time is
  /// over. Ideals are numbered by their number of units.
  IdealLattice(const UnitGraph &graph, size_t maxIdeals,
               const Deadline &deadline);

  size_t size() const { return count; }
  /// Ideals of `level` units are [first, last).
  std::pair<size_t, size_t> level(size_t units) const {
    assert(units + 1 < levels.size() && "no such level");
    return {levels[units], levels[units + 1]};
  }
  /// The steps down from an ideal, greatest unit first.
  std::span<const Step> steps(size_t ideal) const {
    return {down.data() + firstStep[ideal], down.data() + firstStep[ideal + 1]};
  }
  bool contains(size_t ideal, int unit) const {
    return words[ideal * wordCount + unit / 64] >> (unit % 64) & 1;
  }

private:
  const UnitGraph &graph;
  size_t wordCount, count = 1;
  std::vector<uint64_t> words; ///< a bit per unit, `wordCount` per ideal
  std::vector<size_t> levels, firstStep;
  std::vector<Step> down;
  std::vector<uint32_t> slots; ///< hash table of one level, of ideals + 1

  bool enumerate(size_t maxIdeals, const Deadline &deadline);
  uint32_t findOrAdd(const std::vector<uint64_t> &ideal, size_t levelFirst);
  void growSlots(size_t levelFirst);
  size_t hash(const uint64_t *ideal) const;
};

} // namespace soap::placement

#endif // SOAP_LIB_SEARCH_DEVICEPLACEMENT_ALGORITHMS_IDEALLATTICE_H
