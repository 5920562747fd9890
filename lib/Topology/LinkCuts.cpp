//===- LinkCuts.cpp - Links that everything passes to get somewhere -------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Groups are found from machines, and from what is attached to each switch.
//
//===----------------------------------------------------------------------===//

#include "Soap/Topology/LinkCuts.h"

#include <algorithm>
#include <cassert>
#include <set>

using namespace soap;

LinkCuts::LinkCuts(const Topology &topology)
    : deviceCount(topology.deviceCount()) {
  size_t vertices = topology.devices.size() + topology.switches.size();
  auto count = static_cast<size_t>(deviceCount);
  std::vector<std::vector<int>> candidates = topology.machines();
  std::vector<std::vector<int>> attached(topology.switches.size());
  std::vector<std::vector<const Link *>> linksFrom(vertices);
  std::vector<std::vector<size_t>> linksOf(vertices); // by either end
  for (size_t l = 0; l < topology.links.size(); ++l) {
    const Link &link = topology.links[l];
    linksFrom[static_cast<size_t>(link.from)].push_back(&link);
    linksOf[static_cast<size_t>(link.from)].push_back(l);
    linksOf[static_cast<size_t>(link.to)].push_back(l);
  }
  for (const Link &link : topology.links)
    if (link.from < deviceCount && link.to >= deviceCount)
      attached[static_cast<size_t>(link.to - deviceCount)].push_back(link.from);
  for (std::vector<int> &devices : attached) {
    std::sort(devices.begin(), devices.end());
    devices.erase(std::unique(devices.begin(), devices.end()), devices.end());
    candidates.push_back(devices);
  }
  std::sort(candidates.begin(), candidates.end());
  candidates.erase(std::unique(candidates.begin(), candidates.end()),
                   candidates.end());

  std::vector<std::vector<int>> cutsOfLink(topology.links.size());
  std::vector<bool> inside(vertices);
  // The cut around what is inside, which is left empty.
  auto addCut = [&](const std::vector<size_t> &members) {
    int cut = static_cast<int>(nsPerByte.size());
    double bytesPerSecond = 0, outBytesPerSecond = 0;
    std::vector<size_t> links;
    for (size_t vertex : members)
      links.insert(links.end(), linksOf[vertex].begin(), linksOf[vertex].end());
    std::sort(links.begin(), links.end());
    links.erase(std::unique(links.begin(), links.end()), links.end());
    for (size_t l : links) {
      const Link &link = topology.links[l];
      bool fromInside = inside[static_cast<size_t>(link.from)],
           toInside = inside[static_cast<size_t>(link.to)];
      if (fromInside && !toInside)
        outBytesPerSecond += link.bandwidthBytesPerSecond;
      if (fromInside || !toInside)
        continue;
      cutsOfLink[l].push_back(cut);
      bytesPerSecond += link.bandwidthBytesPerSecond;
    }
    // A little less, as the sums are rounded.
    nsPerByte.push_back(bytesPerSecond > 0 ? 0.9999e9 / bytesPerSecond : 0);
    outNsPerByte.push_back(outBytesPerSecond > 0 ? 0.9999e9 / outBytesPerSecond
                                                 : 0);
    for (size_t vertex : members)
      inside[vertex] = false;
    return cut;
  };
  for (size_t d = 0; d < count; ++d) {
    inside[d] = true;
    addCut({d});
  }
  for (std::vector<int> &devices : candidates) {
    if (devices.size() < 2 || devices.size() >= count)
      continue;
    std::vector<size_t> members(devices.begin(), devices.end());
    for (size_t d : members)
      inside[d] = true;
    // Any switches may be inside; the tightest cut leaves those outside that
    // have more to do with others.
    for (bool changed = true; changed;) {
      changed = false;
      // Only neighbours have links that lead inside.
      std::set<size_t> neighbours;
      for (size_t vertex : members)
        for (size_t l : linksOf[vertex])
          if (auto from = static_cast<size_t>(topology.links[l].from);
              from >= count && !inside[from])
            neighbours.insert(from);
      for (size_t s : neighbours) {
        double within = 0, without = 0;
        for (const Link *link : linksFrom[s])
          (inside[static_cast<size_t>(link->to)] ? within : without) +=
              link->bandwidthBytesPerSecond;
        if (within <= without)
          continue;
        inside[s] = true;
        members.push_back(s);
        changed = true;
      }
    }
    groups.push_back({std::move(devices), addCut(members)});
  }
  start.push_back(0);
  for (size_t l = 0; l < topology.links.size(); ++l) {
    members.insert(members.end(), cutsOfLink[l].begin(), cutsOfLink[l].end());
    start.push_back(static_cast<int>(members.size()));
    bytesPerNs.push_back(topology.links[l].bandwidthBytesPerSecond * 1e-9);
  }
  assert(count + groups.size() == nsPerByte.size() &&
         "a cut a device, and a cut a group");
}
