//===- Timeline.cpp - What a simulated timeline says ----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything is read off the times that the simulator set.
//
//===----------------------------------------------------------------------===//

#include "Soap/Simulator/Timeline.h"

#include "CriticalPath.h"
#include "DeviceTimeSums.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <span>

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

namespace {

/// A task graph as `findCriticalPath` sees it.
struct PathTasks {
  const TaskGraph &graph;

  size_t size() const { return graph.tasks.size(); }
  int64_t startNs(int task) const { return graph.tasks[task].startNs; }
  int64_t endNs(int task) const { return graph.tasks[task].endNs; }
  bool isBefore(int a, int b) const {
    return graph.tasks[a].key < graph.tasks[b].key;
  }
  size_t resourceCount() const { return graph.resources.size(); }
  std::span<const int> resources(int task) const {
    return graph.tasks[task].resources;
  }
  /// The predecessor that it waits for to the end, -1: none.
  int cause(int task) const {
    int found = -1;
    for (int pred : graph.tasks[task].preds)
      if (endNs(pred) == startNs(task) && (found < 0 || isBefore(pred, found)))
        found = pred;
    return found;
  }
};

} // namespace

std::vector<int> soap::criticalPath(const TaskGraph &graph) {
  std::vector<int> path = findCriticalPath(PathTasks{graph});
  assert((path.empty() || graph.tasks[path.back()].endNs == graph.makespanNs) &&
         "a path ends with the last task");
  return path;
}

void soap::appendToPath(std::vector<PathStretch> &stretches,
                        const std::string &subject, TaskClass taskClass,
                        int64_t readyNs, int64_t startNs, int64_t endNs) {
  assert(readyNs <= startNs && startNs < endNs &&
         "the task must have been simulated");
  if (stretches.empty() || stretches.back().subject != subject ||
      stretches.back().taskClass != taskClass)
    stretches.push_back({subject, taskClass, 0, startNs, 0, 0});
  PathStretch &stretch = stretches.back();
  ++stretch.tasks;
  stretch.endNs = endNs;
  stretch.queuedNs += startNs - readyNs;
}

std::vector<PathStretch> soap::stretchesOf(const TaskGraph &graph,
                                           const std::vector<int> &path) {
  std::vector<PathStretch> stretches;
  for (int t : path) {
    const Task &task = graph.tasks[t];
    appendToPath(stretches, subjectOf(task), classOf(task), task.readyNs,
                 task.startNs, task.endNs);
  }
  return stretches;
}

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

std::vector<DeviceTimes> soap::deviceTimes(const TaskGraph &graph,
                                           int deviceCount) {
  DeviceTimeSums sums(static_cast<size_t>(deviceCount));
  for (const Task &task : graph.tasks) {
    TaskClass taskClass = classOf(task);
    if (taskClass != TaskClass::Transfer) {
      sums.addWork(static_cast<size_t>(task.device), taskClass, task.startNs,
                   task.endNs);
      continue;
    }
    sums.addTransfer(task.startNs, task.endNs);
    auto addPart = [&](int device) {
      sums.addPart(static_cast<size_t>(device), task.startNs, task.endNs);
    };
    if (task.sourceDevice >= 0) {
      addPart(task.device);
      addPart(task.sourceDevice);
    }
    for (int device : task.devices)
      addPart(device);
  }
  return sums.finish();
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
