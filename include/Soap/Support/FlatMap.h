//===- FlatMap.h - Hash table in one array ----------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A hash map from 64-bit numbers to numbers, for tables that a search asks
// millions of times: a look-up is one miss of the cache, where the buckets and
// nodes of std::unordered_map are two or three.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_SUPPORT_FLATMAP_H
#define SOAP_SUPPORT_FLATMAP_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace soap {

/// From 64-bit keys, any but the largest, to small values. Linear probing, at
/// most half full; nothing is taken out. References hold until the next
/// `tryEmplace`.
template <typename Value>
class FlatMap {
public:
  /// The value of a key, and whether it was not there before: then it is
  /// `value`.
  std::pair<Value &, bool> tryEmplace(uint64_t key, const Value &value) {
    if (2 * count >= slots.size())
      grow();
    Slot &slot = slots[placeOf(key)];
    bool isNew = slot.key == free;
    if (isNew) {
      slot = {key, value};
      ++count;
    }
    return {slot.value, isNew};
  }
  size_t size() const { return count; }

private:
  static constexpr uint64_t free = ~uint64_t(0);
  struct Slot {
    uint64_t key = free;
    Value value = {};
  };
  std::vector<Slot> slots; ///< none, or a power of two
  size_t count = 0;

  /// Where a key is, or belongs.
  size_t placeOf(uint64_t key) const {
    uint64_t hash = (key ^ key >> 32) * 0x9E3779B97F4A7C15u;
    size_t mask = slots.size() - 1, place = (hash >> 32) & mask;
    while (slots[place].key != key && slots[place].key != free)
      place = (place + 1) & mask;
    return place;
  }
  void grow() {
    std::vector<Slot> before(std::max<size_t>(16, 2 * slots.size()));
    before.swap(slots);
    for (Slot &slot : before)
      if (slot.key != free)
        slots[placeOf(slot.key)] = slot;
  }
};

} // namespace soap

#endif // SOAP_SUPPORT_FLATMAP_H
