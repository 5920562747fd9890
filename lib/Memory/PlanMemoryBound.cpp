//===- PlanMemoryBound.cpp - Upper bound of a plan's memory ---------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tile that is live at a point of the schedule was written in the span of
// that point or before, and has a reader in the span or after. Small values
// count as live all the time at first: they are most of the values, and have
// few of the bytes.
//
//===----------------------------------------------------------------------===//

#include "Soap/Memory/PlanMemoryBound.h"

#include <algorithm>
#include <cassert>

using namespace soap;

/// Into so many spans is the time from the first to the last start cut; they
/// are numbered in a byte.
static constexpr size_t spanCount = 128;
/// Of the bytes of all values, small ones have one in so many.
static constexpr int64_t shareOfSmall = 16;

PlanMemoryBound::PlanMemoryBound(const PlanState &plan)
    : plan(plan), updatedResults(plan.getGraph().nodes.size()) {
  for (const GraphInput &input : plan.getGraph().inputs)
    if (input.updateNode >= 0)
      updatedResults[static_cast<size_t>(input.updateNode)].push_back(
          input.updateResult);
  const std::vector<GraphValue> &values = plan.getGraph().values;
  std::vector<std::pair<int64_t, int>> bySize;
  int64_t left = 0;
  for (size_t v = 0; v < values.size(); ++v) {
    bySize.emplace_back(-values[v].bytes(), static_cast<int>(v));
    left += values[v].bytes();
  }
  std::sort(bySize.begin(), bySize.end());
  int64_t small = left / shareOfSmall;
  for (size_t i = 0; i < bySize.size() && left > small; ++i) {
    left += bySize[i].first;
    large.push_back(bySize[i].second);
  }
}

void PlanMemoryBound::findSpans(std::span<const TaskQueue::Entry> tasks) {
  const std::vector<PlanState::Block> &list = plan.getBlocks();
  firstTask.assign(1, 0);
  for (auto [slot, value] : list)
    firstTask.push_back(firstTask.back() +
                        (slot >= 0 ? plan.kernelPlan(slot).devices.size()
                                   : plan.valuePlan(value).tasks.size()));
  spanOf.assign(firstTask.back(), 0);
  int64_t lastNs = 0;
  for (const TaskQueue::Entry &task : tasks)
    lastNs = std::max(lastNs, task.readyNs);
  double spansPerNs =
      static_cast<double>(spanCount) / static_cast<double>(lastNs + 1);
  for (const TaskQueue::Entry &task : tasks) {
    assert(task.readyNs >= 0 && "a start is not negative");
    assert(task.block() >= 0 &&
           static_cast<size_t>(task.block()) < list.size() && "no such block");
    auto span =
        static_cast<size_t>(static_cast<double>(task.readyNs) * spansPerNs);
    spanOf[firstTask[static_cast<size_t>(task.block())] +
           static_cast<size_t>(task.index())] =
        static_cast<uint8_t>(std::min(span, spanCount - 1));
  }
}

void PlanMemoryBound::findWriters() {
  writers.assign(plan.getGraph().values.size(), {});
  const std::vector<PlanState::Slot> &slots = plan.getSlots();
  for (size_t s = 0; s < slots.size(); ++s) {
    if (!plan.kernelPlan(static_cast<int>(s)).active)
      continue;
    const std::vector<int> &results = slots[s].kernel->results;
    for (size_t r = 0; r < results.size(); ++r)
      writers[static_cast<size_t>(results[r])] = {static_cast<int>(s),
                                                  static_cast<int>(r)};
  }
}

void PlanMemoryBound::findLastReaders(int value) {
  const ValuePlan &planned = plan.valuePlan(value);
  auto sources = static_cast<size_t>(planned.sources);
  lastSpan.assign(sources + planned.actions.size(), 0);
  if (int slot = writers[static_cast<size_t>(value)].slot; slot >= 0)
    std::copy_n(spansOf(plan.getSlots()[static_cast<size_t>(slot)].block),
                sources, lastSpan.begin());
  auto read = [&](int reference, uint8_t span) {
    uint8_t &last = lastSpan[static_cast<size_t>(reference)];
    last = std::max(last, span);
  };
  if (!planned.actions.empty()) {
    const uint8_t *spans = spansOf(plan.blockOf(value));
    for (size_t a = 0; a < planned.actions.size(); ++a) {
      const PlannedAction &action = planned.actions[a];
      lastSpan[sources + a] = spans[action.task];
      for (int i = 0; i < action.inputCount; ++i)
        read(planned.inputs[static_cast<size_t>(action.firstInput + i)],
             spans[action.task]);
    }
  }
  // A value between stages that have never been active has no bindings.
  const std::vector<PlanState::Reader> &readers = plan.readersOf(value);
  for (size_t u = 0; u < planned.bindings.size(); ++u) {
    const std::vector<int> &binding = planned.bindings[u];
    if (readers[u].slot < 0) {
      for (int reference : binding)
        if (reference >= 0)
          read(reference, spanCount - 1);
      continue;
    }
    const uint8_t *spans =
        spansOf(plan.getSlots()[static_cast<size_t>(readers[u].slot)].block);
    if (planned.isInPlace) {
      for (size_t s = 0; s < binding.size(); ++s)
        lastSpan[s] = std::max(lastSpan[s], spans[s]);
      continue;
    }
    for (size_t s = 0; s < binding.size(); ++s)
      if (binding[s] >= 0)
        read(binding[s], spans[s]);
  }
}

void PlanMemoryBound::add(int device, uint8_t from, uint8_t to, int64_t count) {
  assert(from <= to && to < spanCount && "a tile is written before it is read");
  assert(count >= 0 && "a negative number of bytes");
  int64_t *ofDevice =
      changes.data() + static_cast<size_t>(device) * (spanCount + 1);
  ofDevice[from] += count;
  ofDevice[to + 1] -= count;
}

void PlanMemoryBound::addWritten(int value) {
  auto [number, result] = writers[static_cast<size_t>(value)];
  if (number < 0)
    return;
  const PlanState::Slot &slot = plan.getSlots()[static_cast<size_t>(number)];
  const std::vector<int> &updated =
      updatedResults[static_cast<size_t>(slot.node)];
  if (std::find(updated.begin(), updated.end(), result) != updated.end())
    return; // it takes the place of what it was computed from
  const KernelPlan &kernel = plan.kernelPlan(number);
  const BlockSet &set = kernel.geometry->results[static_cast<size_t>(result)];
  const RegionTable &table = plan.regionsOf(value);
  const uint8_t *spans = spansOf(slot.block);
  auto pieces = static_cast<size_t>(kernel.pieces());
  for (size_t s = 0; s < kernel.devices.size(); ++s)
    if (int block = set.blockOf[s % pieces];
        block >= 0 && kernel.states[s] != ShardState::Absent)
      add(kernel.devices[s], spans[s], lastSpan[s],
          table.bytes(set.regions[static_cast<size_t>(block)]));
}

void PlanMemoryBound::addTiles(int value) {
  const RegionTable &table = plan.regionsOf(value);
  for (auto [device, region] : plan.valuePlan(value).tiles)
    if (region >= 0)
      bytes[static_cast<size_t>(device)] += table.bytes(region);
}

void PlanMemoryBound::addActions(int value) {
  const ValuePlan &planned = plan.valuePlan(value);
  const RegionTable &table = plan.regionsOf(value);
  if (planned.actions.empty())
    return;
  const uint8_t *spans = spansOf(plan.blockOf(value));
  const uint8_t *last = lastSpan.data() + planned.sources;
  for (const PlannedAction &action : planned.actions) {
    uint8_t span = spans[action.task];
    int64_t count = table.bytes(action.region);
    add(action.device, span, *last++, count);
    // The message is packed on the sender while it runs.
    if (action.source >= 0 && action.kind == ActionKind::Transfer)
      add(action.source, span, span, count);
  }
  for (size_t t = 0; t < planned.tasks.size(); ++t)
    if (int collective = planned.tasks[t].collective; collective >= 0)
      for (auto [device, count] :
           planned.collectives[static_cast<size_t>(collective)].temporaries)
        add(device, spans[t], spans[t], count);
}

/// Takes away what a value has in `PlanState::tileBytes`, but tiles that are
/// there all the time.
void PlanMemoryBound::subtractAll(int value) {
  const ValuePlan &planned = plan.valuePlan(value);
  const RegionTable &table = plan.regionsOf(value);
  if (auto [number, result] = writers[static_cast<size_t>(value)];
      number >= 0) {
    const KernelPlan &kernel = plan.kernelPlan(number);
    const BlockSet &set = kernel.geometry->results[static_cast<size_t>(result)];
    auto pieces = static_cast<size_t>(kernel.pieces());
    for (size_t s = 0; s < kernel.devices.size(); ++s)
      if (int block = set.blockOf[s % pieces];
          block >= 0 && kernel.states[s] != ShardState::Absent)
        bytes[static_cast<size_t>(kernel.devices[s])] -=
            table.bytes(set.regions[static_cast<size_t>(block)]);
  }
  for (const PlannedAction &action : planned.actions)
    bytes[static_cast<size_t>(action.device)] -= table.bytes(action.region);
  for (const PlannedTask &task : planned.tasks)
    if (task.resource < 0)
      if (int source =
              planned.actions[static_cast<size_t>(task.firstAction)].source;
          source >= 0)
        bytes[static_cast<size_t>(source)] -= task.bytes;
  for (const PlannedCollective &collective : planned.collectives)
    for (auto [device, count] : collective.temporaries)
      bytes[static_cast<size_t>(device)] -= count;
}

const std::vector<int64_t> &
PlanMemoryBound::boundBytes(std::span<const TaskQueue::Entry> tasks) {
  assert(static_cast<int64_t>(tasks.size()) == plan.taskCount() &&
         "all tasks of the plan");
  findSpans(tasks);
  findWriters();
  const Topology &topology = plan.getCost().getTopology();
  if (topology.excessBytes(bound(Detail::LargeValues)) > 0)
    bound(Detail::AllValues);
  return bytes;
}

const std::vector<int64_t> &
PlanMemoryBound::boundBytes(std::span<const TaskQueue::Entry> tasks,
                            Detail detail) {
  findSpans(tasks);
  findWriters();
  return bound(detail);
}

const std::vector<int64_t> &PlanMemoryBound::bound(Detail detail) {
  assert(plan.getGraph().restores.empty() && "lifetimes would be longer");
  size_t devices = plan.getCost().getTopology().devices.size();
  changes.assign(devices * (spanCount + 1), 0);
  auto add = [&](int value) {
    findLastReaders(value);
    addWritten(value);
    addActions(value);
  };
  if (detail == Detail::LargeValues) {
    bytes = plan.tileBytes();
    for (int value : large) {
      subtractAll(value);
      add(value);
    }
  } else {
    bytes.assign(devices, 0);
    for (size_t v = 0; v < writers.size(); ++v) {
      addTiles(static_cast<int>(v));
      add(static_cast<int>(v));
    }
  }
  for (size_t d = 0; d < devices; ++d) {
    int64_t now = 0, most = 0;
    for (size_t s = 0; s < spanCount; ++s)
      most = std::max(most, now += changes[d * (spanCount + 1) + s]);
    assert(now + changes[d * (spanCount + 1) + spanCount] == 0 &&
           "all that comes has to go");
    bytes[d] += most;
  }
  return bytes;
}
