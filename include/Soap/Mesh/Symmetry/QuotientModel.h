//===- QuotientModel.h - Shared by all quotient plans of a mesh -*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A mesh over a cluster, the few machines that quotient plans are made on, and
// the prices of collectives over axes of the mesh, which are looked up in the
// whole topology once a group.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_MESH_SYMMETRY_QUOTIENTMODEL_H
#define SOAP_MESH_SYMMETRY_QUOTIENTMODEL_H

#include "Soap/Cost/CollectiveCost.h"
#include "Soap/Cost/CostModel.h"
#include "Soap/Mesh/Mesh.h"
#include "Soap/Topology/Cluster.h"

#include <map>
#include <memory>

namespace soap {

/// Not safe from several threads.
class QuotientModel {
public:
  /// At most so many machines are planned on.
  static constexpr int maxMachines = 4;

  /// Keeps a reference to the topology. An error if it is not a cluster, or the
  /// mesh not one of it.
  static Expected<std::unique_ptr<QuotientModel>> make(const Topology &topology,
                                                       Mesh mesh);

  const Topology &getTopology() const { return topology; }
  const Mesh &getMesh() const { return mesh; }
  const Cluster &getCluster() const { return cluster; }
  /// The first machines, with links in the order of the whole topology.
  const Topology &getReducedTopology() const { return reduced; }
  const CostModel &getReducedCost() const { return cost; }
  /// The machine of a link of the reduced topology.
  int machineOfReduced(int link) const {
    return owners[static_cast<size_t>(link)];
  }
  /// Whether such a link leads to or from the switch between machines.
  bool isBetweenMachines(int link) const {
    return isBetween[static_cast<size_t>(link)];
  }
  /// The links of machine 0 of the reduced topology at some positions.
  std::vector<int> linksAt(const std::vector<int> &positions) const;

  /// A collective of devices of every machine along some axes.
  struct Group {
    CollectiveKind kind = CollectiveKind::AllReduce;
    /// By axis of the mesh: the group spans it. Only axes across machines.
    std::vector<bool> spans;
    std::vector<int> inside; ///< its devices in each machine, ascending
    int root = -1;           ///< a device of machine 0; -1: none
    auto operator<=>(const Group &) const = default;
  };
  struct Price {
    int64_t ns = 1;
    /// Links of machine 0 that are occupied, as positions (Cluster.h).
    std::vector<int> links;
    /// Links that are occupied on some machine of the group; if `isEven`, on
    /// every one.
    std::vector<int> anyLinks;
    bool isEven = true;
  };
  /// The price in the whole topology for a tensor of `bytes`, as
  /// `CollectiveModel` has it.
  Price price(const Group &group, int64_t bytes);

private:
  QuotientModel(const Topology &topology, Mesh mesh, Cluster cluster);

  struct Known {
    CollectiveModel model;
    std::vector<Price> prices; ///< by algorithm, without times
  };
  const Topology &topology;
  Mesh mesh;
  Cluster cluster;
  CollectiveWorkspace workspace; ///< of the whole topology
  Topology reduced;
  CostModel cost;
  std::vector<int> owners;     ///< by link of the reduced topology
  std::vector<bool> isBetween; ///< by link of the reduced topology
  std::vector<int> firstLinks; ///< by position
  std::map<Group, Known> known;

  const Known &knownOf(const Group &group);
};

} // namespace soap

#endif // SOAP_MESH_SYMMETRY_QUOTIENTMODEL_H
