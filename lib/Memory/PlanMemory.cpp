//===- PlanMemory.cpp - Peak memory of a strategy's plan ------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks back in time: what an action touches is live while it runs, what it
// writes is not there before.
//
//===----------------------------------------------------------------------===//

#include "Soap/Memory/PlanMemory.h"

#include "Soap/Simulator/StrategySimulator.h"

#include <algorithm>
#include <array>
#include <utility>

using namespace soap;

PlanMemory::PlanMemory(const PlanState &plan)
    : plan(plan), updatedResults(plan.getGraph().nodes.size()) {
  for (const GraphInput &input : plan.getGraph().inputs)
    if (input.updateNode >= 0)
      updatedResults[input.updateNode].push_back(input.updateResult);
}

/// Buffers that a kernel's shards write.
void PlanMemory::addKernelResults(int number) {
  const KernelPlan &kernel = plan.kernelPlan(number);
  const PlanState::Slot &slot = plan.getSlots()[number];
  bool isOnly = slot.kernel->results.size() == 1;
  for (size_t r = 0; r < slot.kernel->results.size(); ++r) {
    int value = slot.kernel->results[r];
    const BlockSet &set = kernel.geometry->results[r];
    const RegionTable &table = plan.regionsOf(value);
    const std::vector<int> &updated = updatedResults[slot.node];
    bool isInPlace = std::find(updated.begin(), updated.end(),
                               static_cast<int>(r)) != updated.end();
    Buffer *buffer = buffers.data() + first[value];
    const int *device = kernel.devices.data();
    for (int replica = 0; replica < kernel.replicas; ++replica)
      for (size_t piece = 0; piece < set.blockOf.size(); ++piece, ++buffer) {
        buffer->device = *device++;
        buffer->isInPlace = isInPlace;
        if (isOnly)
          buffer->bytes = kernel.geometry->resultBytes[piece];
        else if (int b = set.blockOf[piece]; b >= 0)
          buffer->bytes = table.bytes(set.regions[b]);
      }
  }
}

void PlanMemory::listBuffers() {
  const Graph &graph = plan.getGraph();
  live.assign(plan.getCost().getTopology().devices.size(), 0);
  first.assign(graph.values.size() + 1, 0);
  for (size_t v = 0; v < graph.values.size(); ++v) {
    const ValuePlan &planned = plan.valuePlan(static_cast<int>(v));
    first[v + 1] = first[v] + static_cast<size_t>(planned.sources) +
                   planned.actions.size();
  }
  buffers.assign(first.back(), Buffer{});
  keptAt.assign(graph.restores.empty() ? 0 : first.back(), -1);
  for (size_t s = 0; s < plan.getSlots().size(); ++s)
    if (plan.kernelPlan(static_cast<int>(s)).active)
      addKernelResults(static_cast<int>(s));
  for (size_t v = 0; v < graph.values.size(); ++v) {
    const ValuePlan &planned = plan.valuePlan(static_cast<int>(v));
    const RegionTable &table = plan.regionsOf(static_cast<int>(v));
    for (size_t t = 0; t < planned.tiles.size(); ++t)
      if (auto [device, region] = planned.tiles[t]; region >= 0) {
        live[device] += table.bytes(region);
        buffers[first[v] + t].device = -1;
      }
    if (plan.restoreOfValue(static_cast<int>(v)))
      for (int s = 0; s < planned.sources; ++s)
        if (int kept = plan.keptReference(static_cast<int>(v), s); kept >= 0)
          keptAt[first[v] + static_cast<size_t>(s)] = static_cast<int64_t>(
              first[graph.values[v].restores] + static_cast<size_t>(kept));
    size_t at = first[v] + static_cast<size_t>(planned.sources);
    for (const PlannedAction &action : planned.actions) {
      Buffer &buffer = buffers[at++];
      buffer.device = action.device;
      buffer.bytes = table.bytes(action.region);
    }
  }
  for (size_t o = 0; o < graph.outputs.size(); ++o) {
    int value = graph.outputs[o].value;
    for (int reference : plan.outputBinding(static_cast<int>(o)))
      if (reference >= 0)
        buffers[first[value] + static_cast<size_t>(reference)].stays = true;
  }
  for (Buffer &buffer : buffers)
    if (buffer.stays && buffer.device >= 0 && !buffer.isInPlace) {
      live[buffer.device] += buffer.bytes;
      buffer.isLive = true;
    }
}

void PlanMemory::touch(Buffer &buffer) {
  if (buffer.isLive || buffer.isInPlace || buffer.device < 0)
    return;
  buffer.isLive = true;
  live[buffer.device] += buffer.bytes;
}

void PlanMemory::notePeak(const Buffer &buffer) {
  if (buffer.device >= 0)
    peak[buffer.device] = std::max(peak[buffer.device], live[buffer.device]);
}

/// A buffer that is written takes no memory before.
void PlanMemory::leave(const Buffer &buffer) {
  if (!buffer.isInPlace)
    live[buffer.device] -= buffer.bytes;
}

PlanMemory::Buffer &PlanMemory::readBuffer(size_t number) {
  if (!keptAt.empty() && keptAt[number] >= 0)
    number = static_cast<size_t>(keptAt[number]);
  return buffers[number];
}

void PlanMemory::visitShard(int number, size_t shard) {
  const std::vector<int> &operands = plan.getSlots()[number].kernel->operands;
  bool reads = plan.kernelPlan(number).states[shard] == ShardState::Compute;
  auto forEachRead = [&](auto visit) {
    for (size_t i = 0; reads && i < operands.size(); ++i)
      if (int reference = plan.bindingOf(number, static_cast<int>(i))[shard];
          reference >= 0)
        visit(readBuffer(first[operands[i]] + static_cast<size_t>(reference)));
  };
  const std::vector<int> &results = plan.getSlots()[number].kernel->results;
  forEachRead([&](Buffer &buffer) { touch(buffer); });
  for (int value : results)
    touch(buffers[first[value] + shard]);
  // All are on its device, or there from the start.
  int device = plan.kernelPlan(number).devices[shard];
  peak[device] = std::max(peak[device], live[device]);
  for (int value : results)
    leave(buffers[first[value] + shard]);
}

void PlanMemory::visitAction(int value, size_t number) {
  const ValuePlan &planned = plan.valuePlan(value);
  const PlannedAction &action = planned.actions[number];
  auto forEachRead = [&](auto visit) {
    for (int i = 0; i < action.inputCount; ++i)
      visit(readBuffer(
          first[value] +
          static_cast<size_t>(planned.inputs[action.firstInput + i])));
  };
  Buffer &output =
      buffers[first[value] + static_cast<size_t>(planned.sources) + number];
  forEachRead([&](Buffer &buffer) { touch(buffer); });
  touch(output);
  forEachRead([&](Buffer &buffer) { notePeak(buffer); });
  notePeak(output);
  if (int sender = action.source;
      sender >= 0 && action.kind == ActionKind::Transfer)
    // The message is packed on the sender while it runs.
    peak[sender] = std::max(peak[sender], live[sender] + output.bytes);
  leave(output);
}

/// Sorts by (start, key): digit by digit of the starts, from the lowest, then
/// what starts at the same time, which mostly comes in order.
void PlanMemory::sortTasks(std::vector<TaskQueue::Entry> &tasks) {
  constexpr size_t few = 4096;
  if (tasks.size() < few) {
    std::sort(tasks.begin(), tasks.end());
    return;
  }
  constexpr int digitBits = 11;
  constexpr size_t digits = size_t(1) << digitBits;
  uint64_t all = 0;
  for (const TaskQueue::Entry &task : tasks)
    all |= static_cast<uint64_t>(task.readyNs);
  sorted.resize(tasks.size());
  for (int shift = 0; shift < 64 && all >> shift; shift += digitBits) {
    auto digitOf = [&](const TaskQueue::Entry &task) {
      return static_cast<uint64_t>(task.readyNs) >> shift & (digits - 1);
    };
    std::array<size_t, digits> at = {};
    for (const TaskQueue::Entry &task : tasks)
      ++at[digitOf(task)];
    size_t before = 0;
    for (size_t &count : at)
      before += std::exchange(count, before);
    for (const TaskQueue::Entry &task : tasks)
      sorted[at[digitOf(task)]++] = task;
    std::swap(tasks, sorted);
  }
  for (size_t i = 0, end; i < tasks.size(); i = end) {
    bool inOrder = true;
    for (end = i + 1;
         end < tasks.size() && tasks[end].readyNs == tasks[i].readyNs; ++end)
      inOrder &= tasks[end - 1].key < tasks[end].key;
    if (!inOrder)
      std::sort(tasks.begin() + static_cast<ptrdiff_t>(i),
                tasks.begin() + static_cast<ptrdiff_t>(end));
  }
}

std::vector<int64_t>
PlanMemory::peakBytes(std::vector<TaskQueue::Entry> &tasks) {
  listBuffers();
  peak = live;
  sortTasks(tasks);
  const std::vector<PlanState::Block> &list = plan.getBlocks();
  for (size_t t = tasks.size(); t-- > 0;) {
    auto [slot, value] = list[tasks[t].block()];
    auto index = static_cast<size_t>(tasks[t].index());
    if (slot >= 0) {
      visitShard(slot, index);
      continue;
    }
    const ValuePlan &planned = plan.valuePlan(value);
    auto isOfTask = [&](size_t a) {
      return a < planned.actions.size() &&
             planned.actions[a].task == static_cast<int>(index);
    };
    auto begin = static_cast<size_t>(planned.tasks[index].firstAction);
    size_t end = begin;
    while (isOfTask(end))
      ++end;
    while (end-- > begin)
      visitAction(value, end);
  }
  return peak;
}

std::vector<int64_t> soap::peakBytes(const PlanState &plan) {
  std::vector<TaskQueue::Entry> tasks;
  StrategySimulator(plan).starts(tasks);
  return PlanMemory(plan).peakBytes(tasks);
}
