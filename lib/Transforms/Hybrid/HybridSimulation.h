//===- HybridSimulation.h - Simulated hybrid plans --------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The figures of --soap-simulate for the strategy of a hybrid plan, without the
// strategy on the ops: the ops that it recomputes are cloned in a copy of the
// module, and one replica of each stage is simulated where replicas do the
// same.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_TRANSFORMS_HYBRID_HYBRIDSIMULATION_H
#define SOAP_LIB_TRANSFORMS_HYBRID_HYBRIDSIMULATION_H

#include "Transforms/Report/SchedulingAnomaly.h"
#include "Transforms/Support/StrategySupport.h"

#include "Soap/Search/Hierarchical/HierarchicalSearch.h"

namespace mlir::soap {

/// A simulator of plans of `model` on a topology. The graph is the one of the
/// model's problem, without recomputed ops. Keeps references. An error of the
/// simulator says why a plan cannot be simulated, such as replicas that differ
/// on too many devices. `offloads`: the plans have the states of the optimizer
/// in the memory of the host, which the step does not say.
::soap::HybridSimulator simulatorOf(const OpGraph &opGraph,
                                    const ::soap::Topology &topology,
                                    ::soap::HybridModel &model,
                                    bool offloads = false);

/// Has the best plans of a search simulated by `simulatorOf`, and left out
/// where partition would refuse what is written of them
/// (ProgramCheck.h). Keeps references.
void judgePlans(::soap::HierarchicalOptions &options, const OpGraph &opGraph,
                const ::soap::Topology &topology, ::soap::HybridModel &model,
                bool offloads = false);

/// Of a limit in seconds (0: none) of which some have passed.
::soap::SecondsLeft secondsLeftOf(double limit, double passed);

/// Whether a plan of `model` that is simulated would be shorter on slower
/// links. Plans with too many tasks, and those for which no time is left, are
/// not simulated again.
AnomalyCheck checkAnomaly(const FunctionProblem &target,
                          ::soap::HybridModel &model, bool offloads,
                          const ::soap::HybridPlan &plan,
                          const ::soap::SecondsLeft &secondsLeft);

} // namespace mlir::soap

#endif // SOAP_LIB_TRANSFORMS_HYBRID_HYBRIDSIMULATION_H
