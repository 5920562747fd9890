//===- EqualMachines.cpp - Machines that are alike ------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See EqualMachines.h.
//
//===----------------------------------------------------------------------===//

#include "EqualMachines.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

using namespace soap;

/// The machine of every vertex: of switches, the machine with devices at a
/// switch whose name begins alike up to the first point.
static std::vector<int> machineOfVertices(const Topology &topology) {
  int devices = topology.deviceCount();
  std::vector<int> machineOf(topology.devices.size() + topology.switches.size(),
                             -1);
  std::vector<std::vector<int>> machines = topology.machines();
  for (size_t m = 0; m < machines.size(); ++m)
    for (int device : machines[m])
      machineOf[device] = static_cast<int>(m);
  auto prefixOf = [&](int vertex) {
    const std::string &name = topology.switches[vertex - devices];
    size_t point = name.find('.');
    return point == std::string::npos ? std::string() : name.substr(0, point);
  };
  std::map<std::string, int> machineOfPrefix;
  for (const Link &link : topology.links)
    if (link.from < devices && link.to >= devices)
      machineOfPrefix.try_emplace(prefixOf(link.to), machineOf[link.from]);
  machineOfPrefix.erase("");
  for (size_t s = 0; s < topology.switches.size(); ++s) {
    int vertex = devices + static_cast<int>(s);
    if (auto it = machineOfPrefix.find(prefixOf(vertex));
        it != machineOfPrefix.end())
      machineOf[vertex] = it->second;
  }
  return machineOf;
}

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
