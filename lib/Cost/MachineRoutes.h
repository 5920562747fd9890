//===- MachineRoutes.h - Routes of a cluster of many devices ----*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In a cluster (Topology/Cluster.h) the routes inside of the first machine, and
// those from the first machine to the second one, are the routes of all
// machines. So builders of collectives over thousands of devices need no
// table of all pairs.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_COST_MACHINEROUTES_H
#define SOAP_LIB_COST_MACHINEROUTES_H

#include "Soap/Topology/Cluster.h"

#include <memory>
#include <utility>
#include <vector>

namespace soap {

class MachineRoutes {
public:
  /// Of a cluster of several machines. Null for other topologies, and for few
  /// devices, for which CollectiveWorkspace.h has all pairs.
  static std::unique_ptr<const MachineRoutes> of(const Topology &topology);

  const Cluster &getCluster() const { return cluster; }
  int machineOf(int device) const { return device / perMachine; }
  /// Ordering of distance, as `Topology::distance`.
  int64_t distance(int from, int to) const {
    return from == to ? 0 : routeOf(from, to).latencyNs;
  }
  /// Time of a message that is large enough for bandwidth to matter, in ns.
  int64_t messageNs(int from, int to) const {
    return routeOf(from, to).messageNs;
  }
  /// Whether devices of different machines are all as far from each other, and
  /// farther than any of one machine.
  bool areMachinesApart() const { return apart; }
  /// Calls `visit` with the machine and the position of each link of a route.
  template <typename Visit>
  void forEachLink(int from, int to, Visit visit) const {
    for (auto [isOfReceiver, position] : routeOf(from, to).links)
      visit(machineOf(isOfReceiver ? to : from), position);
  }

private:
  struct Route {
    /// Whether the link is one of the receiver's machine, and its position.
    std::vector<std::pair<bool, int>> links;
    int64_t latencyNs = 0, messageNs = 0;
  };
  Cluster cluster;
  int perMachine;
  std::vector<Route> inside, across; ///< by place of sender and receiver
  bool apart = true;

  MachineRoutes(const Topology &topology, Cluster cluster);
  const Route &routeOf(int from, int to) const {
    const std::vector<Route> &routes =
        machineOf(from) == machineOf(to) ? inside : across;
    return routes[static_cast<size_t>(from % perMachine * perMachine +
                                      to % perMachine)];
  }
};

} // namespace soap

#endif // SOAP_LIB_COST_MACHINEROUTES_H
