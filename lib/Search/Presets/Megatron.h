//===- Megatron.h - Tensor parallelism of transformers ----------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Megatron (Shoeybi et al., 2019) inside of machines, with sequence parallelism
// (Korthikanti et al., 2022) on request; data parallelism outside.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SEARCH_PRESETS_MEGATRON_H
#define SOAP_LIB_SEARCH_PRESETS_MEGATRON_H

#include "Soap/Search/Problem/ParallelizationProblem.h"

namespace soap {

struct MegatronOptions {
  /// Devices that share the layers of a replica; 0: all of a machine.
  int64_t tensorParallel = 0;
  /// Ops that these devices would all compute are split along the sequence.
  bool sequenceParallel = false;
};

/// A linear layer that reads whole activations is split by outputs, one that
/// reads activations split by features along its sum; what is between keeps the
/// split (heads of attention, elementwise ops), embeddings are split by rows,
/// a mixture of experts by experts if these divide evenly and inside of each if
/// not, and all else runs on every device of a row, or, with
/// `sequenceParallel`, is split along the sequence. Samples are split over
/// rows. What does not divide evenly has uneven pieces.
Strategy megatronStrategy(const ParallelizationProblem &problem,
                          const MegatronOptions &options = {});

/// The same, or an error: the network is no transformer, the degree does not
/// divide the devices of a machine or the heads, or no op has a sequence dim.
Expected<Strategy> checkedMegatron(const ParallelizationProblem &problem,
                                   const MegatronOptions &options);

} // namespace soap

#endif // SOAP_LIB_SEARCH_PRESETS_MEGATRON_H
