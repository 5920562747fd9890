//===- IdealLattice.cpp - All ideals of a unit graph ----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Level by level: an ideal of the next level is one of this level and a unit
// whose predecessors are in it.
//
//===----------------------------------------------------------------------===//

#include "IdealLattice.h"

#include <algorithm>
#include <cassert>

using namespace soap;
using namespace soap::placement;

IdealLattice::IdealLattice(const UnitGraph &graph, size_t maxIdeals,
                           const Deadline &deadline)
    : graph(graph), wordCount((graph.size() + 63) / 64), words(wordCount) {
  // Of 2 GiB: ideals of large graphs are long.
  constexpr size_t maxWords = size_t(1) << 28;
  maxIdeals = std::min<size_t>(
      {maxIdeals, uint32_t(-2), maxWords / std::max<size_t>(wordCount, 1)});
  // There are more ideals than units.
  if (graph.size() >= maxIdeals || !enumerate(maxIdeals, deadline))
    count = 0;
  slots = {};
}

size_t IdealLattice::hash(const uint64_t *ideal) const {
  uint64_t value = 0;
  for (size_t i = 0; i < wordCount; ++i) {
    value = (value ^ ideal[i]) * 0x9e3779b97f4a7c15;
    value ^= value >> 29;
  }
  return value;
}

void IdealLattice::growSlots(size_t levelFirst) {
  slots.assign(std::max<size_t>(2 * slots.size(), 64), 0);
  for (size_t i = levelFirst; i < count; ++i) {
    size_t at = hash(&words[i * wordCount]);
    while (slots[at & (slots.size() - 1)])
      ++at;
    slots[at & (slots.size() - 1)] = static_cast<uint32_t>(i + 1);
  }
}

uint32_t IdealLattice::findOrAdd(const std::vector<uint64_t> &ideal,
                                 size_t levelFirst) {
  if (2 * (count - levelFirst + 1) > slots.size())
    growSlots(levelFirst);
  for (size_t at = hash(ideal.data());; ++at) {
    uint32_t &slot = slots[at & (slots.size() - 1)];
    if (slot == 0) {
      words.insert(words.end(), ideal.begin(), ideal.end());
      slot = static_cast<uint32_t>(++count);
      return slot - 1;
    }
    if (std::equal(ideal.begin(), ideal.end(),
                   words.begin() + (slot - 1) * wordCount))
      return slot - 1;
  }
}

bool IdealLattice::enumerate(size_t maxIdeals, const Deadline &deadline) {
  struct Up {
    uint32_t ideal;
    Step step;
  };
  int units = static_cast<int>(graph.size());
  // How often to look at the clock: an ideal takes time in proportion to units.
  size_t often = std::max<size_t>(65536 / std::max(units, 1), 1);
  std::vector<uint64_t> bits(wordCount);
  std::vector<Up> ups;
  levels = {0};
  firstStep = {0, 0};
  for (int size = 0; size < units; ++size) {
    size_t first = levels.back(), last = count;
    levels.push_back(last);
    slots.clear();
    ups.clear();
    for (size_t ideal = first; ideal < last; ++ideal) {
      if (count > maxIdeals || (ideal % often == 0 && deadline.isOver()))
        return false;
      for (int unit = 0; unit < units; ++unit) {
        std::span<const int> before = graph.predecessors[unit];
        if (contains(ideal, unit) ||
            !std::all_of(before.begin(), before.end(),
                         [&](int u) { return contains(ideal, u); }))
          continue;
        std::copy_n(words.begin() + ideal * wordCount, wordCount, bits.begin());
        bits[unit / 64] |= uint64_t(1) << (unit % 64);
        ups.push_back(
            {findOrAdd(bits, last), {unit, static_cast<uint32_t>(ideal)}});
      }
    }
    std::sort(ups.begin(), ups.end(), [](const Up &a, const Up &b) {
      return std::pair(a.ideal, -a.step.unit) <
             std::pair(b.ideal, -b.step.unit);
    });
    for (const Up &up : ups) {
      while (firstStep.size() < up.ideal + 1)
        firstStep.push_back(down.size());
      down.push_back(up.step);
    }
    while (firstStep.size() < count + 1)
      firstStep.push_back(down.size());
  }
  levels.push_back(count);
  assert(firstStep.size() == count + 1 && "steps of each ideal");
  assert(std::ranges::is_sorted(levels) && "ideals by their number of units");
  return true;
}
