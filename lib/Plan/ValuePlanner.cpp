//===- ValuePlanner.cpp - How one value gets where it is needed -----------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See docs/Plan.md. Needs are collected per device first, so that a piece is
// moved to a device once; then complete pieces are sent, or contributions
// combined; then the tiles that readers want are assembled.
//
//===----------------------------------------------------------------------===//

#include "Soap/Plan/ValuePlanner.h"

#include "ValuePlannerScratch.h"

#include <algorithm>
#include <cassert>
#include <numeric>

using namespace soap;

ValuePlanner::ValuePlanner(const CostModel &cost, TransferTable &transfers,
                           const LinkCuts &cuts)
    : cost(cost), transfers(transfers), cuts(cuts),
      deviceCount(cost.getTopology().deviceCount()), byDevice(deviceCount),
      levels(cost.getTopology()), models(cost.getTopology(), transfers, levels),
      collectives(cost.getTopology().hasCollectives()),
      exchanged(cost.getTopology(), &levels),
      scratch(std::make_unique<Scratch>()) {
  knowsRuns.assign(cost.getTopology().deviceTypes.size(), false);
  for (int device = 0; device < deviceCount; ++device)
    knowsRuns[cost.getTopology().devices[device].type] = cost.knowsRuns(device);
}

ValuePlanner::~ValuePlanner() = default;

/// Whether every shard of every reader reads just what the shard of the same
/// number has written, on its device: most values of a strategy, since an op
/// and its gradients are split alike.
bool ValuePlanner::isInPlace(std::span<const ValueUse> uses) const {
  size_t count = source->devices.size();
  if (source->kind != ValueSource::Kind::Kernel || source->isRestored ||
      source->partial || static_cast<size_t>(source->pieces) != count ||
      source->blocks->regions.size() != count)
    return false;
  for (size_t s = 0; s < count; ++s)
    if (source->states[s] == ShardState::Absent)
      return false;
  for (const ValueUse &use : uses) {
    if (!use.needs)
      continue;
    if (use.ownTile || use.contributions || use.zeroReplicas ||
        use.needs->regions.size() != count ||
        !std::ranges::equal(use.devices, source->devices))
      return false;
    for (size_t s = 0; s < count; ++s)
      if ((!use.states.empty() && use.states[s] != ShardState::Compute) ||
          use.needs->regions[s] !=
              source->blocks->regions[source->blocks->blockOf[s]])
        return false;
  }
  return true;
}

/// The plan of such a value: no tasks.
void ValuePlanner::planInPlace(std::span<const ValueUse> uses) {
  ValuePlan &plan = *out;
  auto count = static_cast<int>(source->devices.size());
  plan.isInPlace = true;
  int readers = 0;
  for (size_t u = 0; u < uses.size(); ++u) {
    if (!uses[u].needs)
      continue;
    std::vector<int> &binding = plan.bindings[u];
    binding.resize(static_cast<size_t>(count));
    std::iota(binding.begin(), binding.end(), 0);
    readers += uses[u].block >= 0;
  }
  plan.successorStart.reserve(static_cast<size_t>(count) + 1);
  plan.successors.reserve(static_cast<size_t>(count * readers));
  for (int s = 0; s < count; ++s) {
    plan.successorStart.push_back(s * readers);
    for (const ValueUse &use : uses)
      if (use.needs && use.block >= 0)
        plan.successors.push_back({use.block, s});
  }
  plan.successorStart.push_back(count * readers);
}

void ValuePlanner::plan(ShapeRegions &shapeRegions, int64_t valueElementBytes,
                        const ValueSource &valueSource,
                        std::span<const ValueUse> uses, int block,
                        ValuePlan &plan) {
  plan.clear();
  plan.bindings.resize(uses.size());
  if (valueSource.kind == ValueSource::Kind::None)
    return;
  elementBytes = valueElementBytes;
  out = &plan;
  source = &valueSource;
  plan.sources = static_cast<int>(source->devices.size());
  plan.sourcesAreTasks = source->kind == ValueSource::Kind::Kernel;
  plan.ofProduct = source->ofProduct;
  assert(source->pieces > 0 && plan.sources % source->pieces == 0 &&
         "as many sources in each replica");
  if (isInPlace(uses))
    return planInPlace(uses);
  begin(shapeRegions, valueSource);
  partBuffers.clear();
  if (source->kind == ValueSource::Kind::Tiles && !source->isRestored)
    for (int s = 0; s < plan.sources; ++s) {
      int b = source->blocks->blockOf[s % source->pieces];
      plan.tiles.emplace_back(source->devices[s],
                              b < 0 ? -1 : source->blocks->regions[b]);
    }
  for (size_t u = 0; u < uses.size(); ++u)
    if (uses[u].needs)
      plan.bindings[u].assign(uses[u].devices.size(), -1);
  for (int round : roundsOf(uses))
    moveRound(uses, round);
  if (!plan.tasks.empty())
    plan.passingBytes.assign(cuts.count(), 0);
  for (const PlannedTask &task : plan.tasks)
    if (task.resource < 0)
      cuts.add(transfers.resourceLists()[-1 - task.resource], task.durationNs,
               plan.passingBytes);
  link(uses, block);
}

/// The round in which all shards are that are in none.
static constexpr int allRounds = -2;

/// The rounds of some readers, in their order.
std::vector<int> ValuePlanner::roundsOf(std::span<const ValueUse> uses) {
  std::vector<int> rounds;
  for (const ValueUse &use : uses)
    rounds.insert(rounds.end(), use.rounds.begin(), use.rounds.end());
  if (rounds.empty())
    return {allRounds};
  // Readers without rounds, and those that are in none.
  rounds.push_back(-1);
  std::sort(rounds.begin(), rounds.end());
  rounds.erase(std::unique(rounds.begin(), rounds.end()), rounds.end());
  return rounds;
}

bool ValuePlanner::isInRound(const ValueUse &use, int shard, int round) {
  return round == allRounds ||
         (use.rounds.empty() ? -1 : use.rounds[static_cast<size_t>(shard)]) ==
             round;
}

/// Moves the value to its readers of a round, and binds them.
void ValuePlanner::moveRound(std::span<const ValueUse> uses, int round) {
  collectNeeds(uses, round);
  if (source->kind == ValueSource::Kind::Preplaced)
    placeWhereNeeded();
  else if (source->partial)
    combineAll();
  else {
    if (collectives)
      gatherAll();
    if (!collectives || !exchangeAll())
      sendAll();
  }
  for (int device : usedDevices)
    for (Need &need : byDevice[device].needs)
      need.reference = materialize(byDevice[device], device, need);
  bind(uses, round);
  for (int device : usedDevices) {
    OnDevice &place = byDevice[device];
    place.needs.clear();
    place.parts.clear();
    place.tiles.clear();
  }
}

/// The tiles that the shards of a round read.
void ValuePlanner::bind(std::span<const ValueUse> uses, int round) {
  for (size_t u = 0; u < uses.size(); ++u) {
    const ValueUse &use = uses[u];
    std::vector<int> &binding = out->bindings[u];
    if (!use.needs)
      continue;
    int count = static_cast<int>(use.devices.size());
    for (int s = 0; s < count; ++s) {
      if (!isInRound(use, s, round))
        continue;
      int region = use.needs->regions[s % use.pieces];
      if (region < 0 ||
          (!use.states.empty() && use.states[s] != ShardState::Compute))
        continue;
      if (use.ownTile) {
        binding[s] = s;
      } else if (use.contributions) {
        binding[s] = gatherContributions(use, s);
      } else if (use.zeroReplicas && s >= use.pieces) {
        binding[s] =
            addAction(ActionKind::Fill, use.devices[s], -1, region, {}, false);
      } else {
        for (const Need &need : byDevice[use.devices[s]].needs)
          if (need.region == region) {
            binding[s] = need.reference;
            break;
          }
      }
    }
  }
}

/// Calls `visit(shard, block, index)` for each shard of the backward pass that
/// a task which reads kept tiles waits for: those on the devices that it starts
/// from, or else the first there is. Readers of kept tiles wait, too, if the
/// source says so. In microbatches each waits for its own one (PassWaits.h).
template <typename Visit>
void ValuePlanner::forEachTrigger(std::span<const ValueUse> uses, int block,
                                  Visit visit) const {
  const ValuePlan &plan = *out;
  std::span<const int> shards = source->triggerDevices;
  if (shards.empty() || oneByOne)
    return;
  auto visitFrom = [&](std::span<const int> from, int toBlock, int index) {
    int first = -1;
    bool found = false;
    for (size_t s = 0; s < shards.size(); ++s) {
      if (source->triggerStates[s] == ShardState::Absent)
        continue;
      if (first < 0)
        first = static_cast<int>(s);
      if (std::find(from.begin(), from.end(), shards[s]) == from.end())
        continue;
      visit(static_cast<int>(s), toBlock, index);
      found = true;
    }
    if (!found && first >= 0)
      visit(first, toBlock, index);
  };
  for (size_t u = 0; source->delaysReaders && u < uses.size(); ++u)
    if (uses[u].block >= 0)
      for (size_t s = 0; s < plan.bindings[u].size(); ++s)
        if (int reference = plan.bindings[u][s];
            reference >= 0 && reference < plan.sources)
          visitFrom(uses[u].devices.subspan(s, 1), uses[u].block,
                    static_cast<int>(s));
  std::vector<int> devices;
  for (size_t a = 0; a < plan.actions.size();) {
    int number = plan.actions[a].task;
    const PlannedTask &task = plan.tasks[number];
    bool readsKept = false;
    devices.clear();
    if (task.collective >= 0)
      devices = plan.collectives[task.collective].devices;
    for (; a < plan.actions.size() && plan.actions[a].task == number; ++a) {
      const PlannedAction &action = plan.actions[a];
      for (int i = 0; i < action.inputCount; ++i)
        readsKept |= plan.inputs[action.firstInput + i] < plan.sources;
      if (task.collective < 0)
        devices.push_back(action.source >= 0 ? action.source : action.device);
    }
    if (readsKept)
      visitFrom(devices, block, number);
  }
}

/// Edges between sources, tasks and readers.
void ValuePlanner::link(std::span<const ValueUse> uses, int block) {
  ValuePlan &plan = *out;
  size_t firstTrigger = static_cast<size_t>(plan.sources) + plan.tasks.size();
  size_t nodes = firstTrigger + source->triggerDevices.size();
  plan.predecessorCounts.assign(plan.tasks.size(), 0);
  plan.successorStart.assign(nodes + 1, 0);
  auto nodeOf = [&](int reference) {
    return reference < plan.sources
               ? reference
               : plan.sources + plan.actions[reference - plan.sources].task;
  };
  auto forEachEdge = [&](auto visit) {
    for (const PlannedAction &action : plan.actions)
      for (int i = 0; i < action.inputCount; ++i) {
        int node = nodeOf(plan.inputs[action.firstInput + i]);
        if (node >= plan.sources || plan.sourcesAreTasks)
          visit(node, block, action.task);
      }
    for (size_t u = 0; u < uses.size(); ++u)
      if (uses[u].block >= 0)
        for (size_t s = 0; s < plan.bindings[u].size(); ++s)
          if (int reference = plan.bindings[u][s]; reference >= 0) {
            int node = nodeOf(reference);
            if (node >= plan.sources || plan.sourcesAreTasks)
              visit(node, uses[u].block, static_cast<int>(s));
          }
    forEachTrigger(uses, block, [&](int shard, int toBlock, int index) {
      visit(static_cast<int>(firstTrigger) + shard, toBlock, index);
    });
  };
  forEachEdge([&](int node, int, int) { ++plan.successorStart[node + 1]; });
  for (size_t i = 1; i <= nodes; ++i)
    plan.successorStart[i] += plan.successorStart[i - 1];
  plan.successors.resize(plan.successorStart[nodes]);
  forEachEdge([&](int node, int toBlock, int index) {
    plan.successors[plan.successorStart[node]++] = {toBlock, index};
    if (toBlock == block)
      ++plan.predecessorCounts[index];
  });
  // Filling moved every start to that of the next.
  assert((nodes == 0 || static_cast<size_t>(plan.successorStart[nodes - 1]) ==
                            plan.successors.size()) &&
         "both visits name the same edges");
  for (size_t i = nodes; i > 0; --i)
    plan.successorStart[i] = plan.successorStart[i - 1];
  plan.successorStart[0] = 0;
  assert(static_cast<size_t>(plan.successorStart[nodes]) ==
             plan.successors.size() &&
         "each list is full");
  for (size_t t = 0; t < plan.tasks.size(); ++t)
    if (plan.predecessorCounts[t] == 0)
      plan.roots.push_back(static_cast<int>(t));
}
