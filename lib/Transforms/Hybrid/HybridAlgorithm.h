//===- HybridAlgorithm.h - Hybrid plans in soap-auto-parallel ---*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `algorithm=hybrid`: plans that a strategy says in full
// (docs/Hierarchical.md). Apart from SearchAlgorithms.h because a pipeline is
// more than configs.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_TRANSFORMS_HYBRID_HYBRIDALGORITHM_H
#define SOAP_LIB_TRANSFORMS_HYBRID_HYBRIDALGORITHM_H

#include "Transforms/Support/StrategySupport.h"

#include "Soap/Search/Hierarchical/HierarchicalSearch.h"

namespace mlir::soap {

struct HybridPassOptions {
  double seconds = 0; ///< 0: 10, no limit with `prices`
  int64_t prices = 0; ///< the most shapes that are priced; 0: no limit
  std::string report, exportFile;
  bool summary = true;
  bool recompute = true; ///< what does not fit
  /// Of `countDevices`: `mini-parallelism` or `profiling`.
  std::string mode;
  int64_t batch = 0; ///< of an iteration, of `countDevices`; 0: of the step
  /// Of `runHybrid`: the state of the search; empty: it is not kept.
  std::string checkpoint = {};
  int64_t pauseAfter = 0; ///< as of `HybridRecord`
};

/// The model of a problem that hybrid plans are for: four layers or more that
/// repeat, a batch that may be split in microbatches, devices of one type; null
/// for others. `why` then says what they lack.
std::unique_ptr<::soap::HybridModel>
modelForHybrid(const FunctionProblem &target, std::string &why);
/// Whether hybrid plans are all that is searched for such a problem: more than
/// 16 devices.
bool hasManyDevices(const ::soap::Topology &topology);

/// The hybrid plans without stages and microbatches, as strategies for the
/// whole batch: tensor-parallel groups and replicas, by name (`tensor 4 x data
/// 4, ZeRO-1`), fastest first, at most three. Data parallelism is none of them.
std::vector<std::pair<std::string, ::soap::Strategy>>
hybridStarts(const FunctionProblem &target, ::soap::HybridModel &model);

/// Writes the report and the strategy of what was found. An error if nothing
/// fits into memory. `secondsLeft`: for anomalies.
LogicalResult finishHybrid(FunctionProblem &target, ::soap::HybridModel &model,
                           const ::soap::HierarchicalResult &result,
                           const ::soap::SecondsLeft &secondsLeft,
                           const HybridPassOptions &options);

/// Searches, writes report and strategy. `model`: of the problem, null: it is
/// made. An error if nothing fits into memory, or if there are no hybrid plans.
LogicalResult runHybrid(FunctionProblem &target,
                        std::unique_ptr<::soap::HybridModel> model,
                        const HybridPassOptions &options);

/// Searches the best plans of the first 1, 2, 4, ... and all devices, each in
/// an equal part of the time (0: no limit); `mini-parallelism` up to the first
/// number on which a plan fits. Prints a line for each, writes the report and
/// the last plan. An error if that does not fit.
LogicalResult countDevices(FunctionProblem &target,
                           const HybridPassOptions &options);

} // namespace mlir::soap

#endif // SOAP_LIB_TRANSFORMS_HYBRID_HYBRIDALGORITHM_H
