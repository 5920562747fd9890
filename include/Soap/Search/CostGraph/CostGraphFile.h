//===- CostGraphFile.h - Cost graphs and solutions as JSON ------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The format of the intra-operator parallelism contest, so that its instances
// are read as they are (docs/CostGraph.md):
//
//   {"problem": {"name": "...",
//     "nodes": {"intervals": [[from, to), ..], "costs": [[..], ..],
//               "usages": [[..], ..]},
//     "edges": {"nodes": [[a, b], ..], "costs": [[..], ..]},
//     "usage_limit": n}}
//
// `name` and `usage_limit` may be left out. Solutions are `{"version":1,
// "cost":n, "solution":[choice per node], "optimal":bool, "bound":n,
// "seconds":x}`.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_SEARCH_COSTGRAPH_COSTGRAPHFILE_H
#define SOAP_SEARCH_COSTGRAPH_COSTGRAPHFILE_H

#include "Soap/Search/CostGraph/CostGraph.h"

namespace soap {

/// Builds the graph while it reads: no document is kept beside it. Errors name
/// `file`, the path in it and what was expected. What is read has passed
/// `CostGraph::check`.
Expected<CostGraph> parseCostGraph(const std::string &text,
                                   const std::string &file);
std::string printCostGraph(const CostGraph &graph);

/// The solution is not compared with any problem: see `CostGraph::verify`.
Expected<CostGraphSolution> parseCostGraphSolution(const std::string &text,
                                                   const std::string &file);
std::string printCostGraphSolution(const CostGraphSolution &solution);

} // namespace soap

#endif // SOAP_SEARCH_COSTGRAPH_COSTGRAPHFILE_H
