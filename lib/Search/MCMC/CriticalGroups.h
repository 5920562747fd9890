//===- CriticalGroups.h - Groups on the critical path -----------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the time of a strategy goes: what searches look at first.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SEARCH_MCMC_CRITICALGROUPS_H
#define SOAP_LIB_SEARCH_MCMC_CRITICALGROUPS_H

#include "Soap/Search/Evaluator/StrategyEvaluator.h"

namespace soap {

/// Time in ns that tasks of each group take on the critical path of the
/// evaluator's current strategy: from the last task back, always to one that
/// ends when the next starts, on the same resource or before it in the graph.
/// The time of a value counts for the group that writes it.
std::vector<int64_t> criticalGroupNs(const ParallelizationProblem &problem,
                                     const StrategyEvaluator &evaluator);

} // namespace soap

#endif // SOAP_LIB_SEARCH_MCMC_CRITICALGROUPS_H
