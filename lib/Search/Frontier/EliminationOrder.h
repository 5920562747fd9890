//===- EliminationOrder.h - In which order nodes are eliminated -*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Frontier tracking decides all eliminations before the first one (algorithm 2
// of TensorOpt): they depend on numbers of configs and on edges only. How often
// frontiers are trimmed one after the other is known then, and with it how far
// each may be.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SEARCH_FRONTIER_ELIMINATIONORDER_H
#define SOAP_LIB_SEARCH_FRONTIER_ELIMINATIONORDER_H

#include "Soap/Search/Frontier/FrontierTracking.h"

namespace soap {

struct EliminationStep {
  enum class Kind {
    Isolated,  ///< no neighbours left: a factor of the result
    Leaf,      ///< into its only neighbour; a step of LDP
    Node,      ///< between two neighbours: into their edge
    Branch,    ///< merged with `first`, which has the configs of both then
    Heuristic, ///< gets one config
  } kind = Kind::Isolated;
  int node = -1;
  int first = -1, second = -1; ///< neighbours that it is eliminated into
};

/// All nodes of a graph, once each. Of possible eliminations always the one
/// with the fewest combinations of configs, ties by number.
std::vector<EliminationStep> eliminationOrder(const CostGraph &graph,
                                              FrontierMethod method,
                                              int64_t maxMergedConfigs);

} // namespace soap

#endif // SOAP_LIB_SEARCH_FRONTIER_ELIMINATIONORDER_H
