//===- Machines.cpp - Which machine each vertex is in ---------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Machines.h.
//
//===----------------------------------------------------------------------===//

#include "Machines.h"

#include "Soap/Support/DisjointSets.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

using namespace soap;

namespace {

/// The fastest links of a kind of device.
struct FastestLinks {
  double bandwidth = std::numeric_limits<double>::infinity();
  int64_t latencyNs = 0;
};

class MachineFinder {
public:
  explicit MachineFinder(const Topology &topology)
      : topology(topology), devices(topology.deviceCount()),
        vertices(devices + static_cast<int>(topology.switches.size())),
        machineOf(static_cast<size_t>(vertices), -1) {}

  std::vector<int> run() {
    if (!findByNames())
      findByLinks();
    return std::move(machineOf);
  }

private:
  const Topology &topology;
  int devices, vertices;
  std::vector<int> machineOf;

  int &of(int vertex) { return machineOf[static_cast<size_t>(vertex)]; }
  bool isDevice(int vertex) const { return vertex < devices; }

  /// False: devices do not say.
  bool findByNames() {
    std::map<std::string, int> known;
    for (int d = 0; d < devices; ++d) {
      const std::string &name =
          topology.devices[static_cast<size_t>(d)].machine;
      if (name.empty())
        return false;
      of(d) =
          known.try_emplace(name, static_cast<int>(known.size())).first->second;
    }
    attachSwitches();
    return true;
  }

  void findByLinks() {
    std::vector<double> most(static_cast<size_t>(devices), 0);
    auto isOf = [&](const Link &link, auto visit) {
      for (int end : {link.from, link.to})
        if (isDevice(end))
          visit(end);
    };
    for (const Link &link : topology.links)
      isOf(link, [&](int d) {
        double &bandwidth = most[static_cast<size_t>(d)];
        bandwidth = std::max(bandwidth, link.bandwidthBytesPerSecond);
      });
    std::vector<FastestLinks> types(topology.deviceTypes.size());
    auto typeOf = [&](int device) -> FastestLinks & {
      return types[static_cast<size_t>(
          topology.devices[static_cast<size_t>(device)].type)];
    };
    for (int d = 0; d < devices; ++d)
      typeOf(d).bandwidth =
          std::min(typeOf(d).bandwidth, most[static_cast<size_t>(d)]);
    for (const Link &link : topology.links)
      isOf(link, [&](int d) {
        if (link.bandwidthBytesPerSecond >= most[static_cast<size_t>(d)])
          typeOf(d).latencyNs = std::max(typeOf(d).latencyNs, link.latencyNs);
      });
    // Types with the fastest links first: theirs are not joined by links that
    // are fast for others.
    std::vector<size_t> order(types.size());
    std::iota(order.begin(), order.end(), size_t(0));
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return types[a].bandwidth > types[b].bandwidth;
    });
    std::vector<int> joined(static_cast<size_t>(vertices), -1);
    for (size_t type : order)
      joinVertices(types[type], static_cast<int>(type), joined);
    numberMachines(joined);
    attachSwitches();
  }

  /// Joins vertices that no faster type has by links that are as fast. `joined`
  /// has a vertex of the same machine for each vertex that is in one.
  void joinVertices(const FastestLinks &fast, int type,
                    std::vector<int> &joined) {
    DisjointSets sets(static_cast<size_t>(vertices));
    for (const Link &link : topology.links)
      if (link.bandwidthBytesPerSecond >= fast.bandwidth &&
          link.latencyNs <= fast.latencyNs &&
          joined[static_cast<size_t>(link.from)] < 0 &&
          joined[static_cast<size_t>(link.to)] < 0)
        sets.merge(link.from, link.to);
    std::vector<bool> hasDevice(static_cast<size_t>(vertices));
    for (int d = 0; d < devices; ++d)
      if (topology.devices[static_cast<size_t>(d)].type == type)
        hasDevice[static_cast<size_t>(sets.find(d))] = true;
    for (int v = 0; v < vertices; ++v)
      if (joined[static_cast<size_t>(v)] < 0 &&
          hasDevice[static_cast<size_t>(sets.find(v))])
        joined[static_cast<size_t>(v)] = sets.find(v);
  }

  void numberMachines(const std::vector<int> &joined) {
    std::map<int, int> known;
    for (int v = 0; v < vertices; ++v)
      if (int at = joined[static_cast<size_t>(v)]; at >= 0)
        of(v) =
            known.try_emplace(at, static_cast<int>(known.size())).first->second;
  }

  /// Switches that lead to one machine only, and what lies behind them.
  void attachSwitches() {
    constexpr int none = -1, several = -2;
    for (bool changed = true; changed;) {
      changed = false;
      std::vector<int> next(static_cast<size_t>(vertices), none);
      auto meet = [&](int v, int other) {
        if (of(v) >= 0 || of(other) < 0)
          return;
        int &at = next[static_cast<size_t>(v)];
        at = at == none || at == of(other) ? of(other) : several;
      };
      for (const Link &link : topology.links) {
        meet(link.from, link.to);
        meet(link.to, link.from);
      }
      for (int v = devices; v < vertices; ++v)
        if (next[static_cast<size_t>(v)] >= 0) {
          of(v) = next[static_cast<size_t>(v)];
          changed = true;
        }
    }
  }
};

} // namespace

std::vector<int> soap::machineOfVertices(const Topology &topology) {
  return MachineFinder(topology).run();
}
