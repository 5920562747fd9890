//===- PeakMemory.cpp - Live bytes of a schedule --------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A replay of the schedule, action by action.
//
//===----------------------------------------------------------------------===//

#include "Soap/Memory/PeakMemory.h"

#include <algorithm>
#include <cassert>

using namespace soap;

std::vector<int64_t> soap::peakBytes(const Graph &graph, const Plan &plan,
                                     const std::vector<int> &order,
                                     int deviceCount,
                                     const MemoryObserver &observer) {
  assert(order.size() == plan.actions.size() && "every action once");
  auto bytes = [&](int buffer) {
    const Buffer &b = plan.buffers[buffer];
    return b.region.volume() * graph.values[b.value].deviceElementBytes();
  };
  // A view lives as long as what it is a view of.
  std::vector<int> root(plan.buffers.size());
  for (size_t b = 0; b < plan.buffers.size(); ++b) {
    int viewed = plan.buffers[b].viewOf;
    assert(viewed < static_cast<int>(b) && "a view comes after its buffer");
    root[b] = viewed < 0 ? static_cast<int>(b) : root[viewed];
  }
  // Buffers that stay to the end, and those that take no memory of their own:
  // an updated parameter is written into the tile that it replaces.
  std::vector<bool> stays(plan.buffers.size()), inPlace(plan.buffers.size());
  for (const PlanOutput &output : plan.outputs)
    for (int buffer : output.buffers)
      stays[root[buffer]] = true;
  for (const std::vector<int> &updates : plan.updates)
    for (int buffer : updates)
      inPlace[buffer] = true;

  std::vector<int64_t> live(deviceCount);
  for (size_t b = 0; b < plan.buffers.size(); ++b)
    if (plan.buffers[b].action < 0)
      live[plan.buffers[b].device] += bytes(static_cast<int>(b));
  std::vector<int64_t> peak = live;
  for (int device = 0; observer && device < deviceCount; ++device)
    observer(-1, device, live[device], -1, live[device]);

  // Position of the last action that touches each buffer.
  std::vector<int> last(plan.buffers.size(), -1);
  for (size_t p = 0; p < order.size(); ++p) {
    const Action &action = plan.actions[order[p]];
    for (int buffer : action.inputs)
      if (buffer >= 0)
        last[root[buffer]] = static_cast<int>(p);
    for (int buffer : action.outputs)
      last[root[buffer]] = std::max(last[root[buffer]], static_cast<int>(p));
  }

  std::vector<const PlanCollective *> collectiveOf(plan.taskStart.size());
  for (const PlanCollective &collective : plan.collectives)
    collectiveOf[collective.task] = &collective;

  int position = 0;
  auto add = [&](int device, int64_t amount, int value) {
    live[device] += amount;
    assert(live[device] >= 0 && "more is given back than was taken");
    peak[device] = std::max(peak[device], live[device]);
    if (observer)
      observer(position, device, live[device], value, amount);
  };
  auto make = [&](int buffer) {
    if (!inPlace[buffer] && root[buffer] == buffer)
      add(plan.buffers[buffer].device, bytes(buffer),
          plan.buffers[buffer].value);
  };
  auto release = [&](int read, int end) {
    int buffer = root[read];
    if (last[buffer] < 0 || last[buffer] > end || stays[buffer] ||
        inPlace[buffer] || plan.buffers[buffer].action < 0)
      return;
    add(plan.buffers[buffer].device, -bytes(buffer),
        plan.buffers[buffer].value);
    last[buffer] = -1; // once, however often an action names it
  };
  auto hold = [&](int device, int64_t amount) {
    add(device, amount, -1);
    add(device, -amount, -1);
  };
  auto count = static_cast<int>(order.size());
  for (int end; position < count; position = end) {
    const Action &action = plan.actions[order[position]];
    end = position + 1;
    // All devices of a collective are at it at once.
    if (action.kind == ActionKind::Collective)
      while (end < count && plan.actions[order[end]].task == action.task)
        ++end;
    auto forEachAction = [&](auto visit) {
      for (int p = position; p < end; ++p)
        visit(plan.actions[order[p]]);
    };
    forEachAction([&](const Action &part) {
      for (int buffer : part.outputs)
        make(buffer);
    });
    if (action.kind == ActionKind::Transfer)
      // The message is packed on the sender while it runs.
      hold(action.sourceDevice, bytes(action.outputs[0]));
    if (action.kind == ActionKind::Collective && collectiveOf[action.task])
      for (auto [device, amount] : collectiveOf[action.task]->temporaries)
        hold(device, amount);
    forEachAction([&](const Action &part) {
      for (int buffer : part.inputs)
        if (buffer >= 0)
          release(buffer, end - 1);
      for (int buffer : part.outputs)
        release(buffer, end - 1);
    });
  }
  return peak;
}

std::vector<std::vector<MemoryPoint>>
soap::memoryOverTime(const Graph &graph, const Plan &plan,
                     const TaskGraph &tasks, const std::vector<int> &order,
                     int deviceCount) {
  std::vector<std::vector<MemoryPoint>> points(deviceCount);
  // Memory that an action gives back is free at its end, or when the next one
  // of the device starts: the replay goes by the order, whatever overlaps.
  std::vector<MemoryPoint> freed(deviceCount, {-1, 0});
  auto add = [&](int device, int64_t time, int64_t bytes) {
    std::vector<MemoryPoint> &list = points[device];
    assert((list.empty() || list.back().timeNs <= time) && "goes on in time");
    if (!list.empty() && list.back().timeNs == time)
      list.back().bytes = std::max(list.back().bytes, bytes);
    else if (list.empty() || list.back().bytes != bytes)
      list.push_back({time, bytes});
  };
  std::vector<int> actions = actionOrder(plan, order);
  peakBytes(graph, plan, actions, deviceCount,
            [&](int position, int device, int64_t live, int, int64_t change) {
              const Task *task =
                  position < 0
                      ? nullptr
                      : &tasks.tasks[plan.actions[actions[position]].task];
              if (change < 0) {
                freed[device] = {task->endNs, live};
                return;
              }
              int64_t time = task ? task->startNs : 0;
              if (freed[device].timeNs >= 0 && freed[device].timeNs < time)
                add(device, freed[device].timeNs, freed[device].bytes);
              freed[device].timeNs = -1;
              add(device, time, live);
            });
  for (int device = 0; device < deviceCount; ++device)
    if (freed[device].timeNs >= 0)
      add(device, freed[device].timeNs, freed[device].bytes);
  return points;
}

void soap::followMemory(const Graph &graph, const Plan &plan,
                        const TaskGraph &tasks, const std::vector<int> &order,
                        int deviceCount, MemoryCourse &course) {
  for (const Buffer &buffer : plan.buffers)
    if (buffer.action < 0)
      course.add(buffer.device, course.kindOf(buffer.value),
                 buffer.region.volume() *
                     graph.values[buffer.value].deviceElementBytes());
  std::vector<int> actions = actionOrder(plan, order);
  peakBytes(graph, plan, actions, deviceCount,
            [&](int position, int device, int64_t, int value, int64_t change) {
              if (position < 0)
                return;
              course.setTime(
                  tasks.tasks[plan.actions[actions[position]].task].startNs);
              if (value >= 0)
                course.add(device, course.kindOf(value), change);
              if (change > 0)
                course.note(device, value >= 0 ? 0 : change);
            });
}
