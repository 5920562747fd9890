//===- PieceGeometries.h - Some pieces of kernels ---------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pieces of a kernel at some coordinates of its loops: what a plan that
// stands for a larger one has of a kernel.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_MESH_SYMMETRY_PIECEGEOMETRIES_H
#define SOAP_MESH_SYMMETRY_PIECEGEOMETRIES_H

#include "Soap/Plan/KernelGeometry.h"

#include <memory>
#include <unordered_map>

namespace soap {

/// Keeps geometries and references. Not safe from several threads.
class PieceGeometries {
public:
  /// By loop, ascending.
  using Coordinates = std::vector<std::vector<int64_t>>;

  /// `kernelClasses`: as many as `KernelClasses::count` says.
  PieceGeometries(const Graph &graph, const CostModel &cost,
                  GraphRegions &regions, GeometryBuilder &builder,
                  int kernelClasses)
      : graph(graph), cost(cost), regions(regions), builder(builder),
        known(static_cast<size_t>(kernelClasses)) {}

  /// Pieces row-major over the coordinates, which are of loops cut into
  /// `degrees`. States, times, bytes and regions are known, tiles are not. The
  /// pointer holds as long as this object.
  KernelGeometry *of(const Kernel &kernel, int kernelClass,
                     const std::vector<int64_t> &degrees,
                     const Coordinates &coords);
  /// The coordinates of a geometry that `of` has made.
  const Coordinates &coordinatesOf(const KernelGeometry *geometry) const {
    return coordinates.at(geometry);
  }

private:
  const Graph &graph;
  const CostModel &cost;
  GraphRegions &regions;
  GeometryBuilder &builder;
  /// By class of kernels, degrees and coordinates.
  std::vector<std::unordered_map<std::vector<int64_t>,
                                 std::unique_ptr<KernelGeometry>, VectorHash>>
      known;
  std::unordered_map<const KernelGeometry *, Coordinates> coordinates;

  void addRegions(const Kernel &kernel, const std::vector<int64_t> &degrees,
                  const Coordinates &coords, KernelGeometry &geometry);
};

} // namespace soap

#endif // SOAP_MESH_SYMMETRY_PIECEGEOMETRIES_H
