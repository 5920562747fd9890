//===- PipelineTime.h - The iteration of equal passes -----------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The time of 1F1B (Narayanan et al., 2021): each stage starts with as many
// forward passes as there are stages behind it, then alternates. A pass starts
// when the one before it on its stage has ended and what it reads has arrived.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SEARCH_HIERARCHICAL_PIPELINETIME_H
#define SOAP_LIB_SEARCH_HIERARCHICAL_PIPELINETIME_H

#include "Soap/Search/Hierarchical/HybridPlan.h"

namespace soap {

/// When the last backward pass of each stage ends, in ns. `sendNs[s]`: what
/// passes from stage s - 1 to s takes, and its gradient back. In flight on
/// stage s are min(microbatches, stages - s) microbatches.
std::vector<int64_t> pipelineEnds(const std::vector<HybridStage> &stages,
                                  const std::vector<int64_t> &sendNs,
                                  int64_t microbatches);

} // namespace soap

#endif // SOAP_LIB_SEARCH_HIERARCHICAL_PIPELINETIME_H
