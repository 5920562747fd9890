//===- CollectiveRoutes.h - Routes as collectives see them ------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Answers that builders of collectives need of a topology again and again: how
// many messages each link carries if all of a group send to all, and which
// device is nearest. Made once for the topology that a thread works with.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_COST_COLLECTIVEROUTES_H
#define SOAP_LIB_COST_COLLECTIVEROUTES_H

#include "Soap/Topology/RouteSets.h"

namespace soap {

class CollectiveRoutes {
public:
  /// Up to here all pairs are looked at.
  static constexpr int maxDevices = 256;

  /// Of a topology with at least two devices; kept until the thread asks for
  /// another one. Null if it has too many devices.
  static const CollectiveRoutes *of(const Topology &topology);

  const RouteSets &getSets() const { return sets; }
  /// Time of a message that is large enough for bandwidth to matter, in ns.
  int64_t messageNs(int from, int to) const {
    return ns[static_cast<size_t>(from) * devices + static_cast<size_t>(to)];
  }

private:
  explicit CollectiveRoutes(const Topology &topology);

  Topology topology; ///< a copy: shares the routes, and keeps them alive
  RouteSets sets;
  size_t devices;
  std::vector<int64_t> ns;
};

/// The bytes of such a message.
constexpr int64_t ringMessageBytes = 1 << 20;

} // namespace soap

#endif // SOAP_LIB_COST_COLLECTIVEROUTES_H
