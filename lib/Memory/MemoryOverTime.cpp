//===- MemoryOverTime.cpp - Live bytes of a schedule ----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A replay of the schedule, action by action.
//
//===----------------------------------------------------------------------===//

#include "Soap/Memory/MemoryOverTime.h"

#include <algorithm>

using namespace soap;

std::vector<int64_t> soap::peakBytes(const Graph &graph, const Plan &plan,
                                     const std::vector<int> &order,
                                     int deviceCount,
                                     const MemoryObserver &observer) {
  auto bytes = [&](int buffer) {
    const Buffer &b = plan.buffers[buffer];
    return b.region.volume() * graph.values[b.value].deviceElementBytes();
  };
  // Buffers that stay to the end, and those that take no memory of their own:
  // an updated parameter is written into the tile that it replaces.
  std::vector<bool> stays(plan.buffers.size()), inPlace(plan.buffers.size());
  for (const PlanOutput &output : plan.outputs)
    for (int buffer : output.buffers)
      stays[buffer] = true;
  for (const std::vector<int> &updates : plan.updates)
    for (int buffer : updates)
      inPlace[buffer] = true;

  std::vector<int64_t> live(deviceCount);
  for (size_t b = 0; b < plan.buffers.size(); ++b)
    if (plan.buffers[b].action < 0)
      live[plan.buffers[b].device] += bytes(static_cast<int>(b));
  std::vector<int64_t> peak = live;
  for (int device = 0; observer && device < deviceCount; ++device)
    observer(-1, device, live[device], false);

  // Position of the last action that touches each buffer.
  std::vector<int> last(plan.buffers.size(), -1);
  for (size_t p = 0; p < order.size(); ++p) {
    const Action &action = plan.actions[order[p]];
    for (int buffer : action.inputs)
      if (buffer >= 0)
        last[buffer] = static_cast<int>(p);
    for (int buffer : action.outputs)
      last[buffer] = std::max(last[buffer], static_cast<int>(p));
  }

  int position = 0;
  auto add = [&](int device, int64_t amount) {
    live[device] += amount;
    peak[device] = std::max(peak[device], live[device]);
    if (observer)
      observer(position, device, live[device], amount < 0);
  };
  for (; position < static_cast<int>(order.size()); ++position) {
    const Action &action = plan.actions[order[position]];
    for (int buffer : action.outputs)
      if (!inPlace[buffer])
        add(plan.buffers[buffer].device, bytes(buffer));
    if (action.kind == ActionKind::Transfer) {
      // The message is packed on the sender while it runs.
      int64_t message = bytes(action.outputs[0]);
      add(action.sourceDevice, message);
      add(action.sourceDevice, -message);
    }
    auto release = [&](int buffer) {
      if (last[buffer] != position || stays[buffer] || inPlace[buffer] ||
          plan.buffers[buffer].action < 0)
        return;
      add(plan.buffers[buffer].device, -bytes(buffer));
      last[buffer] = -1; // once, however often an action names it
    };
    for (int buffer : action.inputs)
      if (buffer >= 0)
        release(buffer);
    for (int buffer : action.outputs)
      release(buffer);
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
    if (!list.empty() && list.back().timeNs == time)
      list.back().bytes = std::max(list.back().bytes, bytes);
    else if (list.empty() || list.back().bytes != bytes)
      list.push_back({time, bytes});
  };
  std::vector<int> actions = actionOrder(plan, order);
  peakBytes(graph, plan, actions, deviceCount,
            [&](int position, int device, int64_t live, bool givenBack) {
              const Task *task =
                  position < 0
                      ? nullptr
                      : &tasks.tasks[plan.actions[actions[position]].task];
              if (givenBack) {
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
