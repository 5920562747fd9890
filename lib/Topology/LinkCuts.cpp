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

using namespace soap;

LinkCuts::LinkCuts(const Topology &topology)
    : deviceCount(topology.deviceCount()) {
  size_t vertices = topology.devices.size() + topology.switches.size();
  auto count = static_cast<size_t>(deviceCount);
  std::vector<std::vector<int>> candidates = topology.machines();
  std::vector<std::vector<int>> attached(topology.switches.size());
  std::vector<std::vector<const Link *>> linksFrom(vertices);
  for (const Link &link : topology.links)
    linksFrom[static_cast<size_t>(link.from)].push_back(&link);
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
  auto addCut = [&](const std::vector<bool> &inside) {
    int cut = static_cast<int>(nsPerByte.size());
    double bytesPerSecond = 0, outBytesPerSecond = 0;
    for (size_t l = 0; l < topology.links.size(); ++l) {
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
    return cut;
  };
  for (size_t d = 0; d < count; ++d) {
    std::vector<bool> inside(vertices);
    inside[d] = true;
    addCut(inside);
  }
  for (std::vector<int> &devices : candidates) {
    if (devices.size() < 2 || devices.size() >= count)
      continue;
    std::vector<bool> inside(vertices);
    for (int d : devices)
      inside[static_cast<size_t>(d)] = true;
    // Any switches may be inside; the tightest cut leaves those outside that
    // have more to do with others.
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t s = count; s < vertices; ++s) {
        if (inside[s])
          continue;
        double within = 0, without = 0;
        for (const Link *link : linksFrom[s])
          (inside[static_cast<size_t>(link->to)] ? within : without) +=
              link->bandwidthBytesPerSecond;
        if (within <= without)
          continue;
        inside[s] = true;
        changed = true;
      }
    }
    groups.push_back({std::move(devices), addCut(inside)});
  }
  start.push_back(0);
  for (size_t l = 0; l < topology.links.size(); ++l) {
    members.insert(members.end(), cutsOfLink[l].begin(), cutsOfLink[l].end());
    start.push_back(static_cast<int>(members.size()));
    bytesPerNs.push_back(topology.links[l].bandwidthBytesPerSecond * 1e-9);
  }
}
