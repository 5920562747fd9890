//===- StageQuotient.cpp - One replica of each stage for all --------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See StageQuotient.h. Units are tried from the smallest on, first with two
// microbatches, which show at little cost whether replicas differ.
//
//===----------------------------------------------------------------------===//

#include "Soap/Mesh/StageQuotient.h"

#include "Plan/OneByOne.h"
#include "Plan/PassReads.h"
#include "ReplicaLinks.h"

#include <algorithm>

using namespace soap;

StageQuotient::StageQuotient(const Graph &graph, const CostModel &cost,
                             const Cluster &cluster)
    : PlanState(graph, cost), cluster(cluster), topology(cost.getTopology()),
      geometries(graph, cost, regions, builder, classes.count()),
      planner(std::make_unique<ValuePlanner>(cost, transfers, cuts)) {}

StageQuotient::~StageQuotient() = default;

/// Stages are groups of devices that follow each other, all of one size.
std::string StageQuotient::findGroups() {
  std::map<int, std::set<int>> devicesOf; // by stage
  for (size_t n = 0; n < graph.nodes.size(); ++n)
    if (!passes->runsOnce(static_cast<int>(n)))
      devicesOf[passes->stages[n]].insert((*configs)[n].devices.begin(),
                                          (*configs)[n].devices.end());
  if (devicesOf.empty())
    return "no op runs in microbatches";
  group = static_cast<int>(devicesOf.begin()->second.size());
  for (const auto &[stage, devices] : devicesOf)
    if (static_cast<int>(devices.size()) != group ||
        *devices.begin() % group != 0 ||
        *devices.rbegin() != *devices.begin() + group - 1)
      return "stage " + std::to_string(stage) + " is not on " +
             std::to_string(group) +
             " devices that follow each other, as stage " +
             std::to_string(devicesOf.begin()->first) +
             ", or they do not begin at a multiple of that";
  return {};
}

std::string StageQuotient::set(const Strategy &next, const PassOrder &order) {
  configs = &next;
  passes = &order;
  for (const Restore &restore : graph.restores)
    if (restore.keep != Keep::Before)
      return "'" + graph.values[static_cast<size_t>(restore.of)].name +
             "' is kept as it is read";
  rounds = roundsOfPasses(graph, order);
  for (const GraphInput &input : graph.inputs)
    if (input.hasConfig)
      return "input '" + graph.values[input.value].name + "' has a config";
  std::string why = findGroups();
  if (!why.empty())
    return why;
  std::vector<int> units = unitsOf(topology, cluster, group);
  if (units.empty())
    return "stages of " + std::to_string(group) +
           " devices have no replicas that the topology does not tell apart";
  OneByOneScope scope;
  constexpr int64_t few = 2; // sums over microbatches are there, too
  int64_t pieces = countPieces(next, order);
  for (int each : units) {
    if (int64_t mine = pieces / (group / each); mine > maxReplicaPieces)
      return std::to_string(mine) +
             " pieces of one replica of each stage are more than " +
             std::to_string(maxReplicaPieces);
    why = order.microbatches > few ? tryUnit(each, few) : "";
    if (why.empty())
      why = tryUnit(each, order.microbatches);
    if (why.empty())
      break;
  }
  return why;
}

void StageQuotient::clear() {
  reason.clear();
  uneven.clear();
  spanning.clear();
  knownOverlaps.clear();
  std::fill(kernelLoad.begin(), kernelLoad.end(), 0);
  std::fill(load.begin(), load.end(), 0);
  std::fill(bytes.begin(), bytes.end(), 0);
  for (KernelPlan &kernel : kernels)
    kernel = KernelPlan();
}

std::string StageQuotient::tryUnit(int nextUnit, int64_t cutInto) {
  clear();
  unit = nextUnit;
  microbatches = cutInto;
  firstLinks = firstLinksOf(topology, cluster, {group, unit});
  spreads.assign(graph.nodes.size(), {});
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    findSpread(n);
    if (!reason.empty())
      return reason;
    bool staged = usesStages(graph.nodes[n], (*configs)[n]);
    if (int loop = passes->sampleLoops[n];
        !passes->runsOnce(static_cast<int>(n)) && cutInto > 1)
      staged |=
          graph.nodes[n].whole.space.loops[static_cast<size_t>(loop)].stage &&
          !graph.nodes[n].stages.empty();
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
      return "output '" + graph.outputs[o].name + "' has a config";
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
  return {};
}

PieceBox StageQuotient::boxes() const {
  return [this](int slot, int piece, LoopBox &box) {
    const IterationSpace &space = slots[slot].kernel->space;
    const KernelGeometry *geometry = kernels[slot].geometry;
    const PieceGeometries::Coordinates &coords =
        geometries.coordinatesOf(geometry);
    box.resize(space.loops.size());
    auto rest = static_cast<size_t>(piece);
    for (size_t l = space.loops.size(); l-- > 0; rest /= coords[l].size())
      box[l] = cut(space.loops[l].extent, geometry->degrees[l],
                   coords[l][rest % coords[l].size()]);
  };
}

int64_t StageQuotient::multiplicityOf(int block, int index) const {
  bool isOne = spanning.count({block, index}) > 0;
  return isOne ? 1 : getReplicas();
}

const std::vector<int> &StageQuotient::devicesOf(int block, int index) const {
  static const std::vector<int> none;
  auto it = spanning.find({block, index});
  return it == spanning.end() ? none : it->second;
}

std::string StageQuotient::whyTimesDiffer(const PassTimeline &timeline) const {
  if (uneven.empty())
    return {};
  // By resource: the tasks that may occupy it on some replica.
  std::map<int, std::vector<TaskRef>> differing;
  for (const Uneven &entry : uneven)
    for (int resource : entry.resources)
      differing[resource].push_back(entry.task);
  auto orderOf = [&](TaskRef task, const TaskTimes &times) {
    return std::tuple(times.readyNs, task.block, task.index);
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
  auto nameOf = [&](TaskRef task) {
    return graph
        .values[static_cast<size_t>(
            blocks[static_cast<size_t>(task.block)].value)]
        .name;
  };
  // As `QuotientPlan::areTimesEven`: a task before has ended when the other
  // starts; one after starts later than that ends, or as soon as it is ready. A
  // task of all replicas waits for the other wherever that is.
  auto isUntouched = [&](TaskRef task, TaskRef other) {
    TaskTimes mine = timeline.timesOf(task.block, task.index),
              its = timeline.timesOf(other.block, other.index);
    if (orderOf(task, mine) < orderOf(other, its))
      return mine.endNs <= its.startNs;
    if (mine.startNs != its.endNs || mine.startNs == mine.readyNs)
      return mine.startNs >= its.endNs;
    return spanning.count({task.block, task.index}) > 0 &&
           areTogether(task, other);
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
              return "'" + nameOf(task) + "' and '" + nameOf(other) +
                     "' wait for each other on links of some replicas only";
    }
  }
  return {};
}
