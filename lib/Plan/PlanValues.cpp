//===- PlanValues.cpp - Values of a strategy's plan
//------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The writer and the readers of a value under the current configs, which is all
// that ValuePlanner.h needs to plan it.
//
//===----------------------------------------------------------------------===//

#include "Soap/Plan/StrategyPlan.h"

#include <algorithm>
#include <cassert>
#include <set>

using namespace soap;

/// The tiles of the first op of the forward pass that reads others than those
/// that were written, if they are a partition of the value. Whether there are.
bool StrategyPlan::findCopies(int value, ValueSource &source, int &slot) {
  ValueSource written = sourceOf(value);
  std::set<std::pair<int, int>> known; // device, region
  for (size_t s = 0;
       written.blocks && !written.partial && s < written.devices.size(); ++s)
    if (int block = written.blocks->blockOf[s % written.pieces]; block >= 0)
      known.insert({written.devices[s], written.blocks->regions[block]});
  for (const Reader &reader : valueInfo[value].readers) {
    if (reader.slot < 0 || !kernels[reader.slot].active)
      continue;
    slot = reader.slot;
    const KernelPlan &kernel = kernels[slot];
    if (slots[slot].kernel->phase != Phase::Forward || kernel.partialMode)
      continue;
    const std::vector<int> &needs =
        kernel.geometry->operands[reader.operand].regions;
    bool isCopy = false;
    for (size_t s = 0; s < kernel.devices.size(); ++s)
      isCopy |= kernel.states[s] == ShardState::Compute &&
                !known.count({kernel.devices[s], needs[s % needs.size()]});
    if (!isCopy)
      continue;
    auto [it, isNew] = ownTiles.try_emplace({kernel.geometry, reader.operand});
    if (isNew)
      it->second = builder.tiles(value, needs);
    const std::vector<int> &tiles = it->second.regions;
    RegionTable &table = regions.table(value);
    int64_t elements = 1, covered = 0;
    for (int64_t extent : graph.values[value].shape)
      elements *= extent;
    for (size_t a = 0; a < tiles.size(); ++a) {
      covered += table.volume(tiles[a]);
      for (size_t b = 0; b < a; ++b)
        if (table.intersect(tiles[a], tiles[b]) >= 0)
          return false;
    }
    assert(covered <= elements && "disjoint tiles");
    if (covered != elements)
      return false;
    source.kind = ValueSource::Kind::Kernel;
    source.blocks = &it->second;
    source.devices = kernel.devices;
    source.pieces = kernel.pieces();
    // Shards that fill their result read nothing.
    restoredStates.assign(kernel.states.begin(), kernel.states.end());
    for (ShardState &state : restoredStates)
      if (state != ShardState::Compute)
        state = ShardState::Absent;
    source.states = restoredStates;
    return true;
  }
  return false;
}

ValueSource StrategyPlan::restoredSource(const Restore &restore,
                                         int &sourceSlot, int &triggerSlot) {
  ValueSource source;
  if (restore.keep != Keep::After ||
      !findCopies(restore.of, source, sourceSlot)) {
    source = sourceOf(restore.of);
    sourceSlot = producerOf(restore.of);
  }
  source.isRestored = true;
  source.delaysReaders = restore.delaysReaders;
  triggerSlot = producerOf(restore.trigger);
  if (triggerSlot >= 0) {
    source.triggerDevices = kernels[triggerSlot].devices;
    source.triggerStates = kernels[triggerSlot].states;
  }
  return source;
}

/// The rounds of the shards of a slot that reads or writes a value; empty if
/// the value is not moved in rounds.
std::span<const int> StrategyPlan::roundsOf(int value, int slot) {
  if (rounds.moves.empty() || !rounds.moves[static_cast<size_t>(value)])
    return {};
  const KernelPlan &kernel = kernels[slot];
  const KernelGeometry &geometry = *kernel.geometry;
  auto &[known, result] = roundsOfSlots[slot];
  if (known == &geometry && result.size() == kernel.devices.size())
    return result;
  known = &geometry;
  int loop = rounds.loops[static_cast<size_t>(slots[slot].node)];
  if (slots[slot].stage >= 0 && loop >= 0) {
    const std::vector<int> &whole = slots[slot].kernel->wholeLoops;
    auto it = std::find(whole.begin(), whole.end(), loop);
    loop = it == whole.end() ? -1 : static_cast<int>(it - whole.begin());
  }
  result.assign(kernel.devices.size(), -1);
  if (loop < 0)
    return result;
  int64_t inside = 1, degree = geometry.degrees[static_cast<size_t>(loop)];
  for (size_t l = static_cast<size_t>(loop) + 1; l < geometry.degrees.size();
       ++l)
    inside *= geometry.degrees[l];
  for (size_t s = 0; s < result.size(); ++s) {
    int64_t piece = static_cast<int64_t>(s) % kernel.pieces();
    result[s] =
        static_cast<int>(piece / inside % degree * rounds.count / degree);
    assert(result[s] < rounds.count && "no such round");
  }
  return result;
}

ValueSource StrategyPlan::sourceOf(int value) {
  if (auto it = restoreOf.find(value); it != restoreOf.end()) {
    int sourceSlot = -1, triggerSlot = -1;
    return restoredSource(*it->second, sourceSlot, triggerSlot);
  }
  const ValueInfo &info = valueInfo[value];
  ValueSource source;
  for (auto [slot, result] : info.producers) {
    const KernelPlan &kernel = kernels[slot];
    if (!kernel.active)
      continue;
    source.kind = ValueSource::Kind::Kernel;
    source.blocks = &kernel.geometry->results[result];
    source.devices = kernel.devices;
    source.states = kernel.states;
    source.pieces = kernel.pieces();
    source.partialMode = kernel.partialMode;
    source.partial = kernel.partialMode || source.blocks->partial;
    source.ofProduct = slots[slot].kernel->kind.starts_with("matmul");
    source.combiner = slots[slot].kernel->space.results[result].combiner;
    if (source.partial)
      source.rounds = roundsOf(value, slot);
    return source;
  }
  if (info.input < 0)
    return source;
  const GraphInput &input = graph.inputs[info.input];
  if (input.updateNode >= 0) {
    for (int slot : slotsOfNode[input.updateNode]) {
      const KernelPlan &kernel = kernels[slot];
      if (!kernel.active)
        continue;
      auto [it, isNew] =
          ownTiles.try_emplace({kernel.geometry, input.updateOperand});
      if (isNew)
        it->second = builder.tiles(
            value, kernel.geometry->operands[input.updateOperand].regions);
      source.kind = ValueSource::Kind::Tiles;
      source.blocks = &it->second;
      source.devices = kernel.devices;
      source.pieces = kernel.pieces();
      return source;
    }
    return source;
  }
  if (input.hasConfig) {
    source.kind = ValueSource::Kind::Tiles;
    source.blocks = &inputs[info.input].blocks;
    source.devices = inputs[info.input].devices;
    source.pieces = static_cast<int>(source.blocks->blockOf.size());
    return source;
  }
  source.kind = ValueSource::Kind::Preplaced;
  return source;
}

ValueUse StrategyPlan::useOf(int value, const Reader &reader) {
  ValueUse use;
  if (reader.output >= 0) {
    use.needs = &outputs[reader.output].needs;
    use.devices = outputs[reader.output].devices;
    use.pieces = static_cast<int>(use.needs->regions.size());
    return use;
  }
  const KernelPlan &kernel = kernels[reader.slot];
  if (!kernel.active)
    return use;
  const Slot &slot = slots[reader.slot];
  use.needs = &kernel.geometry->operands[reader.operand];
  use.devices = kernel.devices;
  use.states = kernel.states;
  use.pieces = kernel.pieces();
  use.block = slot.block;
  use.rounds = roundsOf(value, reader.slot);
  int input = valueInfo[value].input;
  use.ownTile = input >= 0 && slot.stage < 0 &&
                graph.inputs[input].updateNode == slot.node &&
                graph.inputs[input].updateOperand == reader.operand;
  if (kernel.partialMode) {
    ValueSource source = sourceOf(value);
    use.contributions = source.partial && source.combiner == Combiner::Sum;
    use.zeroReplicas = !use.contributions;
  }
  return use;
}

/// Adds or takes away what the tasks of a value do. The largest load of the
/// resources that they occupy.
int64_t StrategyPlan::addLoad(int value, int64_t sign) {
  int64_t largest = 0;
  const ValuePlan &plan = plans[value];
  const RegionTable &table = regionsOf(value);
  for (const PlannedTask &task : plan.tasks) {
    assert(task.durationNs > 0 && "a task takes at least 1 ns");
    int64_t ns = sign * task.durationNs;
    if (task.resource >= 0) {
      largest = std::max(largest, load[task.resource] += ns);
      assert(load[task.resource] >= 0 && "less work than none");
    } else {
      for (int resource : transfers.resourceLists()[-1 - task.resource])
        largest = std::max(largest, load[resource] += ns);
      // A message is kept once more on its sender.
      if (int source = plan.actions[task.firstAction].source; source >= 0)
        bytes[source] += sign * task.bytes;
    }
  }
  for (size_t c = 0; c < plan.passingBytes.size(); ++c) {
    passing[c] += sign * plan.passingBytes[c];
    assert(passing[c] >= 0 && "fewer bytes than none");
  }
  for (const PlannedAction &action : plan.actions) {
    bytes[action.device] += sign * table.bytes(action.region);
    assert(bytes[action.device] >= 0 && "fewer bytes than none");
  }
  for (const PlannedCollective &collective : plan.collectives)
    for (auto [device, count] : collective.temporaries)
      bytes[device] += sign * count;
  for (auto [device, region] : plan.tiles)
    if (region >= 0)
      bytes[device] += sign * table.bytes(region);
  return largest;
}

/// Plans a value, the loads of whose former plan have been taken away. The
/// largest load of the resources that it occupies now.
int64_t StrategyPlan::planValue(int value) {
  if (!valueSaved[value]) {
    valueSaved[value] = true;
    savedValueList.push_back(value);
    std::swap(plans[value], savedPlans[value]);
  }
  std::vector<ValueUse> &uses = valueUses;
  uses.clear();
  for (const Reader &reader : valueInfo[value].readers) {
    if (reader.output >= 0)
      placeOutput(reader.output);
    uses.push_back(useOf(value, reader));
  }
  planner.plan(regions.of(value), graph.values[value].elementBytes,
               sourceOf(value), uses, valueInfo[value].block, plans[value]);
  if (auto it = restoreOf.find(value);
      it != restoreOf.end() && !plans[value].successorStart.empty()) {
    restoredSource(*it->second, plans[value].sourceSlot,
                   plans[value].triggerSlot);
    plans[value].delaysReaders = it->second->delaysReaders;
  }
  if (valueInfo[value].block >= 0)
    hasRoots[valueInfo[value].block] = !plans[value].roots.empty();
  return addLoad(value, 1);
}

/// An output without a config goes to the device of its writer's first shard.
void StrategyPlan::placeOutput(int output) {
  if (graph.outputs[output].hasConfig)
    return;
  int device = 0;
  if (int slot = producerOf(graph.outputs[output].value); slot >= 0) {
    const KernelPlan &kernel = kernels[slot];
    for (size_t s = 0; s < kernel.devices.size(); ++s)
      if (kernel.geometry->states[s % kernel.pieces()] != ShardState::Absent) {
        device = kernel.devices[s];
        break;
      }
  }
  outputs[output].devices = {device};
}
