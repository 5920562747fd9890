//===- HybridOffload.cpp - Hybrid plans with states in hosts --------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See HybridOffload.h.
//
//===----------------------------------------------------------------------===//

#include "Soap/Search/Hierarchical/HybridOffload.h"

#include "Soap/Memory/HostMemory.h"

#include <algorithm>

using namespace soap;

Expected<std::unique_ptr<OffloadedModel>>
soap::offloadedModel(const ParallelizationProblem &problem,
                     const std::vector<int> &forwardOf, int64_t batch,
                     const HybridModel *other) {
  auto isInHost = [](const GraphValue &value) { return value.inHost; };
  if (std::ranges::any_of(problem.getGraph().values, isInHost))
    return Error{"states of the optimizer are in the memory of the "
                 "host already"};
  auto made = std::make_unique<OffloadedModel>();
  made->graph = problem.getGraph();
  if (auto error = putOptimizerInHost(made->graph))
    return *error;
  if (auto error = resolveHostMemory(made->graph, problem.getTopology()))
    return *error;
  if (std::ranges::none_of(made->graph.values, isInHost))
    return Error{"the memory of the devices of '" + problem.getTopology().name +
                 "' is their host's"};
  made->problem = std::make_unique<ParallelizationProblem>(
      made->graph, problem.getTopology(), problem.getGroups(),
      problem.getRoles());
  auto model = HybridModel::make(*made->problem, batch, forwardOf, other);
  if (!model)
    return model.takeError();
  made->model = std::move(*model);
  return std::move(made);
}

/// Whether parameters and states alone are more than the memory of all devices,
/// so that no plan that keeps them there fits.
static bool exceedDevices(const HybridModel &model) {
  const ParallelizationProblem &problem = model.getProblem();
  double bytes = 0;
  for (const GraphInput &input : problem.getGraph().inputs)
    if (input.updateNode >= 0)
      bytes += static_cast<double>(
          problem.getGraph().values[static_cast<size_t>(input.value)].bytes());
  return bytes > static_cast<double>(model.getMemoryBytes()) *
                     problem.getTopology().deviceCount();
}

OffloadSearch soap::searchWithOffload(HybridModel &model,
                                      const StepFacts &facts,
                                      const HierarchicalOptions &options,
                                      int64_t batch,
                                      const OffloadedModel *before) {
  const ParallelizationProblem &problem = model.getProblem();
  OffloadSearch search;
  auto searchPlain = [&] {
    search.result = searchHybrid(model, problem, options);
  };
  auto makeOffloaded = [&]() -> Expected<std::unique_ptr<OffloadedModel>> {
    if (!problem.getTopology().executor.offload)
      return Error{"the executor does not offload"};
    return offloadedModel(problem, facts.forwardOf, batch,
                          before ? before->model.get() : nullptr);
  };
  Expected<std::unique_ptr<OffloadedModel>> offloaded = Error{""};
  if (exceedDevices(model) && (offloaded = makeOffloaded())) {
    search.result.complete = true;
  } else {
    searchPlain();
    if (isStopped(options) ||
        (search.result.best.exists() && search.result.best.excessBytes == 0) ||
        !(offloaded = makeOffloaded()))
      return search;
  }
  search.offloaded = std::move(*offloaded);
  HierarchicalOptions rest = options;
  rest.part += ", offload";
  constexpr double leastSeconds = 1;
  if (rest.seconds > 0)
    rest.seconds = std::max(options.seconds - search.result.seconds,
                            std::min(options.seconds, leastSeconds));
  if (options.simulate)
    rest.simulate =
        simulatorOf(*search.offloaded->model, facts, problem.getTopology());
  HierarchicalResult other =
      searchHybrid(*search.offloaded->model, *search.offloaded->problem, rest);
  if (!other.best.exists() || (search.result.best.exists() &&
                               !isBetter(other.best, search.result.best))) {
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
