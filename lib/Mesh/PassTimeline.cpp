//===- PassTimeline.cpp - Microbatches of a compact plan ------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Algorithm 1 on a table of tasks.
//
//===----------------------------------------------------------------------===//

#include "Soap/Mesh/PassTimeline.h"

#include "PassTimelineMemory.h"
#include "Plan/SumSteps.h"
#include "Plan/TaskReleases.h"
#include "Simulator/Algorithm1.h"
#include "Simulator/CriticalPath.h"
#include "Simulator/Deferral.h"
#include "Simulator/DeviceTimeSums.h"
#include "Simulator/UpdateShards.h"

#include <algorithm>
#include <tuple>

using namespace soap;

int PassTimeline::stepsOf(int block, int index) const {
  auto [slot, value] = plan->getBlocks()[static_cast<size_t>(block)];
  return slot >= 0 ? 1
                   : static_cast<int>(countStepsOfTask(
                         *plan, value, static_cast<size_t>(index)));
}

//===----------------------------------------------------------------------===//
// Simulation
//===----------------------------------------------------------------------===//

class PassTimeline::Builder {
public:
  Builder(PassTimeline &result, const PassOrder &passes,
          const StopCheck &isOver, bool findsPath)
      : out(result), table(result.table), plan(*result.plan), passes(passes),
        isOver(isOver), findsPath(findsPath) {}

  MaybeError run(const Graph &graph) {
    TaskReleases releases = makeReleases(graph);
    if (isStopped())
      return Error{stoppedMessage};
    findDeferred(releases);
    takeReleases(std::move(releases));
    if (MaybeError error = simulate())
      return error;
    summarize();
    if (findsPath)
      findPath();
    return std::nullopt;
  }

  // The interface that Algorithm1.h asks for.
  template <typename Visit>
  void forEachRoot(Visit visit) {
    for (size_t t = 0; t < runs.size(); ++t)
      if (runs[t].waiting == 0 && table.isThere[t])
        visit(static_cast<uint64_t>(t));
  }
  bool isDeferred(uint64_t task) const {
    return !deferred.empty() && deferred[task];
  }
  bool schedule(const TaskQueue::Entry &entry, int64_t &endNs) {
    constexpr int64_t tasksPerCheck = 1 << 16;
    if (done % tasksPerCheck == 0 && isStopped()) {
      endNs = 0;
      return false;
    }
    int64_t startNs = entry.readyNs;
    state.occupy<false>(plan.resourcesOf(table.resource[entry.key]),
                        table.durationNs[entry.key], 0, startNs, endNs);
    out.readyNs[entry.key] = entry.readyNs;
    out.startNs[entry.key] = startNs;
    ++done;
    return true;
  }
  template <typename Visit>
  void forEachSuccessor(const TaskQueue::Entry &entry, Visit visit) {
    size_t task = entry.key;
    for (uint32_t i = nextStart[task]; i < nextStart[task + 1]; ++i)
      visit(runs[next[i]], static_cast<uint64_t>(next[i]));
    if (joinOf[task] < 0)
      return;
    Join &join = joins[static_cast<size_t>(joinOf[task])];
    join.readyNs =
        std::max(join.readyNs, out.startNs[task] + table.durationNs[task]);
    if (--join.waiting > 0)
      return;
    for (uint32_t first : join.first) {
      runs[first].readyNs = std::max(runs[first].readyNs, join.readyNs);
      visit(runs[first], static_cast<uint64_t>(first));
    }
  }

private:
  PassTimeline &out;
  TaskTable &table;
  const PlanState &plan;
  const PassOrder &passes;
  const StopCheck &isOver;
  bool findsPath;

  bool isStopped() const { return isOver && isOver(); }

  struct Join : TaskReleases::Join {
    int64_t readyNs = 0;
  };
  std::vector<uint32_t> nextStart, next;
  std::vector<int32_t> joinOf;
  std::vector<Join> joins;
  std::vector<TaskRun> runs;
  std::vector<bool> deferred; ///< by task; empty: none is
  ResourceState state;
  int64_t done = 0;

  TaskReleases makeReleases(const Graph &graph) {
    PassWaits waits(table, graph);
    return TaskReleases(table, waits);
  }

  /// Takes what the simulation needs of them.
  void takeReleases(TaskReleases releases) {
    table.preds = {};
    nextStart = std::move(releases.nextStart);
    next = std::move(releases.next);
    joinOf = std::move(releases.joinOf);
    joins.reserve(releases.joins.size());
    for (TaskReleases::Join &join : releases.joins)
      joins.push_back({std::move(join)});
    runs.reserve(table.size());
    for (int waiting : releases.waiting)
      runs.push_back({0, waiting});
    out.readyNs.assign(table.size(), 0);
    out.startNs.assign(table.size(), 0);
  }

  /// Marks deferred copies, as `markDeferred` (TaskGraph.h) does. Only copies
  /// need a mark: a task that depends on one becomes ready after it.
  void findDeferred(const TaskReleases &releases) {
    const Topology &topology = plan.getCost().getTopology();
    if (std::none_of(
            topology.deviceTypes.begin(), topology.deviceTypes.end(),
            [](const DeviceType &type) { return type.copiesOccupyReceiver; }))
      return;
    deferred.resize(table.size());
    UpdateShards updates(plan);
    std::vector<Deferral> flags(table.size());
    std::vector<uint32_t> order = releases.order(table);
    for (size_t i = order.size(); i-- > 0;) {
      uint32_t task = order[i];
      Deferral &flag = flags[task];
      for (uint32_t n = releases.nextStart[task];
           n < releases.nextStart[task + 1]; ++n)
        flag.addSuccessor(flags[releases.next[n]]);
      if (int32_t join = releases.joinOf[task]; join >= 0)
        for (uint32_t first : releases.joins[static_cast<size_t>(join)].first)
          flag.addSuccessor(flags[first]);
      if (table.slotOf[task] >= 0)
        setKernel(flag, updates, task);
      else if (!flag.leadsToKernel)
        deferred[task] = isCopy(task);
    }
  }

  /// Fills for a shard are movements.
  void setKernel(Deferral &flag, const UpdateShards &updates, size_t task) {
    int slot = table.slotOf[task];
    size_t shard =
        task - table.firstTask[static_cast<size_t>(
                   plan.getSlots()[static_cast<size_t>(slot)].block)];
    if (plan.kernelPlan(slot).states[shard] == ShardState::Compute)
      flag.setKernel(updates.contains(slot, shard));
  }

  /// Whether a message occupies the device that receives it.
  bool isCopy(size_t task) const {
    int devices = plan.getCost().getTopology().deviceCount();
    if (table.resource[task] >= 0)
      return false;
    std::span<const int> list = plan.resourcesOf(table.resource[task]);
    return std::any_of(list.begin(), list.end(),
                       [&](int resource) { return resource < devices; });
  }

  MaybeError simulate() {
    state.freeNs.assign(plan.loadNs().size(), 0);
    ReadyQueue queue;
    out.makespanNs = runAlgorithm1(*this, queue);
    for (size_t t = 0; t < table.size(); ++t)
      out.count += table.isThere[t];
    if (done == out.count)
      return std::nullopt;
    if (isStopped())
      return Error{stoppedMessage};
    return describeCircle(table, [&](size_t t) { return runs[t].waiting > 0; });
  }

  /// The tasks as `findCriticalPath` sees them.
  struct PathTasks {
    const Builder &by;
    std::vector<int> causes;

    size_t size() const { return causes.size(); }
    int64_t startNs(int task) const {
      return by.out.startNs[static_cast<size_t>(task)];
    }
    int64_t endNs(int task) const {
      auto t = static_cast<size_t>(task);
      return by.table.isThere[t] ? by.out.startNs[t] + by.table.durationNs[t]
                                 : 0;
    }
    bool isBefore(int a, int b) const { return a < b; }
    size_t resourceCount() const { return by.plan.loadNs().size(); }
    std::span<const int> resources(int task) const {
      return by.plan.resourcesOf(by.table.resource[static_cast<size_t>(task)]);
    }
    int cause(int task) const { return causes[static_cast<size_t>(task)]; }
  };

  void findPath() {
    PathTasks tasks{*this, std::vector<int>(table.size(), -1)};
    for (size_t t = 0; t < table.size(); ++t) {
      if (!table.isThere[t])
        continue;
      auto visit = [&](uint32_t after) {
        int &cause = tasks.causes[after];
        if (cause < 0 && tasks.startNs(static_cast<int>(after)) ==
                             tasks.endNs(static_cast<int>(t)))
          cause = static_cast<int>(t);
      };
      for (uint32_t i = nextStart[t]; i < nextStart[t + 1]; ++i)
        visit(next[i]);
      if (joinOf[t] >= 0)
        for (uint32_t first : joins[static_cast<size_t>(joinOf[t])].first)
          visit(first);
    }
    for (int task : findCriticalPath(tasks))
      out.path.push_back(static_cast<uint32_t>(task));
  }

  void summarize() {
    out.busy.assign(passes.order.size(), 0);
    std::vector<std::vector<int32_t>> spanOf(passes.order.size());
    for (size_t t = 0; t < table.durationNs.size(); ++t) {
      if (!table.isThere[t] || table.resource[t] < 0)
        continue;
      auto device = static_cast<size_t>(table.resource[t]);
      if (device < out.busy.size())
        out.busy[device] += table.durationNs[t];
      int32_t code = table.passOfTask[t];
      if (code < 0)
        continue;
      if (spanOf[device].size() <= static_cast<size_t>(code))
        spanOf[device].resize(static_cast<size_t>(code) + 1, -1);
      int32_t &number = spanOf[device][static_cast<size_t>(code)];
      int64_t start = out.startNs[t], end = start + table.durationNs[t];
      if (number < 0) {
        number = static_cast<int32_t>(out.spans.size());
        out.spans.push_back(
            {table.passAt(code), static_cast<int>(device), start, end, 0});
      }
      PassSpan &span = out.spans[static_cast<size_t>(number)];
      span.startNs = std::min(span.startNs, start);
      span.endNs = std::max(span.endNs, end);
      span.busyNs += table.durationNs[t];
    }
    std::sort(out.spans.begin(), out.spans.end(),
              [](const PassSpan &a, const PassSpan &b) {
                return std::tuple(a.device, a.startNs, a.pass) <
                       std::tuple(b.device, b.startNs, b.pass);
              });
  }
};

Expected<PassTimeline>
PassTimeline::make(const PlanState &plan, const Graph &graph,
                   const PassOrder &passes, const PieceBox &boxOf,
                   const StopCheck &isOver, bool findsPath) {
  PassTimeline result(plan);
  result.microbatches = passes.microbatches;
  Expected<TaskTable> table = TaskTable::make(plan, passes, boxOf, isOver);
  if (!table)
    return table.takeError();
  result.table = std::move(*table);
  if (MaybeError error = Builder(result, passes, isOver, findsPath).run(graph))
    return *error;
  result.table.predStart = {};
  result.table.slotOf = {};
  result.table.flags = {};
  result.table.followers = {};
  result.table.passes = nullptr;
  return result;
}

std::vector<DeviceTimes> PassTimeline::deviceTimes() const {
  DeviceTimeSums sums(busy.size());
  for (size_t b = 0; b + 1 < table.firstTask.size(); ++b)
    for (size_t t = table.firstTask[b]; t < table.firstTask[b + 1]; ++t) {
      if (!table.isThere[t])
        continue;
      int64_t endNs = startNs[t] + table.durationNs[t];
      if (table.resource[t] < 0) {
        sums.addTransfer(startNs[t], endNs);
        continue;
      }
      int slot = plan->getBlocks()[b].slot;
      bool computes =
          slot >= 0 && plan->kernelPlan(slot).states[t - table.firstTask[b]] ==
                           ShardState::Compute;
      sums.addWork(static_cast<size_t>(table.resource[t]),
                   computes ? TaskClass::Compute : TaskClass::Movement,
                   startNs[t], endNs);
    }
  return sums.finish();
}

void PassTimeline::forEachTask(
    const std::function<void(const SimulatedTask &)> &visit) const {
  for (size_t b = 0; b + 1 < table.firstTask.size(); ++b)
    table.forEachOfBlock(b, [&](size_t task, size_t index) {
      if (!table.isThere[task])
        return;
      SimulatedTask simulated{static_cast<uint32_t>(task),
                              b,
                              index,
                              std::nullopt,
                              startNs[task],
                              startNs[task] + table.durationNs[task],
                              plan->resourcesOf(table.resource[task])};
      if (int64_t code = table.passOfTask[task]; code >= 0)
        simulated.pass = {static_cast<int>(code / 2 / microbatches),
                          code / 2 % microbatches, code % 2 != 0};
      visit(simulated);
    });
}

std::vector<int64_t> PassTimeline::peakBytes(MemoryCourse *course) const {
  // Tasks from the last to the first.
  struct Start {
    int64_t ns;
    uint32_t task;
  };
  std::vector<Start> order;
  order.reserve(table.durationNs.size());
  for (size_t t = 0; t < table.durationNs.size(); ++t)
    if (table.isThere[t])
      order.push_back({startNs[t], static_cast<uint32_t>(t)});
  std::sort(order.begin(), order.end(), [](const Start &a, const Start &b) {
    return a.ns != b.ns ? a.ns > b.ns : a.task > b.task;
  });
  PassMemory memory(*plan, table.firstSum, course);
  std::vector<uint32_t> firsts(table.firstTask.begin(), table.firstTask.end());
  for (const Start &start : order) {
    if (course)
      course->setTime(start.ns);
    auto b = static_cast<size_t>(
        std::upper_bound(firsts.begin(), firsts.end(), start.task) -
        firsts.begin() - 1);
    uint32_t place = start.task - table.firstTask[b];
    auto [slot, value] = plan->getBlocks()[b];
    if (slot >= 0) {
      memory.visitShard(slot, place);
      continue;
    }
    uint32_t index = place, step = 0;
    if (!table.offsets[b].empty()) {
      index = static_cast<uint32_t>(std::upper_bound(table.offsets[b].begin(),
                                                     table.offsets[b].end(),
                                                     place) -
                                    table.offsets[b].begin() - 1);
      step = place - table.offsets[b][index];
    }
    uint32_t sumsBefore =
        table.firstSum[b] +
        (table.offsets[b].empty() ? 0 : table.offsets[b][index] - index);
    memory.visitTask(value, index,
                     static_cast<int>(countStepsOfTask(*plan, value, index)),
                     static_cast<int>(step), sumsBefore);
  }
  return memory.getPeaks();
}
