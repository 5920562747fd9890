//===- ReplicaLinks.h - Links of the replicas of stages ---------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which links of a cluster correspond, where groups of devices consist of
// replicas.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_MESH_SYMMETRY_REPLICALINKS_H
#define SOAP_LIB_MESH_SYMMETRY_REPLICALINKS_H

#include "Soap/Topology/Cluster.h"

namespace soap {

/// Device `(group * replicas + replica) * unit + member`.
struct ReplicaLayout {
  int group = 1; ///< devices of a group: replicas times unit
  int unit = 1;  ///< devices of a replica

  int replicas() const { return group / unit; }
  int replicaOf(int device) const { return device % group / unit; }
  /// The corresponding device of replica 0 of its group.
  int firstOf(int device) const { return device - replicaOf(device) * unit; }
};

/// The units, ascending, whose replicas a cluster does not tell apart: some
/// permutation of devices maps each replica of every group to any other, and
/// the topology to itself. Machines for which every permutation does that
/// (devices are linked to switches only, all alike) may hold several replicas;
/// else a replica has whole machines.
std::vector<int> unitsOf(const Topology &topology, const Cluster &cluster,
                         int group);

/// By link of the topology: the one of replica 0 that corresponds to it.
std::vector<int> firstLinksOf(const Topology &topology, const Cluster &cluster,
                              const ReplicaLayout &layout);

} // namespace soap

#endif // SOAP_LIB_MESH_SYMMETRY_REPLICALINKS_H
