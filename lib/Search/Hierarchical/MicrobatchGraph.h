//===- MicrobatchGraph.h - A training step on fewer samples -----*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The forward and backward pass of a training step on a microbatch: the ops of
// the step without its updates, with the loops over samples shortened. What one
// such pass costs is all that the hierarchical search asks of the simulator.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SEARCH_HIERARCHICAL_MICROBATCHGRAPH_H
#define SOAP_LIB_SEARCH_HIERARCHICAL_MICROBATCHGRAPH_H

#include "Soap/Search/Problem/ParallelizationProblem.h"

namespace soap {

/// The extent of the loops over samples of a step; an error if there are none,
/// or if they differ by more than a factor that the longer ones have of other
/// dims.
Expected<int64_t> batchOf(const Graph &graph,
                          const std::vector<std::vector<Role>> &roles);

struct MicrobatchGraph {
  Graph graph;
  std::vector<OpGroup> groups;
  std::vector<std::vector<Role>> roles;
  /// By node of the step: its number here, -1: an update.
  std::vector<int> nodeOf;
};

/// Changes the samples of a step, restored values and recomputed ops included,
/// from `batch` (as `batchOf` says) to `samples`. Numbers of nodes and values
/// stay. An error names an op whose samples are not a digit of its dims, or
/// which has statistics of the whole batch; the graph is good for nothing then.
MaybeError scaleSamples(Graph &graph,
                        const std::vector<std::vector<Role>> &roles,
                        int64_t batch, int64_t samples);

/// The passes of a step with batch `batch` (as `batchOf` says) on `samples`
/// samples. Values keep their numbers. An error names an op whose samples are
/// not a digit of its dims.
Expected<MicrobatchGraph>
makeMicrobatchGraph(const Graph &graph, const std::vector<OpGroup> &groups,
                    const std::vector<std::vector<Role>> &roles, int64_t batch,
                    int64_t samples);

} // namespace soap

#endif // SOAP_LIB_SEARCH_HIERARCHICAL_MICROBATCHGRAPH_H
