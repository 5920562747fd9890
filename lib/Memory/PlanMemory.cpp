//===- PlanMemory.cpp - Peak memory of a strategy's plan ------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sorts the tasks and visits them back in time.
//
//===----------------------------------------------------------------------===//

#include "Soap/Memory/PlanMemory.h"

#include "Soap/Simulator/StrategySimulator.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

using namespace soap;

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
  buffers.start();
  sortTasks(tasks);
  assert(std::is_sorted(tasks.begin(), tasks.end()) && "by start and key");
  assert((tasks.empty() || tasks.front().readyNs >= 0) &&
         "a start is not negative");
  const std::vector<PlanState::Block> &list = plan.getBlocks();
  for (size_t t = tasks.size(); t-- > 0;) {
    auto [slot, value] = list[tasks[t].block()];
    auto index = static_cast<size_t>(tasks[t].index());
    if (course)
      course->setTime(tasks[t].readyNs);
    if (slot >= 0)
      buffers.visitShard(slot, index);
    else
      buffers.visitTask(value, index);
  }
  return buffers.getPeaks();
}

std::vector<int64_t> soap::peakBytes(const PlanState &plan) {
  std::vector<TaskQueue::Entry> tasks;
  StrategySimulator(plan).starts(tasks);
  return PlanMemory(plan).peakBytes(tasks);
}
