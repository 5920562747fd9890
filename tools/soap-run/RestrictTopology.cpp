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
  std::vector<int> places(topology.devices.size() + topology.switches.size(),
                          -1);
  for (int device : devices) {
    places[size_t(device)] = int(rest.devices.size());
    rest.devices.push_back(topology.devices[size_t(device)]);
  }
  for (size_t i = 0; i < topology.switches.size(); ++i)
    places[topology.devices.size() + i] = rest.deviceCount() + int(i);
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
