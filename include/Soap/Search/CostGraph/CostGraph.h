//===- CostGraph.h - Choices with costs, edges and memory -------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The problem that operator-level parallelization comes down to once candidates
// are listed: every node takes one of its configs, which has a cost and holds
// memory while the node is live; every edge costs what the configs of its two
// ends say (a reshard). The sum of all costs is to be minimal, and the memory
// held at any time is to stay within a capacity.
//
// OptCNN's additive cost (Jia et al., 2018, equation 1), TensorOpt's cost graph
// (Cai et al., 2020, section 4) and the instances of the intra-operator
// parallelism contest (ASPLOS/EuroSys 2025) are problems of this kind. The
// class is the contract: `check` says whether a problem is well-formed,
// `verify` whether a solution is what it claims to be, and neither shares code
// with a solver.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_SEARCH_COSTGRAPH_COSTGRAPH_H
#define SOAP_SEARCH_COSTGRAPH_COSTGRAPH_H

#include "Soap/Support/Error.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace soap {

/// The configs of a node. Configs are numbered in the order of both lists.
struct CostGraphNode {
  std::vector<int64_t> costs;  ///< per config, in any one unit (nanoseconds)
  std::vector<int64_t> memory; ///< per config, in bytes
  /// The node holds its memory at the times [liveFrom, liveTo), in steps of any
  /// schedule; if liveTo <= liveFrom it never does.
  int64_t liveFrom = 0;
  int64_t liveTo = 0;

  int configCount() const { return static_cast<int>(costs.size()); }
};

/// A cost for each pair of configs of two different nodes. Several edges may
/// join the same nodes: their costs are added.
struct CostGraphEdge {
  int source = 0;
  int target = 0;
  /// Row-major: [config of source * configs of target + config of target].
  std::vector<int64_t> costs;
};

/// The most memory held at a time, and the first such time.
struct MemoryPeak {
  int64_t bytes = 0;
  int64_t time = 0;
};

/// The price of solving repeated blocks once (RepeatedBlocks.h).
struct CostGraphTies {
  int nodes = 0;          ///< that follow others
  int64_t untiedCost = 0; ///< of the best solution without ties that was found
};

/// A config for each node, and what its solver says about it.
struct CostGraphSolution {
  std::vector<int> choice; ///< by node
  int64_t cost = 0;
  bool optimal = false; ///< proven: no solution within capacity is cheaper
  int64_t bound = 0;    ///< proven: no solution within capacity costs less
  double seconds = 0;   ///< spent by the solver
  /// Of a solution in which repeated blocks are tied; its bound is that of all
  /// solutions.
  std::optional<CostGraphTies> ties;
};

class CostGraph {
public:
  /// A cost of so much or more is forbidden: no solution contains it.
  static constexpr int64_t forbidden = 1'000'000'000'000'000'000;

  std::string name;
  std::vector<CostGraphNode> nodes;
  std::vector<CostGraphEdge> edges;
  /// Most bytes held at any time; none: memory is no constraint.
  std::optional<int64_t> capacity;

  int nodeCount() const { return static_cast<int>(nodes.size()); }

  /// Whether the problem is well-formed: a config for each node, lists that
  /// match, edges between two nodes that exist, nothing negative, and sums that
  /// cannot overflow: costs that are not forbidden add up to less than
  /// 4 * 10^18, memory held at a time to less than 2^63. Everything below, and
  /// every solver, asks for a problem that has passed.
  MaybeError check() const;

  /// Whether `choice` names a config for each node.
  MaybeError checkChoice(const std::vector<int> &choice) const;
  /// The sum of all costs; none if one is forbidden. The choice must have
  /// passed `checkChoice`, here and below.
  std::optional<int64_t> costOf(const std::vector<int> &choice) const;
  MemoryPeak peakOf(const std::vector<int> &choice) const;

  /// Whether a solution is allowed, fits, costs what it says and does not
  /// contradict its own bound.
  MaybeError verify(const CostGraphSolution &solution) const;
};

} // namespace soap

#endif // SOAP_SEARCH_COSTGRAPH_COSTGRAPH_H
