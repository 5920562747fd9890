//===- StrategySimulator.cpp - Simulation of a strategy's plan ------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One loop for searches and for timelines: what is proven early is proven of
// the very run that would have been recorded.
//
//===----------------------------------------------------------------------===//

#include "Soap/Simulator/StrategySimulator.h"

#include <algorithm>
#include <set>

using namespace soap;

StrategySimulator::StrategySimulator(const StrategyPlan &plan)
    : plan(plan), deviceCount(plan.getCost().getTopology().deviceCount()),
      copiesOccupy(false), blocks(plan.getBlocks().size()) {
  for (const DeviceType &type : plan.getCost().getTopology().deviceTypes)
    copiesOccupy |= type.copiesOccupyReceiver;
}

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

/// As `markDeferred` (TaskGraph.h): copies that occupy their receiver and that
/// no kernel waits for. Only they need a mark, as what follows them becomes
/// ready only after them.
void StrategySimulator::findDeferred() {
  struct Flags {
    uint8_t read : 1, awaited : 1, leads : 1, updates : 1, kernel : 1;
  };
  static thread_local std::vector<std::vector<Flags>> flags;
  const std::vector<StrategyPlan::Block> &list = plan.getBlocks();
  const Graph &graph = plan.getGraph();
  flags.resize(list.size());
  deferred.resize(list.size());
  std::set<std::pair<int, int>> reported; // results that are graph outputs
  for (size_t o = 0; o < graph.outputs.size(); ++o) {
    int value = graph.outputs[o].value;
    for (int reference : plan.outputBinding(static_cast<int>(o)))
      if (reference >= 0 && reference < plan.valuePlan(value).sources)
        reported.insert({value, reference});
  }
  std::vector<std::vector<int>> updatedResults(graph.nodes.size());
  for (const GraphInput &input : graph.inputs)
    if (input.updateNode >= 0)
      updatedResults[input.updateNode].push_back(input.updateResult);

  for (size_t b = list.size(); b-- > 0;) {
    auto [slot, value] = list[b];
    auto visit = [&](Flags &flag, const ValuePlan &planned, size_t node) {
      for (int i = planned.successorStart[node];
           i < planned.successorStart[node + 1]; ++i) {
        TaskRef next = planned.successors[i];
        const Flags &after = flags[next.block][next.index];
        flag.read = true;
        flag.awaited |= !after.updates;
        flag.leads |= after.kernel || after.leads;
      }
    };
    if (slot >= 0) {
      const KernelPlan &kernel = plan.kernelPlan(slot);
      const StrategyPlan::Slot &info = plan.getSlots()[slot];
      flags[b].assign(kernel.devices.size(), Flags{});
      for (size_t s = 0; s < kernel.devices.size(); ++s) {
        Flags &flag = flags[b][s];
        if (kernel.states[s] == ShardState::Absent)
          continue;
        plan.forEachFed(slot, static_cast<int>(s),
                        [&](const ValuePlan &planned, size_t node) {
                          visit(flag, planned, node);
                        });
        if (kernel.states[s] != ShardState::Compute)
          continue;
        const std::vector<int> &updated = updatedResults[info.node];
        bool update = true;
        for (size_t r = 0; r < info.kernel->results.size(); ++r)
          update &=
              std::find(updated.begin(), updated.end(), static_cast<int>(r)) !=
                  updated.end() &&
              !reported.count({info.kernel->results[r], static_cast<int>(s)});
        flag.updates = update || (flag.read && !flag.awaited);
        flag.kernel = !update && (flag.awaited || !flag.read);
      }
      continue;
    }
    const ValuePlan &planned = plan.valuePlan(value);
    flags[b].assign(planned.tasks.size(), Flags{});
    deferred[b].assign(planned.tasks.size(), 0);
    for (size_t t = planned.tasks.size(); t-- > 0;) {
      Flags &flag = flags[b][t];
      visit(flag, planned, static_cast<size_t>(planned.sources) + t);
      const PlannedTask &task = planned.tasks[t];
      if (task.resource >= 0 || flag.leads)
        continue;
      int device = planned.actions[task.firstAction].device;
      std::span<const int> resources = plan.resourceLists()[-1 - task.resource];
      deferred[b][t] = std::find(resources.begin(), resources.end(), device) !=
                       resources.end();
    }
  }
}

template <bool Bounded, bool Record>
int64_t StrategySimulator::run(int64_t limitNs,
                               std::vector<std::vector<TaskTimes>> *times) {
  const std::vector<StrategyPlan::Block> &list = plan.getBlocks();
  simulated = 0;
  if constexpr (Bounded) {
    resources.remainingNs = plan.loadNs();
    for (int64_t load : resources.remainingNs)
      if (load > limitNs)
        return load;
  }
  ++epoch;
  resources.freeNs.assign(plan.loadNs().size(), 0);
  queue.clear();
  deferredQueue.clear();
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
  bool late = false; // nothing is left but what was deferred
  auto release = [&](int block, int index, int64_t readyNs) {
    Entry entry{readyNs, static_cast<uint64_t>(block) << 32 |
                             static_cast<uint32_t>(index)};
    if (late ||
        (copiesOccupy && list[block].value >= 0 && deferred[block][index]))
      deferredQueue.push(entry);
    else
      queue.push(entry);
  };
  const std::vector<uint8_t> &withRoots = plan.blocksWithRoots();
  for (size_t b = 0; b < list.size(); ++b)
    if (withRoots[b])
      for (int index : list[b].slot >= 0 ? plan.rootsOf(list[b].slot)
                                         : plan.valuePlan(list[b].value).roots)
        release(static_cast<int>(b), index, 0);

  int64_t makespanNs = 0;
  for (;;) {
    if (!late && queue.empty())
      late = true;
    if (late && deferredQueue.empty())
      break;
    Entry entry = late ? deferredQueue.pop() : queue.pop();
    int block = entry.block(), index = entry.index();
    ++simulated;
    auto [slot, value] = list[block];
    int64_t startNs = entry.readyNs, endNs;
    auto follow = [&](const ValuePlan &planned, size_t node) {
      const TaskRef *next = planned.successors.data();
      for (int i = planned.successorStart[node],
               end = planned.successorStart[node + 1];
           i < end; ++i) {
        TaskRun &state = touch(next[i].block, next[i].index);
        state.readyNs = std::max(state.readyNs, endNs);
        if (--state.waiting == 0)
          release(next[i].block, next[i].index, state.readyNs);
      }
    };
    bool tooLate;
    if (slot >= 0) {
      const KernelPlan &kernel = plan.kernelPlan(slot);
      tooLate = resources.occupy<Bounded>({&kernel.devices[index], 1},
                                          kernel.durationNs[index], limitNs,
                                          startNs, endNs);
      if constexpr (Bounded)
        tooLate |= endNs + plan.tailNs(slot) > limitNs;
    } else {
      const PlannedTask &task = plan.valuePlan(value).tasks[index];
      tooLate =
          resources.occupy<Bounded>(resourcesOf(plan, task.resource),
                                    task.durationNs, limitNs, startNs, endNs);
    }
    if constexpr (Bounded)
      if (tooLate)
        return std::max(endNs, limitNs + 1);
    makespanNs = std::max(makespanNs, endNs);
    if constexpr (Record)
      (*times)[block][index] = {entry.readyNs, startNs, endNs};
    if (slot >= 0)
      plan.forEachFed(slot, index, follow);
    else
      follow(plan.valuePlan(value),
             static_cast<size_t>(plan.valuePlan(value).sources + index));
  }
  return makespanNs;
}

int64_t StrategySimulator::makespan(int64_t limitNs) {
  return limitNs == std::numeric_limits<int64_t>::max()
             ? run<false, false>(limitNs, nullptr)
             : run<true, false>(limitNs, nullptr);
}

int64_t
StrategySimulator::timeline(std::vector<std::vector<TaskTimes>> &times) {
  return run<false, true>(std::numeric_limits<int64_t>::max(), &times);
}

int64_t StrategySimulator::starts(std::vector<TaskQueue::Entry> &tasks) {
  int64_t makespanNs = timeline(recorded);
  tasks.clear();
  const std::vector<StrategyPlan::Block> &list = plan.getBlocks();
  for (size_t b = 0; b < list.size(); ++b) {
    const KernelPlan *kernel =
        list[b].slot >= 0 ? &plan.kernelPlan(list[b].slot) : nullptr;
    for (size_t i = 0; i < recorded[b].size(); ++i)
      if (!kernel || kernel->states[i] != ShardState::Absent)
        tasks.push_back(
            {recorded[b][i].startNs, static_cast<uint64_t>(b) << 32 | i});
  }
  return makespanNs;
}
