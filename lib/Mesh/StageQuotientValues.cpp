//===- StageQuotientValues.cpp - Values of a replica ----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether a value moves between replicas, and whether it is planned on two of
// them because of that. docs/Mesh.md has the cases.
//
//===----------------------------------------------------------------------===//

#include "Soap/Mesh/StageQuotient.h"

#include <algorithm>

using namespace soap;

/// The rounds of the shards of a slot that reads or writes a value, if that is
/// moved in rounds.
void StageQuotient::setRounds(int value, int slot,
                              const KernelGeometry &geometry, size_t shards,
                              Part &part) const {
  part.rounds.clear();
  if (rounds.moves.empty() || !rounds.moves[static_cast<size_t>(value)])
    return;
  part.rounds.assign(shards, -1);
  int loop = rounds.loops[static_cast<size_t>(slots[slot].node)];
  if (slots[slot].stage >= 0 && loop >= 0) {
    const std::vector<int> &whole = slots[slot].kernel->wholeLoops;
    auto it = std::find(whole.begin(), whole.end(), loop);
    loop = it == whole.end() ? -1 : static_cast<int>(it - whole.begin());
  }
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
    part.rounds[s] = static_cast<int>(at * microbatches / geometry.degrees[l]);
  }
}

ValueSource StageQuotient::sourceOf(int value, int count, Part &part) {
  ValueSource source;
  if (const Restore *restore = restoreOfValue(value)) {
    source = sourceOf(restore->of, count, part);
    source.isRestored = true;
    source.delaysReaders = restore->delaysReaders;
    return source;
  }
  if (int slot = producerOf(value); slot >= 0) {
    const KernelPlan &kernel = kernels[slot];
    const KernelGeometry *geometry = kernel.geometry;
    source.kind = ValueSource::Kind::Kernel;
    if (count == 1) {
      source.devices = kernel.devices;
      source.states = kernel.states;
    } else {
      part = partOf(slot, count);
      geometry = part.geometry;
      source.devices = part.devices;
      source.states = part.states;
    }
    for (auto [producer, result] : valueInfo[value].producers)
      if (producer == slot) {
        source.blocks = &geometry->results[static_cast<size_t>(result)];
        source.combiner =
            slots[slot]
                .kernel->space.results[static_cast<size_t>(result)]
                .combiner;
      }
    source.pieces = geometry->pieces;
    source.partialMode = kernel.partialMode;
    source.partial = source.partialMode || source.blocks->partial;
    if (source.partial) {
      setRounds(value, slot, *geometry, source.devices.size(), part);
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
    part = partOf(slot, count);
    auto [it, isNew] =
        ownTiles.try_emplace({part.geometry, input.updateOperand});
    if (isNew)
      it->second = builder.tiles(
          value,
          part.geometry->operands[static_cast<size_t>(input.updateOperand)]
              .regions);
    source.kind = ValueSource::Kind::Tiles;
    source.blocks = &it->second;
    source.devices = part.devices;
    source.pieces = part.geometry->pieces;
    return source;
  }
  return source;
}

ValueUse StageQuotient::useOf(int value, const Reader &reader, int count,
                              Part &part) {
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
  const Slot &slot = slots[reader.slot];
  const KernelGeometry *geometry = kernel.geometry;
  if (count == 1) {
    use.devices = kernel.devices;
    use.states = kernel.states;
  } else {
    part = partOf(reader.slot, count);
    geometry = part.geometry;
    use.devices = part.devices;
    use.states = part.states;
  }
  use.needs = &geometry->operands[static_cast<size_t>(reader.operand)];
  use.pieces = geometry->pieces;
  use.block = slot.block;
  setRounds(value, reader.slot, *geometry, use.devices.size(), part);
  use.rounds = part.rounds;
  int input = valueInfo[value].input;
  use.ownTile =
      input >= 0 && slot.stage < 0 &&
      graph.inputs[static_cast<size_t>(input)].updateNode == slot.node &&
      graph.inputs[static_cast<size_t>(input)].updateOperand == reader.operand;
  if (kernel.partialMode) {
    use.contributions = isContributed(value);
    use.zeroReplicas = !use.contributions;
  }
  return use;
}

/// Where replicas have the tiles that a value is made of. Returns false if
/// there are none.
bool StageQuotient::sourceLayout(int value, Layout &layout, bool &isPreplaced) {
  value = rootOf(value);
  if (int slot = producerOf(value); slot >= 0) {
    for (auto [producer, result] : valueInfo[value].producers)
      if (producer == slot)
        layout = layoutOf(
            slot,
            slots[slot].kernel->space.results[static_cast<size_t>(result)].map,
            value, true);
    return true;
  }
  if (valueInfo[value].input < 0)
    return false;
  const GraphInput &input =
      graph.inputs[static_cast<size_t>(valueInfo[value].input)];
  isPreplaced = input.updateNode < 0;
  if (isPreplaced)
    return true;
  for (int slot : slotsOfNode[static_cast<size_t>(input.updateNode)])
    if (kernels[slot].active) {
      layout = layoutOf(
          slot,
          slots[slot]
              .kernel->space.operands[static_cast<size_t>(input.updateOperand)]
              .map,
          value, false);
      return true;
    }
  return false;
}

/// The regions that the pieces of the first microbatch touch.
StageQuotient::Regions
StageQuotient::regionsOfPieces(int value, const Layout &layout) const {
  const Slot &slot = slots[layout.slot];
  auto n = static_cast<size_t>(slot.node);
  const IterationSpace &space = slot.kernel->space;
  Config config = (*configs)[n];
  std::vector<int64_t> degrees = config.degrees;
  if (!passes->runsOnce(slot.node))
    degrees[static_cast<size_t>(passes->sampleLoops[n])] *=
        passes->microbatches;
  if (slot.stage >= 0) {
    config = stageConfig(graph.nodes[n], config, *slot.kernel);
    std::vector<int64_t> whole = std::move(degrees);
    degrees.clear();
    for (int loop : slot.kernel->wholeLoops)
      degrees.push_back(loop < 0 ? 1 : whole[static_cast<size_t>(loop)]);
  }
  Regions result(static_cast<size_t>(getReplicas()));
  LoopBox box(space.loops.size());
  int64_t pieces = config.piecesPerReplica();
  for (size_t s = 0; s < config.devices.size(); ++s) {
    int64_t rest = static_cast<int64_t>(s) % pieces;
    for (size_t l = box.size(); l-- > 0; rest /= config.degrees[l])
      box[l] = cut(space.loops[l].extent, degrees[l], rest % config.degrees[l]);
    result[static_cast<size_t>(replicaOf(config.devices[s]))].push_back(image(
        *layout.map, box, graph.values[static_cast<size_t>(value)].shape));
  }
  return result;
}

/// Whether what a piece of one replica has in common with one of another, or of
/// its own, does not depend on which replicas these are. Regions move by shifts
/// from replica to replica, so a few replicas beside all others show it.
bool StageQuotient::areOverlapsAlike(const Regions &a, const Regions &b) const {
  std::set<size_t> few = {0, 1, a.size() / 2, a.size() - 1};
  size_t members = a[0].size(), others = b[0].size();
  // Of the same replica, then of different ones.
  std::vector<int64_t> volumes[2];
  for (std::vector<int64_t> &list : volumes)
    list.assign(members * others, -1);
  for (size_t ra = 0; ra < a.size(); ++ra)
    for (size_t rb = 0; rb < b.size(); ++rb) {
      if (!few.count(ra) && !few.count(rb))
        continue;
      std::vector<int64_t> &list = volumes[ra != rb];
      for (size_t i = 0; i < members; ++i)
        for (size_t j = 0; j < others; ++j) {
          int64_t volume = a[ra][i].intersect(b[rb][j]).volume(),
                  &known = list[i * others + j];
          if (known < 0)
            known = volume;
          else if (known != volume)
            return false;
        }
    }
  return true;
}

/// Otherwise what a replica reads depends on which one it is.
bool StageQuotient::checkOverlaps(int value, const Layout &a, const Layout &b) {
  auto [it, isNew] = knownOverlaps.try_emplace(
      {kernels[a.slot].geometry, a.number, kernels[b.slot].geometry, b.number});
  if (isNew) {
    bool isShifted = true; // alike, where both move
    for (size_t d = 0; d < a.shifts.size(); ++d)
      isShifted &=
          a.shifts[d] == 0 || b.shifts[d] == 0 || a.shifts[d] == b.shifts[d];
    it->second = isShifted && areOverlapsAlike(regionsOfPieces(value, a),
                                               regionsOfPieces(value, b));
  }
  if (!it->second)
    reason = "'" + graph.values[static_cast<size_t>(value)].name +
             "' is cut in two ways, so that replicas read different parts of "
             "what others have";
  return it->second;
}

void StageQuotient::planOn(int value, int count, ValuePlan &plan) {
  const std::vector<Reader> &readers = valueInfo[value].readers;
  plannedUses.assign(readers.size(), Part());
  std::vector<ValueUse> uses;
  ValueSource source = sourceOf(value, count, plannedSource);
  for (size_t r = 0; r < readers.size(); ++r)
    uses.push_back(useOf(value, readers[r], count, plannedUses[r]));
  planner->plan(regions.of(value),
                graph.values[static_cast<size_t>(value)].elementBytes, source,
                uses, valueInfo[value].block, plan);
}

/// The readers that take part in moving a value: all but an update that has a
/// tile of its own. Outputs have no reader. Returns false with a reason.
bool StageQuotient::listReadings(int value, bool isCut,
                                 std::vector<Reading> &readings) {
  for (const Reader &reader : valueInfo[value].readers) {
    if (reader.output >= 0) {
      if (isCut) {
        reason = "output '" +
                 graph.outputs[static_cast<size_t>(reader.output)].name +
                 "' is gathered from several devices";
        return false;
      }
      readings.emplace_back();
      continue;
    }
    if (!kernels[reader.slot].active)
      continue;
    const Slot &slot = slots[reader.slot];
    int input = valueInfo[value].input;
    if (input >= 0 && slot.stage < 0 &&
        graph.inputs[static_cast<size_t>(input)].updateNode == slot.node &&
        graph.inputs[static_cast<size_t>(input)].updateOperand ==
            reader.operand)
      continue;
    Reading reading;
    reading.reader = &reader;
    reading.isContributions =
        kernels[reader.slot].partialMode && isContributed(value);
    reading.layout = layoutOf(
        reader.slot,
        slot.kernel->space.operands[static_cast<size_t>(reader.operand)].map,
        value, false);
    if (!reason.empty())
      return false;
    readings.push_back(std::move(reading));
  }
  return true;
}

void StageQuotient::planValue(int value) {
  ValuePlan &plan = plans[value];
  Layout source;
  bool isPreplaced = false;
  bool exists = sourceLayout(value, source, isPreplaced);
  if (!reason.empty())
    return;
  if (!exists) {
    planOn(value, 1, plan);
    return addLoad(value);
  }
  std::vector<Reading> readings;
  if (!listReadings(value, source.kind == Layout::Cut, readings))
    return;
  for (size_t r = 0; r < readings.size(); ++r) {
    if (!readings[r].reader || readings[r].isContributions)
      continue;
    if (!isPreplaced && !checkOverlaps(value, source, readings[r].layout))
      return;
    // A region that a device reads may be part of another one.
    for (size_t other = 0; other < r; ++other)
      if (readings[other].reader && !readings[other].isContributions &&
          !checkOverlaps(value, readings[other].layout, readings[r].layout))
        return;
  }
  // Replicas have nothing to do with each other, or are all alike.
  bool isAlike = isPreplaced || source.kind != Layout::Replica;
  for (const Reading &reading : readings) {
    if (isPreplaced)
      break;
    if (!reading.reader)
      isAlike = false;
    else if (source.kind == Layout::Partial)
      isAlike &= reading.isContributions;
    else
      isAlike &= reading.layout.kind == Layout::Cut &&
                 reading.layout.shifts == source.shifts;
  }
  if (isAlike) {
    planOn(value, 1, plan);
    checkTasks(value);
    return addLoad(value);
  }
  if (source.kind == Layout::Replica) {
    // Of contributions that several replicas have each, one replica's are
    // taken.
    Part part;
    if (sourceOf(value, 1, part).partial && !readings.empty()) {
      reason = "contributions to '" +
               graph.values[static_cast<size_t>(value)].name +
               "' are on several replicas each";
      return;
    }
    // Every replica has all that any has. For one alone, it is as for all if
    // nothing has to move.
    planOn(value, 1, plan);
    if (std::all_of(plan.tasks.begin(), plan.tasks.end(),
                    [](const PlannedTask &task) { return task.resource >= 0; }))
      return addLoad(value);
  }
  planOn(value, 2, planned);
  restrict(value);
  if (reason.empty())
    addLoad(value);
}

void StageQuotient::addLoad(int value) {
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
