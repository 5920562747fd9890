//===- HybridSimulator.h - Simulated hybrid plans ---------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The figures that --soap-simulate has for the strategy of a hybrid plan, from
// the graph of the plain step: what the plan recomputes is cloned in a copy of
// the graph (Model/Rewrite.h), and one replica of each stage is simulated where
// replicas do the same.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_SEARCH_HIERARCHICAL_HYBRIDSIMULATOR_H
#define SOAP_SEARCH_HIERARCHICAL_HYBRIDSIMULATOR_H

#include "Soap/Model/Rewrite.h"
#include "Soap/Search/Hierarchical/HierarchicalSearch.h"

namespace soap {

/// A simulator of plans of a model on a topology, which is that of the model's
/// problem or has other links. `facts`: of the problem's graph. Keeps
/// references to model and topology. An error says why a plan cannot be
/// simulated, such as replicas that differ on too many devices.
HybridSimulator simulatorOf(HybridModel &model, StepFacts facts,
                            const Topology &topology);

/// Of a limit in seconds (0: none) of which some have passed.
SecondsLeft secondsLeftOf(double limit, double passed);

} // namespace soap

#endif // SOAP_SEARCH_HIERARCHICAL_HYBRIDSIMULATOR_H
