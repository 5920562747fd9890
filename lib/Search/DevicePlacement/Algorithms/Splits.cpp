//===- Splits.cpp - From stages to answers --------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Splits.h.
//
//===----------------------------------------------------------------------===//

#include "Splits.h"

#include <cassert>
#include <cmath>
#include <numeric>
#include <random>

using namespace soap;
using namespace soap::placement;

/// Values that differ by less are taken as equal: sums in another order.
static constexpr double rounding = 1e-9;

Placement placement::placeStages(const Problem &problem, const UnitGraph &graph,
                                 const std::vector<SplitStage> &stages) {
  std::vector<int> deviceOf(graph.size());
  Placement result;
  std::vector<int> replicas(problem.deviceCount(), 1);
  int accelerator = 0, cpu = problem.accelerators;
  for (const SplitStage &stage : stages) {
    int device = stage.replicas > 0 ? accelerator++ : cpu++;
    assert(device < problem.deviceCount() && "a device a stage");
    replicas[device] = std::max(stage.replicas, 1);
    for (int unit : stage.units)
      deviceOf[unit] = device;
  }
  result = graph.placement(deviceOf);
  if (std::any_of(replicas.begin(), replicas.end(),
                  [](int count) { return count > 1; }))
    result.replicas = std::move(replicas);
  return result;
}

bool placement::improve(Answer &answer, const Problem &problem,
                        const Objective &objective,
                        const Placement &placement) {
  Expected<Evaluation> evaluation = verify(problem, objective, placement);
  if (!evaluation ||
      (answer.placement && evaluation->maxLoad() >= answer.value))
    return false;
  answer.placement = placement;
  answer.value = evaluation->maxLoad();
  return true;
}

void placement::finish(Answer &answer, double bound, const Deadline &deadline) {
  answer.seconds = deadline.elapsed();
  if (!answer.placement) {
    answer.value = answer.bound = infinite;
    return;
  }
  answer.bound = std::min(bound, answer.value);
  answer.optimal = answer.bound >= answer.value * (1 - rounding);
}

//===----------------------------------------------------------------------===//
// Linear orders
//===----------------------------------------------------------------------===//

namespace {

/// Removes units whose predecessors are gone, the last or the first that got
/// ready.
std::vector<int> traverse(size_t size, const Rows &successors,
                          const Rows &predecessors, bool depthFirst,
                          std::mt19937_64 *random) {
  std::vector<int> waiting(size), ready, order;
  for (size_t i = size; i-- > 0;) {
    waiting[i] = static_cast<int>(predecessors[i].size());
    if (waiting[i] == 0)
      ready.push_back(static_cast<int>(i));
  }
  if (random)
    std::shuffle(ready.begin(), ready.end(), *random);
  if (!depthFirst)
    std::reverse(ready.begin(), ready.end());
  size_t first = 0;
  while (first < ready.size()) {
    int unit = depthFirst ? ready.back() : ready[first++];
    if (depthFirst)
      ready.pop_back();
    order.push_back(unit);
    size_t before = ready.size();
    for (int next : successors[unit])
      if (--waiting[next] == 0)
        ready.push_back(next);
    if (random)
      std::shuffle(ready.begin() + before, ready.end(), *random);
  }
  assert(order.size() == size && "the graph must be ordered");
  return order;
}

} // namespace

std::vector<int> placement::linearOrder(const UnitGraph &graph, int which,
                                        uint64_t seed) {
  if (which == 1) {
    std::vector<int> order = traverse(graph.size(), graph.predecessors,
                                      graph.successors, true, nullptr);
    std::reverse(order.begin(), order.end());
    return order;
  }
  std::mt19937_64 random(seed * 1000003 + which);
  return traverse(graph.size(), graph.successors, graph.predecessors,
                  which != 2, which > 2 ? &random : nullptr);
}

std::vector<SplitStage> placement::splitOrder(const UnitGraph &graph,
                                              const std::vector<int> &order,
                                              const StageLimits &limits,
                                              const Deadline &deadline,
                                              bool &complete) {
  size_t count = order.size();
  StageTable table(limits, count + 1);
  StageSet stage(graph);
  double remaining = 0;
  for (int unit : order) {
    stage.addOutside(unit);
    if (graph.units[unit].acceleratable)
      remaining += graph.units[unit].acceleratorTime();
  }
  complete = true;
  for (size_t to = 1; to <= count; ++to) {
    if (deadline.isOver()) {
      complete = false;
      return {};
    }
    const Unit &last = graph.units[order[to - 1]];
    stage.removeOutside(order[to - 1]);
    remaining -= last.acceleratable ? last.acceleratorTime() : 0;
    for (size_t from = to; from-- > 0;) {
      stage.push(order[from]);
      if (limits.prunes(stage.sums()))
        break;
      if (table.isReached(from))
        table.extend(to, from, stage.sums(), to == count ? 0 : remaining);
    }
    stage.clear();
  }
  std::vector<SplitStage> stages;
  double value = 0;
  for (const StageTable::Stage &s : table.bestSplit(count, value))
    stages.push_back(
        {{order.begin() + s.previous, order.begin() + s.ideal}, s.replicas});
  return stages;
}

//===----------------------------------------------------------------------===//
// Infeasible problems
//===----------------------------------------------------------------------===//

bool placement::isInfeasible(const Answer &answer, const Problem &problem) {
  return !answer.placement &&
         answer.smallestMemoryBound > problem.acceleratorMemoryBytes;
}

/// A memory that no accelerator may be below: that of the largest unit, and its
/// share of all. 0 where CPUs can hold anything.
static double memoryNeeded(const Problem &problem, const UnitGraph &graph) {
  double largest = 0, sum = 0;
  for (const Unit &unit : graph.units) {
    largest = std::max(largest, unit.memoryBytes);
    sum += unit.memoryBytes;
  }
  constexpr double roundingOfSums = 1e-9;
  double share = sum * (1 - roundingOfSums) / problem.deviceCount();
  return problem.cpus > 0 ? 0 : std::max(largest, share);
}

void placement::explainInfeasible(Answer &answer, const Problem &problem,
                                  const Objective &objective,
                                  const UnitGraph &graph,
                                  const MemorySearch &search) {
  answer.smallestMemoryBytes = answer.smallestMemoryBound = infinite;
  if (problem.checkDevices())
    return; // no memory would do
  StageLimits limits(problem, objective, graph, infinite);
  limits.minimizeMemory = true;
  limits.objective = Objective(); // no frontiers, no replicas
  bool complete = false;
  std::vector<SplitStage> stages = search(limits, complete);
  if (!stages.empty()) {
    answer.smallestMemoryBytes = 0;
    for (const SplitStage &stage : stages) {
      double memory = 0;
      for (int unit : stage.units)
        memory += stage.replicas > 0 ? graph.units[unit].memoryBytes : 0;
      answer.smallestMemoryBytes = std::max(answer.smallestMemoryBytes, memory);
    }
  }
  if (complete) {
    answer.smallestMemoryBound = answer.smallestMemoryBytes;
    return;
  }
  answer.smallestMemoryBound =
      std::max(problem.acceleratorMemoryBytes, memoryNeeded(problem, graph));
}
