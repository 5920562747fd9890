//===- IdentifierTable.h - Nodes by their identifiers -----------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files call nodes by numbers that need not be dense, but mostly are: a table
// where they are, a sorted list otherwise.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SEARCH_DEVICEPLACEMENT_IDENTIFIERTABLE_H
#define SOAP_LIB_SEARCH_DEVICEPLACEMENT_IDENTIFIERTABLE_H

#include "Soap/Search/DevicePlacement/Problem.h"

#include <algorithm>

namespace soap::placement {

class IdentifierTable {
public:
  explicit IdentifierTable(const std::vector<Node> &nodes) {
    if (nodes.empty())
      return;
    auto [low, high] = std::minmax_element(
        nodes.begin(), nodes.end(),
        [](const Node &a, const Node &b) { return a.id < b.id; });
    least = low->id;
    uint64_t range = difference(high->id) + 1;
    if (range != 0 && range <= 8 * static_cast<uint64_t>(nodes.size()))
      fillTable(nodes, range);
    else
      fillList(nodes);
  }

  /// The index of a node, -1 if there is none of this identifier.
  int find(int64_t id) const {
    if (!table.empty()) {
      uint64_t at = difference(id);
      return id >= least && at < table.size() ? table[at] : -1;
    }
    auto it = std::lower_bound(list.begin(), list.end(), std::pair(id, 0));
    return it != list.end() && it->first == id ? it->second : -1;
  }

  /// The first node whose identifier a node before it has.
  std::optional<int> duplicate() const { return again; }

private:
  int64_t least = 0;
  std::vector<int> table; ///< by identifier less `least`
  std::vector<std::pair<int64_t, int>> list;
  std::optional<int> again;

  /// Without overflow, as identifiers may be any integers.
  uint64_t difference(int64_t id) const {
    return static_cast<uint64_t>(id) - static_cast<uint64_t>(least);
  }

  void fillTable(const std::vector<Node> &nodes, uint64_t range) {
    table.assign(range, -1);
    for (size_t i = 0; i < nodes.size(); ++i) {
      int &index = table[difference(nodes[i].id)];
      if (index >= 0 && !again)
        again = static_cast<int>(i);
      if (index < 0)
        index = static_cast<int>(i);
    }
  }

  void fillList(const std::vector<Node> &nodes) {
    list.reserve(nodes.size());
    for (size_t i = 0; i < nodes.size(); ++i)
      list.emplace_back(nodes[i].id, static_cast<int>(i));
    std::sort(list.begin(), list.end());
    for (size_t i = 1; i < list.size(); ++i)
      if (list[i].first == list[i - 1].first)
        again = std::min(again.value_or(list[i].second), list[i].second);
  }
};

} // namespace soap::placement

#endif // SOAP_LIB_SEARCH_DEVICEPLACEMENT_IDENTIFIERTABLE_H
