//===- RepeatedBlocks.h - Equal parts of a cost graph decide once -*- C++ -*-=//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layers of a network repeat, and so do their nodes: same candidates, same
// edges, same surroundings. Tying them makes a problem of one layer's size.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_SEARCH_FRONTIER_REPEATEDBLOCKS_H
#define SOAP_SEARCH_FRONTIER_REPEATEDBLOCKS_H

#include "Soap/Search/CostGraph/SolveCostGraph.h"

namespace soap {

struct TiedCostGraph {
  /// The graph, and edges that allow nothing but equal configs of nodes that
  /// are tied: a solution of it is one of the original, at the same cost.
  CostGraph graph;
  int tiedNodes = 0; ///< that follow another
};

/// Ties nodes that cannot be told apart by what is at most `radius` edges away:
/// candidates, costs of edges, their directions. Lifetimes are not looked at.
TiedCostGraph tieRepeatedBlocks(const CostGraph &graph, int radius = 3);

/// The best solution with repeated blocks tied, in most of the time; in the
/// rest of it a search without ties, which starts from it, finds what ties cost
/// at least (`CostGraphSolution::ties`) and at most (the bound). `Infeasible`
/// is about the graph with ties.
CostGraphResult solveTiedCostGraph(const CostGraph &graph,
                                   CostGraphOptions options);

} // namespace soap

#endif // SOAP_SEARCH_FRONTIER_REPEATEDBLOCKS_H
