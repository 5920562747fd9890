//===- SearchAlgorithms.h - Algorithms of soap-auto-parallel ----*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the name of an algorithm to a search on a problem, and what each of them
// reports beyond what all do.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_TRANSFORMS_SEARCH_SEARCHALGORITHMS_H
#define SOAP_LIB_TRANSFORMS_SEARCH_SEARCHALGORITHMS_H

#include "Soap/Model/Reuse.h"
#include "Soap/Search/MCMC/MCMC.h"

#include "llvm/Support/JSON.h"

#include <optional>

namespace mlir::soap {

/// Names of all algorithms, `mcmc` first.
llvm::ArrayRef<llvm::StringRef> searchAlgorithms();
/// Whether an algorithm ends without any budget.
bool endsByItself(llvm::StringRef algorithm);
/// Whether a framework runs, beside hybrid plans, each strategy that shardings
/// of one mesh describe: `algorithm=mesh` finds these for it.
bool runsShardings(const ::soap::Executor &executor);

/// The result of a search by any algorithm.
struct SearchOutcome {
  ::soap::McmcResult result;
  /// Entries of the JSON report that this algorithm alone has.
  llvm::json::Object report;
  /// Points of all frontiers; none: the search has no frontier.
  std::optional<int64_t> points;
  /// Values that the result keeps in one form only (Model/Reuse.h).
  std::vector<::soap::KeptValue> keeps;
};

/// The budget of a search other than Markov chains.
template <typename Options>
Options budgetOf(const ::soap::McmcOptions &options) {
  Options budget;
  budget.seconds = options.seconds;
  budget.proposals = options.proposals;
  budget.stop = options.stop;
  budget.progress = options.progress;
  budget.initial = options.initial;
  budget.initialNames = options.initialNames;
  return budget;
}

/// Runs an algorithm; `options` has budget, seed, starts, what stops it and
/// where it reports progress. `polish`: what is found is polished with what is
/// left of the budget. Without starts, polishing and exact searches start from
/// all presets.
SearchOutcome runSearch(llvm::StringRef algorithm, bool polish,
                        const ::soap::ParallelizationProblem &problem,
                        const ::soap::McmcOptions &options);

/// Adds what a search found that went on from the result of a first one: its
/// best strategy, counts and times.
void appendSearch(::soap::McmcResult &first, ::soap::McmcResult &&second);

/// Starts that a search of their own finds: `optcnn` and `placement`.
bool isSearchedStart(llvm::StringRef name);

/// The strategy that it finds, searched to its own end, so that it depends on
/// the seed alone. Subtracts its time from `options`, of which at least a
/// millisecond is left. Empty if it was stopped before.
::soap::Strategy searchStart(llvm::StringRef name,
                             const ::soap::ParallelizationProblem &problem,
                             ::soap::McmcOptions &options);

} // namespace mlir::soap

#endif // SOAP_LIB_TRANSFORMS_SEARCH_SEARCHALGORITHMS_H
