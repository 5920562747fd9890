//===- RecomputeToFit.h - The least recomputation that fits -----*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many blocks have to be recomputed, and how much of each, for a strategy
// to fit into the memory of its devices.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_TRANSFORMS_RECOMPUTATION_RECOMPUTETOFIT_H
#define SOAP_LIB_TRANSFORMS_RECOMPUTATION_RECOMPUTETOFIT_H

#include "RecomputeChoice.h"

namespace mlir::soap {

struct RecomputeFit {
  std::vector<RecomputePolicy> policies; ///< by block
  std::vector<bool> nodes;
  ::soap::Evaluation evaluation;
};

/// The least recomputation with which a strategy fits: nothing; else selective
/// recomputation of the first blocks, as few as do; else that of all blocks,
/// and of the first blocks everything. The first blocks are kept longest. If
/// nothing fits, what needs the least memory of these. `target`: without
/// recomputed ops, `strategy` of its ops. Each try is a simulation.
FailureOr<RecomputeFit> recomputeToFit(const FunctionProblem &target,
                                       const ForwardPass &pass,
                                       const ::soap::Strategy &strategy,
                                       const RecomputeChoice &choice);

/// A function whose recomputed ops are written, and a strategy of it.
struct RecomputedProblem {
  std::unique_ptr<FunctionProblem> target;
  ::soap::Strategy strategy;
  ::soap::Evaluation evaluation;
  int ops = 0;                     ///< that are recomputed
  size_t blocks = 0, ofBlocks = 0; ///< of which some op is recomputed, and all
};

/// Of some strategies, the best with as little recomputation as it needs to fit
/// (`recomputeToFit`), written on the function. `target` may not be used any
/// more. `budget` as in `RecomputeChoice`.
FailureOr<RecomputedProblem>
recomputeBest(ModuleOp module, const FunctionProblem &target,
              ArrayRef<::soap::Strategy> strategies, double budget);

/// Recomputes the same of all blocks of a function without recomputed ops.
/// Prices ops by its strategy, or on one device if it has none.
LogicalResult recomputeBlocks(FunctionProblem &target, RecomputePolicy policy,
                              double budget);

/// An error if a function has no backward pass.
LogicalResult checkHasBackward(const FunctionProblem &target,
                               const ForwardPass &pass);

} // namespace mlir::soap

#endif // SOAP_LIB_TRANSFORMS_RECOMPUTATION_RECOMPUTETOFIT_H
