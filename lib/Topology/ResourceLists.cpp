//===- ResourceLists.cpp - Lists of resources by number -------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A hash table with linear probing; nothing is taken out of it.
//
//===----------------------------------------------------------------------===//

#include "Soap/Topology/ResourceLists.h"

#include "Soap/Support/VectorHash.h"

#include <algorithm>
#include <cassert>

using namespace soap;

void ResourceLists::grow() {
  table.assign(std::max<size_t>(64, 2 * table.size()), -1);
  size_t mask = table.size() - 1;
  for (size_t n = 0; n < hashes.size(); ++n) {
    size_t place = hashes[n] & mask;
    while (table[place] >= 0)
      place = (place + 1) & mask;
    table[place] = static_cast<int>(n);
  }
}

int ResourceLists::number(std::span<const int> list) {
  if (2 * size() >= table.size())
    grow();
  auto hash = static_cast<uint32_t>(VectorHash()(list));
  size_t mask = table.size() - 1, place = hash & mask;
  for (; table[place] >= 0; place = (place + 1) & mask) {
    int known = table[place];
    if (hashes[static_cast<size_t>(known)] == hash &&
        std::ranges::equal((*this)[known], list))
      return known;
  }
  assert(2 * size() <= table.size() && "half of the places are free");
  auto number = static_cast<int>(size());
  table[place] = number;
  hashes.push_back(hash);
  members.insert(members.end(), list.begin(), list.end());
  starts.push_back(members.size());
  return number;
}
