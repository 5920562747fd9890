//===- Resources.cpp - What tasks occupy ----------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Resources.h.
//
//===----------------------------------------------------------------------===//

#include "Soap/Topology/Resources.h"

#include <algorithm>

using namespace soap;

std::vector<Resource> soap::makeResources(const Topology &topology) {
  std::vector<Resource> resources;
  resources.reserve(topology.devices.size() + topology.links.size());
  for (const Device &device : topology.devices)
    resources.push_back({device.name, false});
  for (const Link &link : topology.links)
    resources.push_back({link.name, true});
  return resources;
}

std::vector<int> soap::transferResources(const Topology &topology, int from,
                                         int to) {
  std::vector<int> resources;
  if (from != to && topology.typeOf(to).copiesOccupyReceiver)
    resources.push_back(to);
  for (int link : topology.route(from, to))
    resources.push_back(topology.deviceCount() + link);
  std::sort(resources.begin(), resources.end());
  return resources;
}
