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

#ifndef SOAP_LIB_TRANSFORMS_HYBRIDALGORITHM_H
#define SOAP_LIB_TRANSFORMS_HYBRIDALGORITHM_H

#include "StrategySupport.h"

#include "Soap/Search/Hierarchical/HierarchicalSearch.h"

namespace mlir::soap {

struct HybridPassOptions {
  double seconds = 0; ///< 0: 10
  std::string report, exportFile;
  bool summary = true;
  bool recompute = true; ///< what does not fit
  /// Of `countDevices`: `mini-parallelism` or `profiling`.
  std::string mode;
  int64_t batch = 0; ///< of an iteration, of `countDevices`; 0: of the step
};

/// The model of a problem that hybrid plans are for: layers that repeat, a
/// batch that may be split in microbatches, more than 16 devices of one type;
/// null for others.
std::unique_ptr<::soap::HybridModel>
modelForHybrid(const FunctionProblem &target);

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

#endif // SOAP_LIB_TRANSFORMS_HYBRIDALGORITHM_H
