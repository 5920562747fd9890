//===- Elimination.h - Exact minimum of part of a kernel --------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variable elimination (OptCNN's node elimination for any degree): a node is
// replaced by a table over its neighbours that holds the least cost of its
// states. Where the smallest table would exceed a limit, a node is given a
// state instead, so the rest is minimized given those.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SEARCH_COSTGRAPH_ELIMINATION_H
#define SOAP_LIB_SEARCH_COSTGRAPH_ELIMINATION_H

#include "Kernel.h"

#include "Support/RandomGenerator.h"

#include <limits>

namespace soap::costgraph {

/// Costs of a kernel's edges as `Value`, with the states of either end
/// innermost.
template <typename Value>
class EdgeTables {
public:
  explicit EdgeTables(const Kernel &kernel);
  /// Row-major with the states of the arc's own node as rows.
  const Value *rows(const Arc &arc) const {
    return (arc.isSource ? forward : backward)[arc.edge].data();
  }

private:
  std::vector<std::vector<Value>> forward, backward;
};

/// Costs that searches compute with: fast, and infinite where forbidden.
using SearchCost = float;
constexpr SearchCost infiniteSearchCost =
    std::numeric_limits<SearchCost>::infinity();

/// A cost of an elimination that is forbidden.
template <typename Value>
constexpr Value forbiddenValue = std::numeric_limits<Value>::infinity();
template <>
inline constexpr int64_t forbiddenValue<int64_t> = infinite;

/// In which order nodes go, and which are fixed instead.
struct EliminationPlan {
  std::vector<int> order; ///< kernel nodes
  std::vector<int> fixed; ///< kernel nodes
  double work = 0;        ///< sums that are computed
  double largest = 0;     ///< entries of the largest table
};

/// Plans and runs eliminations of sets of nodes; its buffers live on.
template <typename Value>
class Eliminator {
public:
  explicit Eliminator(const Kernel &kernel);

  /// Orders `nodes` (distinct) by the size of the table that each leaves,
  /// smallest first. Nodes are fixed, of those with most neighbours one at
  /// random, when no table has at most `maxEntries` entries. The plan is kept
  /// until the next call.
  const EliminationPlan &plan(const std::vector<int> &nodes, double maxEntries,
                              RandomGenerator &random);

  /// The costs of a node's states without the edges within the plan: to be
  /// set for each node of the plan's order before `run`.
  std::vector<Value> &unary(int node) { return unaries[localOf[node]]; }

  /// The least sum, and writes its states to `choice`; the plan's nodes only.
  Value run(std::vector<int> &choice);

  /// Whether the node is eliminated by the plan.
  bool isFree(int node) const {
    return localOf[node] >= 0 && position[localOf[node]] >= 0;
  }
  const EdgeTables<Value> &tables() const { return edgeTables; }

private:
  /// A table over nodes in the order of elimination, the first outermost.
  struct Factor {
    std::vector<int> scope; ///< local
    const Value *data;
    size_t offset; ///< in `storage`, if data is null
  };

  const Kernel &kernel;
  EdgeTables<Value> edgeTables;
  EliminationPlan current;
  std::vector<int> localOf;                 ///< by kernel node; -1: none
  std::vector<int> members;                 ///< kernel nodes, by local
  std::vector<int> position;                ///< in the order, by local
  std::vector<std::vector<int>> neighbours; ///< local, while planning
  std::vector<std::vector<Value>> unaries;  ///< by local
  std::vector<std::vector<Factor>> factors; ///< by local, first of its scope
  std::vector<Value> storage;
  std::vector<int> states; ///< chosen, by local

  double tableSize(int local) const;
  void addFactors();
  void eliminate(int local);
  int bestState(int local) const;
  const Value *dataOf(const Factor &factor) const {
    return factor.data ? factor.data : storage.data() + factor.offset;
  }
};

extern template class Eliminator<SearchCost>;
extern template class Eliminator<int64_t>;

} // namespace soap::costgraph

#endif // SOAP_LIB_SEARCH_COSTGRAPH_ELIMINATION_H
