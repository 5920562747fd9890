//===- OptCnn.h - Dynamic programming over equal partitions -----*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// OptCNN (Jia et al., Exploring Hidden Dimensions in Parallelizing
// Convolutional Neural Networks, 2018): assumes that nothing overlaps, so that
// an iteration takes a sum over ops and edges. The sum is a cost graph
// (docs/CostGraph.md), which node and edge elimination minimizes.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_SEARCH_OPTCNN_OPTCNN_H
#define SOAP_SEARCH_OPTCNN_OPTCNN_H

#include "Soap/Search/Evaluator/SearchBudget.h"

namespace soap {

/// The space: every group is split along samples and loops of its result, in a
/// number of pieces that divides the number of devices, on the first devices in
/// their order; no replicas but those that follow.
struct OptCnnOptions : SearchBudget {
  /// Of configs that cannot be excluded, at most so many per group are looked
  /// at, those that are fastest alone.
  int64_t maxConfigs = 24;
  /// Without `initial`, no strategy but the one found is looked at.
};

struct OptCnnResult {
  /// `proposals`: costs of pairs of configs that were computed or looked up.
  McmcResult search;
  Strategy found; ///< what the dynamic program chose; empty if it was stopped
  Evaluation foundEvaluation;
  /// The sum that was minimized.
  int64_t estimateNs = 0;
  /// Proven: no strategy of the space has a smaller sum.
  bool minimal = false;
};

/// The problem must have passed `check`.
OptCnnResult searchOptCnn(const ParallelizationProblem &problem,
                          const OptCnnOptions &options);

} // namespace soap

#endif // SOAP_SEARCH_OPTCNN_OPTCNN_H
