//===- MeshSearch.h - Search over mesh strategies ---------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For many devices: strategies of mesh configs alone, priced by quotient plans,
// and one decision for all groups at the same place of repeated blocks.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_SEARCH_MESH_MESHSEARCH_H
#define SOAP_SEARCH_MESH_MESHSEARCH_H

#include "Soap/Search/Evaluator/SearchBudget.h"

#include <map>

namespace soap {

struct MeshOptions : SearchBudget {
  /// Groups at the same place of repeated blocks decide alone.
  bool untied = false;
  /// Only strategies that shardings of one mesh describe, as JAX has them: all
  /// ops run on all devices, in equal pieces, and leave their results in blocks
  /// (`splitOf`). Along other axes an op has replicas. Initial strategies are
  /// left out.
  bool shardings = false;
};

struct MeshResult {
  McmcResult search;
  std::string mesh;                 ///< of the best strategy: `8 x 2 x 4`
  bool cutsUpdates = false;         ///< the best strategy shares updates (ZeRO)
  int decisions = 0;                ///< groups that are decided on
  int64_t folded = 0, unfolded = 0; ///< strategies by how they were priced
  /// Why strategies were unfolded, and how many each.
  std::map<std::string, int64_t> reasons;
  /// An op whose fixed config no mesh has: only the initial strategies were
  /// looked at. -1: there is none.
  int misfit = -1;
};

/// Starts from the presets that are mesh strategies, data parallelism, and
/// each of them with updates cut over their replicas (ZeRO), on meshes whose
/// inside is one axis or two. Then changes one axis of one decision at a time
/// while that gains. The result is the best of these and the initial
/// strategies, as the unfolded plan prices it. The problem must have passed
/// `check`. Depends on nothing but problem and options if there is no limit in
/// seconds.
MeshResult searchMesh(const ParallelizationProblem &problem,
                      const MeshOptions &options);

} // namespace soap

#endif // SOAP_SEARCH_MESH_MESHSEARCH_H
