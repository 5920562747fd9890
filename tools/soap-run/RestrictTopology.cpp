//===- RestrictTopology.cpp - Some devices of a topology ------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See RestrictTopology.h.
//
//===----------------------------------------------------------------------===//

#include "RestrictTopology.h"

using namespace soap;

Expected<Topology> run::restrictTopology(const Topology &topology,
                                         const std::vector<int> &devices) {
  Topology rest;
  rest.name = topology.name;
  rest.deviceTypes = topology.deviceTypes;
  rest.switches = topology.switches;
  int vertices = topology.deviceCount() + int(topology.switches.size());
  std::vector<int> places(size_t(vertices), -1);
  for (int device : devices) {
    places[size_t(device)] = int(rest.devices.size());
    rest.devices.push_back(topology.devices[size_t(device)]);
  }
  for (int i = 0; i < int(topology.switches.size()); ++i)
    places[size_t(topology.deviceCount() + i)] = rest.deviceCount() + i;
  for (Link link : topology.links) {
    link.from = places[size_t(link.from)];
    link.to = places[size_t(link.to)];
    if (link.from >= 0 && link.to >= 0)
      rest.links.push_back(link);
  }
  if (MaybeError error = rest.computeRoutes())
    return Error{"without the devices of the lost ranks: " + error->message};
  return rest;
}
