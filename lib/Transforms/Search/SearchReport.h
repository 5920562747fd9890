//===- SearchReport.h - What a search tells its user ------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The output of soap-auto-parallel at its end: the JSON report, the line on
// stderr, and a remark for each group of ops. One replanning of the result
// serves all.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_TRANSFORMS_SEARCH_SEARCHREPORT_H
#define SOAP_LIB_TRANSFORMS_SEARCH_SEARCHREPORT_H

#include "SearchAlgorithms.h"
#include "Transforms/Support/StrategySupport.h"

#include "Search/Report/SearchSummary.h"

namespace mlir::soap {

/// The result of a search, planned.
struct PlannedResult {
  int64_t tasks = 0;     ///< of an iteration
  int64_t peakBytes = 0; ///< of the device that holds most
};

/// Plans and simulates a strategy once, for report and summary. The graph must
/// be that of the result.
PlannedResult planResult(const FunctionProblem &target,
                         const ::soap::Strategy &strategy);

/// Strategies that the result is compared with, priced.
struct SearchReferences {
  std::optional<::soap::Baseline> before, dataParallel;
};

/// Prices the strategy that the module has, or one device if it has none, and
/// data parallelism. The graph must be as it was before the search.
SearchReferences priceReferences(FunctionProblem &target);

/// Entries of the JSON report beyond the outcome of the search.
struct SearchReportOptions {
  PlannedResult planned;
  uint64_t seed = 0;
  bool interrupted = false;
  /// Whether proposals were priced by delta simulation, so that the report says
  /// by which bound they were pruned.
  bool hasBounds = true;
};

/// The JSON report (docs/Looking.md).
std::string printSearchReport(const FunctionProblem &target,
                              const SearchOutcome &outcome,
                              const SearchReportOptions &options);

/// The line on stderr, without a line break.
std::string printSearchSummary(const FunctionProblem &target,
                               const SearchOutcome &outcome,
                               const PlannedResult &planned,
                               const SearchReferences &references,
                               bool interrupted);

/// Emits optimization remarks of category `soap-auto-parallel`: the counts of
/// the search, and the config of each group of ops. Does nothing if no remarks
/// are asked for.
void emitSearchRemarks(const FunctionProblem &target,
                       const ::soap::McmcResult &result);

} // namespace mlir::soap

#endif // SOAP_LIB_TRANSFORMS_SEARCH_SEARCHREPORT_H
