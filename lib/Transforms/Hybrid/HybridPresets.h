//===- HybridPresets.h - Presets beside hybrid plans ------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hybrid plans split a batch evenly over replicas. Where the batch has another
// number of samples, a preset, whose pieces may be uneven, can be faster: a
// search over hybrid plans ends with the better of both.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_TRANSFORMS_HYBRID_HYBRIDPRESETS_H
#define SOAP_LIB_TRANSFORMS_HYBRID_HYBRIDPRESETS_H

#include "Transforms/Support/StrategySupport.h"

#include "Soap/Search/Hierarchical/HierarchicalSearch.h"

namespace mlir::soap {

/// If a preset fits and is faster than the plan that a search has found, by
/// their simulations, notes it in `result.preset`. Only where the whole batch
/// on all devices is soon simulated, the step has the samples of an iteration,
/// and the search had the time to simulate its plan.
void comparePresets(const FunctionProblem &target,
                    const ::soap::HybridModel &model,
                    ::soap::HierarchicalResult &result);

/// Writes `result.preset` on the module.
LogicalResult writePreset(FunctionProblem &target,
                          const ::soap::HierarchicalResult &result,
                          const std::string &exportFile = "");

} // namespace mlir::soap

#endif // SOAP_LIB_TRANSFORMS_HYBRID_HYBRIDPRESETS_H
