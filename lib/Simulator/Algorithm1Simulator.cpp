//===- Simulator.cpp - Full simulation and memory over time ---------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Algorithm 1 of the SOAP paper with multi-resource tasks. Keys are ranked
// once, so that the queue compares two integers.
//
//===----------------------------------------------------------------------===//

#include "Soap/Simulator/Algorithm1Simulator.h"

#include "Soap/Plan/CollectiveGroup.h"

#include <algorithm>
#include <numeric>
#include <queue>
#include <tuple>

using namespace soap;

/// Position of each task's key among all keys.
static std::vector<int> rankKeys(const TaskGraph &graph,
                                 std::vector<int> &byRank) {
  byRank.resize(graph.tasks.size());
  std::iota(byRank.begin(), byRank.end(), 0);
  std::sort(byRank.begin(), byRank.end(), [&](int a, int b) {
    return graph.tasks[a].key < graph.tasks[b].key;
  });
  std::vector<int> rank(byRank.size());
  for (size_t i = 0; i < byRank.size(); ++i)
    rank[byRank[i]] = static_cast<int>(i);
  return rank;
}

int64_t soap::simulateFull(TaskGraph &graph) {
  std::vector<Task> &tasks = graph.tasks;
  std::vector<int> byRank, rank = rankKeys(graph, byRank);

  // Successors, all in one array.
  std::vector<int> waiting(tasks.size()), start(tasks.size() + 1);
  for (const Task &task : tasks)
    for (int pred : task.preds)
      ++start[pred + 1];
  std::partial_sum(start.begin(), start.end(), start.begin());
  std::vector<int> successors(start.back()), next(start.begin(), start.end());
  for (size_t t = 0; t < tasks.size(); ++t) {
    waiting[t] = static_cast<int>(tasks[t].preds.size());
    for (int pred : tasks[t].preds)
      successors[next[pred]++] = static_cast<int>(t);
  }

  // Whether it is deferred, ready time, rank of the key. What a deferred task
  // releases is deferred, so all others have left before the first of them.
  using Entry = std::tuple<bool, int64_t, int>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<Entry>> queue;
  for (size_t t = 0; t < tasks.size(); ++t) {
    tasks[t].readyNs = 0;
    if (waiting[t] == 0)
      queue.push({tasks[t].deferred, 0, rank[t]});
  }
  std::vector<int64_t> free(graph.resources.size());
  graph.makespanNs = 0;
  while (!queue.empty()) {
    int t = byRank[std::get<2>(queue.top())];
    queue.pop();
    Task &task = tasks[t];
    task.startNs = task.readyNs;
    for (int resource : task.resources)
      task.startNs = std::max(task.startNs, free[resource]);
    task.endNs = task.startNs + std::max<int64_t>(task.durationNs, 1);
    for (int resource : task.resources)
      free[resource] = task.endNs;
    graph.makespanNs = std::max(graph.makespanNs, task.endNs);
    for (int i = start[t]; i < start[t + 1]; ++i) {
      int s = successors[i];
      tasks[s].readyNs = std::max(tasks[s].readyNs, task.endNs);
      if (--waiting[s] == 0)
        queue.push({tasks[s].deferred, tasks[s].readyNs, rank[s]});
    }
  }
  return graph.makespanNs;
}

std::vector<int> soap::scheduleOrder(const TaskGraph &graph) {
  std::vector<int> order(graph.tasks.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int a, int b) {
    const Task &ta = graph.tasks[a], &tb = graph.tasks[b];
    return ta.startNs != tb.startNs ? ta.startNs < tb.startNs : ta.key < tb.key;
  });
  return order;
}

std::vector<int64_t> soap::peakBytes(const Graph &graph, const Plan &plan,
                                     const std::vector<int> &order,
                                     int deviceCount,
                                     const MemoryObserver &observer) {
  auto bytes = [&](int buffer) {
    const Buffer &b = plan.buffers[buffer];
    return b.region.volume() * graph.values[b.value].elementBytes;
  };
  // What stays to the end, and what takes no memory of its own: an updated
  // parameter is written into the tile that it replaces.
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

std::vector<std::vector<int64_t>> soap::bytesBetween(const TaskGraph &graph,
                                                     int deviceCount) {
  std::vector<std::vector<int64_t>> bytes(deviceCount,
                                          std::vector<int64_t>(deviceCount));
  for (const Task &task : graph.tasks)
    if (task.sourceDevice >= 0)
      bytes[task.sourceDevice][task.device] += task.bytes;
  return bytes;
}

std::vector<std::vector<int64_t>>
soap::bytesBetween(const Graph &graph, const Plan &plan, int deviceCount) {
  std::vector<std::vector<int64_t>> bytes(deviceCount,
                                          std::vector<int64_t>(deviceCount));
  for (const Action &action : plan.actions)
    if (action.kind == ActionKind::Transfer) {
      const Buffer &message = plan.buffers[action.outputs[0]];
      bytes[action.sourceDevice][action.device] +=
          message.region.volume() * graph.values[message.value].elementBytes;
    }
  for (const PlanCollective &collective : plan.collectives) {
    std::optional<CollectiveGroup> group = collectiveGroup(plan, collective);
    if (!group)
      continue;
    // What each member gives to an all-gather, or gets of a reduce-scatter, or
    // what each gives to each.
    bool scatters = group->kind == CollectiveKind::ReduceScatter;
    std::vector<int64_t> pieces;
    for (int buffer : scatters ? group->outputs : group->inputs)
      pieces.push_back(buffer < 0 ? 0 : plan.buffers[buffer].region.volume());
    if (group->kind == CollectiveKind::Exchange) {
      pieces.clear();
      for (int input : group->inputs)
        for (int output : group->outputs)
          pieces.push_back(plan.buffers[input]
                               .region.intersect(plan.buffers[output].region)
                               .volume());
    }
    const Action &first = plan.actions[plan.taskStart[collective.task]];
    int64_t elementBytes =
        graph.values[plan.buffers[first.outputs[0]].value].elementBytes;
    for (const CollectiveStep &step : stepsOf(*group, first.combiner))
      forEachMessage(step.kind, static_cast<int>(step.members.size()),
                     step.root, group->elements, elementBytes, pieces,
                     [&](int from, int to, int64_t elements) {
                       bytes[step.members[from]][step.members[to]] +=
                           elements * elementBytes;
                     });
  }
  return bytes;
}
