//===- Mesh.h - Devices as a product of axes --------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A mesh arranges the devices of a topology as a product of axes, and a mesh
// config gives each axis to a loop, to the replicas, or to nothing. So a
// strategy on any number of devices takes a few numbers per op, and what
// devices have in common is known before anything is planned (docs/Mesh.md).
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_MESH_MESH_H
#define SOAP_MESH_MESH_H

#include "Soap/Model/Graph.h"
#include "Soap/Topology/Topology.h"

namespace soap {

struct MeshAxis {
  std::string name;     ///< `across`, `inside`, or these with a number
  int64_t size = 1;     ///< at least 1
  bool isAcross = true; ///< leads from machine to machine
};

/// Axes across machines come first, those inside of a machine follow. Devices
/// are numbered row-major over the axes: the last one runs fastest.
struct Mesh {
  std::vector<MeshAxis> axes;

  /// Product of the sizes of all axes.
  int64_t deviceCount() const;
  /// Product of the sizes of the axes across machines.
  int64_t machineCount() const;
};

/// The mesh of a topology: its machines times the devices of each. `across` and
/// `inside` are the sizes of the axes into which the two are factored; empty:
/// one axis each. A topology whose machines differ in size is one machine. An
/// error if the sizes do not multiply to the number of machines, or of devices
/// in one.
Expected<Mesh> makeMesh(const Topology &topology,
                        const std::vector<int64_t> &across = {},
                        const std::vector<int64_t> &inside = {});

/// The use of each axis by one op.
struct MeshConfig {
  static constexpr int replicas = -1; ///< every coordinate computes the same
  static constexpr int nothing = -2;  ///< only coordinate 0 computes
  /// By axis: a loop of the op, `replicas` or `nothing`.
  std::vector<int> targets;
  bool operator==(const MeshConfig &) const = default;
};

/// One per node of a graph.
using MeshStrategy = std::vector<MeshConfig>;

/// An error if the config does not fit the mesh or the op: another number of
/// axes, a loop that is not there or serial.
MaybeError checkMeshConfig(const Mesh &mesh, const IterationSpace &space,
                           const MeshConfig &config);

/// Into how many pieces each loop is cut: the product of the axes that it has.
std::vector<int64_t> degreesOf(const Mesh &mesh, const MeshConfig &config,
                               size_t loops);

/// The config with its device list. The coordinate of a loop is row-major over
/// its axes in the order of the mesh, and so is the number of a replica.
Config unfold(const Mesh &mesh, const MeshConfig &config, size_t loops);

/// The configs of all nodes.
Strategy unfold(const Mesh &mesh, const Graph &graph,
                const MeshStrategy &strategy);

/// The mesh config whose config this is, up to the order of replicas; none if
/// it has another device list.
std::optional<MeshConfig> findMeshConfig(const Mesh &mesh,
                                         const IterationSpace &space,
                                         const Config &config);

/// The mesh config of an op that follows a leader: loop l has the axes of the
/// leader's loop `loops[l]`, -1: none. The other axes become replicas.
MeshConfig followMesh(const MeshConfig &leader, const std::vector<int> &loops);

} // namespace soap

#endif // SOAP_MESH_MESH_H
