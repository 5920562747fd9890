//===- RepeatedBlocks.h - Equal parts of a cost graph decide once -*- C++ -*-=//
//
// Layers of a network repeat, and so do their nodes: same candidates, same
// edges, same surroundings. Tying them makes a problem of one layer's size.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_SEARCH_COSTGRAPH_REPEATEDBLOCKS_H
#define SOAP_SEARCH_COSTGRAPH_REPEATEDBLOCKS_H

#include "Soap/Search/CostGraph/CostGraph.h"

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

} // namespace soap

#endif // SOAP_SEARCH_COSTGRAPH_REPEATEDBLOCKS_H
