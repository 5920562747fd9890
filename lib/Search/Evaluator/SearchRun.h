//===- SearchRun.h - Budget, best so far, progress of a search --*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state of a running search other than Markov chains: its budget, the best
// strategy so far, and when it last reported progress.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SEARCH_EVALUATOR_SEARCHRUN_H
#define SOAP_LIB_SEARCH_EVALUATOR_SEARCHRUN_H

#include "Soap/Search/Evaluator/SearchBudget.h"

#include <chrono>

namespace soap {

class SearchRun {
public:
  /// Writes into `result`; keeps references.
  SearchRun(const SearchBudget &budget, McmcResult &result)
      : budget(budget), result(result), begin(Clock::now()), lastReport(begin) {
  }

  double elapsed() const {
    return std::chrono::duration<double>(Clock::now() - begin).count();
  }
  /// The budget is spent, or `budget.stop` is set.
  bool isOver() const;
  /// Counts a proposal and reports progress now and then.
  void countProposal();
  /// Reports progress now and then.
  void reportProgress();
  /// Whether the strategy is the best so far; then it is kept.
  bool offer(const Strategy &strategy, const Evaluation &evaluation);
  /// Prices starts until the search is over, offers them, and notes them in the
  /// result. Data parallelism if there are none.
  void offerStarts(const ParallelizationProblem &problem);
  /// Completes the result.
  void finish(const EvaluatorStatistics &statistics);

private:
  using Clock = std::chrono::steady_clock;
  const SearchBudget &budget;
  McmcResult &result;
  Clock::time_point begin, lastReport;
};

} // namespace soap

#endif // SOAP_LIB_SEARCH_EVALUATOR_SEARCHRUN_H
