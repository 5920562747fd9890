//===- SolveCostGraph.h - Solvers of cost graphs ----------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cheapest choice of configs within capacity. Reductions come first; what
// they leave is eliminated where tables are small, and otherwise bounded,
// searched and, where that comes to an end, proven (docs/CostGraph.md).
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_SEARCH_COSTGRAPH_SOLVECOSTGRAPH_H
#define SOAP_SEARCH_COSTGRAPH_SOLVECOSTGRAPH_H

#include "Soap/Search/CostGraph/CostGraph.h"

#include <atomic>
#include <functional>

namespace soap {

enum class CostGraphAlgorithm {
  /// All of the below, as they help.
  Auto,
  /// OptCNN: node and edge elimination, and branch and bound over what they
  /// leave. Nothing is drawn at random.
  Elimination,
  /// Bounds, prices and block search, without branch and bound.
  Search,
};

struct CostGraphProgress {
  double seconds = 0;
  int64_t rounds = 0;
  int kernelNodes = 0;
  /// Of the best solution so far; none: there is none yet.
  std::optional<int64_t> cost;
  int64_t bound = 0;
};

struct CostGraphOptions {
  CostGraphAlgorithm algorithm = CostGraphAlgorithm::Auto;
  double seconds = 60; ///< most; the best so far is returned
  /// Rounds of the search, 0: no limit. With a limit that ends the search
  /// before the time does, the result depends on nothing but graph and options.
  int64_t rounds = 0;
  /// If there is no solution when the time is over, or `stop` is set, one is
  /// looked for in so many more rounds of some hundredths of a second.
  int64_t extraRounds = 60;
  int threads = 1;
  uint64_t seed = 0;
  /// A choice to start from, and to return if nothing cheaper is found; left
  /// out if it is not allowed or does not fit. Empty: none.
  std::vector<int> initial;
  const std::atomic<bool> *stop = nullptr; ///< set to end early
  /// Called about four times a second, by one thread at a time.
  std::function<void(const CostGraphProgress &)> progress;
};

struct CostGraphResult {
  enum Status {
    Solved,     ///< `solution` is within capacity, and has been verified
    Infeasible, ///< proven: no solution; `reason`
    NotFound    ///< none was found before the end
  };
  Status status = NotFound;
  CostGraphSolution solution;
  std::string reason;
  // Counts.
  int kernelNodes = 0, kernelEdges = 0; ///< after reductions
  int64_t rounds = 0;
  int64_t branches = 0; ///< subproblems of branch and bound
};

/// The graph must have passed `check`.
CostGraphResult solveCostGraph(const CostGraph &graph,
                               const CostGraphOptions &options);

/// How little memory would do.
struct SmallestCapacity {
  /// No capacity would do: forbidden costs exclude each choice.
  bool isImpossible = false;
  int64_t bound = 0; ///< proven: nothing fits into less
  /// The peak of a choice that was found; none: none was in time. Equal to
  /// `bound`: the smallest capacity there is.
  std::optional<int64_t> found;
};

/// The graph must have passed `check`; its capacity is not looked at.
SmallestCapacity findSmallestCapacity(const CostGraph &graph,
                                      CostGraphOptions options);

} // namespace soap

#endif // SOAP_SEARCH_COSTGRAPH_SOLVECOSTGRAPH_H
