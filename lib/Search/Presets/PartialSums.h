//===- PartialSums.h - Values that are sums of contributions ----*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Three products read one activation, as queries, keys and values do. Split
// over heads, each device has a contribution to each of its three gradients.
// The sum of the three, replicated, adds the contributions of a device there,
// and what is reduced is one tensor; split like what reads it, three are.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SEARCH_PRESETS_PARTIALSUMS_H
#define SOAP_LIB_SEARCH_PRESETS_PARTIALSUMS_H

#include "Soap/Model/Graph.h"

#include <vector>

namespace soap {

/// Follows contributions through a graph, from op to op in program order.
class PartialSums {
public:
  explicit PartialSums(const Graph &graph)
      : graph(graph), isPartial(graph.values.size()) {}

  /// Notes what an op with a config writes. All ops before it must be noted.
  void note(int node, const Config &config);
  /// Whether an op adds contributions to gradients and nothing else: it is
  /// linear, of the backward pass, and has several operands, of all of which
  /// devices have contributions.
  bool addsContributions(int node) const;

private:
  const Graph &graph;
  std::vector<bool> isPartial; ///< by value
  int noted = 0;               ///< ops, the first ones
};

} // namespace soap

#endif // SOAP_LIB_SEARCH_PRESETS_PARTIALSUMS_H
