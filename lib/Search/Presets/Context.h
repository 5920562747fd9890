//===- Context.h - Context parallelism --------------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The strategy that splits sequences over devices (ring attention; Liu et al.,
// 2023), for networks whose attention is one op.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SEARCH_PRESETS_CONTEXT_H
#define SOAP_LIB_SEARCH_PRESETS_CONTEXT_H

#include "Soap/Search/Problem/ParallelizationProblem.h"

namespace soap {

struct ContextOptions {
  /// Devices that share a sequence; 0: all, over `tensorParallel`.
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
/// where the queries of these positions are. Attention is split along queries
/// and keys alike, and each piece lies where its queries are, so that blocks of
/// keys and values go to the devices whose queries see them. Samples are split
/// over groups of devices; ops without a sequence (updates) run on all devices
/// of a group. An error: there is no attention over one sequence, or its length
/// does not fit the devices.
Expected<Strategy> contextStrategy(const ParallelizationProblem &problem,
                                   const ContextOptions &options);

/// The same with other tensor parallelism than Megatron's: the loop that
/// `tensor`, a strategy of the devices of one place, splits in an op is split
/// at every place, too. `sequence`, if not null, is `tensor` with more ops
/// split along the sequence, which are split so inside of each part.
Expected<Strategy> contextStrategy(const ParallelizationProblem &problem,
                                   const ContextOptions &options,
                                   const Strategy &tensor,
                                   const Strategy *sequence);

/// The sequence of the attentions of a graph whose queries and keys are as
/// many.
struct AttentionSequence {
  int64_t length = 0;
  /// Queries do not see all later keys.
  bool isCausal = false;
};
/// An error: there is no such attention, or they differ in length.
Expected<AttentionSequence> findAttentionSequence(const Graph &graph);

} // namespace soap

#endif // SOAP_LIB_SEARCH_PRESETS_CONTEXT_H
