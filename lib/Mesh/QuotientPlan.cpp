//===- QuotientPlan.cpp - The plan of one machine for all -----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See QuotientPlan.h. Kernels come first, in topological order, because whether
// a value is partial follows from those before; then the values.
//
//===----------------------------------------------------------------------===//

#include "Soap/Mesh/QuotientPlan.h"

#include "Soap/Memory/PlanMemory.h"
#include "Soap/Plan/StrategyPlan.h"

#include <algorithm>

using namespace soap;

QuotientPlan::QuotientPlan(const Graph &graph, QuotientModel &model)
    : PlanState(graph, model.getReducedCost()), model(model),
      planner(cost, transfers, cuts),
      perMachine(model.getCluster().getPerMachine()),
      geometries(graph, cost, regions, builder, classes.count()) {
  for (const MeshAxis &axis : model.getMesh().axes)
    acrossAxes += axis.isAcross;
}

std::string QuotientPlan::set(const MeshStrategy &next) {
  configs = &next;
  reason.clear();
  uneven.clear();
  spanning.clear();
  std::fill(kernelLoad.begin(), kernelLoad.end(), 0);
  std::fill(load.begin(), load.end(), 0);
  std::fill(bytes.begin(), bytes.end(), 0);
  for (KernelPlan &kernel : kernels)
    kernel = KernelPlan();
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const GraphNode &node = graph.nodes[n];
    Config degrees;
    degrees.degrees =
        degreesOf(model.getMesh(), next[n], node.whole.space.loops.size());
    bool staged = usesStages(node, degrees);
    for (int slot : slotsOfNode[n])
      if ((slots[slot].stage >= 0) == staged) {
        activate(slot);
        if (reason.empty())
          resolve(slot);
        if (!reason.empty())
          return reason;
      }
  }
  // An output without a config is where its writer's first shard is.
  for (size_t o = 0; o < graph.outputs.size(); ++o) {
    if (graph.outputs[o].hasConfig)
      continue;
    outputs[o].devices = {0};
    int slot = producerOf(graph.outputs[o].value);
    for (size_t s = 0; slot >= 0 && s < kernels[slot].devices.size(); ++s)
      if (kernels[slot].geometry->states[s % static_cast<size_t>(
                                                 kernels[slot].pieces())] !=
          ShardState::Absent) {
        outputs[o].devices = {kernels[slot].devices[s]};
        break;
      }
  }
  for (size_t v = 0; v < graph.values.size(); ++v) {
    planValue(static_cast<int>(v));
    if (!reason.empty())
      return reason;
  }
  for (size_t s = 0; s < slots.size(); ++s)
    countPredecessors(static_cast<int>(s));
  configs = nullptr;
  return {};
}

bool QuotientPlan::areTimesEven(
    const std::vector<std::vector<TaskTimes>> &times) const {
  if (uneven.empty())
    return true;
  // By resource: the tasks that may occupy it on some machine.
  std::map<int, std::vector<TaskRef>> differing;
  for (const Uneven &entry : uneven)
    for (int resource : entry.resources)
      differing[resource].push_back(entry.task);
  auto timesOf = [&](TaskRef task) -> const TaskTimes & {
    return times[static_cast<size_t>(task.block)]
                [static_cast<size_t>(task.index)];
  };
  auto orderOf = [&](TaskRef task) {
    return std::tuple(timesOf(task).readyNs, task.block, task.index);
  };
  auto resourcesOfTask = [&](TaskRef task) {
    return resourcesOf(plans[blocks[static_cast<size_t>(task.block)].value]
                           .tasks[static_cast<size_t>(task.index)]
                           .resource);
  };
  auto areTogether = [&](TaskRef a, TaskRef b) {
    std::span<const int> mine = resourcesOfTask(a), its = resourcesOfTask(b);
    return std::any_of(mine.begin(), mine.end(), [&](int resource) {
      return std::find(its.begin(), its.end(), resource) != its.end();
    });
  };
  // A task before must have ended when the other starts; one after must start
  // later than that ends, or as soon as it is ready. A task of all machines
  // waits for the other wherever that is.
  auto isUntouched = [&](TaskRef task, TaskRef other) {
    const TaskTimes &mine = timesOf(task), &its = timesOf(other);
    if (orderOf(task) < orderOf(other))
      return mine.endNs <= its.startNs;
    if (mine.startNs != its.endNs || mine.startNs == mine.readyNs)
      return mine.startNs >= its.endNs;
    return isOfAllMachines(task) && areTogether(task, other);
  };
  for (size_t b = 0; b < blocks.size(); ++b) {
    auto [slot, value] = blocks[b];
    if (slot >= 0)
      continue; // kernels occupy devices, these tasks links
    const std::vector<PlannedTask> &tasks = plans[value].tasks;
    for (size_t t = 0; t < tasks.size(); ++t) {
      TaskRef task{static_cast<int>(b), static_cast<int>(t)};
      for (int resource : resourcesOf(tasks[t].resource))
        if (auto it = differing.find(resource); it != differing.end())
          for (TaskRef other : it->second)
            if ((other.block != task.block || other.index != task.index) &&
                !isUntouched(task, other))
              return false;
    }
  }
  return true;
}

/// Whether a task of a value is a single one of all machines.
bool QuotientPlan::isOfAllMachines(TaskRef task) const {
  int value = blocks[static_cast<size_t>(task.block)].value;
  const ValuePlan &plan = plans[value];
  int collective = plan.tasks[static_cast<size_t>(task.index)].collective;
  return collective >= 0 &&
         (plan.collectives[static_cast<size_t>(collective)].kind ==
              CollectiveKind::Exchange ||
          spanning.count({task.block, task.index}) > 0);
}

MeshPricer::MeshPricer(const Graph &graph, const Topology &topology,
                       const Mesh &mesh, QuotientModel *model)
    : graph(graph), topology(topology), mesh(mesh) {
  if (model)
    quotient = std::make_unique<QuotientPlan>(graph, *model);
}

/// Simulates a finished plan.
template <typename Accept>
static bool simulate(const PlanState &plan, MeshPrice &price, Accept accept) {
  StrategySimulator simulator(plan);
  std::vector<std::vector<TaskTimes>> times;
  price.makespanNs = simulator.timeline(times);
  price.tasks = plan.taskCount();
  if (!accept(times))
    return false;
  std::vector<TaskQueue::Entry> tasks;
  for (size_t b = 0; b < times.size(); ++b) {
    int slot = plan.getBlocks()[b].slot;
    for (size_t i = 0; i < times[b].size(); ++i)
      if (slot < 0 || plan.kernelPlan(slot).states[i] != ShardState::Absent)
        tasks.push_back(
            {times[b][i].startNs, static_cast<uint64_t>(b) << 32 | i});
  }
  std::vector<int64_t> peaks = PlanMemory(plan).peakBytes(tasks);
  price.peakBytes = *std::max_element(peaks.begin(), peaks.end());
  return true;
}

MeshPrice MeshPricer::price(const MeshStrategy &strategy) {
  MeshPrice price;
  if (!quotient) {
    price.unfolded = "the topology is not a cluster of equal machines";
  } else {
    price.unfolded = quotient->set(strategy);
    if (price.unfolded.empty() && !simulate(*quotient, price, [&](auto &times) {
          return quotient->areTimesEven(times);
        }))
      price.unfolded = "a graph output delays other tasks on its way";
    if (price.unfolded.empty())
      return price;
  }
  CostModel cost(topology);
  StrategyPlan plan(graph, cost);
  plan.set(unfold(mesh, graph, strategy));
  simulate(plan, price, [](auto &) { return true; });
  return price;
}
