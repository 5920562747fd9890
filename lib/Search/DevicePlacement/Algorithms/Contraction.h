//===- Contraction.h - Which nodes share a device ---------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nodes that a solver need not tell apart: color classes, cycles between them,
// and nodes that cost nothing beside their only neighbour.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SEARCH_DEVICEPLACEMENT_ALGORITHMS_CONTRACTION_H
#define SOAP_LIB_SEARCH_DEVICEPLACEMENT_ALGORITHMS_CONTRACTION_H

#include "Soap/Search/DevicePlacement/Problem.h"

#include <utility>
#include <vector>

namespace soap::placement {

/// Per node, a node that stands for its unit. The order of forward parts
/// matters if `ordered`.
std::vector<int> contractNodes(const Problem &problem, bool ordered);

/// Edges that order the forward parts of units, between nodes: forward edges,
/// and mirrored backward edges at color classes with backward nodes alone.
std::vector<std::pair<int, int>> orderingEdges(const Problem &problem);

} // namespace soap::placement

#endif // SOAP_LIB_SEARCH_DEVICEPLACEMENT_ALGORITHMS_CONTRACTION_H
