//===- StrategySimulator.cpp - Simulation of a strategy's plan ------------===//
//
// One loop for searches and for timelines: what is proven early is proven of
// the very run that would have been recorded.
//
//===----------------------------------------------------------------------===//

#include "Soap/Core/StrategySimulator.h"

#include <algorithm>
#include <set>

using namespace soap;

StrategySimulator::StrategySimulator(const StrategyPlan &plan)
    : plan(plan), deviceCount(plan.getCost().getTopology().deviceCount()),
      copiesOccupy(false), blocks(plan.getBlocks().size()) {
  for (const DeviceType &type : plan.getCost().getTopology().deviceTypes)
    copiesOccupy |= type.copiesOccupyReceiver;
}

void StrategySimulator::Queue::push(Entry entry) {
  size_t i = entries.size();
  entries.push_back(entry);
  while (i > 0) {
    size_t parent = (i - 1) / 4;
    if (!(entry < entries[parent]))
      break;
    entries[i] = entries[parent];
    i = parent;
  }
  entries[i] = entry;
}

StrategySimulator::Entry StrategySimulator::Queue::pop() {
  Entry top = entries.front(), last = entries.back();
  entries.pop_back();
  size_t size = entries.size(), i = 0;
  if (size == 0)
    return top;
  for (;;) {
    size_t first = 4 * i + 1, end = std::min(first + 4, size), best = first;
    if (first >= size)
      break;
    for (size_t c = first + 1; c < end; ++c)
      if (entries[c] < entries[best])
        best = c;
    if (!(entries[best] < last))
      break;
    entries[i] = entries[best];
    i = best;
  }
  entries[i] = last;
  return top;
}

/// The state of a task in this run; that of a block is made when its first task
/// is touched.
StrategySimulator::Run &StrategySimulator::touch(int block, int index) {
  BlockRun &state = blocks[block];
  if (state.epoch != epoch) {
    state.epoch = epoch;
    auto [slot, value] = plan.getBlocks()[block];
    const std::vector<int> &counts =
        slot >= 0 ? plan.predecessorCounts(slot)
                  : plan.valuePlan(value).predecessorCounts;
    state.runs.resize(counts.size());
    for (size_t i = 0; i < counts.size(); ++i)
      state.runs[i] = {0, counts[i]};
  }
  return state.runs[index];
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
    const std::vector<StrategyPlan::Reader> &readers = plan.readersOf(value);
    const ValuePlan &planned = plan.valuePlan(value);
    for (size_t u = 0; u < readers.size(); ++u)
      if (readers[u].output == static_cast<int>(o))
        for (int reference : planned.bindings[u])
          if (reference >= 0 && reference < planned.sources)
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
        for (int result : info.kernel->results)
          visit(flag, plan.valuePlan(result), s);
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
      const std::vector<int> &resources =
          plan.resourceLists()[-1 - task.resource];
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
    remaining = plan.loadNs();
    for (int64_t load : remaining)
      if (load > limitNs)
        return load;
  }
  ++epoch;
  freeNs.assign(plan.loadNs().size(), 0);
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

  const std::vector<std::vector<int>> &resourceLists = plan.resourceLists();
  int64_t makespanNs = 0;
  for (;;) {
    if (!late && queue.empty())
      late = true;
    if (late && deferredQueue.empty())
      break;
    Entry entry = late ? deferredQueue.pop() : queue.pop();
    int block = static_cast<int>(entry.key >> 32),
        index = static_cast<int>(entry.key & 0xffffffff);
    ++simulated;
    auto [slot, value] = list[block];
    int64_t startNs = entry.readyNs, endNs;
    auto occupy = [&](const int *resources, size_t count, int64_t durationNs) {
      for (size_t i = 0; i < count; ++i)
        startNs = std::max(startNs, freeNs[resources[i]]);
      endNs = startNs + durationNs;
      bool tooLate = false;
      for (size_t i = 0; i < count; ++i) {
        freeNs[resources[i]] = endNs;
        if constexpr (Bounded)
          tooLate |= endNs + (remaining[resources[i]] -= durationNs) > limitNs;
      }
      return tooLate;
    };
    auto follow = [&](const ValuePlan &planned, size_t node) {
      const TaskRef *next = planned.successors.data();
      for (int i = planned.successorStart[node],
               end = planned.successorStart[node + 1];
           i < end; ++i) {
        Run &state = touch(next[i].block, next[i].index);
        state.readyNs = std::max(state.readyNs, endNs);
        if (--state.waiting == 0)
          release(next[i].block, next[i].index, state.readyNs);
      }
    };
    bool tooLate;
    if (slot >= 0) {
      const KernelPlan &kernel = plan.kernelPlan(slot);
      tooLate = occupy(&kernel.devices[index], 1, kernel.durationNs[index]);
    } else {
      const PlannedTask &task = plan.valuePlan(value).tasks[index];
      if (task.resource >= 0) {
        tooLate = occupy(&task.resource, 1, task.durationNs);
      } else {
        const std::vector<int> &resources = resourceLists[-1 - task.resource];
        tooLate = occupy(resources.data(), resources.size(), task.durationNs);
      }
    }
    if constexpr (Bounded)
      if (tooLate)
        return std::max(endNs, limitNs + 1);
    makespanNs = std::max(makespanNs, endNs);
    if constexpr (Record)
      (*times)[block][index] = {entry.readyNs, startNs, endNs};
    if (slot >= 0)
      for (int result : plan.getSlots()[slot].kernel->results)
        follow(plan.valuePlan(result), static_cast<size_t>(index));
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
