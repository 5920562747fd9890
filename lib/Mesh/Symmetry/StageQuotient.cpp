//===- StageQuotient.cpp - One replica of each stage for all --------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See StageQuotient.h. Units are tried from the smallest on, first with two
// microbatches, which show at little cost whether replicas differ.
//
//===----------------------------------------------------------------------===//

#include "Soap/Mesh/Symmetry/StageQuotient.h"

#include "Plan/PassReads.h"
#include "ReplicaLinks.h"

#include <algorithm>

using namespace soap;

StageQuotient::StageQuotient(const Graph &graph, const CostModel &cost,
                             const Cluster &cluster)
    : QuotientState(graph, cost, "replica"), cluster(cluster),
      topology(cost.getTopology()), workspace(topology) {}

/// Stages are groups of devices that follow each other, all of one size.
std::string StageQuotient::findGroups() {
  std::map<int, std::set<int>> devicesOf; // by stage
  std::map<int, const std::vector<int> *> last;
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    if (passes->runsOnce(static_cast<int>(n)))
      continue;
    // Most ops of a stage have the devices of the one before.
    const std::vector<int> &devices = (*configs)[n].devices;
    const std::vector<int> *&before = last[passes->stages[n]];
    if (!before || *before != devices)
      devicesOf[passes->stages[n]].insert(devices.begin(), devices.end());
    before = &devices;
  }
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

/// Asked for every op and value; what is made is given up then.
bool StageQuotient::isStopped() {
  if (!*stop || !(*stop)())
    return false;
  reason = stoppedMessage;
  return true;
}

std::string StageQuotient::set(const Strategy &next, const PassOrder &order,
                               const StopCheck &isOver) {
  configs = &next;
  passes = &order;
  stop = &isOver;
  known.clear();
  if (!order.replicas.empty())
    return "devices that share a stage take turns";
  for (const Restore &restore : graph.restores)
    if (restore.keep != Keep::Before)
      return "'" + graph.values[static_cast<size_t>(restore.of)].name +
             "' is kept as it is read";
  rounds = roundsOfPasses(graph, order);
  planner.oneByOne = rounds.oneByOne;
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
  constexpr int64_t few = 2; // sums over microbatches are there, too
  int64_t pieces = countPieces(next, order);
  for (int each : units) {
    if (int64_t mine = pieces / (group / each);
        mine > maxPieces(PlanForm::Replica))
      return std::to_string(mine) +
             " pieces of one replica of each stage are more than " +
             std::to_string(maxPieces(PlanForm::Replica));
    why = order.microbatches > few ? tryUnit(each, few) : "";
    if (why.empty())
      why = tryUnit(each, order.microbatches);
    if (why.empty() || why == stoppedMessage)
      break;
  }
  return why;
}

std::string StageQuotient::tryUnit(int nextUnit, int64_t cutInto) {
  clear();
  spanning.clear();
  if (nextUnit != unit)
    known.clear();
  knownSpreads.clear();
  knownOverlaps.clear();
  unit = nextUnit;
  rounds.count = microbatches = cutInto;
  firstLinks = firstLinksOf(topology, cluster, {group, unit});
  spreads.assign(graph.nodes.size(), {});
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    findSpread(n);
    if (!reason.empty() || isStopped())
      return reason;
    bool staged = usesStages(graph.nodes[n], (*configs)[n]);
    if (int loop = passes->sampleLoops[n];
        !passes->runsOnce(static_cast<int>(n)) && cutInto > 1)
      staged |=
          graph.nodes[n].whole.space.loops[static_cast<size_t>(loop)].stage &&
          !graph.nodes[n].stages.empty();
    for (int slot : slotsOfNode[n])
      if ((slots[slot].stage >= 0) == staged) {
        setKernel(slot, partOf(slot, 1));
        if (reason.empty())
          resolve(slot);
        if (!reason.empty())
          return reason;
      }
  }
  for (const GraphOutput &output : graph.outputs)
    if (output.hasConfig)
      return "output '" + output.name + "' has a config";
  placeOutputs();
  for (size_t v = 0; v < graph.values.size(); ++v) {
    planValue(static_cast<int>(v));
    if (!reason.empty() || isStopped())
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
  return it == spanning.end() ? none : it->second->second;
}

std::string StageQuotient::whyTimesDiffer(const PassTimeline &timeline) const {
  auto delayed = findDelayed(
      [&](TaskRef task) { return timeline.timesOf(task.block, task.index); });
  if (!delayed)
    return {};
  auto nameOfTask = [&](TaskRef task) {
    return nameOf(blocks[static_cast<size_t>(task.block)].value);
  };
  return "'" + nameOfTask(delayed->first) + "' and '" +
         nameOfTask(delayed->second) +
         "' wait for each other on links of some replicas only";
}
