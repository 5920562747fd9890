//===- SomeDevices.cpp - Some of a topology's devices ---------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See SomeDevices.h.
//
//===----------------------------------------------------------------------===//

#include "Soap/Search/Problem/SomeDevices.h"

#include <algorithm>

using namespace soap;

std::vector<int> soap::deviceCounts(const Topology &topology) {
  std::vector<std::vector<int>> machines = topology.machines();
  auto all = topology.deviceCount(),
       inside = static_cast<int>(machines.front().size());
  std::vector<int> counts;
  for (int count = 1; count < inside; count *= 2)
    counts.push_back(count);
  for (int count = inside; count < all; count *= 2)
    counts.push_back(count);
  counts.push_back(all);
  return counts;
}

Topology soap::firstDevices(const Topology &whole, int devices,
                            int64_t limitBytes) {
  Topology result = whole;
  int all = whole.deviceCount();
  // Devices that forward for others stay, as switches.
  std::vector<int> vertexOf(static_cast<size_t>(all) + whole.switches.size(),
                            -1);
  result.devices.resize(static_cast<size_t>(devices));
  result.switches.clear();
  for (int d = 0; d < devices; ++d)
    vertexOf[d] = d;
  for (size_t s = 0; s < whole.switches.size(); ++s) {
    vertexOf[static_cast<size_t>(all) + s] =
        devices + static_cast<int>(result.switches.size());
    result.switches.push_back(whole.switches[s]);
  }
  for (int d = devices; d < all; ++d)
    if (whole.typeOf(d).forwardsTransfers) {
      vertexOf[d] = devices + static_cast<int>(result.switches.size());
      result.switches.push_back(whole.devices[d].name);
    }
  result.links.clear();
  for (Link link : whole.links) {
    link.from = vertexOf[link.from];
    link.to = vertexOf[link.to];
    if (link.from >= 0 && link.to >= 0)
      result.links.push_back(std::move(link));
  }
  if (limitBytes >= 0)
    for (DeviceType &type : result.deviceTypes)
      type.memoryBytes = std::min(type.memoryBytes, limitBytes);
  // Connected devices are still connected.
  if (MaybeError error = result.computeRoutes())
    return whole;
  return result;
}
