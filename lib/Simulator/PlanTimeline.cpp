//===- PlanTimeline.cpp - The timeline of a compact plan ------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See PlanTimeline.h.
//
//===----------------------------------------------------------------------===//

#include "Soap/Simulator/PlanTimeline.h"

#include "CriticalPath.h"
#include "DeviceTimeSums.h"

#include <cassert>
#include <limits>

using namespace soap;

PlanTimeline::PlanTimeline(const PlanState &plan) : plan(plan) {
  makespanNs = StrategySimulator(plan).timeline(times);
}

/// The class of a task; none: an absent shard.
static std::optional<TaskClass> classOfTask(const PlanState &plan, size_t block,
                                            size_t index) {
  auto [slot, value] = plan.getBlocks()[block];
  if (slot < 0)
    return plan.valuePlan(value).tasks[index].resource < 0
               ? TaskClass::Transfer
               : TaskClass::Movement;
  switch (plan.kernelPlan(slot).states[index]) {
  case ShardState::Absent:
    return std::nullopt;
  case ShardState::Compute:
    return TaskClass::Compute;
  default: // a fill for a shard
    return TaskClass::Movement;
  }
}

/// Calls `visit(device)` for the devices that take part in a task of a value.
template <typename Visit>
static void forEachPart(const ValuePlan &planned, const PlannedTask &task,
                        Visit visit) {
  if (task.collective >= 0) {
    for (int device :
         planned.collectives[static_cast<size_t>(task.collective)].devices)
      visit(device);
    return;
  }
  const PlannedAction &action =
      planned.actions[static_cast<size_t>(task.firstAction)];
  visit(action.source);
  visit(action.device);
}

std::vector<DeviceTimes> PlanTimeline::deviceTimes() const {
  DeviceTimeSums sums(plan.getCost().getTopology().devices.size());
  for (size_t b = 0; b < times.size(); ++b) {
    auto [slot, value] = plan.getBlocks()[b];
    for (size_t i = 0; i < times[b].size(); ++i) {
      auto [readyNs, startNs, endNs] = times[b][i];
      std::optional<TaskClass> taskClass = classOfTask(plan, b, i);
      if (!taskClass)
        continue;
      if (*taskClass != TaskClass::Transfer) {
        int device = slot >= 0 ? plan.kernelPlan(slot).devices[i]
                               : plan.valuePlan(value).tasks[i].resource;
        sums.addWork(static_cast<size_t>(device), *taskClass, startNs, endNs);
        continue;
      }
      const ValuePlan &planned = plan.valuePlan(value);
      sums.addTransfer(startNs, endNs);
      forEachPart(planned, planned.tasks[i], [&](int device) {
        sums.addPart(static_cast<size_t>(device), startNs, endNs);
      });
    }
  }
  return sums.finish();
}

namespace {

/// The tasks of a plan by number, in the order of their keys, as
/// `findCriticalPath` sees them.
class PathTasks {
public:
  PathTasks(const PlanState &plan,
            const std::vector<std::vector<TaskTimes>> &times)
      : plan(plan), times(times) {
    for (const std::vector<TaskTimes> &block : times) {
      firsts.push_back(static_cast<int>(ends.size()));
      for (const TaskTimes &task : block) {
        starts.push_back(task.startNs);
        ends.push_back(task.endNs);
      }
    }
    firsts.push_back(static_cast<int>(ends.size()));
    causes.assign(size(), -1);
    for (size_t b = 0; b < times.size(); ++b)
      for (size_t i = 0; i < times[b].size(); ++i)
        if (times[b][i].endNs > 0)
          follow(b, i);
  }

  size_t size() const { return static_cast<size_t>(firsts.back()); }
  int64_t startNs(int task) const { return starts[static_cast<size_t>(task)]; }
  int64_t endNs(int task) const { return ends[static_cast<size_t>(task)]; }
  bool isBefore(int a, int b) const { return a < b; }
  size_t resourceCount() const { return plan.loadNs().size(); }
  std::span<const int> resources(int task) const {
    auto [block, index] = placeOf(task);
    auto [slot, value] = plan.getBlocks()[block];
    return slot >= 0
               ? std::span<const int>(&plan.kernelPlan(slot).devices[index], 1)
               : plan.resourcesOf(plan.valuePlan(value).tasks[index].resource);
  }
  int cause(int task) const { return causes[static_cast<size_t>(task)]; }

  /// Block and index of a task.
  std::pair<size_t, size_t> placeOf(int task) const {
    auto block = static_cast<size_t>(
        std::upper_bound(firsts.begin(), firsts.end(), task) - firsts.begin() -
        1);
    return {block, static_cast<size_t>(task - firsts[block])};
  }

private:
  const PlanState &plan;
  const std::vector<std::vector<TaskTimes>> &times;
  std::vector<int> firsts; ///< by block, one more
  std::vector<int64_t> starts, ends;
  std::vector<int> causes;

  /// A task is the cause of the successors that start when it ends.
  void follow(size_t block, size_t index) {
    int task = firsts[block] + static_cast<int>(index);
    int64_t endNs = times[block][index].endNs;
    auto visit = [&](const ValuePlan &planned, size_t node) {
      for (int i = planned.successorStart[node];
           i < planned.successorStart[node + 1]; ++i) {
        TaskRef next = planned.successors[static_cast<size_t>(i)];
        auto b = static_cast<size_t>(next.block);
        auto n = static_cast<size_t>(next.index);
        int &found = causes[static_cast<size_t>(firsts[b]) + n];
        if (times[b][n].startNs == endNs && (found < 0 || task < found))
          found = task;
      }
    };
    auto [slot, value] = plan.getBlocks()[block];
    if (slot >= 0)
      plan.forEachFed(slot, static_cast<int>(index), visit);
    else
      visit(plan.valuePlan(value),
            static_cast<size_t>(plan.valuePlan(value).sources) + index);
  }
};

} // namespace

Expected<std::vector<TaskRef>> PlanTimeline::criticalTasks() const {
  size_t count = 0;
  for (const std::vector<TaskTimes> &block : times)
    count += block.size();
  if (count > static_cast<size_t>(std::numeric_limits<int32_t>::max()))
    return Error{"the plan has more than 2^31 tasks"};
  PathTasks tasks(plan, times);
  std::vector<TaskRef> path;
  for (int task : findCriticalPath(tasks)) {
    auto [block, index] = tasks.placeOf(task);
    path.push_back({static_cast<int>(block), static_cast<int>(index)});
  }
  return path;
}

Expected<std::vector<PathStretch>> PlanTimeline::criticalPath() const {
  Expected<std::vector<TaskRef>> path = criticalTasks();
  if (!path)
    return path.takeError();
  std::vector<PathStretch> stretches;
  for (TaskRef task : *path) {
    auto block = static_cast<size_t>(task.block),
         index = static_cast<size_t>(task.index);
    auto [slot, value] = plan.getBlocks()[block];
    const TaskTimes &at = times[block][index];
    const std::string &subject =
        slot >= 0 ? plan.getSlots()[static_cast<size_t>(slot)].kernel->name
                  : plan.getGraph().values[static_cast<size_t>(value)].name;
    TaskClass taskClass = *classOfTask(plan, block, index);
    appendToPath(stretches, subject, taskClass, at.readyNs, at.startNs,
                 at.endNs);
  }
  assert((stretches.empty() || stretches.back().endNs == makespanNs) &&
         "a path ends with the last task");
  return stretches;
}
