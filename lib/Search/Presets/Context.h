//===- Context.h - Context parallelism --------------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The strategy that splits sequences over devices (Liu et al., 2023), for
// networks whose attention is computed in blocks.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SEARCH_PRESETS_CONTEXT_H
#define SOAP_LIB_SEARCH_PRESETS_CONTEXT_H

#include "Soap/Search/Problem/ParallelizationProblem.h"

namespace soap {

struct ContextOptions {
  /// Devices that share a sequence; 0: as many as it has blocks.
  int64_t devices = 0;
  /// Of 2 * devices parts device d has d and the d-th last: causal attention is
  /// the same work on each.
  bool zigzag = false;
  /// Devices that share the layers, inside of the places of a sequence, as in
  /// Megatron.h: neighbours.
  int64_t tensorParallel = 1;
  /// Every device keeps and updates a part of the weights.
  bool shardsUpdates = false;
};

/// Every op that has positions of the sequence is split along it, and lies
/// where the queries of these positions are; blocks of keys and values go from
/// each device to the next. Samples are split over groups of devices; ops
/// without a sequence (updates) run on all devices of a group. An error: no
/// attention is in blocks, or their number does not fit the devices.
Expected<Strategy> contextStrategy(const ParallelizationProblem &problem,
                                   const ContextOptions &options);

} // namespace soap

#endif // SOAP_LIB_SEARCH_PRESETS_CONTEXT_H
