//===- Timeline.cpp - What a simulated timeline says ----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything is read off the times that the simulator set.
//
//===----------------------------------------------------------------------===//

#include "Soap/Simulator/Timeline.h"

#include <algorithm>
#include <cassert>
#include <map>

using namespace soap;

TaskClass soap::classOf(const Task &task) {
  if (task.sourceDevice >= 0 || !task.devices.empty())
    return TaskClass::Transfer;
  return task.kind == "fill" || task.kind == "assemble" ||
                 task.kind == "combine"
             ? TaskClass::Movement
             : TaskClass::Compute;
}

std::string soap::subjectOf(const Task &task) {
  // `OP[shard]`, also of a fill for a shard, or `VALUE:...`.
  char end = task.name.ends_with(']') ? '[' : ':';
  return task.name.substr(0, task.name.rfind(end));
}

//===----------------------------------------------------------------------===//
// Critical path
//===----------------------------------------------------------------------===//

std::vector<int> soap::criticalPath(const TaskGraph &graph) {
  std::vector<int> path;
  if (graph.tasks.empty())
    return path;
  // Tasks of a resource by their end: no two end at once, each lasts 1 ns.
  std::vector<std::vector<int>> onResource(graph.resources.size());
  for (size_t t = 0; t < graph.tasks.size(); ++t)
    for (int resource : graph.tasks[t].resources)
      onResource[resource].push_back(static_cast<int>(t));
  auto endsEarlier = [&](int a, int b) {
    return graph.tasks[a].endNs < graph.tasks[b].endNs;
  };
  for (std::vector<int> &tasks : onResource)
    std::sort(tasks.begin(), tasks.end(), endsEarlier);

  auto later = [&](int a, int b) {
    const Task &ta = graph.tasks[a], &tb = graph.tasks[b];
    return ta.endNs != tb.endNs ? ta.endNs > tb.endNs : ta.key < tb.key;
  };
  int current = 0;
  for (size_t t = 1; t < graph.tasks.size(); ++t)
    if (later(static_cast<int>(t), current))
      current = static_cast<int>(t);
  while (current >= 0) {
    path.push_back(current);
    const Task &task = graph.tasks[current];
    int before = -1;
    auto consider = [&](int candidate) {
      if (graph.tasks[candidate].endNs == task.startNs &&
          (before < 0 || later(candidate, before)))
        before = candidate;
    };
    for (int pred : task.preds)
      consider(pred);
    if (before < 0)
      for (int resource : task.resources) {
        const std::vector<int> &tasks = onResource[resource];
        auto it = std::partition_point(tasks.begin(), tasks.end(), [&](int t) {
          return graph.tasks[t].endNs < task.startNs;
        });
        if (it != tasks.end())
          consider(*it);
      }
    current = before;
  }
  assert(graph.tasks[path.back()].startNs == 0 && "a path begins at 0");
  assert(graph.tasks[path.front()].endNs == graph.makespanNs &&
         "and ends with the last task");
  std::reverse(path.begin(), path.end());
  return path;
}

std::vector<PathStretch> soap::stretchesOf(const TaskGraph &graph,
                                           const std::vector<int> &path) {
  std::vector<PathStretch> stretches;
  for (int t : path) {
    const Task &task = graph.tasks[t];
    std::string subject = subjectOf(task);
    assert(task.readyNs <= task.startNs && task.startNs < task.endNs &&
           "the graph must have been simulated");
    TaskClass taskClass = classOf(task);
    if (stretches.empty() || stretches.back().subject != subject ||
        stretches.back().taskClass != taskClass)
      stretches.push_back({subject, taskClass, 0, task.startNs, 0, 0});
    PathStretch &stretch = stretches.back();
    ++stretch.tasks;
    stretch.endNs = task.endNs;
    stretch.queuedNs += task.startNs - task.readyNs;
  }
  return stretches;
}

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

/// Sorted and disjoint.
static std::vector<Interval> merged(std::vector<Interval> intervals) {
  std::sort(intervals.begin(), intervals.end(),
            [](const Interval &a, const Interval &b) { return a.lo < b.lo; });
  std::vector<Interval> result;
  for (const Interval &interval : intervals)
    if (!result.empty() && interval.lo <= result.back().hi)
      result.back().hi = std::max(result.back().hi, interval.hi);
    else
      result.push_back(interval);
  return result;
}

static int64_t length(const std::vector<Interval> &intervals) {
  int64_t sum = 0;
  assert(std::ranges::is_sorted(intervals, {}, &Interval::lo) &&
         "must have been merged");
  for (const Interval &interval : intervals)
    sum += interval.hi - interval.lo;
  return sum;
}

/// Length of what two lists of disjoint intervals have in common.
static int64_t overlap(const std::vector<Interval> &a,
                       const std::vector<Interval> &b) {
  int64_t sum = 0;
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    sum += std::max<int64_t>(0, std::min(a[i].hi, b[j].hi) -
                                    std::max(a[i].lo, b[j].lo));
    ++(a[i].hi < b[j].hi ? i : j);
  }
  return sum;
}

std::vector<DeviceTimes> soap::deviceTimes(const TaskGraph &graph,
                                           int deviceCount) {
  std::vector<DeviceTimes> result(deviceCount);
  std::vector<std::vector<Interval>> working(deviceCount),
      communicating(deviceCount);
  std::vector<Interval> transfers;
  for (const Task &task : graph.tasks) {
    Interval time{task.startNs, task.endNs};
    int64_t duration = task.endNs - task.startNs;
    switch (classOf(task)) {
    case TaskClass::Transfer:
      transfers.push_back(time);
      if (task.sourceDevice >= 0) {
        communicating[task.device].push_back(time);
        communicating[task.sourceDevice].push_back(time);
      }
      for (int device : task.devices)
        communicating[device].push_back(time);
      continue;
    case TaskClass::Compute:
      result[task.device].computeNs += duration;
      break;
    case TaskClass::Movement:
      result[task.device].movementNs += duration;
      break;
    }
    working[task.device].push_back(time);
  }
  transfers = merged(std::move(transfers));
  int64_t total = length(transfers);
  for (int device = 0; device < deviceCount; ++device) {
    result[device].communicationNs =
        length(merged(std::move(communicating[device])));
    result[device].exposedNs =
        total - overlap(transfers, merged(std::move(working[device])));
    assert(result[device].exposedNs >= 0 && result[device].exposedNs <= total &&
           "a part of the communication");
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

const char *soap::tensorKindName(TensorKind kind) {
  switch (kind) {
  case TensorKind::Input:
    return "inputs";
  case TensorKind::Weight:
    return "weights";
  case TensorKind::Activation:
    return "activations";
  case TensorKind::ActivationGradient:
    return "activation_gradients";
  case TensorKind::WeightGradient:
    return "weight_gradients";
  }
  return "";
}

std::vector<TensorKind> soap::tensorKinds(const Graph &graph) {
  std::vector<TensorKind> kinds(graph.values.size(), TensorKind::Activation);
  std::vector<bool> known(graph.values.size());
  for (const GraphInput &input : graph.inputs) {
    kinds[input.value] =
        input.updateNode >= 0 ? TensorKind::Weight : TensorKind::Input;
    known[input.value] = true;
  }
  // Forward: what is computed from weights alone is a view of them.
  for (const GraphNode &node : graph.nodes) {
    auto visit = [&](const Kernel &kernel) {
      bool fromWeights =
          !kernel.operands.empty() &&
          std::all_of(kernel.operands.begin(), kernel.operands.end(),
                      [&](int v) {
                        return kinds[graph.rootOf(v)] == TensorKind::Weight;
                      });
      TensorKind kind =
          kernel.phase == Phase::Update || fromWeights ? TensorKind::Weight
          : kernel.operands.empty()                    ? TensorKind::Input
          : kernel.phase == Phase::Backward ? TensorKind::ActivationGradient
                                            : TensorKind::Activation;
      for (int value : kernel.results)
        if (!known[value]) {
          kinds[value] = kind;
          known[value] = true;
        }
    };
    visit(node.whole);
    for (const Kernel &stage : node.stages)
      visit(stage);
  }
  // Backward: gradients that nothing but updates reads, directly or through
  // ops that pass elements on.
  std::vector<bool> read(graph.values.size()), otherwise(graph.values.size());
  for (size_t n = graph.nodes.size(); n-- > 0;) {
    const Kernel &kernel = graph.nodes[n].whole;
    bool forUpdates =
        kernel.phase == Phase::Update ||
        (kernel.phase == Phase::Backward &&
         (kernel.space.linear || kernel.kind == "unbucket") &&
         std::all_of(kernel.results.begin(), kernel.results.end(),
                     [&](int v) { return read[v] && !otherwise[v]; }));
    for (int value : kernel.operands) {
      read[value] = true;
      if (!forUpdates)
        otherwise[value] = true;
    }
  }
  for (size_t v = 0; v < kinds.size(); ++v)
    if (kinds[v] == TensorKind::ActivationGradient && read[v] && !otherwise[v])
      kinds[v] = TensorKind::WeightGradient;
  // A value that is made again is what it is made of.
  for (size_t v = 0; v < kinds.size(); ++v)
    kinds[v] = kinds[graph.rootOf(static_cast<int>(v))];
  return kinds;
}

std::array<int64_t, tensorKindCount>
soap::bytesByKind(const std::vector<TensorKind> &kinds, const Graph &graph,
                  const Plan &plan) {
  std::array<int64_t, tensorKindCount> bytes{};
  assert(kinds.size() == graph.values.size() && "a kind a value");
  for (const PlanCollective &collective : plan.collectives) {
    const Action &first = plan.actions[plan.taskStart[collective.task]];
    int value = plan.buffers[first.outputs[0]].value;
    bytes[static_cast<int>(kinds[value])] += collective.traffic();
  }
  for (const Action &action : plan.actions) {
    if (action.kind != ActionKind::Transfer)
      continue;
    const Buffer &message = plan.buffers[action.outputs[0]];
    bytes[static_cast<int>(kinds[message.value])] +=
        message.region.volume() * graph.values[message.value].elementBytes;
  }
  return bytes;
}
