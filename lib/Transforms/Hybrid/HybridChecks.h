//===- HybridChecks.h - What IR says of hybrid plans ------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the passes have hybrid plans judged: searches simulate them from the
// graph, and the IR says whether programs can be made of the chosen one.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_TRANSFORMS_HYBRID_HYBRIDCHECKS_H
#define SOAP_LIB_TRANSFORMS_HYBRID_HYBRIDCHECKS_H

#include "Transforms/Report/SchedulingAnomaly.h"
#include "Transforms/Support/StrategySupport.h"

#include "Soap/Search/Hierarchical/HybridOffload.h"

namespace mlir::soap {

/// Says where the step is another one than the executor runs.
void remarkExecutor(const FunctionProblem &target);

/// Has the best plans of a search simulated, and left out where partition would
/// refuse what is written of them (ProgramCheck.h), which a clone of the module
/// says of plans that would be the best. Keeps references.
void judgePlans(::soap::HierarchicalOptions &options, const OpGraph &opGraph,
                const ::soap::Topology &topology, ::soap::HybridModel &model);

/// `searchWithOffload` of plans that are judged so.
::soap::OffloadSearch
searchHybridPlans(const FunctionProblem &target, ::soap::HybridModel &model,
                  const ::soap::HierarchicalOptions &options,
                  int64_t batch = 0);

/// Whether a plan of `model` that is simulated would be shorter on slower
/// links. Plans with too many tasks, and those for which no time is left, are
/// not simulated again.
AnomalyCheck checkAnomaly(const FunctionProblem &target,
                          ::soap::HybridModel &model,
                          const ::soap::HybridPlan &plan,
                          const ::soap::SecondsLeft &secondsLeft);

} // namespace mlir::soap

#endif // SOAP_LIB_TRANSFORMS_HYBRID_HYBRIDCHECKS_H
