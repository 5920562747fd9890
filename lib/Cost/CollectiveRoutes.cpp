//===- CollectiveRoutes.cpp - Routes as collectives see them --------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CollectiveRoutes.h"

#include <cassert>
#include <memory>

using namespace soap;

/// Where the routes of a topology lie in memory.
static const int *placeOf(const Topology &topology) {
  return topology.route(0, 1).data();
}

CollectiveRoutes::CollectiveRoutes(const Topology &from)
    : topology(from), sets(topology),
      devices(static_cast<size_t>(topology.deviceCount())) {
  for (int a = 0; a < topology.deviceCount(); ++a)
    for (int b = 0; b < topology.deviceCount(); ++b)
      ns.push_back(topology.transferNs(a, b, ringMessageBytes));
}

const CollectiveRoutes *CollectiveRoutes::of(const Topology &topology) {
  assert(topology.deviceCount() > 1 && "at least two devices");
  static thread_local std::unique_ptr<const CollectiveRoutes> known;
  if (topology.deviceCount() > maxDevices)
    return nullptr;
  // Its routes are alive, so that no others are at their place.
  if (!known || placeOf(known->topology) != placeOf(topology))
    known.reset(new CollectiveRoutes(topology));
  return known.get();
}
