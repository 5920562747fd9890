//===- PipelineTime.h - The iteration of equal passes -----------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The time of 1F1B, interleaved where groups have several stages (Narayanan et
// al., 2021): passes in the order of Pipeline/PassSchedule.h. A pass starts
// when the one before it on its group has ended and what it reads has arrived.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SEARCH_HIERARCHICAL_PIPELINETIME_H
#define SOAP_LIB_SEARCH_HIERARCHICAL_PIPELINETIME_H

#include "Soap/Search/Hierarchical/HybridPlan.h"

namespace soap {

/// What a pipeline's groups do, and when.
struct PassTimes {
  /// By group: when its last pass ends, in ns.
  std::vector<int64_t> ends;
  /// By stage: most microbatches between their forward and backward pass.
  std::vector<int> inFlight;
};

/// Stage s is on group s modulo `groups`. `sendNs[s]`: what passes from stage
/// s - 1 to s takes, and its gradient back. Of interleaved stages, microbatches
/// are a multiple of the groups.
PassTimes runPasses(const std::vector<HybridStage> &stages, int groups,
                    const std::vector<int64_t> &sendNs, int64_t microbatches);

/// `inFlight` alone, which no time changes.
std::vector<int> passesInFlight(int stages, int groups, int64_t microbatches);

} // namespace soap

#endif // SOAP_LIB_SEARCH_HIERARCHICAL_PIPELINETIME_H
