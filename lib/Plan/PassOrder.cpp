//===- PassOrder.cpp - Microbatches in a plan -----------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of its tasks gives the waits (PassWaits.h).
//
//===----------------------------------------------------------------------===//

#include "Soap/Plan/PassOrder.h"

#include "PassReads.h"
#include "Soap/Plan/CollectiveGroup.h"
#include "Soap/Plan/StrategyPlan.h"
#include "TaskReleases.h"

#include <algorithm>
#include <cassert>
#include <optional>

using namespace soap;

int soap::sampleLoopOf(const IterationSpace &space,
                       const std::vector<Role> &roles) {
  int found = -1;
  for (size_t l = 0; l < space.loops.size(); ++l) {
    if (roles[l] != Role::Sample || space.loops[l].type == IteratorType::Serial)
      continue;
    if (space.loops[l].extent > 1)
      return static_cast<int>(l);
    if (found < 0)
      found = static_cast<int>(l);
  }
  return found;
}

std::vector<int> soap::stagesOfNodes(const Graph &graph,
                                     const std::vector<int> &forwardOf,
                                     const std::vector<int> &firsts) {
  std::vector<int> stages, stageOfValue(graph.values.size(), -1);
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const Kernel &kernel = graph.nodes[n].whole;
    int owner = forwardOf[n] >= 0 ? forwardOf[n] : static_cast<int>(n);
    int stage = static_cast<int>(firsts.size()) - 1;
    if (graph.nodes[owner].whole.phase == Phase::Forward)
      stage = static_cast<int>(
                  std::upper_bound(firsts.begin(), firsts.end(), owner) -
                  firsts.begin()) -
              1;
    else
      for (int value : kernel.operands)
        if (stageOfValue[value] >= 0)
          stage = std::min(stage, stageOfValue[value]);
    for (int value : kernel.results)
      stageOfValue[value] = stage;
    stages.push_back(stage);
  }
  return stages;
}

Strategy soap::cutIntoMicrobatches(const Strategy &strategy,
                                   const PassOrder &passes) {
  assert(strategy.size() == passes.stages.size() && "a config a node");
  Strategy result = strategy;
  for (size_t n = 0; n < strategy.size(); ++n) {
    if (passes.runsOnce(static_cast<int>(n)))
      continue;
    const Config &one = strategy[n];
    Config &all = result[n];
    auto loop = static_cast<size_t>(passes.sampleLoops[n]);
    all.degrees[loop] *= passes.microbatches;
    // Pieces are row-major: those outside of the loop, its own, those inside.
    int64_t inside = 1;
    for (size_t l = loop + 1; l < one.degrees.size(); ++l)
      inside *= one.degrees[l];
    int64_t run = one.degrees[loop] * inside;
    all.devices.clear();
    all.devices.reserve(one.devices.size() *
                        static_cast<size_t>(passes.microbatches));
    for (size_t first = 0; first < one.devices.size();
         first += static_cast<size_t>(run))
      for (int64_t m = 0; m < passes.microbatches; ++m)
        for (int64_t i = 0; i < run; ++i)
          all.devices.push_back(one.devices[first + static_cast<size_t>(i)] +
                                passes.turnOf(static_cast<int>(n), m));
  }
  return result;
}

/// The loop of a kernel that is cut into microbatches, -1: none.
static int cutLoopOf(const Graph &graph, const PassOrder &passes,
                     const Action &action) {
  if (action.node < 0 || passes.runsOnce(action.node))
    return -1;
  int loop = passes.sampleLoops[static_cast<size_t>(action.node)];
  if (action.stage < 0)
    return loop;
  const std::vector<int> &whole = kernelOf(graph, action).wholeLoops;
  auto it = std::find(whole.begin(), whole.end(), loop);
  return it == whole.end() ? -1 : static_cast<int>(it - whole.begin());
}

std::optional<PipelinePass> soap::passOf(const Graph &graph,
                                         const PassOrder &passes,
                                         const Action &action) {
  int found = cutLoopOf(graph, passes, action);
  if (found < 0)
    return std::nullopt;
  auto loop = static_cast<size_t>(found);
  const Kernel &kernel = kernelOf(graph, action);
  // The last piece that begins at or before the box.
  int64_t extent = kernel.space.loops[loop].extent;
  int64_t microbatch =
      extent > 0
          ? ((action.box[loop].lo + 1) * passes.microbatches - 1) / extent
          : 0;
  return PipelinePass{passes.stages[static_cast<size_t>(action.node)],
                      std::min(microbatch, passes.microbatches - 1),
                      kernel.phase == Phase::Backward};
}

int64_t soap::countPieces(const Strategy &strategy) {
  int64_t pieces = 0;
  for (const Config &config : strategy)
    pieces += static_cast<int64_t>(config.devices.size());
  return pieces;
}

int64_t soap::countPieces(const Strategy &strategy, const PassOrder &passes) {
  int64_t pieces = 0;
  for (size_t n = 0; n < strategy.size(); ++n)
    pieces += static_cast<int64_t>(strategy[n].devices.size()) *
              (passes.runsOnce(static_cast<int>(n)) ? 1 : passes.microbatches);
  return pieces;
}

/// The waits of a table as pairs of tasks of the plan that is written out of
/// the same compact plan: its tasks have the keys (block, task, step of a sum).
static std::vector<std::pair<int, int>> listWaits(const TaskTable &table,
                                                  const PassWaits &passWaits,
                                                  const Plan &plan) {
  std::vector<int> taskOf(table.size(), -1);
  for (size_t t = 0; t + 1 < plan.taskStart.size(); ++t) {
    const auto &[block, index, step] =
        plan.actions[static_cast<size_t>(plan.taskStart[t])].key;
    taskOf[table.numberOf(static_cast<int>(block), static_cast<int>(index)) +
           static_cast<size_t>(step)] = static_cast<int>(t);
  }
  std::vector<std::pair<int, int>> waits;
  auto add = [&](uint32_t before, uint32_t task) {
    assert(taskOf[before] >= 0 && taskOf[task] >= 0 && "not in the plan");
    waits.emplace_back(taskOf[before], taskOf[task]);
  };
  for (auto [before, task] : passWaits.waits)
    add(before, task);
  for (const PassWaits::Join &join : passWaits.joins)
    for (uint32_t last : join.last)
      for (uint32_t first : join.first)
        add(last, first);
  std::sort(waits.begin(), waits.end());
  waits.erase(std::unique(waits.begin(), waits.end()), waits.end());
  return waits;
}

Expected<Plan> soap::buildPipelinePlan(const Graph &graph,
                                       const Strategy &strategy,
                                       const PassOrder &passes,
                                       const Topology &topology,
                                       const std::function<bool(int)> *mayAdd) {
  if (int64_t pieces = countPieces(strategy, passes);
      pieces > maxPieces(PlanForm::Written))
    return Error{std::to_string(passes.microbatches) +
                 " microbatches of all ops are " + std::to_string(pieces) +
                 " pieces, expected at most " +
                 std::to_string(maxPieces(PlanForm::Written)) +
                 ": fewer microbatches or devices; '--soap-plan-hybrid' "
                 "prices larger plans"};
  CostModel cost(topology);
  Graph ofPasses = graphOfPasses(graph, passes);
  StrategyPlan state(ofPasses, cost);
  state.setRounds(roundsOfPasses(ofPasses, passes));
  state.set(cutIntoMicrobatches(strategy, passes));
  Expected<TaskTable> table = TaskTable::make(state, passes, boxesOf(state));
  if (!table)
    return table.takeError();
  PassWaits waits(*table, graph);
  if (MaybeError error = TaskReleases(*table, waits).checkOrder(*table))
    return *error;
  Plan plan = mayAdd ? buildProgramPlan(state, *mayAdd) : buildPlan(state);
  assert(plan.waits.empty() && "waits of a plan that is not in microbatches");
  plan.waits = listWaits(*table, waits, plan);
  return plan;
}
