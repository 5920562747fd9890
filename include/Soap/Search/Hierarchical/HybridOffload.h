//===- HybridOffload.h - Hybrid plans with states in hosts ------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hybrid plans whose optimizer states are in the memory of the host
// (docs/HostMemory.md): asked for, or where nothing else fits.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_SEARCH_HIERARCHICAL_HYBRIDOFFLOAD_H
#define SOAP_SEARCH_HIERARCHICAL_HYBRIDOFFLOAD_H

#include "Soap/Search/Hierarchical/HybridSimulator.h"

namespace soap {

/// The model of a step whose optimizer states are in the memory of the host,
/// with what it refers to.
struct OffloadedModel {
  Graph graph;
  std::unique_ptr<ParallelizationProblem> problem;
  std::unique_ptr<HybridModel> model;
};

/// An error says why no state can be there, or where it is already.
/// `forwardOf`, `batch` and `other` as for `HybridModel::make`; refers to the
/// problem's topology.
Expected<std::unique_ptr<OffloadedModel>>
offloadedModel(const ParallelizationProblem &problem,
               const std::vector<int> &forwardOf, int64_t batch = 0,
               const HybridModel *other = nullptr);

/// A search, and the model that its plans are priced with.
struct OffloadSearch {
  HierarchicalResult result;
  /// Of the result, if its plans have states in the memory of the host; or of
  /// the search that did not find better ones. Null: there was none.
  std::unique_ptr<OffloadedModel> offloaded;
  bool usesOffload = false;

  /// The model of the result; `model` is that of the step as it was.
  HybridModel &modelOf(HybridModel &model) const {
    return usesOffload ? *offloaded->model : model;
  }
};

/// Searches; where nothing fits, once more with the states of the optimizer in
/// the memory of the host, in the time that is left (of a long limit, a second
/// at least). Plans are simulated if the options have a simulator, which is for
/// the first search: the second has its own. `facts`: of the model's problem.
/// `before`: the model of a search like this on other devices, whose prices are
/// shared.
OffloadSearch searchWithOffload(HybridModel &model, const StepFacts &facts,
                                const HierarchicalOptions &options,
                                int64_t batch = 0,
                                const OffloadedModel *before = nullptr);

} // namespace soap

#endif // SOAP_SEARCH_HIERARCHICAL_HYBRIDOFFLOAD_H
