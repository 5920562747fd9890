//===- TransferTable.cpp - Routes of a topology by table ------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One row per source.
//
//===----------------------------------------------------------------------===//

#include "Soap/Cost/TransferTable.h"
#include "Soap/Topology/Resources.h"

using namespace soap;

void TransferTable::fill(int from) {
  std::vector<Entry> row;
  size_t before = lists.bytes();
  for (int to = 0; to < topology.deviceCount(); ++to) {
    row.push_back({topology.distance(from, to),
                   resourceNumber(transferResources(topology, from, to))});
  }
  rows[from] = std::move(row);
  heldBytes += lists.bytes() - before;
}
