//===- TransferTable.h - Routes of a topology by table ----------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times, distances and resources of transfers between devices, looked up
// instead of derived: a search asks for them millions of times.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_COST_TRANSFERTABLE_H
#define SOAP_COST_TRANSFERTABLE_H

#include "Soap/Topology/ResourceLists.h"
#include "Soap/Topology/Topology.h"

#include <cassert>
#include <utility>

namespace soap {

/// Rows are filled when a source is first asked for. Not safe from several
/// threads.
class TransferTable {
public:
  explicit TransferTable(const Topology &topology)
      : topology(topology), rows(topology.devices.size()) {}

  /// As `Topology::distance`.
  int64_t distance(int from, int to) { return entry(from, to).distance; }
  /// Number of the list of resources that a transfer occupies.
  int resources(int from, int to) { return entry(from, to).resources; }
  const ResourceLists &resourceLists() const { return lists; }
  /// Number of a list that may have been seen before.
  int resourceNumber(std::span<const int> list) { return lists.number(list); }

  /// Forgets all lists but some; calls `renumber(n, m)` for list n that is list
  /// m from now on.
  template <typename Renumber>
  void keep(const std::vector<bool> &wanted, Renumber renumber) {
    assert(wanted.size() >= lists.size() && "a flag a list");
    ResourceLists all = std::exchange(lists, {});
    for (std::vector<Entry> &row : rows)
      row.clear();
    for (int n = 0; n < static_cast<int>(all.size()); ++n)
      if (wanted[static_cast<size_t>(n)])
        renumber(n, resourceNumber(all[n]));
    heldBytes = lists.bytes();
  }
  /// About what `keep` makes free: lists that are no routes and were not kept.
  size_t cacheBytes() const { return lists.bytes() - heldBytes; }

private:
  struct Entry {
    int64_t distance;
    int resources;
  };
  const Topology &topology;
  std::vector<std::vector<Entry>> rows;
  ResourceLists lists;
  size_t heldBytes = 0; ///< of routes, and of what was kept last

  const Entry &entry(int from, int to) {
    assert(from >= 0 && from < topology.deviceCount() && to >= 0 &&
           to < topology.deviceCount() && "no such device");
    if (rows[from].empty())
      fill(from);
    return rows[from][to];
  }
  void fill(int from);
};

} // namespace soap

#endif // SOAP_COST_TRANSFERTABLE_H
