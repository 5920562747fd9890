//===- EqualMachines.cpp - Machines that are alike ------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See EqualMachines.h.
//
//===----------------------------------------------------------------------===//

#include "EqualMachines.h"

#include "Machines.h"

#include <algorithm>
#include <tuple>

using namespace soap;

std::vector<int> soap::findEqualMachines(const Topology &topology) {
  std::vector<int> machineOf = machineOfVertices(topology);
  size_t machines = topology.machines().size();
  // Ends (numbers in the machine, or of vertices outside, below 0), bandwidth
  // and latency.
  using Edge = std::tuple<int, int, double, int64_t>;
  std::vector<std::vector<int>> types(machines);
  std::vector<std::vector<Edge>> edges(machines);
  std::vector<int> number(machineOf.size());
  for (size_t v = 0; v < machineOf.size(); ++v) {
    if (machineOf[v] < 0)
      continue;
    std::vector<int> &own = types[machineOf[v]];
    number[v] = static_cast<int>(own.size());
    own.push_back(v < topology.devices.size() ? topology.devices[v].type : -1);
  }
  for (const Link &link : topology.links) {
    int from = machineOf[link.from], to = machineOf[link.to];
    if (from < 0 && to < 0)
      continue;
    if (from >= 0 && to >= 0 && from != to)
      return {};
    auto end = [&](int vertex) {
      return machineOf[vertex] < 0 ? -1 - vertex : number[vertex];
    };
    edges[std::max(from, to)].emplace_back(end(link.from), end(link.to),
                                           link.bandwidthBytesPerSecond,
                                           link.latencyNs);
  }
  for (size_t m = 0; m < machines; ++m) {
    std::sort(edges[m].begin(), edges[m].end());
    if (types[m] != types[0] || edges[m] != edges[0])
      return {};
  }
  return machineOf;
}
