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

namespace mlir::soap {

struct HybridPassOptions {
  double seconds = 0; ///< 0: 10
  std::string report, exportFile;
  bool summary = true;
  bool recompute = true; ///< what does not fit
};

/// Whether a problem is one that hybrid plans are for: layers that repeat, a
/// batch that may be split in microbatches, more than 16 devices of one type.
bool isForHybrid(const FunctionProblem &target);

/// Searches, writes report and strategy. An error if nothing fits into memory.
LogicalResult runHybrid(FunctionProblem &target,
                        const HybridPassOptions &options);

} // namespace mlir::soap

#endif // SOAP_LIB_TRANSFORMS_HYBRIDALGORITHM_H
