//===- PlacementSearch.h - Every group on one device ------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operator dimension alone: each group runs whole on one device, the space
// of device placement by reinforcement learning (Mirhoseini et al., 2017), the
// baseline of section 8.2.3 of the SOAP paper. List scheduling gives a start,
// annealing and descent over simulated time improve it.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_SEARCH_ANNEALING_PLACEMENTSEARCH_H
#define SOAP_SEARCH_ANNEALING_PLACEMENTSEARCH_H

#include "Soap/Search/Evaluator/SearchBudget.h"

namespace soap {

/// Without any budget, 100 proposals per group and device are made. Without
/// `initial`, no strategy but placements is looked at.
struct PlacementOptions : SearchBudget {
  uint64_t seed = 1;
};

struct PlacementResult {
  McmcResult search;
  Strategy found; ///< the best placement
  Evaluation foundEvaluation;
  /// No group alone can be moved to another device with gain.
  bool locallyOptimal = false;
};

/// The problem must have passed `check`.
PlacementResult searchPlacement(const ParallelizationProblem &problem,
                                const PlacementOptions &options);

} // namespace soap

#endif // SOAP_SEARCH_ANNEALING_PLACEMENTSEARCH_H
