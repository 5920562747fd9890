//===- Cluster.h - Topologies of equal machines -----------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A cluster is a topology of machines that are all alike, around one switch:
// any permutation of the machines maps it to itself. A few machines of it stand
// for all.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_TOPOLOGY_CLUSTER_H
#define SOAP_TOPOLOGY_CLUSTER_H

#include "Soap/Topology/Topology.h"

namespace soap {

/// The machines of a topology, and which links of them correspond.
class Cluster {
public:
  /// An error says why a topology is not a cluster: machines that differ in
  /// devices, links or routes, links between machines that do not lead through
  /// the one switch, devices without collectives.
  static Expected<Cluster> of(const Topology &topology);

  int getMachineCount() const { return machines; }
  int getPerMachine() const { return perMachine; }
  /// The links of a machine, those to and from the switch included. The link at
  /// a position of one machine corresponds to those at the same position of the
  /// others.
  const std::vector<int> &linksOf(int machine) const {
    return links[static_cast<size_t>(machine)];
  }
  /// The machine of a link of the topology.
  int machineOf(int link) const { return owners[static_cast<size_t>(link)]; }
  /// Its position among the links of its machine.
  int positionOf(int link) const { return places[static_cast<size_t>(link)]; }
  /// Whether it leads to or from the switch between machines.
  bool isBetweenMachines(const Link &link) const {
    return machineOfVertex[static_cast<size_t>(link.from)] < 0 ||
           machineOfVertex[static_cast<size_t>(link.to)] < 0;
  }
  /// The first machines alone, as a topology with routes; links keep their
  /// order.
  Topology firstMachines(const Topology &topology, int count) const;

private:
  int machines = 1, perMachine = 1;
  std::vector<int> machineOfVertex; ///< -1: the switch between machines
  std::vector<std::vector<int>> links;
  std::vector<int> owners, places; ///< by link

  std::string findMachines(const Topology &topology);
  std::string findLinks(const Topology &topology);
  std::string compareMachines(const Topology &topology) const;
  std::string compareRoutes(const Topology &topology) const;
};

} // namespace soap

#endif // SOAP_TOPOLOGY_CLUSTER_H
