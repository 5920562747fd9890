//===- FirstSolution.h - An answer at once ----------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A choice that is allowed and fits, before anything is reduced, so that there
// is an answer however little time there is; and a bound to go with it.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SEARCH_COSTGRAPH_FIRSTSOLUTION_H
#define SOAP_LIB_SEARCH_COSTGRAPH_FIRSTSOLUTION_H

#include "Soap/Search/CostGraph/CostGraph.h"

#include <functional>
#include <optional>

namespace soap::costgraph {

/// Each node takes the config that costs least with what its neighbours before
/// it have taken, each byte that it holds at a price; the cheapest of a few
/// prices at which all fits. A pass over the graph each, one in any case,
/// others until `isOver`. None: no price led to a choice that is allowed and
/// fits.
std::optional<CostGraphSolution>
findFirstSolution(const CostGraph &graph, const std::function<bool()> &isOver);

/// The sum of the least costs of nodes and edges.
int64_t simpleBound(const CostGraph &graph);

/// Costs of a graph, of nodes and edges: what a pass over it takes.
int64_t costCount(const CostGraph &graph);

} // namespace soap::costgraph

#endif // SOAP_LIB_SEARCH_COSTGRAPH_FIRSTSOLUTION_H
