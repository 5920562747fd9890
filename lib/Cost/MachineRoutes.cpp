//===- MachineRoutes.cpp - Routes of a cluster of many devices ------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See MachineRoutes.h.
//
//===----------------------------------------------------------------------===//

#include "MachineRoutes.h"

#include "CollectiveWorkspace.h"

#include <algorithm>
#include <cassert>

using namespace soap;

/// From here on all pairs of a machine are too many.
static constexpr int maxPerMachine = 64;

MachineRoutes::MachineRoutes(const Topology &topology, Cluster machines)
    : cluster(std::move(machines)), perMachine(cluster.getPerMachine()) {
  auto makeRoutes = [&](int second, std::vector<Route> &routes) {
    for (int a = 0; a < perMachine; ++a)
      for (int b = 0; b < perMachine; ++b) {
        Route &route = routes.emplace_back();
        int to = second * perMachine + b;
        if (a == to)
          continue;
        for (int link : topology.route(a, to))
          route.links.emplace_back(cluster.machineOf(link) != 0,
                                   cluster.positionOf(link));
        route.latencyNs = topology.distance(a, to);
        route.messageNs = topology.transferNs(a, to, ringMessageBytes);
      }
  };
  makeRoutes(0, inside);
  makeRoutes(1, across);
  assert(inside.size() == across.size() && "routes by place of both");
  int64_t farthest = 0;
  for (const Route &route : inside)
    farthest = std::max(farthest, route.latencyNs);
  for (const Route &route : across)
    apart &= route.latencyNs == across.front().latencyNs &&
             route.latencyNs > farthest;
}

std::unique_ptr<const MachineRoutes>
MachineRoutes::of(const Topology &topology) {
  if (topology.deviceCount() <= maxForPairs)
    return nullptr;
  Expected<Cluster> cluster = Cluster::of(topology);
  if (!cluster || cluster->getMachineCount() == 1 ||
      cluster->getPerMachine() > maxPerMachine)
    return nullptr;
  return std::unique_ptr<const MachineRoutes>(
      new MachineRoutes(topology, std::move(*cluster)));
}
