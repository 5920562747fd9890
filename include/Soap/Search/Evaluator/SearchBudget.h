//===- SearchBudget.h - Budget and starts of a search -----------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The budget, the starts and the callbacks of every search other than Markov
// chains. Results of these searches contain an `McmcResult`, so that all report
// alike.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_SEARCH_EVALUATOR_SEARCHBUDGET_H
#define SOAP_SEARCH_EVALUATOR_SEARCHBUDGET_H

#include "Soap/Search/Evaluator/SearchResult.h"

#include <atomic>
#include <functional>

namespace soap {

struct SearchBudget {
  /// Most seconds and proposals; 0: no limit. Without a limit in seconds the
  /// result depends on nothing but problem and options.
  double seconds = 0;
  int64_t proposals = 0;
  /// Set by a signal handler to stop early, with the best so far.
  const std::atomic<bool> *stop = nullptr;
  /// Called about twice a second.
  std::function<void(const McmcProgress &)> progress;
  /// Strategies that the result is never worse than, and their names; names may
  /// be left out. Without any, data parallelism.
  std::vector<Strategy> initial;
  std::vector<std::string> initialNames;
};

} // namespace soap

#endif // SOAP_SEARCH_EVALUATOR_SEARCHBUDGET_H
