//===- StrategySimulator.cpp - Simulation of a strategy's plan ------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One loop for searches and for timelines, that of Algorithm1.h: a search stops
// early in the very run that would have been recorded.
//
//===----------------------------------------------------------------------===//

#include "Soap/Simulator/StrategySimulator.h"

#include "Simulator/Algorithm1.h"
#include "Simulator/Deferral.h"
#include "Simulator/UpdateShards.h"

#include <algorithm>
#include <cassert>

using namespace soap;

struct StrategySimulator::DeferralFlags {
  std::vector<std::vector<Deferral>> ofTasks; ///< by block, index
};

StrategySimulator::StrategySimulator(const PlanState &plan,
                                     const MakespanBounds *bounds)
    : plan(plan), bounds(bounds),
      deviceCount(plan.getCost().getTopology().deviceCount()),
      copiesOccupy(false), blocks(plan.getBlocks().size()),
      deferralFlags(std::make_unique<DeferralFlags>()) {
  for (const DeviceType &type : plan.getCost().getTopology().deviceTypes)
    copiesOccupy |= type.copiesOccupyReceiver;
}

StrategySimulator::~StrategySimulator() = default;

/// The state of a task in this run; that of a block is made when its first task
/// is touched.
TaskRun &StrategySimulator::touch(int block, int index) {
  BlockRun &state = blocks[block];
  if (state.epoch != epoch) {
    state.epoch = epoch;
    auto [slot, value] = plan.getBlocks()[block];
    const std::vector<int> &counts =
        slot >= 0 ? plan.predecessorCounts(slot)
                  : plan.valuePlan(value).predecessorCounts;
    state.tasks.resize(counts.size());
    for (size_t i = 0; i < counts.size(); ++i)
      state.tasks[i] = {0, counts[i]};
  }
  return state.tasks[index];
}

/// Marks deferred copies, as `markDeferred` (TaskGraph.h) does. Only copies
/// need a mark: a task that depends on one becomes ready after it.
void StrategySimulator::findDeferred() {
  std::vector<std::vector<Deferral>> &flags = deferralFlags->ofTasks;
  const std::vector<PlanState::Block> &list = plan.getBlocks();
  flags.resize(list.size());
  deferred.resize(list.size());
  UpdateShards updates(plan);
  for (size_t b = list.size(); b-- > 0;) {
    auto [slot, value] = list[b];
    auto visit = [&](Deferral &flag, const ValuePlan &planned, size_t node) {
      for (int i = planned.successorStart[node];
           i < planned.successorStart[node + 1]; ++i) {
        TaskRef next = planned.successors[i];
        flag.addSuccessor(flags[next.block][next.index]);
      }
    };
    if (slot >= 0) {
      const KernelPlan &kernel = plan.kernelPlan(slot);
      flags[b].assign(kernel.devices.size(), Deferral{});
      for (size_t s = 0; s < kernel.devices.size(); ++s) {
        Deferral &flag = flags[b][s];
        if (kernel.states[s] == ShardState::Absent)
          continue;
        plan.forEachFed(slot, static_cast<int>(s),
                        [&](const ValuePlan &planned, size_t node) {
                          visit(flag, planned, node);
                        });
        if (kernel.states[s] != ShardState::Compute)
          continue;
        flag.setKernel(updates.contains(slot, s));
      }
      continue;
    }
    const ValuePlan &planned = plan.valuePlan(value);
    flags[b].assign(planned.tasks.size(), Deferral{});
    deferred[b].assign(planned.tasks.size(), 0);
    for (size_t t = planned.tasks.size(); t-- > 0;) {
      Deferral &flag = flags[b][t];
      visit(flag, planned, static_cast<size_t>(planned.sources) + t);
      const PlannedTask &task = planned.tasks[t];
      if (task.resource >= 0 || flag.leadsToKernel)
        continue;
      int device = planned.actions[task.firstAction].device;
      std::span<const int> resources = plan.resourceLists()[-1 - task.resource];
      deferred[b][t] = std::find(resources.begin(), resources.end(), device) !=
                       resources.end();
    }
  }
}

/// The plan as the task graph of Algorithm 1. `Bounded`: stops at a task that
/// proves the makespan to be above the limit. `Record`: keeps times. Calls per
/// task are inlined: without, a search on CPUs takes 4 % more instructions.
template <bool Bounded, bool Record>
struct StrategySimulator::PlanGraph {
  StrategySimulator &simulator;
  const PlanState &plan;
  int64_t limitNs;
  std::vector<std::vector<TaskTimes>> *times;
  bool isStopped = false;

  template <typename Visit>
  void forEachRoot(Visit visit) {
    const std::vector<PlanState::Block> &list = plan.getBlocks();
    const std::vector<uint8_t> &withRoots = plan.blocksWithRoots();
    for (size_t b = 0; b < list.size(); ++b)
      if (withRoots[b])
        for (int index : list[b].slot >= 0
                             ? plan.rootsOf(list[b].slot)
                             : plan.valuePlan(list[b].value).roots)
          visit(keyOf(static_cast<int>(b), index));
  }
  bool isDeferred(uint64_t key) const {
    Entry task{0, key};
    return simulator.copiesOccupy &&
           plan.getBlocks()[task.block()].value >= 0 &&
           simulator.deferred[task.block()][task.index()];
  }
  [[gnu::always_inline]] bool schedule(const Entry &task, int64_t &endNs) {
    int block = task.block(), index = task.index();
    ++simulator.simulated;
    auto [slot, value] = plan.getBlocks()[block];
    int64_t startNs = task.readyNs;
    bool tooLate;
    if (slot >= 0) {
      const KernelPlan &kernel = plan.kernelPlan(slot);
      tooLate = simulator.resources.occupy<Bounded>({&kernel.devices[index], 1},
                                                    kernel.durationNs[index],
                                                    limitNs, startNs, endNs);
      if constexpr (Bounded)
        tooLate |= simulator.bounds &&
                   endNs + simulator.bounds->tailNs(slot) > limitNs;
    } else {
      const PlannedTask &planned = plan.valuePlan(value).tasks[index];
      tooLate = simulator.resources.occupy<Bounded>(
          plan.resourcesOf(planned.resource), planned.durationNs, limitNs,
          startNs, endNs);
    }
    if constexpr (Record)
      (*times)[block][index] = {task.readyNs, startNs, endNs};
    if constexpr (Bounded)
      isStopped = tooLate;
    return !isStopped;
  }
  template <typename Visit>
  [[gnu::always_inline]] void forEachSuccessor(const Entry &task, Visit visit) {
    auto follow = [&](const ValuePlan &planned, size_t node) {
      const TaskRef *next = planned.successors.data();
      for (int i = planned.successorStart[node],
               end = planned.successorStart[node + 1];
           i < end; ++i)
        visit(simulator.touch(next[i].block, next[i].index),
              keyOf(next[i].block, next[i].index));
    };
    auto [slot, value] = plan.getBlocks()[task.block()];
    if (slot >= 0)
      plan.forEachFed(slot, task.index(), follow);
    else
      follow(plan.valuePlan(value),
             static_cast<size_t>(plan.valuePlan(value).sources + task.index()));
  }
  static uint64_t keyOf(int block, int index) {
    return static_cast<uint64_t>(block) << 32 | static_cast<uint32_t>(index);
  }
};

template <bool Bounded, bool Record>
int64_t StrategySimulator::run(int64_t limitNs,
                               std::vector<std::vector<TaskTimes>> *times) {
  const std::vector<PlanState::Block> &list = plan.getBlocks();
  simulated = 0;
  if constexpr (Bounded) {
    resources.remainingNs = plan.loadNs();
    for (int64_t load : resources.remainingNs)
      if (load > limitNs)
        return load;
  }
  ++epoch;
  resources.freeNs.assign(plan.loadNs().size(), 0);
  readyQueue.clear();
  if (copiesOccupy)
    findDeferred();
  if constexpr (Record) {
    times->resize(list.size());
    for (size_t b = 0; b < list.size(); ++b) {
      auto [slot, value] = list[b];
      (*times)[b].assign(slot >= 0 ? plan.kernelPlan(slot).devices.size()
                                   : plan.valuePlan(value).tasks.size(),
                         TaskTimes{});
    }
  }
  PlanGraph<Bounded, Record> graph{*this, plan, limitNs, times};
  int64_t makespanNs = runAlgorithm1(graph, readyQueue);
  return graph.isStopped ? std::max(makespanNs, limitNs + 1) : makespanNs;
}

int64_t StrategySimulator::makespan(int64_t limitNs) {
  assert(limitNs >= 0 && "a negative limit");
  return limitNs == std::numeric_limits<int64_t>::max()
             ? run<false, false>(limitNs, nullptr)
             : run<true, false>(limitNs, nullptr);
}

int64_t
StrategySimulator::timeline(std::vector<std::vector<TaskTimes>> &times) {
  return run<false, true>(std::numeric_limits<int64_t>::max(), &times);
}

void soap::listStarts(const PlanState &plan,
                      const std::vector<std::vector<TaskTimes>> &times,
                      std::vector<TaskQueue::Entry> &tasks) {
  tasks.clear();
  const std::vector<PlanState::Block> &list = plan.getBlocks();
  for (size_t b = 0; b < list.size(); ++b) {
    const KernelPlan *kernel =
        list[b].slot >= 0 ? &plan.kernelPlan(list[b].slot) : nullptr;
    for (size_t i = 0; i < times[b].size(); ++i)
      if (!kernel || kernel->states[i] != ShardState::Absent)
        tasks.push_back(
            {times[b][i].startNs, static_cast<uint64_t>(b) << 32 | i});
  }
  assert(static_cast<int64_t>(tasks.size()) == plan.taskCount() &&
         "all tasks of the plan");
}

int64_t StrategySimulator::starts(std::vector<TaskQueue::Entry> &tasks) {
  int64_t makespanNs = timeline(recorded);
  listStarts(plan, recorded, tasks);
  return makespanNs;
}
