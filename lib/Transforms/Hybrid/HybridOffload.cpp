//===- HybridOffload.cpp - Hybrid plans with states in hosts --------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See HybridOffload.h.
//
//===----------------------------------------------------------------------===//

#include "HybridOffload.h"

#include "HybridSimulation.h"

#include "Soap/Analysis/Stages.h"
#include "Soap/Memory/HostMemory.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace mlir::soap;

::soap::Expected<std::unique_ptr<OffloadedModel>>
mlir::soap::offloadedModel(const OpGraph &opGraph,
                           const ::soap::ParallelizationProblem &problem,
                           int64_t batch, const ::soap::HybridModel *other) {
  auto isInHost = [](const ::soap::GraphValue &value) { return value.inHost; };
  if (llvm::any_of(problem.getGraph().values, isInHost))
    return ::soap::Error{"states of the optimizer are in the memory of the "
                         "host already"};
  auto made = std::make_unique<OffloadedModel>();
  made->graph = problem.getGraph();
  if (auto error = ::soap::putOptimizerInHost(made->graph))
    return *error;
  if (auto error =
          ::soap::resolveHostMemory(made->graph, problem.getTopology()))
    return *error;
  if (llvm::none_of(made->graph.values, isInHost))
    return ::soap::Error{"the memory of the devices of '" +
                         problem.getTopology().name + "' is their host's"};
  made->problem = std::make_unique<::soap::ParallelizationProblem>(
      made->graph, problem.getTopology(), problem.getGroups(),
      problem.getRoles());
  auto model = ::soap::HybridModel::make(*made->problem, batch,
                                         forwardNodesOf(opGraph), other);
  if (!model)
    return ::soap::Error{model.error()};
  made->model = std::move(*model);
  return std::move(made);
}

/// Whether parameters and states alone are more than the memory of all devices,
/// so that no plan that keeps them there fits.
static bool exceedDevices(const ::soap::ParallelizationProblem &problem,
                          const ::soap::HybridModel &model) {
  double bytes = 0;
  for (const ::soap::GraphInput &input : problem.getGraph().inputs)
    if (input.updateNode >= 0)
      bytes += static_cast<double>(
          problem.getGraph().values[static_cast<size_t>(input.value)].bytes());
  return bytes > static_cast<double>(model.getMemoryBytes()) *
                     problem.getTopology().deviceCount();
}

OffloadSearch
mlir::soap::searchWithOffload(const OpGraph &opGraph,
                              ::soap::HybridModel &model,
                              const ::soap::ParallelizationProblem &problem,
                              const ::soap::HierarchicalOptions &options,
                              int64_t batch, const OffloadedModel *before) {
  OffloadSearch search;
  auto searchPlain = [&] {
    search.result = ::soap::searchHybrid(model, problem, options);
  };
  auto makeOffloaded = [&] {
    return offloadedModel(opGraph, problem, batch,
                          before ? before->model.get() : nullptr);
  };
  ::soap::Expected<std::unique_ptr<OffloadedModel>> offloaded =
      ::soap::Error{""};
  if (exceedDevices(problem, model) && (offloaded = makeOffloaded())) {
    search.result.complete = true;
  } else {
    searchPlain();
    if (isStopped(options) ||
        (search.result.best.exists() && search.result.best.excessBytes == 0) ||
        !(offloaded = makeOffloaded()))
      return search;
  }
  search.offloaded = std::move(*offloaded);
  ::soap::HierarchicalOptions rest = options;
  rest.part += ", offload";
  constexpr double leastSeconds = 1;
  if (rest.seconds > 0)
    rest.seconds = std::max(options.seconds - search.result.seconds,
                            std::min(options.seconds, leastSeconds));
  if (options.simulate)
    judgePlans(rest, opGraph, problem.getTopology(), *search.offloaded->model,
               /*offloads=*/true);
  ::soap::HierarchicalResult other = ::soap::searchHybrid(
      *search.offloaded->model, *search.offloaded->problem, rest);
  if (!other.best.exists() ||
      (search.result.best.exists() &&
       !::soap::isBetter(other.best, search.result.best))) {
    if (search.result.shapes == 0) // Skipped above.
      searchPlain();
    return search;
  }
  other.shapes += search.result.shapes;
  other.priced += search.result.priced;
  other.simulated += search.result.simulated;
  other.seconds += search.result.seconds;
  other.complete &= search.result.complete;
  search.result = std::move(other);
  search.usesOffload = true;
  return search;
}
