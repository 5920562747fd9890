//===- CriticalGroups.cpp - Groups on the critical path -------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks back through the timeline.
//
//===----------------------------------------------------------------------===//

#include "CriticalGroups.h"

#include <algorithm>

using namespace soap;

namespace {

struct TimedTask {
  int64_t endNs;
  int block, index;
  bool operator<(const TimedTask &other) const {
    return std::tie(endNs, block, index) <
           std::tie(other.endNs, other.block, other.index);
  }
};

/// Whether a task has another as a successor.
bool leadsTo(const StrategyPlan &plan, const TimedTask &task,
             const TimedTask &next) {
  auto [slot, value] = plan.getBlocks()[task.block];
  auto among = [&](const ValuePlan &planned, size_t node) {
    auto begin = planned.successors.begin();
    return std::any_of(begin + planned.successorStart[node],
                       begin + planned.successorStart[node + 1],
                       [&](const TaskRef &successor) {
                         return successor.block == next.block &&
                                successor.index == next.index;
                       });
  };
  if (slot < 0)
    return among(
        plan.valuePlan(value),
        static_cast<size_t>(plan.valuePlan(value).sources + task.index));
  bool found = false;
  plan.forEachFed(slot, task.index, [&](const ValuePlan &planned, size_t node) {
    found = found || among(planned, node);
  });
  return found;
}

/// The resources of a task: the device of a kernel's, else as the value's plan
/// says.
std::span<const int> resourcesOf(const StrategyPlan &plan,
                                 const TimedTask &task) {
  auto [slot, value] = plan.getBlocks()[task.block];
  return plan.resourcesOf(
      slot >= 0 ? plan.kernelPlan(slot).devices[task.index]
                : plan.valuePlan(value).tasks[task.index].resource);
}

} // namespace

std::vector<int64_t>
soap::criticalGroupNs(const ParallelizationProblem &problem,
                      const StrategyEvaluator &evaluator) {
  std::vector<int64_t> result(problem.getGroups().size());
  const Graph &graph = problem.getGraph();
  std::vector<int> groupOf(graph.nodes.size(), -1);
  for (size_t g = 0; g < result.size(); ++g)
    for (int node : problem.getGroups()[g].nodes)
      groupOf[node] = static_cast<int>(g);

  CostModel cost(problem.getTopology());
  std::unique_ptr<StrategyPlan> own;
  const StrategyPlan *plan = evaluator.getPlan();
  if (!plan) {
    own = std::make_unique<StrategyPlan>(graph, cost);
    own->set(evaluator.getStrategy());
    plan = own.get();
  }
  std::vector<std::vector<TaskTimes>> times;
  int64_t timeNs = StrategySimulator(*plan).timeline(times);
  std::vector<TimedTask> tasks;
  for (size_t b = 0; b < times.size(); ++b)
    for (size_t i = 0; i < times[b].size(); ++i)
      if (times[b][i].endNs > 0)
        tasks.push_back(
            {times[b][i].endNs, static_cast<int>(b), static_cast<int>(i)});
  std::sort(tasks.begin(), tasks.end());

  const TimedTask *task = tasks.empty() ? nullptr : &tasks.back();
  while (task) {
    auto [slot, value] = plan->getBlocks()[task->block];
    int writer = slot >= 0 ? slot : plan->producerOf(value);
    const TaskTimes &time = times[task->block][task->index];
    if (writer >= 0)
      result[groupOf[plan->getSlots()[writer].node]] +=
          time.endNs - time.startNs;
    timeNs = time.startNs;
    // Of those that end at its start: one before it in the graph, else one on
    // the same resource.
    auto begin = std::lower_bound(tasks.begin(), tasks.end(),
                                  TimedTask{timeNs, -1, -1}),
         end = std::lower_bound(begin, tasks.end(),
                                TimedTask{timeNs + 1, -1, -1});
    std::span<const int> resources = resourcesOf(*plan, *task);
    const TimedTask *before = nullptr;
    for (auto it = begin; it != end; ++it) {
      if (time.readyNs == timeNs && leadsTo(*plan, *it, *task)) {
        before = &*it;
        break;
      }
      if (before)
        continue;
      std::span<const int> others = resourcesOf(*plan, *it);
      if (std::any_of(others.begin(), others.end(), [&](int resource) {
            return std::find(resources.begin(), resources.end(), resource) !=
                   resources.end();
          }))
        before = &*it;
    }
    task = timeNs > 0 ? before : nullptr;
  }
  return result;
}
