//===- ReplicaLinks.cpp - Links of the replicas of stages -----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ReplicaLinks.h.
//
//===----------------------------------------------------------------------===//

#include "ReplicaLinks.h"

#include <map>
#include <set>
#include <tuple>

using namespace soap;

/// The device of a link that connects one with a switch, and whether it leads
/// from the device; -1: it does not.
static std::pair<int, bool> deviceOf(const Topology &topology,
                                     const Link &link) {
  bool from = link.from < topology.deviceCount(),
       to = link.to < topology.deviceCount();
  return from == to ? std::pair(-1, false)
                    : std::pair(from ? link.from : link.to, from);
}

/// Whether all devices of a machine have the same links to the same switches,
/// and there are no others.
static bool isStar(const Topology &topology, const Cluster &cluster) {
  // Of machine 0, to which the others are equal.
  std::map<int, std::set<std::tuple<int, bool, double, int64_t>>> linksOf;
  for (int number : cluster.linksOf(0)) {
    const Link &link = topology.links[static_cast<size_t>(number)];
    auto [device, isFrom] = deviceOf(topology, link);
    if (device < 0)
      return false;
    if (!linksOf[device]
             .insert({isFrom ? link.to : link.from, isFrom,
                      link.bandwidthBytesPerSecond, link.latencyNs})
             .second)
      return false;
  }
  if (static_cast<int>(linksOf.size()) != cluster.getPerMachine())
    return false;
  for (const auto &[device, links] : linksOf)
    if (links != linksOf.begin()->second)
      return false;
  return true;
}

std::vector<int> soap::unitsOf(const Topology &topology, const Cluster &cluster,
                               int group) {
  int each = cluster.getPerMachine();
  std::vector<int> units;
  if (group % each != 0 && each % group != 0)
    return units;
  bool star = isStar(topology, cluster);
  for (int unit = 1; unit < group; ++unit)
    if (group % unit == 0 && (unit % each == 0 || (star && each % unit == 0)))
      units.push_back(unit);
  return units;
}

std::vector<int> soap::firstLinksOf(const Topology &topology,
                                    const Cluster &cluster,
                                    const ReplicaLayout &layout) {
  int each = cluster.getPerMachine();
  std::vector<int> first(topology.links.size());
  if (layout.unit % each == 0) {
    for (size_t l = 0; l < first.size(); ++l) {
      auto link = static_cast<int>(l);
      int machine = layout.firstOf(cluster.machineOf(link) * each) / each;
      first[l] = cluster.linksOf(
          machine)[static_cast<size_t>(cluster.positionOf(link))];
    }
    return first;
  }
  // Device, whether the link leads from it, and the number of such links.
  using End = std::tuple<int, bool, int>;
  auto forEachEnd = [&](auto visit) {
    std::map<std::pair<int, bool>, int> counts;
    for (size_t l = 0; l < first.size(); ++l) {
      auto [device, isFrom] = deviceOf(topology, topology.links[l]);
      visit(l, device, isFrom, counts[{device, isFrom}]++);
    }
  };
  std::map<End, int> numbers;
  forEachEnd([&](size_t link, int device, bool isFrom, int count) {
    numbers[{device, isFrom, count}] = static_cast<int>(link);
  });
  forEachEnd([&](size_t link, int device, bool isFrom, int count) {
    first[link] = numbers.at({layout.firstOf(device), isFrom, count});
  });
  return first;
}
