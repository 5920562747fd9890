//===- Kernel.h - What reductions leave of a cost graph ---------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The form that searches and bounds work on: few nodes, no state that cannot be
// in a solution, one edge between two nodes, forbidden pairs as infinite, and
// of time only the points at which the capacity can be exceeded.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SEARCH_COSTGRAPH_KERNEL_H
#define SOAP_LIB_SEARCH_COSTGRAPH_KERNEL_H

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <vector>

namespace soap::costgraph {

/// More than any sum of allowed costs; twice it is still an int64_t.
constexpr int64_t infinite = 4'500'000'000'000'000'000;

/// A sum of two costs, each of them at most `infinite`.
inline int64_t addCosts(int64_t a, int64_t b) {
  assert(a <= infinite && b <= infinite && "more than forbidden");
  return std::min(a + b, infinite);
}

/// Memory that a node holds at the time points [from, to), by its state. Never
/// the same in all states, and 0 in one of them.
struct Piece {
  int from = 0;
  int to = 0;
  std::vector<int64_t> bytes;
};

/// An end of an edge, seen from a node.
struct Arc {
  int edge = 0;
  int other = 0;
  bool isSource = false; ///< the node is the edge's source
};

struct KernelNode {
  std::vector<int64_t> costs; ///< by state; finite
  std::vector<Piece> pieces;  ///< ordered, disjoint
  std::vector<Arc> arcs;

  int stateCount() const { return static_cast<int>(costs.size()); }
};

struct KernelEdge {
  int source = 0;
  int target = 0;
  std::vector<int64_t> costs; ///< row-major; at least 0, or `infinite`
};

struct Kernel {
  std::vector<KernelNode> nodes;
  std::vector<KernelEdge> edges;
  std::vector<int64_t> capacity; ///< left for pieces, by time point
  /// By time point: its number before any reduction; they rise.
  std::vector<int> moments;
  int64_t constant = 0; ///< part of every solution's cost

  int nodeCount() const { return static_cast<int>(nodes.size()); }
  int timeCount() const { return static_cast<int>(capacity.size()); }

  int64_t edgeCost(const KernelEdge &edge, int source, int target) const {
    return edge
        .costs[static_cast<size_t>(source) * nodes[edge.target].costs.size() +
               target];
  }
  /// Seen from the node of the arc.
  int64_t arcCost(const Arc &arc, int state, int other) const {
    const KernelEdge &edge = edges[arc.edge];
    return arc.isSource ? edgeCost(edge, state, other)
                        : edgeCost(edge, other, state);
  }
  /// The cost of a choice of states; `infinite` if a pair is forbidden.
  int64_t costOf(const std::vector<int> &states) const {
    assert(states.size() == nodes.size() && "a state a node");
    int64_t sum = constant;
    for (int n = 0; n < nodeCount(); ++n)
      sum = addCosts(sum, nodes[n].costs[states[n]]);
    for (const KernelEdge &edge : edges)
      sum = addCosts(sum,
                     edgeCost(edge, states[edge.source], states[edge.target]));
    return sum;
  }
};

} // namespace soap::costgraph

#endif // SOAP_LIB_SEARCH_COSTGRAPH_KERNEL_H
