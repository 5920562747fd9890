//===- QuotientPlan.cpp - The plan of one machine for all -----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See QuotientPlan.h. Kernels come first, in topological order, because whether
// a value is partial follows from those before; then the values.
//
//===----------------------------------------------------------------------===//

#include "Soap/Mesh/Symmetry/QuotientPlan.h"

#include "Soap/Memory/PlanMemory.h"
#include "Soap/Plan/StrategyPlan.h"

#include <algorithm>
#include <cassert>

using namespace soap;

QuotientPlan::QuotientPlan(const Graph &graph, QuotientModel &model)
    : QuotientState(graph, model.getReducedCost(), "machine"), model(model),
      perMachine(model.getCluster().getPerMachine()) {
  for (const MeshAxis &axis : model.getMesh().axes)
    acrossAxes += axis.isAcross;
}

std::string QuotientPlan::set(const MeshStrategy &next) {
  assert(next.size() == graph.nodes.size() && "a config a node");
  assert([&] {
    for (size_t n = 0; n < next.size(); ++n)
      if (checkMeshConfig(model.getMesh(), graph.nodes[n].whole.space, next[n]))
        return false;
    return true;
  }() && "configs must have passed checkMeshConfig");
  configs = &next;
  clear();
  spanning.clear();
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
  placeOutputs();
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
  return !findDelayed([&](TaskRef task) {
    return times[static_cast<size_t>(task.block)]
                [static_cast<size_t>(task.index)];
  });
}

bool QuotientPlan::isOfAll(TaskRef task) const {
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
