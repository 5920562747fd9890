//===- StrategyPlan.cpp - Plan of a strategy, changed op by op ------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The transaction. Kernels come first, in topological order, because whether a
// value is partial, and which replicas contribute to it, follows from those
// before; then the values around what changed; then the counts of predecessors.
//
//===----------------------------------------------------------------------===//

#include "Soap/Plan/StrategyPlan.h"

#include <algorithm>
#include <cassert>
#include <set>
#include <unordered_set>

using namespace soap;

StrategyPlan::StrategyPlan(const Graph &graph, const CostModel &cost)
    : PlanState(graph, cost), planner(cost, transfers, cuts),
      geometries(static_cast<size_t>(classes.count())) {
  savedKernels.resize(slots.size());
  kernelSaved.resize(slots.size());
  kernelDirty.resize(slots.size());
  savedCounts.resize(slots.size());
  countsSaved.resize(slots.size());
  countsDirty.resize(slots.size());
  savedRoots.resize(slots.size());
  pendingOperands.resize(slots.size());
  savedPlans.resize(graph.values.size());
  valueSaved.resize(graph.values.size());
  valueDirty.resize(graph.values.size());
}

/// Makes room where caches take too much. Nothing may be pending.
void StrategyPlan::trimCaches() {
  assert(savedKernelList.empty() && !isPrepared &&
         "there must be no transaction");
  if (geometryBytes + builder.cacheBytes() + planner.cacheBytes() +
          transfers.cacheBytes() <=
      maxCacheBytes)
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
    // Recomputed ops wait for shards that they read nothing of.
    if (!plan.delaysReaders || plan.successorStart.empty() ||
        std::find(op.operands.begin(), op.operands.begin() + i, value) !=
            op.operands.begin() + i)
      continue;
    size_t firstTrigger = static_cast<size_t>(plan.sources) + plan.tasks.size();
    for (int e = plan.successorStart[firstTrigger];
         e < plan.successorStart.back(); ++e)
      if (plan.successors[e].block == slots[slot].block)
        ++count[plan.successors[e].index];
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
    // Linear readers, of restored values, too, follow the contributions.
    auto touchResult = [&](int value) {
      touch(value);
      for (const Reader &reader : valueInfo[value].readers)
        if (reader.slot >= 0 && kernels[reader.slot].active &&
            kernels[reader.slot].replicas > 1 &&
            slots[reader.slot].kernel->space.linear)
          toResolve.insert(reader.slot);
    };
    for (int value : fedBy[slot])
      touchResult(value);
    for (int value : op.results)
      touchResult(value);
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
  assert(!isPrepared && "it is prepared already");
  resolveDirty();
  isPrepared = true;
  pendingRoots = changedRoots = false;
  // Values that are not planned yet do not count in loads, so these are lower
  // bounds all the time.
  for (int value : dirtyValues) {
    addLoad(value, -1);
    if (observer)
      observer->valueDropped(value);
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
  assert(isPending(value) && "it is planned already");
  assert(isPrepared && "nothing is prepared");
  valueDirty[value] = false;
  for (const Reader &reader : valueInfo[value].readers)
    if (reader.slot >= 0) {
      assert(pendingOperands[reader.slot] > 0 && "an operand that was counted");
      --pendingOperands[reader.slot];
    }
  int64_t loadNs = planValue(value);
  return loadNs <= limitNs &&
         (!observer || observer->valuePlanned(value, limitNs));
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
  for (int value : dirtyValues) {
    if (!isPending(value))
      continue;
    if (!planPending(value, limitNs))
      return false;
    if (isLimited && observer && !observer->valueFinished(value, limitNs))
      return false;
  }
  for (int slot : dirtyKernels)
    if (countsDirty[slot]) {
      countsDirty[slot] = false;
      countPredecessors(slot);
    }
  dirtyKernels.clear();
  dirtyValues.clear();
  isPrepared = false;
  if (observer)
    observer->finished();
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
  assert(nodes.size() == configs.size() && "a config a node");
  assert(!isPrepared && "finish must come first");
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
    assert(n >= 0 && static_cast<size_t>(n) < graph.nodes.size() &&
           "no such node");
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
  // Tiles of the new degrees. The load bound did without them.
  for (int slot : dirtyKernels) {
    if (KernelGeometry *geometry = kernels[slot].geometry;
        geometry && !geometry->hasTiles) {
      builder.addTiles(*slots[slot].kernel, *geometry);
      geometryBytes +=
          static_cast<size_t>(geometry->pieces) * 64 *
          (geometry->operandTiles.size() + geometry->resultTiles.size());
    }
  }
  if (observer)
    observer->kernelsChanged(dirtyKernels);
}

void StrategyPlan::set(const Strategy &next) {
  assert(next.size() == graph.nodes.size() && "a config a node");
  assert(savedConfigs.empty() && "changes must have been committed");
  assert([&] {
    for (size_t n = 0; n < next.size(); ++n)
      if (checkConfig(graph.nodes[n].whole.space, next[n],
                      cost.getTopology().deviceCount())
              .fault != ConfigFault::None)
        return false;
    return true;
  }() && "configs must have passed checkConfig");
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
  assert(dirtyKernels.empty() && dirtyValues.empty() && !isPrepared &&
         "changes must have been finished");
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
  loadsSaved = false;
  if (observer)
    observer->committed();
}

void StrategyPlan::revert() {
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
  if (observer)
    observer->reverted(savedKernelList);
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
