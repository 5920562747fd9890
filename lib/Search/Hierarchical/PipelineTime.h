//===- PipelineTime.h - The iteration of equal passes -----------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The time of 1F1B, interleaved where groups have several stages (Narayanan et
// al., 2021): passes in the order of Pipeline/OneForwardOneBackward.h. A pass
// starts when the one before it on its group has ended and what it reads has
// arrived.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SEARCH_HIERARCHICAL_PIPELINETIME_H
#define SOAP_LIB_SEARCH_HIERARCHICAL_PIPELINETIME_H

#include "Soap/Plan/PassOrder.h"
#include "Soap/Search/Hierarchical/HybridPlan.h"

namespace soap {

/// By group, its passes in their order. Stage s is on group s modulo `groups`;
/// of interleaved stages, microbatches are a multiple of the groups.
using GroupPasses = std::vector<std::vector<PipelinePass>>;
GroupPasses passesOfGroups(int stages, int groups, int64_t microbatches,
                           bool overlap = false);

/// By group, when its last pass ends, in ns. `sendNs[s]`: what passes from
/// stage s - 1 to s takes, and its gradient back.
std::vector<int64_t> passEnds(const GroupPasses &passes,
                              const std::vector<HybridStage> &stages,
                              const std::vector<int64_t> &sendNs,
                              int64_t microbatches);

/// By stage, the microbatches between their forward and backward pass at the
/// time when a group has most bytes of them. `bytes`: by stage, of one.
std::vector<int> maxInFlight(const std::vector<PipelinePass> &passes,
                             const std::vector<int64_t> &bytes);

} // namespace soap

#endif // SOAP_LIB_SEARCH_HIERARCHICAL_PIPELINETIME_H
