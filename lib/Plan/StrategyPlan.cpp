//===- StrategyPlan.cpp - Plan of a strategy, changed op by op ------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels first, in topological order, because whether a value is partial, and
// which replicas contribute to it, follows from those before; then the values
// around what changed; then the counts of predecessors.
//
//===----------------------------------------------------------------------===//

#include "Soap/Plan/StrategyPlan.h"

#include <algorithm>
#include <limits>
#include <set>
#include <unordered_set>

using namespace soap;

StrategyPlan::StrategyPlan(const Graph &graph, const CostModel &cost)
    : graph(graph), cost(cost), transfers(cost.getTopology()),
      cuts(cost.getTopology()), regions(graph), classes(graph),
      builder(graph, cost, classes, regions), planner(cost, transfers, cuts) {
  for (const Restore &restore : graph.restores)
    restoreOf[restore.value] = &restore;
  enumerate();
  for (const Slot &slot : slots) {
    firstDelay.push_back(static_cast<int>(delays.size()));
    delays.resize(delays.size() + slot.kernel->operands.size());
  }
  listPathEdges();
  kernels.resize(slots.size());
  savedKernels.resize(slots.size());
  kernelSaved.resize(slots.size());
  isLeftOut.resize(slots.size());
  kernelDirty.resize(slots.size());
  counts.resize(slots.size());
  savedCounts.resize(slots.size());
  countsSaved.resize(slots.size());
  countsDirty.resize(slots.size());
  roots.resize(slots.size());
  heads.resize(slots.size());
  lateHeads.resize(slots.size());
  tails.resize(slots.size());
  pendingOperands.resize(slots.size());
  mayBePartial.resize(slots.size());
  savedRoots.resize(slots.size());
  hasRoots.resize(blocks.size());
  kernelLoad.resize(cost.getTopology().devices.size());
  bytes.resize(kernelLoad.size());
  passing.resize(cuts.count());
  leastBytes.resize(graph.values.size());
  load.resize(kernelLoad.size() + cost.getTopology().links.size());
  plans.resize(graph.values.size());
  savedPlans.resize(graph.values.size());
  valueSaved.resize(graph.values.size());
  valueDirty.resize(graph.values.size());
  geometries.resize(static_cast<size_t>(classes.count()));
  for (size_t k = 0; k < slots.size(); ++k)
    if (slots[k].kernel->space.linear)
      linearSlots.push_back(static_cast<int>(k));
}

/// Numbers slots and blocks; finds writers and readers of values.
void StrategyPlan::enumerate() {
  valueInfo.resize(graph.values.size());
  slotsOfNode.resize(graph.nodes.size());
  auto addBlock = [&](int value) {
    valueInfo[value].block = static_cast<int>(blocks.size());
    blocks.push_back({-1, value});
  };
  inputs.resize(graph.inputs.size());
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    const GraphInput &input = graph.inputs[i];
    valueInfo[input.value].input = static_cast<int>(i);
    addBlock(input.value);
    if (input.updateNode >= 0 || !input.hasConfig)
      continue;
    NeedSet unused;
    builder.buildTensor(input.value, input.config.degrees, unused,
                        inputs[i].blocks);
    inputs[i].devices = input.config.devices;
  }
  std::vector<int> lastWriter(graph.values.size(), -1);
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const GraphNode &node = graph.nodes[n];
    for (int stage = -1; stage < static_cast<int>(node.stages.size());
         ++stage) {
      slotsOfNode[n].push_back(static_cast<int>(slots.size()));
      const Kernel &kernel = stage < 0 ? node.whole : node.stages[stage];
      slots.push_back(
          {static_cast<int>(n), stage, &kernel, classes.of(kernel), -1});
    }
  }
  auto addReader = [&](int value, const Reader &reader) {
    valueInfo[value].readers.push_back(reader);
    return static_cast<int>(valueInfo[value].readers.size()) - 1;
  };
  for (size_t s = 0; s < slots.size(); ++s) {
    std::vector<int> &places = operandPlaces.emplace_back();
    for (size_t i = 0; i < slots[s].kernel->operands.size(); ++i)
      places.push_back(
          addReader(slots[s].kernel->operands[i],
                    {static_cast<int>(s), static_cast<int>(i), -1}));
    for (size_t r = 0; r < slots[s].kernel->results.size(); ++r) {
      int value = slots[s].kernel->results[r];
      valueInfo[value].producers.emplace_back(static_cast<int>(s),
                                              static_cast<int>(r));
      lastWriter[value] = static_cast<int>(s);
    }
  }
  fedBy.resize(slots.size());
  for (size_t s = 0; s < slots.size(); ++s) {
    // What is restored comes between what it waits for and its first reader.
    for (const Restore &restore : graph.restores)
      if (valueInfo[restore.value].readers.front().slot == static_cast<int>(s))
        addBlock(restore.value);
    slots[s].block = static_cast<int>(blocks.size());
    blocks.push_back({static_cast<int>(s), -1});
    for (int value : slots[s].kernel->results)
      if (lastWriter[value] == static_cast<int>(s) &&
          valueInfo[value].block < 0)
        addBlock(value);
  }
  for (const Restore &restore : graph.restores) {
    std::set<int> feeding;
    for (auto [slot, result] : valueInfo[restore.of].producers)
      feeding.insert(slot);
    for (auto [slot, result] : valueInfo[restore.trigger].producers)
      feeding.insert(slot);
    for (const Reader &reader : valueInfo[restore.of].readers)
      if (reader.slot >= 0)
        feeding.insert(reader.slot);
    for (int slot : feeding)
      fedBy[slot].push_back(restore.value);
  }
  outputs.resize(graph.outputs.size());
  for (size_t o = 0; o < graph.outputs.size(); ++o) {
    const GraphOutput &output = graph.outputs[o];
    outputPlaces.push_back(
        addReader(output.value, {-1, -1, static_cast<int>(o)}));
    BlockSet unused;
    if (output.hasConfig) {
      builder.buildTensor(output.value, output.config.degrees, outputs[o].needs,
                          unused);
      outputs[o].devices = output.config.devices;
    } else {
      std::vector<int64_t> whole(graph.values[output.value].shape.size(), 1);
      builder.buildTensor(output.value, whole, outputs[o].needs, unused);
      outputs[o].devices = {0};
    }
  }
}

KernelGeometry *StrategyPlan::geometryOf(int slot,
                                         const std::vector<int64_t> &degrees) {
  std::unique_ptr<KernelGeometry> &geometry =
      geometries[slots[slot].kernelClass][degrees];
  if (!geometry) {
    geometry = std::make_unique<KernelGeometry>(
        builder.build(*slots[slot].kernel, degrees));
    geometryBytes += 500 + static_cast<size_t>(geometry->pieces) * 32;
  }
  return geometry.get();
}

/// Makes room where caches take too much. Nothing may be pending.
void StrategyPlan::trimCaches() {
  if (geometryBytes + builder.cacheBytes() + planner.cacheBytes() +
          transfers.cacheBytes() <=
      mostCacheBytes)
    return;
  std::unordered_set<const KernelGeometry *> used;
  for (const KernelPlan &kernel : kernels)
    used.insert(kernel.geometry);
  for (auto &known : geometries)
    std::erase_if(known, [&](const auto &entry) {
      return !used.count(entry.second.get());
    });
  geometryBytes = 0;
  ownTiles.clear();
  builder.clearCache();
  planner.clearCaches();
  std::vector<bool> wanted(transfers.resourceLists().size());
  auto forEachList = [&](auto visit) {
    for (ValuePlan &plan : plans)
      for (PlannedTask &task : plan.tasks)
        if (task.resource < 0)
          visit(task.resource);
  };
  forEachList([&](int resource) { wanted[-1 - resource] = true; });
  std::vector<int> numbers(wanted.size());
  transfers.keep(wanted, [&](int before, int now) { numbers[before] = now; });
  forEachList([&](int &resource) { resource = -1 - numbers[-1 - resource]; });
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

int StrategyPlan::producerOf(int value) const {
  for (auto [slot, result] : valueInfo[value].producers)
    if (kernels[slot].active)
      return slot;
  return -1;
}

Combiner StrategyPlan::combinerOf(int value) const {
  for (auto [slot, result] : valueInfo[graph.rootOf(value)].producers)
    if (kernels[slot].active)
      return slots[slot].kernel->space.results[result].combiner;
  return Combiner::Sum;
}

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
  triggerSlot = producerOf(restore.trigger);
  if (triggerSlot >= 0) {
    source.triggerDevices = kernels[triggerSlot].devices;
    source.triggerStates = kernels[triggerSlot].states;
  }
  return source;
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
    source.combiner = slots[slot].kernel->space.results[result].combiner;
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

/// Whether each device is named once.
bool StrategyPlan::coversDevices(const std::vector<int> &devices) {
  if (devices.size() != kernelLoad.size())
    return false;
  static thread_local std::vector<bool> isNamed;
  isNamed.assign(devices.size(), false);
  for (int device : devices) {
    if (isNamed[device])
      return false;
    isNamed[device] = true;
  }
  return true;
}

/// Gives a slot the config of its node, or none. What depends on other kernels
/// is left to `resolve`.
void StrategyPlan::activate(int slot, const Config *config) {
  addKernelLoad(slot, -1);
  if (!kernelSaved[slot]) {
    kernelSaved[slot] = true;
    savedKernelList.push_back(slot);
    std::swap(kernels[slot], savedKernels[slot]);
  }
  if (!kernelDirty[slot]) {
    kernelDirty[slot] = true;
    dirtyKernels.push_back(slot);
  }
  KernelPlan &kernel = kernels[slot];
  kernel.active = config != nullptr;
  if (!config) {
    kernel.geometry = nullptr;
    kernel.devices.clear();
    kernel.states.clear();
    kernel.durationNs.clear();
    kernel.partialMode = false;
    return;
  }
  kernel.geometry = geometryOf(slot, config->degrees);
  kernel.replicas = static_cast<int>(config->replicas);
  kernel.devices = config->devices;
  kernel.durationNs.clear();
  const Topology &topology = cost.getTopology();
  int pieces = kernel.pieces();
  for (size_t s = 0; s < kernel.devices.size(); ++s)
    kernel.durationNs.push_back(
        kernel.geometry
            ->durationNs[topology.devices[kernel.devices[s]].type][s % pieces]);
  auto [shortest, longest] =
      std::minmax_element(kernel.durationNs.begin(), kernel.durationNs.end());
  kernel.shortestNs = *shortest;
  kernel.longestNs = *longest;
  kernel.isUniform = *shortest == *longest && coversDevices(kernel.devices) &&
                     kernel.geometry->allCompute;
  kernel.states.clear();
  for (int r = 0; r < kernel.replicas; ++r)
    kernel.states.insert(kernel.states.end(), kernel.geometry->states.begin(),
                         kernel.geometry->states.end());
  kernel.partialMode = false;
  addKernelLoad(slot, 1);
}

void StrategyPlan::addKernelLoad(int slot, int64_t sign) {
  const KernelPlan &kernel = kernels[slot];
  for (size_t s = 0; s < kernel.devices.size(); ++s)
    if (kernel.states[s] != ShardState::Absent) {
      kernelLoad[kernel.devices[s]] += sign * kernel.durationNs[s];
      load[kernel.devices[s]] += sign * kernel.durationNs[s];
      bytes[kernel.devices[s]] +=
          sign *
          kernel.geometry->resultBytes[s % kernel.geometry->states.size()];
    }
}

/// Adds or takes away what the tasks of a value do. The largest load of the
/// resources that they occupy.
int64_t StrategyPlan::addLoad(int value, int64_t sign) {
  int64_t largest = 0;
  const ValuePlan &plan = plans[value];
  const RegionTable &table = regionsOf(value);
  for (const PlannedTask &task : plan.tasks) {
    int64_t ns = sign * task.durationNs;
    if (task.resource >= 0) {
      largest = std::max(largest, load[task.resource] += ns);
    } else {
      for (int resource : transfers.resourceLists()[-1 - task.resource])
        largest = std::max(largest, load[resource] += ns);
      // A message is kept once more on its sender; collectives have none.
      if (int source = plan.actions[task.firstAction].source; source >= 0)
        bytes[source] += sign * task.bytes;
    }
  }
  for (size_t c = 0; c < plan.passingBytes.size(); ++c)
    passing[c] += sign * plan.passingBytes[c];
  for (const PlannedAction &action : plan.actions)
    bytes[action.device] += sign * table.bytes(action.region);
  for (auto [device, region] : plan.tiles)
    if (region >= 0)
      bytes[device] += sign * table.bytes(region);
  return largest;
}

/// Decides on partial mode and on the states of shards. Whether they changed.
bool StrategyPlan::resolve(int slot) {
  KernelPlan &kernel = kernels[slot];
  const Kernel &op = *slots[slot].kernel;
  bool partialMode = false;
  if (op.space.linear && kernel.replicas > 1)
    for (int operand : op.operands) {
      ValueSource source = sourceOf(operand);
      partialMode |= source.partial && source.combiner == Combiner::Sum;
    }
  std::vector<ShardState> states;
  states.reserve(kernel.devices.size());
  for (int r = 0; r < kernel.replicas; ++r)
    states.insert(states.end(), kernel.geometry->states.begin(),
                  kernel.geometry->states.end());
  bool modeBefore = kernel.partialMode;
  kernel.partialMode = partialMode;
  if (partialMode) {
    // A replica without contributions has nothing to add; the neutral value is
    // added once.
    static thread_local std::vector<bool> contributes;
    contributes.assign(states.size(), false);
    for (size_t i = 0; i < op.operands.size(); ++i) {
      int value = op.operands[i];
      ValueUse use = useOf(value, {slot, static_cast<int>(i), -1});
      if (use.contributions)
        planner.findContributors(regions.of(value), sourceOf(value), use,
                                 contributes);
    }
    for (size_t s = kernel.pieces(); s < states.size(); ++s)
      if (states[s] != ShardState::Compute || !contributes[s])
        states[s] = ShardState::Absent;
  }
  if (partialMode == modeBefore && states == kernel.states)
    return false;
  if (!kernelSaved[slot]) {
    kernelSaved[slot] = true;
    savedKernelList.push_back(slot);
    savedKernels[slot] = kernel;
    savedKernels[slot].partialMode = modeBefore;
  }
  addKernelLoad(slot, -1);
  kernel.states = std::move(states);
  addKernelLoad(slot, 1);
  return true;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// Plans a value, the loads of whose former plan have been taken away. The
/// largest load of the resources that it occupies now.
int64_t StrategyPlan::planValue(int value) {
  if (!valueSaved[value]) {
    valueSaved[value] = true;
    savedValueList.push_back(value);
    std::swap(plans[value], savedPlans[value]);
  }
  static thread_local std::vector<ValueUse> uses;
  uses.clear();
  for (const Reader &reader : valueInfo[value].readers) {
    if (reader.output >= 0)
      placeOutput(reader.output);
    uses.push_back(useOf(value, reader));
  }
  planner.plan(regions.of(value), graph.values[value].elementBytes,
               sourceOf(value), uses, valueInfo[value].block, plans[value]);
  if (auto it = restoreOf.find(value);
      it != restoreOf.end() && !plans[value].successorStart.empty())
    restoredSource(*it->second, plans[value].sourceSlot,
                   plans[value].triggerSlot);
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

void StrategyPlan::saveCounts(int slot) {
  if (countsSaved[slot])
    return;
  countsSaved[slot] = true;
  savedCountList.push_back(slot);
  std::swap(counts[slot], savedCounts[slot]);
  std::swap(roots[slot], savedRoots[slot]);
}

void StrategyPlan::countPredecessors(int slot) {
  saveCounts(slot);
  std::vector<int> &count = counts[slot];
  count.assign(kernels[slot].devices.size(), 0);
  const Kernel &op = *slots[slot].kernel;
  for (size_t i = 0; kernels[slot].active && i < op.operands.size(); ++i) {
    int value = op.operands[i];
    const ValuePlan &plan = plans[value];
    const std::vector<int> &binding = bindingOf(slot, static_cast<int>(i));
    int first = plan.sourcesAreTasks ? 0 : plan.sources;
    for (size_t s = 0; s < binding.size(); ++s)
      count[s] += binding[s] >= first;
  }
  roots[slot].clear();
  for (size_t s = 0; s < count.size(); ++s)
    if (count[s] == 0 && kernels[slot].states[s] != ShardState::Absent)
      roots[slot].push_back(static_cast<int>(s));
  hasRoots[slots[slot].block] = !roots[slot].empty();
}

//===----------------------------------------------------------------------===//
// Changes
//===----------------------------------------------------------------------===//

void StrategyPlan::touch(int value) {
  if (valueDirty[value])
    return;
  valueDirty[value] = true;
  dirtyValues.push_back(value);
}

/// Kernels in topological order: what follows from a change of one is looked at
/// after it.
void StrategyPlan::resolveDirty() {
  std::set<int> toResolve(dirtyKernels.begin(), dirtyKernels.end());
  for (int slot : dirtyKernels)
    if (kernels[slot].active && !kernels[slot].geometry->hasRegions)
      builder.addRegions(*slots[slot].kernel, *kernels[slot].geometry);
  while (!toResolve.empty()) {
    int slot = *toResolve.begin();
    toResolve.erase(toResolve.begin());
    bool isNew = kernelDirty[slot];
    kernelDirty[slot] = false;
    bool different = kernels[slot].active && resolve(slot);
    if (!different && !isNew)
      continue;
    const Kernel &op = *slots[slot].kernel;
    if (!countsDirty[slot]) {
      countsDirty[slot] = true;
      dirtyKernels.push_back(slot);
    }
    for (int value : op.operands)
      touch(value);
    for (int value : fedBy[slot])
      touch(value);
    for (int value : op.results) {
      touch(value);
      for (const Reader &reader : valueInfo[value].readers)
        if (reader.slot >= 0 && kernels[reader.slot].active &&
            kernels[reader.slot].replicas > 1 &&
            slots[reader.slot].kernel->space.linear)
          toResolve.insert(reader.slot);
    }
  }
}

/// Whether the plan of a value can have fills, which wait for nothing: replicas
/// in partial mode that have no contributions of it, or nothing to add.
bool StrategyPlan::mayBeFilled(int value) const {
  for (const Reader &reader : valueInfo[value].readers)
    if (reader.slot >= 0 && kernels[reader.slot].partialMode)
      return true;
  return false;
}

/// Whether every task of a slot certainly waits for another one: of a pending
/// value, of its writer, or of a value that is planned.
bool StrategyPlan::waitsForTasks(int slot) const {
  const KernelPlan &kernel = kernels[slot];
  const std::vector<int> &operands = slots[slot].kernel->operands;
  auto pieces = static_cast<size_t>(kernel.pieces());
  auto waits = [&](size_t shard) {
    for (size_t i = 0; i < operands.size(); ++i) {
      if (isPending(operands[i])) {
        if (kernel.geometry->operandTiles[i].volumes[shard % pieces] > 0)
          return true;
        continue;
      }
      const ValuePlan &plan = plans[operands[i]];
      if (bindingOf(slot, static_cast<int>(i))[shard] >=
          (plan.sourcesAreTasks ? 0 : plan.sources))
        return true;
    }
    return false;
  };
  for (size_t s = 0; s < kernel.states.size(); ++s)
    if (kernel.states[s] == ShardState::Fill ||
        (kernel.states[s] == ShardState::Compute && !waits(s)))
      return false;
  return true;
}

bool StrategyPlan::prepare(int64_t limitNs) {
  resolveDirty();
  isPrepared = true;
  pendingRoots = changedRoots = false;
  // What is not planned yet is no part of the loads, so that they are lower
  // bounds all the time.
  for (int value : dirtyValues) {
    addLoad(value, -1);
    if (leastBytes[value].empty()) {
      if (!expected.empty())
        expect(plans[value].passingBytes, {});
      dropDelays(value);
    }
    changedRoots |= !plans[value].roots.empty();
    if (int block = valueInfo[value].block; block >= 0)
      hasRoots[block] = false;
    for (const Reader &reader : valueInfo[value].readers)
      if (reader.slot >= 0) {
        ++pendingOperands[reader.slot];
        if (!countsDirty[reader.slot]) {
          countsDirty[reader.slot] = true;
          dirtyKernels.push_back(reader.slot);
        }
      }
  }
  for (int slot : savedKernelList)
    changedRoots |= !roots[slot].empty();
  std::vector<int> toCount = savedKernelList;
  for (int value : dirtyValues) {
    // Tasks without predecessors must be known before anything is simulated.
    if (producerOf(value) >= 0 && !mayBeFilled(value))
      continue;
    if (!planPending(value, limitNs))
      return false;
    for (const Reader &reader : valueInfo[value].readers)
      if (reader.slot >= 0 && !kernelSaved[reader.slot])
        toCount.push_back(reader.slot);
  }
  for (int slot : toCount) {
    if (hasPendingOperands(slot) && kernels[slot].active) {
      // Its tasks are counted when they are met.
      saveCounts(slot);
      roots[slot].clear();
      hasRoots[slots[slot].block] = false;
      pendingRoots |= !waitsForTasks(slot);
    } else {
      countPredecessors(slot);
    }
  }
  return true;
}

bool StrategyPlan::planPending(int value, int64_t limitNs) {
  valueDirty[value] = false;
  for (const Reader &reader : valueInfo[value].readers)
    if (reader.slot >= 0)
      --pendingOperands[reader.slot];
  int64_t loadNs = planValue(value);
  return loadNs <= limitNs && mayPass(value, limitNs);
}

bool StrategyPlan::finish(int64_t limitNs) {
  if (!isPrepared && !prepare(limitNs))
    return false;
  // Large values first: they delay most.
  bool isLimited = limitNs != std::numeric_limits<int64_t>::max();
  if (isLimited)
    std::sort(dirtyValues.begin(), dirtyValues.end(), [&](int a, int b) {
      return std::pair(-graph.values[a].bytes(), a) <
             std::pair(-graph.values[b].bytes(), b);
    });
  int64_t delayNs = 0;
  for (int value : dirtyValues) {
    if (!isPending(value))
      continue;
    if (!planPending(value, limitNs))
      return false;
    // Paths of another proposal say nothing of this one.
    if (!isLimited || !pathsAreValid)
      continue;
    // A bound grows by the delays at most.
    delayNs += addDelays(value, false);
    if (delayNs > limitNs - pathNs) {
      if (pathBoundNs() > limitNs)
        return false;
      delayNs = 0;
    }
  }
  for (int slot : dirtyKernels)
    if (countsDirty[slot]) {
      countsDirty[slot] = false;
      countPredecessors(slot);
    }
  dirtyKernels.clear();
  dirtyValues.clear();
  isPrepared = false;
  forgetBounds();
  for (int value : savedValueList)
    addDelays(value, true);
  return true;
}

std::vector<int> StrategyPlan::changedBlocks() const {
  std::vector<int> changed;
  for (int slot : savedKernelList)
    changed.push_back(slots[slot].block);
  for (int slot : savedCountList)
    changed.push_back(slots[slot].block);
  for (int value : savedValueList)
    changed.push_back(valueInfo[value].block);
  std::sort(changed.begin(), changed.end());
  changed.erase(std::unique(changed.begin(), changed.end()), changed.end());
  return changed;
}

void StrategyPlan::change(std::span<const int> nodes,
                          std::span<const Config> configs) {
  pathsAreValid = false;
  if (!loadsSaved) {
    trimCaches();
    loadsSaved = true;
    savedKernelLoad = kernelLoad;
    savedLoad = load;
    savedBytes = bytes;
    savedPassing = passing;
  }
  for (size_t i = 0; i < nodes.size(); ++i) {
    int n = nodes[i];
    const GraphNode &node = graph.nodes[n];
    savedConfigs.emplace_back(n, std::move(strategy[n]));
    strategy[n] = configs[i];
    bool staged = usesStages(node, configs[i]);
    for (int slot : slotsOfNode[n]) {
      int stage = slots[slot].stage;
      if ((stage >= 0) != staged) {
        if (kernels[slot].active)
          activate(slot, nullptr);
      } else if (stage < 0) {
        activate(slot, &configs[i]);
      } else {
        Config config = stageConfig(node, configs[i], node.stages[stage]);
        activate(slot, &config);
      }
    }
  }
  // What tiles of the new degrees there are; loads did without.
  for (int slot : dirtyKernels) {
    if (KernelGeometry *geometry = kernels[slot].geometry;
        geometry && !geometry->hasTiles) {
      builder.addTiles(*slots[slot].kernel, *geometry);
      geometryBytes +=
          static_cast<size_t>(geometry->pieces) * 64 *
          (geometry->operandTiles.size() + geometry->resultTiles.size());
    }
  }
  updatePaths(dirtyKernels);
}

void StrategyPlan::loadWithoutNs(std::span<const int> nodes,
                                 std::vector<int64_t> &ns) {
  trimCaches();
  ns = kernelLoad;
  for (int n : nodes)
    for (int slot : slotsOfNode[n]) {
      isLeftOut[slot] = true;
      const KernelPlan &kernel = kernels[slot];
      for (size_t s = 0; s < kernel.devices.size(); ++s)
        if (kernel.states[s] != ShardState::Absent)
          ns[static_cast<size_t>(kernel.devices[s])] -= kernel.durationNs[s];
    }
  for (int slot : linearSlots) {
    const KernelPlan &kernel = kernels[slot];
    if (!kernel.active || isLeftOut[slot])
      continue;
    for (auto s = static_cast<size_t>(kernel.pieces());
         s < kernel.devices.size(); ++s)
      if (kernel.states[s] != ShardState::Absent)
        ns[static_cast<size_t>(kernel.devices[s])] -= kernel.durationNs[s];
  }
  for (int n : nodes)
    for (int slot : slotsOfNode[n])
      isLeftOut[slot] = false;
}

void StrategyPlan::addShardNs(int node, const Config &config,
                              std::vector<int64_t> &ns) {
  const GraphNode &of = graph.nodes[node];
  bool staged = usesStages(of, config);
  for (int slot : slotsOfNode[node]) {
    int stage = slots[slot].stage;
    if ((stage >= 0) != staged)
      continue;
    Config ofStage;
    if (staged)
      ofStage = stageConfig(of, config, of.stages[stage]);
    const Config &own = staged ? ofStage : config;
    const KernelGeometry &geometry = *geometryOf(slot, own.degrees);
    auto pieces = static_cast<size_t>(geometry.pieces);
    bool mayLack = own.replicas > 1 && slots[slot].kernel->space.linear;
    for (size_t s = 0; s < (mayLack ? pieces : own.devices.size()); ++s) {
      size_t piece = s % pieces;
      if (geometry.states[piece] == ShardState::Absent)
        continue;
      int64_t leastNs = geometry.durationNs[0][piece];
      for (const std::vector<int64_t> &ofType : geometry.durationNs)
        leastNs = std::min(leastNs, ofType[piece]);
      ns[static_cast<size_t>(own.devices[s])] += leastNs;
    }
  }
}

void StrategyPlan::set(const Strategy &next) {
  strategy.resize(next.size());
  std::vector<int> nodes;
  for (size_t n = 0; n < next.size(); ++n)
    nodes.push_back(static_cast<int>(n));
  // Values that no kernel writes or reads have outputs at most.
  for (size_t v = 0; v < graph.values.size(); ++v)
    if (valueInfo[v].producers.empty()) {
      addLoad(static_cast<int>(v), -1);
      planValue(static_cast<int>(v));
    }
  change(nodes, next);
  finish();
  commit();
}

void StrategyPlan::commit() {
  for (int slot : savedKernelList)
    kernelSaved[slot] = false;
  for (int value : savedValueList)
    valueSaved[value] = false;
  for (int slot : savedCountList)
    countsSaved[slot] = false;
  savedKernelList.clear();
  savedValueList.clear();
  savedCountList.clear();
  savedConfigs.clear();
  savedDelays.clear();
  loadsSaved = false;
}

void StrategyPlan::revert() {
  forgetBounds();
  for (size_t i = savedDelays.size(); i-- > 0;)
    delays[savedDelays[i].place] = savedDelays[i].delay;
  savedDelays.clear();
  pathsAreValid = false;
  for (int slot : dirtyKernels)
    kernelDirty[slot] = countsDirty[slot] = false;
  for (int value : dirtyValues) {
    if (isPrepared && isPending(value))
      for (const Reader &reader : valueInfo[value].readers)
        if (reader.slot >= 0)
          pendingOperands[reader.slot] = 0;
    valueDirty[value] = false;
    if (valueInfo[value].block >= 0)
      hasRoots[valueInfo[value].block] = !plans[value].roots.empty();
  }
  dirtyKernels.clear();
  dirtyValues.clear();
  isPrepared = false;
  for (int slot : savedKernelList) {
    std::swap(kernels[slot], savedKernels[slot]);
    kernelSaved[slot] = false;
  }
  updatePaths(savedKernelList);
  for (int value : savedValueList) {
    std::swap(plans[value], savedPlans[value]);
    valueSaved[value] = false;
    if (valueInfo[value].block >= 0)
      hasRoots[valueInfo[value].block] = !plans[value].roots.empty();
  }
  for (int slot : savedCountList) {
    std::swap(counts[slot], savedCounts[slot]);
    std::swap(roots[slot], savedRoots[slot]);
    hasRoots[slots[slot].block] = !roots[slot].empty();
    countsSaved[slot] = false;
  }
  for (size_t i = savedConfigs.size(); i-- > 0;)
    strategy[savedConfigs[i].first] = std::move(savedConfigs[i].second);
  savedKernelList.clear();
  savedValueList.clear();
  savedCountList.clear();
  savedConfigs.clear();
  if (loadsSaved) {
    std::swap(kernelLoad, savedKernelLoad);
    std::swap(load, savedLoad);
    std::swap(bytes, savedBytes);
    std::swap(passing, savedPassing);
    loadsSaved = false;
  }
  for (size_t o = 0; o < outputs.size(); ++o)
    placeOutput(static_cast<int>(o));
}

int64_t StrategyPlan::taskCount() const {
  int64_t count = 0;
  for (const KernelPlan &kernel : kernels)
    for (ShardState state : kernel.states)
      count += state != ShardState::Absent;
  for (const ValuePlan &plan : plans)
    count += static_cast<int64_t>(plan.tasks.size());
  return count;
}

int StrategyPlan::keptReference(int value, int source) const {
  const Restore &restore = *restoreOf.at(value);
  int slot = plans[value].sourceSlot;
  if (slot < 0 || producerOf(restore.of) == slot)
    return source;
  const std::vector<int> &operands = slots[slot].kernel->operands;
  auto operand = std::find(operands.begin(), operands.end(), restore.of);
  return bindingOf(slot, static_cast<int>(operand - operands.begin()))[source];
}
