//===- SearchResult.h - What a search reports -------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The progress and the result of a search for strategies. Every algorithm
// reports in these terms, so one report serves them all.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_SEARCH_EVALUATOR_SEARCHRESULT_H
#define SOAP_SEARCH_EVALUATOR_SEARCHRESULT_H

#include "Soap/Search/Evaluator/StrategyEvaluator.h"

namespace soap {

/// How far a search is.
struct McmcProgress {
  int64_t proposals = 0;
  double proposalsPerSecond = 0;
  /// Makespan of the best strategy so far, in ns; 0: none was priced yet.
  int64_t bestNs = 0;
  /// By how many bytes the best strategy exceeds the devices' memory.
  int64_t excessBytes = 0;
  /// Of the time budget, or estimated from the proposals budget; 0: unknown.
  double secondsLeft = 0;
};

/// The best so far changed, or the search ended.
struct McmcPoint {
  double seconds = 0;
  int64_t proposals = 0; ///< made until then
  int64_t bestNs = 0;
};

struct McmcResult {
  Strategy best;
  Evaluation bestEvaluation; ///< `excessBytes` above 0: nothing that was seen
                             ///< fits into memory
  std::vector<int64_t>
      initialNs; ///< makespan per initial strategy that a chain started from
  std::vector<std::string> initialNames; ///< aligned with `initialNs`
  /// How the best makespan fell over time; strategies that do not fit into
  /// memory are left out.
  std::vector<McmcPoint> curve;
  int64_t proposals = 0, accepted = 0;
  double seconds = 0;
  EvaluatorStatistics statistics;
  /// No strategy is faster than this, as far as was proven; 0: nothing was.
  int64_t boundNs = 0;
  bool optimal = false; ///< `best` is as fast as the bound
};

} // namespace soap

#endif // SOAP_SEARCH_EVALUATOR_SEARCHRESULT_H
