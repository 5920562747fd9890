//===- QuotientState.cpp - Shared by all quotient plans -------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See QuotientState.h: kernels and values of the copies that are planned, and
// which tasks delay others on some copies only.
//
//===----------------------------------------------------------------------===//

#include "Soap/Mesh/Symmetry/QuotientState.h"

#include <algorithm>
#include <cassert>
#include <tuple>

using namespace soap;

QuotientState::QuotientState(const Graph &graph, const CostModel &cost,
                             const char *copyName)
    : PlanState(graph, cost), copyName(copyName),
      planner(cost, transfers, cuts),
      geometries(graph, cost, regions, builder, classes.count()) {}

QuotientState::Members
QuotientState::membersOf(const std::vector<int> &devices) const {
  Members members;
  for (int device : devices)
    members[copyOf(device)].push_back(firstOf(device));
  for (auto &[copy, list] : members)
    std::sort(list.begin(), list.end());
  return members;
}

void QuotientState::clear() {
  reason.clear();
  uneven.clear();
  std::fill(kernelLoad.begin(), kernelLoad.end(), 0);
  std::fill(load.begin(), load.end(), 0);
  std::fill(bytes.begin(), bytes.end(), 0);
  for (KernelPlan &kernel : kernels)
    kernel = KernelPlan();
}

void QuotientState::placeOutputs() {
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
}

std::optional<std::pair<TaskRef, TaskRef>> QuotientState::findDelayed(
    const std::function<TaskTimes(TaskRef)> &timesOf) const {
  if (uneven.empty())
    return std::nullopt;
  // By resource: the tasks that may occupy it on some copy.
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
  // A task before must have ended when the other starts; one after must start
  // later than that ends, or as soon as it is ready. A task of all copies waits
  // for the other wherever that is.
  auto isUntouched = [&](TaskRef task, TaskRef other) {
    TaskTimes mine = timesOf(task), its = timesOf(other);
    assert(mine.startNs < mine.endNs && its.startNs < its.endNs &&
           "tasks must have been simulated");
    if (orderOf(task, mine) < orderOf(other, its))
      return mine.endNs <= its.startNs;
    if (mine.startNs != its.endNs || mine.startNs == mine.readyNs)
      return mine.startNs >= its.endNs;
    return isOfAll(task) && areTogether(task, other);
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
              return std::pair(task, other);
    }
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

int QuotientState::loopOf(const Slot &slot, int loop) const {
  if (loop < 0 || slot.stage < 0)
    return loop;
  const std::vector<int> &whole = slot.kernel->wholeLoops;
  auto it = std::find(whole.begin(), whole.end(), loop);
  return it == whole.end() ? -1 : static_cast<int>(it - whole.begin());
}

QuotientState::Part
QuotientState::makePart(int slot, Config pieces, std::vector<int64_t> degrees,
                        PieceGeometries::Coordinates coords) {
  const Slot &info = slots[slot];
  if (info.stage >= 0) {
    pieces = stageConfig(graph.nodes[static_cast<size_t>(info.node)], pieces,
                         *info.kernel);
    std::vector<int64_t> wholeDegrees = std::move(degrees);
    PieceGeometries::Coordinates wholeCoords = std::move(coords);
    degrees.clear();
    coords.clear();
    for (int loop : info.kernel->wholeLoops) {
      auto l = static_cast<size_t>(loop);
      degrees.push_back(loop < 0 ? 1 : wholeDegrees[l]);
      coords.push_back(loop < 0 ? std::vector<int64_t>{0} : wholeCoords[l]);
    }
  }
  Part part;
  part.geometry =
      geometries.of(*info.kernel, info.kernelClass, degrees, coords);
  part.replicas = static_cast<int>(pieces.replicas);
  part.devices = std::move(pieces.devices);
  for (int r = 0; r < part.replicas; ++r)
    part.states.insert(part.states.end(), part.geometry->states.begin(),
                       part.geometry->states.end());
  return part;
}

void QuotientState::setKernel(int slot, Part part) {
  KernelPlan &kernel = kernels[slot];
  kernel.active = true;
  kernel.geometry = part.geometry;
  kernel.replicas = part.replicas;
  kernel.devices = std::move(part.devices);
  kernel.states = std::move(part.states);
  assert(!kernel.devices.empty() &&
         kernel.states.size() == kernel.devices.size() && "a state a shard");
  auto pieces = static_cast<size_t>(kernel.pieces());
  const Topology &topology = cost.getTopology();
  kernel.durationNs.reserve(kernel.devices.size());
  for (size_t s = 0; s < kernel.devices.size(); ++s)
    kernel.durationNs.push_back(kernel.geometry->durationNs[static_cast<size_t>(
        topology.devices[static_cast<size_t>(kernel.devices[s])].type)]
                                                           [s % pieces]);
  auto [shortest, longest] =
      std::minmax_element(kernel.durationNs.begin(), kernel.durationNs.end());
  kernel.shortestNs = *shortest;
  kernel.longestNs = *longest;
}

void QuotientState::addKernelLoad(int slot) {
  const KernelPlan &kernel = kernels[slot];
  for (size_t s = 0; s < kernel.devices.size(); ++s)
    if (kernel.states[s] != ShardState::Absent) {
      auto device = static_cast<size_t>(kernel.devices[s]);
      kernelLoad[device] += kernel.durationNs[s];
      load[device] += kernel.durationNs[s];
      bytes[device] +=
          kernel.geometry->resultBytes[s % kernel.geometry->states.size()];
    }
}

bool QuotientState::isContributed(int value) const {
  value = rootOf(value);
  int slot = producerOf(value);
  if (slot < 0 || combinerOf(value) != Combiner::Sum)
    return false;
  for (auto [producer, result] : valueInfo[value].producers)
    if (producer == slot)
      return kernels[slot].partialMode ||
             kernels[slot]
                 .geometry->results[static_cast<size_t>(result)]
                 .partial;
  return false;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// Whether an operand of an update is the tile that it has of its own.
bool QuotientState::readsOwnTile(int value, const Reader &reader) const {
  int input = valueInfo[value].input;
  if (input < 0 || reader.slot < 0 || slots[reader.slot].stage >= 0)
    return false;
  const GraphInput &entry = graph.inputs[static_cast<size_t>(input)];
  return entry.updateNode == slots[reader.slot].node &&
         entry.updateOperand == reader.operand;
}

/// The rounds of the shards of a slot that reads or writes a value, if that is
/// moved in rounds.
void QuotientState::setRounds(int value, int slot,
                              const KernelGeometry &geometry, size_t shards,
                              Part &part) const {
  part.rounds.clear();
  if (rounds.moves.empty() || !rounds.moves[static_cast<size_t>(value)])
    return;
  part.rounds.assign(shards, -1);
  int loop =
      loopOf(slots[slot], rounds.loops[static_cast<size_t>(slots[slot].node)]);
  if (loop < 0)
    return;
  const PieceGeometries::Coordinates &coords =
      geometries.coordinatesOf(&geometry);
  auto l = static_cast<size_t>(loop);
  size_t inside = 1;
  for (size_t other = l + 1; other < coords.size(); ++other)
    inside *= coords[other].size();
  for (size_t s = 0; s < shards; ++s) {
    size_t piece = s % static_cast<size_t>(geometry.pieces);
    int64_t at = coords[l][piece / inside % coords[l].size()];
    part.rounds[s] = static_cast<int>(at * rounds.count / geometry.degrees[l]);
  }
}

ValueSource QuotientState::sourceOf(int value, const PartMaker &partOf,
                                    Part &part) {
  ValueSource source;
  if (const Restore *restore = restoreOfValue(value)) {
    source = sourceOf(restore->of, partOf, part);
    source.isRestored = true;
    source.delaysReaders = restore->delaysReaders;
    return source;
  }
  // The shards of a slot that writes the value, or has tiles of it.
  auto setShards = [&](int slot) -> const KernelGeometry & {
    const KernelPlan &kernel = kernels[slot];
    if (partOf)
      part = partOf(slot);
    const KernelGeometry &geometry = partOf ? *part.geometry : *kernel.geometry;
    source.devices = partOf ? std::as_const(part.devices) : kernel.devices;
    source.pieces = geometry.pieces;
    return geometry;
  };
  if (int slot = producerOf(value); slot >= 0) {
    const KernelGeometry &geometry = setShards(slot);
    source.kind = ValueSource::Kind::Kernel;
    source.states = partOf ? std::as_const(part.states) : kernels[slot].states;
    for (auto [producer, result] : valueInfo[value].producers)
      if (producer == slot) {
        source.blocks = &geometry.results[static_cast<size_t>(result)];
        source.combiner =
            slots[slot]
                .kernel->space.results[static_cast<size_t>(result)]
                .combiner;
      }
    source.partialMode = kernels[slot].partialMode;
    source.partial = source.partialMode || source.blocks->partial;
    source.ofProduct = slots[slot].kernel->kind.starts_with("matmul");
    if (source.partial) {
      setRounds(value, slot, geometry, source.devices.size(), part);
      source.rounds = part.rounds;
    }
    return source;
  }
  if (valueInfo[value].input < 0)
    return source;
  const GraphInput &input =
      graph.inputs[static_cast<size_t>(valueInfo[value].input)];
  if (input.updateNode < 0) {
    source.kind = ValueSource::Kind::Preplaced;
    return source;
  }
  for (int slot : slotsOfNode[static_cast<size_t>(input.updateNode)]) {
    if (!kernels[slot].active)
      continue;
    const KernelGeometry &geometry = setShards(slot);
    auto [it, isNew] = ownTiles.try_emplace({&geometry, input.updateOperand});
    if (isNew)
      it->second = builder.tiles(
          value,
          geometry.operands[static_cast<size_t>(input.updateOperand)].regions);
    source.kind = ValueSource::Kind::Tiles;
    source.blocks = &it->second;
    return source;
  }
  return source;
}

ValueUse QuotientState::useOf(int value, const Reader &reader,
                              const PartMaker &partOf, Part &part) {
  ValueUse use;
  if (reader.output >= 0) {
    const OutputTiles &tiles = outputs[static_cast<size_t>(reader.output)];
    use.needs = &tiles.needs;
    use.devices = tiles.devices;
    use.pieces = 1;
    return use;
  }
  const KernelPlan &kernel = kernels[reader.slot];
  if (!kernel.active)
    return use;
  if (partOf)
    part = partOf(reader.slot);
  const KernelGeometry &geometry = partOf ? *part.geometry : *kernel.geometry;
  use.devices = partOf ? std::as_const(part.devices) : kernel.devices;
  use.states = partOf ? std::as_const(part.states) : kernel.states;
  use.needs = &geometry.operands[static_cast<size_t>(reader.operand)];
  use.pieces = geometry.pieces;
  use.block = slots[reader.slot].block;
  setRounds(value, reader.slot, geometry, use.devices.size(), part);
  use.rounds = part.rounds;
  use.ownTile = readsOwnTile(value, reader);
  if (kernel.partialMode) {
    use.contributions = isContributed(value);
    use.zeroReplicas = !use.contributions;
  }
  return use;
}

std::optional<QuotientState::Access>
QuotientState::sourceAccess(int value, bool &isPreplaced) const {
  value = rootOf(value);
  if (int slot = producerOf(value); slot >= 0)
    for (auto [producer, result] : valueInfo[value].producers)
      if (producer == slot)
        return Access{
            slot,
            &slots[slot].kernel->space.results[static_cast<size_t>(result)].map,
            true};
  if (valueInfo[value].input < 0)
    return std::nullopt;
  const GraphInput &input =
      graph.inputs[static_cast<size_t>(valueInfo[value].input)];
  isPreplaced = input.updateNode < 0;
  if (isPreplaced)
    return Access{};
  for (int slot : slotsOfNode[static_cast<size_t>(input.updateNode)])
    if (kernels[slot].active)
      return Access{
          slot,
          &slots[slot]
               .kernel->space.operands[static_cast<size_t>(input.updateOperand)]
               .map,
          false};
  return std::nullopt;
}

bool QuotientState::listReaders(int value, bool isCut,
                                std::vector<const Reader *> &readers) {
  for (const Reader &reader : valueInfo[value].readers) {
    if (reader.output >= 0) {
      const GraphOutput &output =
          graph.outputs[static_cast<size_t>(reader.output)];
      if (output.hasConfig || isCut) {
        reason =
            "output '" + output.name + "' is gathered from several devices";
        return false;
      }
    } else if (!kernels[reader.slot].active || readsOwnTile(value, reader)) {
      continue;
    }
    readers.push_back(&reader);
  }
  return true;
}

void QuotientState::planOn(int value, const PartMaker &partOf,
                           ValuePlan &plan) {
  const std::vector<Reader> &readers = valueInfo[value].readers;
  plannedUses.assign(readers.size(), Part());
  std::vector<ValueUse> uses;
  ValueSource source = sourceOf(value, partOf, plannedSource);
  for (size_t r = 0; r < readers.size(); ++r)
    uses.push_back(useOf(value, readers[r], partOf, plannedUses[r]));
  planner.plan(regions.of(value),
               graph.values[static_cast<size_t>(value)].elementBytes, source,
               uses, valueInfo[value].block, plan);
}

void QuotientState::addLoad(int value) {
  ValuePlan &plan = plans[value];
  const RegionTable &table = regionsOf(value);
  plan.passingBytes = {}; // of devices that are not all there
  for (const PlannedTask &task : plan.tasks) {
    for (int resource : resourcesOf(task.resource))
      load[static_cast<size_t>(resource)] += task.durationNs;
    if (int sender = plan.actions[static_cast<size_t>(task.firstAction)].source;
        task.resource < 0 && sender >= 0)
      bytes[static_cast<size_t>(sender)] += task.bytes;
  }
  for (const PlannedAction &action : plan.actions)
    bytes[static_cast<size_t>(action.device)] += table.bytes(action.region);
  for (auto [device, region] : plan.tiles)
    if (region >= 0)
      bytes[static_cast<size_t>(device)] += table.bytes(region);
  if (int block = valueInfo[value].block; block >= 0)
    hasRoots[static_cast<size_t>(block)] = !plan.roots.empty();
}

bool QuotientState::isLocal(const ValuePlan &plan) {
  return std::all_of(
      plan.tasks.begin(), plan.tasks.end(),
      [](const PlannedTask &task) { return task.resource >= 0; });
}
