//===- MachineRoutes.cpp - Routes of a cluster of many devices ------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See MachineRoutes.h.
//
//===----------------------------------------------------------------------===//

#include "MachineRoutes.h"

#include "CollectiveRoutes.h"

#include <algorithm>
#include <cassert>
#include <memory>

using namespace soap;

/// From here on all pairs of a machine are too many.
static constexpr int maxPerMachine = 64;

MachineRoutes::MachineRoutes(const Topology &from, Cluster machines)
    : topology(from), cluster(std::move(machines)),
      perMachine(cluster.getPerMachine()) {
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

const MachineRoutes *MachineRoutes::of(const Topology &topology) {
  if (topology.deviceCount() <= CollectiveRoutes::maxDevices)
    return nullptr;
  struct Known {
    Topology topology; ///< keeps its routes alive, so that no others are there
    std::unique_ptr<const MachineRoutes> routes; ///< null: it is no cluster
  };
  static thread_local std::unique_ptr<const Known> known;
  auto placeOf = [](const Topology &of) { return of.route(0, 1).data(); };
  if (!known || placeOf(known->topology) != placeOf(topology)) {
    auto made = std::make_unique<Known>();
    made->topology = topology;
    if (Expected<Cluster> cluster = Cluster::of(topology))
      if (cluster->getMachineCount() > 1 &&
          cluster->getPerMachine() <= maxPerMachine)
        made->routes.reset(new MachineRoutes(topology, std::move(*cluster)));
    known = std::move(made);
  }
  return known->routes.get();
}
