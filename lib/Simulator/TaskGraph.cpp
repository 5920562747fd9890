//===- TaskGraph.cpp - From a plan to tasks -------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One task per group of actions: duration from the cost model, resources from
// the topology, dependencies from the buffers.
//
//===----------------------------------------------------------------------===//

#include "Soap/Simulator/TaskGraph.h"

#include "Simulator/Deferral.h"

#include <algorithm>
#include <cassert>
#include <numeric>

using namespace soap;

static const char *kindName(ActionKind kind) {
  switch (kind) {
  case ActionKind::Compute:
    return "compute";
  case ActionKind::Fill:
    return "fill";
  case ActionKind::Assemble:
    return "assemble";
  case ActionKind::Combine:
    return "combine";
  case ActionKind::Transfer:
    return "transfer";
  case ActionKind::Collective:
    return "collective";
  }
  return "";
}

/// The part of a key that tells actions on one value on one device apart.
static std::string keySuffix(const TaskKey &key) {
  size_t last = key.size();
  std::string text = "#";
  for (size_t i = 0; i < last; ++i) {
    // Zeros in the middle are frequent; an empty place stands for one.
    if (i > 0)
      text += '.';
    if (key[i] != 0 || i + 1 == last)
      text += std::to_string(key[i]);
  }
  return text;
}

std::string soap::actionName(const Graph &graph, const Plan &plan,
                             const Action &action) {
  if (action.node >= 0)
    return kernelOf(graph, action).name + "[" + std::to_string(action.shard) +
           "]";
  std::string name =
      graph.values[plan.buffers[action.outputs[0]].value].name + ":";
  if (action.kind == ActionKind::Transfer)
    name += std::to_string(action.sourceDevice) + ">";
  else
    name += std::string(kindName(action.kind)) + "@";
  return name + std::to_string(action.device) + keySuffix(action.key);
}

/// Tasks after all that they wait for. They are numbered so, but where passes
/// of a pipeline wait for passes that come later in the program.
static std::vector<size_t> topologicalOrder(const std::vector<Task> &tasks) {
  std::vector<size_t> order(tasks.size());
  std::iota(order.begin(), order.end(), size_t(0));
  bool isSorted = true;
  for (size_t t = 0; t < tasks.size(); ++t)
    for (int pred : tasks[t].preds)
      isSorted &= static_cast<size_t>(pred) < t;
  if (isSorted)
    return order;
  std::vector<std::vector<size_t>> next(tasks.size());
  std::vector<size_t> missing(tasks.size());
  order.clear();
  for (size_t t = 0; t < tasks.size(); ++t) {
    missing[t] = tasks[t].preds.size();
    for (int pred : tasks[t].preds)
      next[static_cast<size_t>(pred)].push_back(t);
    if (tasks[t].preds.empty())
      order.push_back(t);
  }
  for (size_t done = 0; done < order.size(); ++done)
    for (size_t other : next[order[done]])
      if (--missing[other] == 0)
        order.push_back(other);
  assert(order.size() == tasks.size() && "the graph must be acyclic");
  return order;
}

void soap::markDeferred(TaskGraph &graph, const std::vector<TaskRole> &roles) {
  std::vector<Task> &tasks = graph.tasks;
  assert(roles.size() == tasks.size() && "a role a task");
  std::vector<Deferral> flags(tasks.size());
  std::vector<size_t> order = topologicalOrder(tasks);
  for (size_t i = order.size(); i-- > 0;) {
    size_t t = order[i];
    if (roles[t] != TaskRole::Movement)
      flags[t].setKernel(roles[t] == TaskRole::Update);
    for (int pred : tasks[t].preds)
      flags[pred].addSuccessor(flags[t]);
  }
  for (size_t t : order) {
    Task &task = tasks[t];
    bool copy = task.sourceDevice >= 0 &&
                std::find(task.resources.begin(), task.resources.end(),
                          task.device) != task.resources.end();
    task.deferred = copy && !flags[t].leadsToKernel;
    for (int pred : task.preds)
      task.deferred |= tasks[pred].deferred;
  }
}

static std::vector<TaskRole> rolesOf(const Plan &plan) {
  std::vector<bool> updated(plan.buffers.size());
  for (const std::vector<int> &buffers : plan.updates)
    for (int buffer : buffers)
      updated[buffer] = true;
  for (const PlanOutput &output : plan.outputs)
    for (int buffer : output.buffers)
      updated[buffer] = false;
  std::vector<TaskRole> roles(plan.taskStart.size() - 1, TaskRole::Movement);
  for (const Action &action : plan.actions) {
    if (action.kind != ActionKind::Compute)
      continue;
    bool updates = std::all_of(action.outputs.begin(), action.outputs.end(),
                               [&](int buffer) { return updated[buffer]; });
    roles[action.task] = updates ? TaskRole::Update : TaskRole::Compute;
  }
  return roles;
}

/// Names a collective by what it does to which value.
static std::string collectiveTaskName(const Graph &graph, const Plan &plan,
                                      const Action &first,
                                      const PlanCollective &collective) {
  return graph.values[plan.buffers[first.outputs[0]].value].name + ":" +
         collectiveName(collective.kind) + keySuffix(first.key);
}

void soap::setCollective(Task &task, const PlanCollective &collective,
                         CollectiveWorkspace &workspace) {
  assert(!collective.devices.empty() && "at least one device");
  const Topology &topology = workspace.getTopology();
  CollectiveCost cost =
      collective.kind == CollectiveKind::Exchange
          ? exchangeCost(workspace, collective.messages)
          : collectiveCost(workspace, collective.kind, collective.devices,
                           collective.bytes);
  task.kind = collectiveName(collective.kind);
  task.device = collective.devices[0];
  task.durationNs = cost.ns;
  task.resources = std::move(cost.links);
  for (int &link : task.resources)
    link += topology.deviceCount();
  task.devices = collective.devices;
  task.bytes = collective.traffic();
}

TaskGraph soap::buildTaskGraph(const Graph &graph, const Plan &plan,
                               const CostModel &cost, bool names) {
  const Topology &topology = cost.getTopology();
  CollectiveWorkspace workspace(topology);
  TaskGraph result;
  // Names of resources are for readers; a search needs only their number.
  if (names)
    result.resources = makeResources(topology);
  else
    result.resources.resize(topology.devices.size() + topology.links.size());
  result.tasks.resize(plan.taskStart.size() - 1);
  std::vector<const PlanCollective *> collectives(result.tasks.size());
  std::vector<int64_t> packNs(result.tasks.size(), 0);
  for (const PlanCollective &collective : plan.collectives)
    collectives[collective.task] = &collective;
  for (const Action &action : plan.actions) {
    Task &task = result.tasks[action.task];
    bool isFirst = task.device < 0;
    if (const PlanCollective *collective = collectives[action.task]) {
      if (isFirst) {
        setCollective(task, *collective, workspace);
        task.key = action.key;
        if (names)
          task.name = collectiveTaskName(graph, plan, action, *collective);
      }
    } else if (task.device = action.device;
               action.kind == ActionKind::Transfer) {
      const Buffer &message = plan.buffers[action.outputs[0]];
      task.sourceDevice = action.sourceDevice;
      task.bytes +=
          message.region.volume() * graph.values[message.value].elementBytes;
      packNs[action.task] += cost.packNs(
          action.sourceDevice, copyPart(graph, plan, action, action.inputs[0]));
      task.durationNs =
          cost.transferNs(action.sourceDevice, action.device, task.bytes) +
          packNs[action.task];
      task.resources =
          transferResources(topology, action.sourceDevice, action.device);
    } else {
      task.durationNs =
          cost.computeNs(action.device, workOf(graph, plan, action));
      task.resources = {action.device};
    }
    for (int input : action.inputs)
      if (input >= 0 && plan.buffers[input].action >= 0)
        if (int pred = plan.actions[plan.buffers[input].action].task;
            pred != action.task)
          task.preds.push_back(pred);
    if (!isFirst || collectives[action.task])
      continue;
    task.key = action.key;
    if (names) {
      task.kind = action.kind == ActionKind::Compute
                      ? kernelOf(graph, action).kind
                      : kindName(action.kind);
      task.name = actionName(graph, plan, action);
    }
  }
  for (auto [before, task] : plan.waits)
    result.tasks[task].preds.push_back(before);
  for (Task &task : result.tasks) {
    std::sort(task.preds.begin(), task.preds.end());
    task.preds.erase(std::unique(task.preds.begin(), task.preds.end()),
                     task.preds.end());
  }
  assert(std::all_of(result.tasks.begin(), result.tasks.end(),
                     [](const Task &task) {
                       return task.device >= 0 && task.durationNs > 0;
                     }) &&
         "each task has actions, and takes at least 1 ns");
  markDeferred(result, rolesOf(plan));
  return result;
}

/// Adds the bytes of a collective, evenly, to the pairs that it sends between:
/// neighbours in the ring of its devices, that of a broadcast open before its
/// root, that of a reduce behind it; all pairs of an exchange.
static void addCollective(const Task &task,
                          std::vector<std::vector<int64_t>> &bytes) {
  auto count = static_cast<int64_t>(task.devices.size());
  std::vector<std::pair<int, int>> pairs;
  auto add = [&](int64_t from, int64_t to) {
    pairs.emplace_back(task.devices[static_cast<size_t>(from % count)],
                       task.devices[static_cast<size_t>(to % count)]);
  };
  if (task.kind == collectiveName(CollectiveKind::Exchange))
    for (int64_t from = 0; from < count; ++from)
      for (int64_t step = 1; step < count; ++step)
        add(from, from + step);
  else if (task.kind == collectiveName(CollectiveKind::Reduce))
    for (int64_t i = count; i-- > 1;)
      add(i, i - 1);
  else
    for (int64_t i = 0; i < count; ++i)
      if (i + 1 < count ||
          task.kind != collectiveName(CollectiveKind::Broadcast))
        add(i, i + 1);
  assert(!pairs.empty() && "at least two devices");
  auto parts = static_cast<int64_t>(pairs.size());
  for (int64_t p = 0; p < parts; ++p) {
    auto [from, to] = pairs[static_cast<size_t>(p)];
    bytes[static_cast<size_t>(from)][static_cast<size_t>(to)] +=
        task.bytes / parts + (p < task.bytes % parts);
  }
}

std::vector<std::vector<int64_t>> soap::transferBytes(const TaskGraph &graph,
                                                      int deviceCount) {
  std::vector<std::vector<int64_t>> bytes(deviceCount,
                                          std::vector<int64_t>(deviceCount));
  for (const Task &task : graph.tasks)
    if (task.sourceDevice >= 0)
      bytes[task.sourceDevice][task.device] += task.bytes;
    else if (task.devices.size() > 1)
      addCollective(task, bytes);
  return bytes;
}
