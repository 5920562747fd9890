//===- FrontierTracking.h - The memory-time frontier of a graph -*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Frontier tracking of TensorOpt (Cai et al., 2020, section 3): all best
// trade-offs of memory and time of a cost graph, by eliminations that keep a
// frontier wherever OptCNN keeps one cost.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_SEARCH_FRONTIER_FRONTIERTRACKING_H
#define SOAP_SEARCH_FRONTIER_FRONTIERTRACKING_H

#include "Soap/Search/CostGraph/CostGraph.h"
#include "Soap/Search/Frontier/Frontier.h"

#include <atomic>
#include <memory>

namespace soap {

/// One way to carry an edge out: what it costs and holds by configs of its
/// ends, row-major as `CostGraphEdge::costs`.
struct EdgeAlternative {
  std::vector<int64_t> costs;
  std::vector<int64_t> memory;
};

/// A cost graph whose edges may hold memory, too, and may be carried out in
/// several ways: keep a tensor before its reshard, after it, or both (section
/// 4.2, tensor reuse).
struct FrontierProblem {
  CostGraph graph;
  /// By edge; an edge without any costs what the graph says and holds nothing.
  /// May be left empty altogether.
  std::vector<std::vector<EdgeAlternative>> alternatives;

  /// Whether the problem is well-formed: the graph's own check, lists that
  /// match, nothing negative, sums that cannot overflow.
  MaybeError check() const;
  /// Memory and time of choices; none if one is forbidden. `alternative` has an
  /// entry per edge, 0 where there is no choice.
  std::optional<FrontierPoint>
  costOf(const std::vector<int> &choice,
         const std::vector<int> &alternative) const;
};

enum class FrontierMethod {
  /// Leaves first, so that what is linear is a linear dynamic program from its
  /// ends (FT-LDP, algorithm 3); other eliminations only where there is none.
  Ldp,
  /// Nodes between two others first, down to two nodes (FT-Elimination).
  Elimination
};

struct FrontierOptions {
  FrontierMethod method = FrontierMethod::Ldp;
  /// The result is the same for any number.
  int threads = 1;
  /// For every strategy there is one in the result with at most its memory and
  /// at most (1 + epsilon) times its time. 0: exact.
  double epsilon = 0;
  /// Frontiers with more points are trimmed further, whatever epsilon says; the
  /// guarantee that is left is `FrontierResult::errorBound`. 0: no limit.
  int64_t maxPoints = 0;
  /// Points with more memory are not looked for; negative: no limit.
  int64_t limitBytes = -1;
  /// A node may be merged into a neighbour (branch elimination) if the two have
  /// at most so many pairs of configs; else the node with the most neighbours
  /// is given one config (heuristic elimination).
  int64_t maxMergedConfigs = 1024;
  /// Configs are chosen by memory with each of these weights in turn, by time
  /// with the rest to 1; the result is the union.
  std::vector<double> heuristicWeights = {0, 0.25, 0.5, 0.75, 1};
  /// Set from elsewhere to stop.
  const std::atomic<bool> *stop = nullptr;
  double seconds = 0;                  ///< most; 0: no limit
  int64_t maxBytes = int64_t(8) << 30; ///< stops if tables take more
};

/// A point's choices.
struct FrontierChoice {
  std::vector<int> choice;      ///< by node
  std::vector<int> alternative; ///< by edge, 0 where there is no choice
};

class FrontierUnroller;

struct FrontierResult {
  Frontier points;
  bool complete = false; ///< not stopped; else there are no points
  /// No config was chosen by a heuristic: `errorBound` holds.
  bool guaranteed = false;
  /// For every strategy (within the limit) some point has at most its memory
  /// and at most (1 + errorBound) times its time. 0: the exact frontier.
  double errorBound = 0;
  int nodeEliminations = 0, leafEliminations = 0, branchEliminations = 0,
      edgeEliminations = 0, heuristicEliminations = 0;
  /// Tables taken from an identical layer.
  int sharedTables = 0;
  int64_t largestFrontier = 0; ///< points of one entry of a table
  int64_t peakBytes = 0;       ///< of tables and traces
  double seconds = 0;

  /// Which configs give point `index` (section 3.2, unroll).
  FrontierChoice unroll(size_t index) const;

  std::shared_ptr<const FrontierUnroller> unroller;
};

/// Whether eliminations without heuristics suffice for a graph.
bool isReducible(const CostGraph &graph, const FrontierOptions &options);

/// Tracks the frontier of a problem that has passed `check`.
FrontierResult trackFrontier(const FrontierProblem &problem,
                             const FrontierOptions &options);

} // namespace soap

#endif // SOAP_SEARCH_FRONTIER_FRONTIERTRACKING_H
