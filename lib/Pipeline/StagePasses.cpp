//===- StagePasses.cpp - The passes of a graph's stages -------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See StagePasses.h.
//
//===----------------------------------------------------------------------===//

#include "Soap/Pipeline/StagePasses.h"

#include "Soap/Pipeline/OneForwardOneBackward.h"

#include <algorithm>
#include <cassert>

using namespace soap;

/// Of a node: "op 'NAME' ".
static Error fault(const Graph &graph, size_t node, const std::string &text) {
  return {"op '" + graph.nodes[node].whole.name + "' " + text};
}

MaybeError soap::findSampleLoops(const Graph &graph,
                                 const std::vector<std::vector<Role>> &roles,
                                 PassOrder &passes) {
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const Kernel &kernel = graph.nodes[n].whole;
    int found = sampleLoopOf(kernel.space, roles[n]);
    if (kernel.phase == Phase::Update)
      found = -1;
    passes.sampleLoops.push_back(found);
    if (found < 0)
      continue;
    int64_t extent = kernel.space.loops[static_cast<size_t>(found)].extent;
    if (extent < passes.microbatches)
      return Error{"expected at most as many microbatches as the " +
                   std::to_string(extent) + " samples of a batch, got " +
                   std::to_string(passes.microbatches)};
  }
  return std::nullopt;
}

MaybeError soap::placeInStages(const Graph &graph,
                               const std::vector<int> &forwardOf,
                               const std::vector<int> &firsts,
                               PassOrder &passes) {
  std::vector<int> all = stagesOfNodes(graph, forwardOf, firsts);
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    if (graph.nodes[n].whole.phase == Phase::Update ||
        passes.sampleLoops[n] < 0)
      continue;
    passes.stages[n] = all[n];
    if (all[n] >= 0)
      continue;
    auto first = static_cast<size_t>(firsts[0]);
    return fault(graph, n,
                 "is in no stage: it is before " +
                     (first == graph.nodes.size()
                          ? "the first one"
                          : "op '" + graph.nodes[first].whole.name +
                                "', with which the first one begins"));
  }
  return std::nullopt;
}

MaybeError
soap::checkStageDevices(const Graph &graph, const Strategy &strategy,
                        const std::vector<std::vector<int>> &stageDevices,
                        int deviceCount, const PassOrder &passes) {
  std::vector<std::vector<bool>> isOfStage;
  for (const std::vector<int> &devices : stageDevices) {
    isOfStage.emplace_back(static_cast<size_t>(deviceCount));
    for (int device : devices)
      isOfStage.back()[static_cast<size_t>(device)] = true;
  }
  for (size_t n = 0; n < strategy.size(); ++n) {
    if (passes.runsOnce(static_cast<int>(n)))
      continue;
    int stage = passes.stages[n];
    for (int device : strategy[n].devices)
      if (!isOfStage[static_cast<size_t>(stage)][static_cast<size_t>(device)])
        return fault(graph, n,
                     "is on device " + std::to_string(device) +
                         ", expected devices of its stage " +
                         std::to_string(stage));
  }
  return std::nullopt;
}

/// Values that pass between stages are kept, and not computed again.
static MaybeError checkRecomputed(const Graph &graph,
                                  const std::vector<bool> &isClone,
                                  const PassOrder &passes) {
  std::vector<int> writers(graph.values.size(), -1);
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const Kernel &kernel = graph.nodes[n].whole;
    for (int value : kernel.operands) {
      int writer = writers[static_cast<size_t>(value)];
      if (writer < 0 || passes.stages[n] < 0 || passes.runsOnce(writer))
        continue;
      int other = passes.stages[static_cast<size_t>(writer)];
      if (other == passes.stages[n])
        continue;
      return fault(
          graph, n,
          "of stage " + std::to_string(passes.stages[n]) + " reads '" +
              graph.nodes[static_cast<size_t>(writer)].whole.name +
              "' of stage " + std::to_string(other) +
              ", which is computed again: expected that what passes between "
              "stages is kept");
    }
    if (isClone[n])
      for (int value : kernel.results)
        writers[static_cast<size_t>(value)] = static_cast<int>(n);
  }
  return std::nullopt;
}

/// Passes gather weights for themselves; activations are not made again.
static MaybeError checkKept(const Graph &graph, const PassOrder &passes) {
  std::vector<bool> isOfPasses(graph.values.size());
  for (size_t n = 0; n < graph.nodes.size(); ++n)
    for (int value : graph.nodes[n].whole.results)
      isOfPasses[static_cast<size_t>(value)] =
          !passes.runsOnce(static_cast<int>(n));
  for (const Restore &restore : graph.restores) {
    if (restore.delaysReaders)
      continue;
    const std::string &name =
        graph.values[static_cast<size_t>(restore.of)].name;
    if (isOfPasses[static_cast<size_t>(restore.of)])
      return Error{"value '" + name +
                   "' is kept in one form ('soap.keep'), but has samples: "
                   "expected weights alone"};
    if (restore.keep != Keep::Before)
      return Error{"value '" + name + "' is kept as '" +
                   keepName(restore.keep) +
                   "' ('soap.keep'), expected 'before'"};
  }
  return std::nullopt;
}

/// Ops that run once and follow from data alone, as the number of labels that
/// count, run before all passes, with all that they follow from.
static void runOnceBefore(const Graph &graph, const std::vector<bool> &isData,
                          PassOrder &passes) {
  std::vector<bool> needsWeights(graph.values.size());
  for (size_t i = 0; i < graph.inputs.size(); ++i)
    needsWeights[static_cast<size_t>(graph.inputs[i].value)] = !isData[i];
  auto rootOf = [&](int value) {
    return static_cast<size_t>(graph.rootOf(value));
  };
  std::vector<bool> isBefore(graph.values.size());
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const Kernel &kernel = graph.nodes[n].whole;
    bool needs = std::ranges::any_of(kernel.operands, [&](int value) {
      return needsWeights[rootOf(value)];
    });
    for (int value : kernel.results) {
      auto v = static_cast<size_t>(value);
      needsWeights[v] = needs;
      isBefore[v] = !needs && kernel.phase != Phase::Update &&
                    passes.runsOnce(static_cast<int>(n));
    }
  }
  for (size_t n = graph.nodes.size(); n-- > 0;) {
    const Kernel &kernel = graph.nodes[n].whole;
    if (std::ranges::none_of(kernel.results, [&](int value) {
          return isBefore[static_cast<size_t>(value)];
        }))
      continue;
    passes.stages[n] = -1;
    for (int value : kernel.operands)
      isBefore[rootOf(value)] = true;
  }
}

MaybeError soap::orderPasses(const Graph &graph, const StepFacts &facts,
                             PipelineSchedule schedule,
                             const std::vector<std::vector<int>> &stageDevices,
                             int deviceCount, const std::vector<int> &inFlight,
                             PassOrder &passes) {
  assert(facts.isClone.size() == graph.nodes.size() &&
         facts.isData.size() == graph.inputs.size() && "facts of the graph");
  bool isOrdered = !passes.order.empty();
  if (!isOrdered)
    if (auto error = checkRecomputed(graph, facts.isClone, passes))
      return error;
  if (auto error = checkKept(graph, passes))
    return error;
  runOnceBefore(graph, facts.isData, passes);
  if (isOrdered)
    return std::nullopt;
  passes.overlaps = schedule == PipelineSchedule::Overlapped;
  auto order = schedulePasses(schedule, stageDevices, passes.microbatches,
                              deviceCount, inFlight);
  if (!order)
    return order.takeError();
  passes.order = std::move(*order);
  return std::nullopt;
}

Expected<PassOrder>
soap::passesOfStages(const Graph &graph, const Strategy &strategy,
                     const std::vector<std::vector<Role>> &roles,
                     const StepFacts &facts, const std::vector<int> &firsts,
                     const std::vector<std::vector<int>> &stageDevices,
                     int64_t microbatches, PipelineSchedule schedule,
                     int deviceCount) {
  PassOrder passes;
  passes.microbatches = microbatches;
  passes.stages.assign(graph.nodes.size(), -1);
  if (auto error = findSampleLoops(graph, roles, passes))
    return *error;
  if (auto error = placeInStages(graph, facts.forwardOf, firsts, passes))
    return *error;
  if (auto error =
          checkStageDevices(graph, strategy, stageDevices, deviceCount, passes))
    return *error;
  if (auto error = orderPasses(graph, facts, schedule, stageDevices,
                               deviceCount, /*inFlight=*/{}, passes))
    return *error;
  return passes;
}
