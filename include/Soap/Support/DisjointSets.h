//===- DisjointSets.h - Union-find ------------------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Disjoint sets of the numbers below a size, with path halving (Tarjan and van
// Leeuwen, 1984).
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_SUPPORT_DISJOINTSETS_H
#define SOAP_SUPPORT_DISJOINTSETS_H

#include <cassert>
#include <cstddef>
#include <numeric>
#include <vector>

namespace soap {

class DisjointSets {
public:
  /// `size` sets of one number each.
  explicit DisjointSets(size_t size) : parent(size) {
    std::iota(parent.begin(), parent.end(), 0);
  }
  /// The number that stands for the set of `i`.
  int find(int i) {
    assert(i >= 0 && static_cast<size_t>(i) < parent.size() && "a member");
    while (at(i) != i)
      i = at(i) = at(at(i));
    return i;
  }
  /// Joins the sets of both; the number of `into` stands for them.
  void merge(int from, int into) { at(find(from)) = find(into); }

private:
  std::vector<int> parent;
  int &at(int i) { return parent[static_cast<size_t>(i)]; }
};

} // namespace soap

#endif // SOAP_SUPPORT_DISJOINTSETS_H
