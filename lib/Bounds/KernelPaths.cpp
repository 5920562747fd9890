//===- KernelPaths.cpp - Bounds from paths through kernels ----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Longest paths in a graph of kernels, whose nodes and edges are kept up to
// date with the plan. Paths go through an edge only if every shard of the
// reader waits for some shard of the writer (heads), or some shard of the
// reader waits for every shard of the writer (tails).
//
//===----------------------------------------------------------------------===//

#include "Bounds/KernelPaths.h"

#include <algorithm>
#include <cassert>
#include <limits>

using namespace soap;

KernelPaths::KernelPaths(StrategyPlan &plan) : plan(plan) {
  const std::vector<PlanState::Slot> &slots = plan.getSlots();
  for (size_t k = 0; k < slots.size(); ++k) {
    firstDelay.push_back(static_cast<int>(delays.size()));
    delays.resize(delays.size() + slots[k].kernel->operands.size());
    if (slots[k].kernel->space.linear)
      linearSlots.push_back(static_cast<int>(k));
  }
  listEdges();
  partial.resize(slots.size());
  heads.resize(slots.size());
  lastHeads.resize(slots.size());
  tails.resize(slots.size());
}

/// Whether a split loop does not appear in the map of a result.
static bool isPartial(const Kernel &kernel, int result,
                      const std::vector<int64_t> &degrees) {
  for (size_t l = 0; l < degrees.size(); ++l)
    if (degrees[l] > 1 &&
        !usesLoop(kernel.space.results[result].map, static_cast<int>(l)))
      return true;
  return false;
}

/// Whether all pieces contribute to the same block of a result.
static bool isSumOfAll(const Kernel &kernel, int result,
                       const std::vector<int64_t> &degrees) {
  bool isCut = false;
  for (size_t l = 0; l < degrees.size(); ++l) {
    isCut |= degrees[l] > 1;
    if (degrees[l] > 1 &&
        usesLoop(kernel.space.results[result].map, static_cast<int>(l)))
      return false;
  }
  return isCut;
}

void KernelPaths::findPartial() {
  for (int k : linearSlots) {
    partial[k] = false;
    const KernelPlan &kernel = plan.kernelPlan(k);
    if (!kernel.active || kernel.replicas == 1)
      continue;
    for (int operand : plan.getSlots()[k].kernel->operands)
      for (auto [p, result] : plan.producersOf(operand))
        if (plan.kernelPlan(p).active)
          partial[k] |= partial[p] != 0 ||
                        isPartial(*plan.getSlots()[p].kernel, result,
                                  plan.kernelPlan(p).geometry->degrees);
  }
}

void KernelPaths::listEdges() {
  firstEdge = {0};
  edgesFrom.resize(plan.getSlots().size());
  for (size_t k = 0; k < plan.getSlots().size(); ++k) {
    const std::vector<int> &operands = plan.getSlots()[k].kernel->operands;
    for (size_t i = 0; i < operands.size(); ++i)
      for (auto [writer, result] : plan.producersOf(operands[i])) {
        auto operand = static_cast<int>(i);
        assert(writer < static_cast<int>(k) && "in a topological order");
        edgesFrom[writer].push_back(static_cast<int>(edges.size()));
        edges.push_back({writer, static_cast<int>(k), result, operand,
                         firstDelay[k] + operand});
      }
    firstEdge.push_back(static_cast<int>(edges.size()));
  }
  nodes.resize(plan.getSlots().size());
}

/// After a change of a kernel.
void KernelPaths::updateNode(int slot) {
  Node &node = nodes[slot];
  const KernelPlan &kernel = plan.kernelPlan(slot);
  node = {};
  node.active = kernel.active;
  if (!kernel.active)
    return;
  const KernelGeometry &geometry = *kernel.geometry;
  node.shortestNs = kernel.shortestNs;
  node.isUniform = kernel.isUniform;
  node.allCompute = geometry.allCompute;
  node.isSingle = kernel.replicas == 1;
  for (size_t i = 0; i < std::min<size_t>(geometry.operandTiles.size(), 64);
       ++i) {
    node.readsSome |= uint64_t(geometry.operandTiles[i].everyPiece) << i;
    node.readsAll |= uint64_t(geometry.operandTiles[i].everyElement) << i;
  }
  for (size_t r = 0; r < std::min<size_t>(geometry.resultTiles.size(), 64);
       ++r) {
    node.writesSome |= uint64_t(geometry.resultTiles[r].everyPiece) << r;
    node.sumsAll |= uint64_t(isSumOfAll(*plan.getSlots()[slot].kernel,
                                        static_cast<int>(r), geometry.degrees))
                    << r;
  }
}

/// Whether pieces of a reader touch each piece of a writer.
static bool readsEveryPiece(RegionTable &table, const TileSets &written,
                            const TileSets &read) {
  if (read.everyElement)
    return true;
  if (!read.isProduct)
    return false;
  for (size_t d = 0; d < read.rank; ++d)
    for (int set : written.dims[d]->distinct)
      if (read.dims[d]->covered < 0 ||
          !table.dim(d).overlaps(set, read.dims[d]->covered))
        return false;
  return true;
}

/// After a change of the kernel at either end.
void KernelPaths::updateEdge(Edge &edge) {
  const Node &writer = nodes[edge.from], &reader = nodes[edge.to];
  edge.inHeads = edge.inTails = edge.isJoin = false;
  if (!writer.active || !reader.active)
    return;
  edge.inHeads = edge.operand < 64 && (reader.readsSome >> edge.operand & 1);
  // Of replicas, only the nearest are read.
  if (!writer.isSingle || !writer.allCompute || edge.result >= 64 ||
      !(writer.writesSome >> edge.result & 1))
    return;
  int value = plan.getSlots()[edge.from].kernel->results[edge.result];
  edge.inTails =
      (edge.operand < 64 && (reader.readsAll >> edge.operand & 1)) ||
      readsEveryPiece(
          plan.regionTableOf(value),
          plan.kernelPlan(edge.from).geometry->resultTiles[edge.result],
          plan.kernelPlan(edge.to).geometry->operandTiles[edge.operand]);
  edge.isJoin =
      edge.inHeads && edge.inTails && (writer.sumsAll >> edge.result & 1);
}

/// After a change of kernels, all of whose tiles are known.
void KernelPaths::update(std::span<const int> changed) {
  for (int slot : changed)
    updateNode(slot);
  for (int slot : changed) {
    for (int e = firstEdge[slot]; e < firstEdge[slot + 1]; ++e)
      updateEdge(edges[e]);
    for (int e : edgesFrom[slot])
      updateEdge(edges[e]);
  }
}

void KernelPaths::findHeads() {
  // Slots are in a topological order.
  for (size_t k = 0; k < plan.getSlots().size(); ++k) {
    heads[k] = lastHeads[k] = 0;
    const Node &node = nodes[k];
    if (!node.active || !node.allCompute || partial[k])
      continue;
    int64_t headNs = 0, lateNs = 0;
    for (int e = firstEdge[k]; e < firstEdge[k + 1]; ++e) {
      const Edge &edge = edges[e];
      int64_t shortestNs = nodes[edge.from].shortestNs,
              lastNs = lastHeads[edge.from] + shortestNs;
      if (edge.inHeads) {
        const Delay &delay = delays[edge.delay];
        int64_t firstNs = edge.isJoin ? lastNs : heads[edge.from] + shortestNs;
        headNs = std::max(headNs, firstNs + delay.minNs);
        lateNs = std::max(lateNs, firstNs + delay.maxNs);
      }
      // Some shard waits for the last of the writer's.
      if (edge.inTails)
        lateNs = std::max(lateNs, lastNs);
    }
    heads[k] = headNs;
    lastHeads[k] = std::max(headNs, lateNs);
  }
}

void KernelPaths::findTails() {
  std::fill(tails.begin(), tails.end(), 0);
  for (size_t k = plan.getSlots().size(); k-- > 0;) {
    const Node &node = nodes[k];
    if (!node.active || !node.allCompute || partial[k])
      continue;
    int64_t tailNs = tails[k] + node.shortestNs;
    for (int e = firstEdge[k]; e < firstEdge[k + 1]; ++e)
      if (const Edge &edge = edges[e]; edge.inTails)
        tails[edge.from] = std::max(tails[edge.from], tailNs);
  }
}

void KernelPaths::clearTails() { std::fill(tails.begin(), tails.end(), 0); }

int64_t KernelPaths::setDelay(int place, const Delay &delay) {
  assert(delay.minNs >= 0 && delay.minNs <= delay.maxNs && "a negative delay");
  Delay &known = delays[place];
  int64_t grownNs =
      std::max(delay.minNs - known.minNs, delay.maxNs - known.maxNs);
  changedDelays.push_back({place, known});
  known = delay;
  return grownNs;
}

/// Sorts all slots by their heads. Slots whose heads are as in the last call
/// are in order already. The other heads have mostly grown by the same delay,
/// so their slots are nearly in order.
void KernelPaths::sortByHead() {
  if (byHead.empty())
    for (size_t k = 0; k < plan.getSlots().size(); ++k)
      byHead.emplace_back(-1, static_cast<int>(k));
  std::vector<std::pair<int64_t, int>> &kept = keptHeads, &moved = movedHeads;
  kept.clear();
  moved.clear();
  for (auto [headNs, slot] : byHead)
    (headNs == heads[slot] ? kept : moved).emplace_back(heads[slot], slot);
  size_t moves = 0, maxMoves = 8 * moved.size();
  for (size_t i = 1; i < moved.size() && moves <= maxMoves; ++i)
    for (size_t j = i; j > 0 && moved[j] < moved[j - 1]; --j, ++moves)
      std::swap(moved[j], moved[j - 1]);
  if (moves > maxMoves)
    std::sort(moved.begin(), moved.end());
  std::merge(kept.begin(), kept.end(), moved.begin(), moved.end(),
             byHead.begin());
}

int64_t KernelPaths::boundNs() {
  findHeads();
  int64_t bound = 0;
  for (int slot : plan.touchedKernels())
    if (plan.kernelPlan(slot).active && !partial[slot])
      bound = std::max(
          {bound, heads[slot] + plan.kernelPlan(slot).longestNs + tails[slot],
           lastHeads[slot] + plan.kernelPlan(slot).shortestNs + tails[slot]});
  sortByHead();
  // Work of all devices, and of each beyond that.
  int64_t commonNs = 0, maxNs = 0;
  std::vector<int64_t> &work = deviceWork;
  work.assign(plan.kernelLoadNs().size(), 0);
  for (size_t i = byHead.size(); i-- > 0;) {
    auto [headNs, slot] = byHead[i];
    const Node &node = nodes[slot];
    if (!node.active)
      continue;
    if (node.isUniform && !partial[slot]) {
      commonNs += node.shortestNs;
    } else {
      const KernelPlan &kernel = plan.kernelPlan(slot);
      // Replicas may turn out to have no contributions, and nothing to do.
      size_t count = partial[slot] ? static_cast<size_t>(kernel.pieces())
                                   : kernel.devices.size();
      for (size_t s = 0; s < count; ++s)
        if (kernel.states[s] != ShardState::Absent)
          maxNs =
              std::max(maxNs, work[kernel.devices[s]] += kernel.durationNs[s]);
    }
    bound = std::max(bound, headNs + commonNs + maxNs);
  }
  return bound;
}

/// By task of a value: how long it takes from the end of its writer to the end
/// of the task, at least.
static void findChains(const ValuePlan &plan, std::vector<int64_t> &chainNs) {
  chainNs.assign(plan.tasks.size(), 0);
  // Actions are grouped by task, those that others need first.
  for (size_t a = 0; a < plan.actions.size();) {
    int task = plan.actions[a].task;
    int64_t readyNs = 0;
    for (; a < plan.actions.size() && plan.actions[a].task == task; ++a) {
      const PlannedAction &action = plan.actions[a];
      for (int i = 0; i < action.inputCount; ++i)
        if (int reference = plan.inputs[action.firstInput + i];
            reference >= plan.sources)
          if (int before = plan.actions[reference - plan.sources].task;
              before != task)
            readyNs = std::max(readyNs, chainNs[before]);
    }
    assert(chainNs[task] == 0 && "actions are grouped by task");
    chainNs[task] = readyNs + plan.tasks[task].durationNs;
  }
}

int64_t KernelPaths::addDelays(int value, bool isFinal) {
  const ValuePlan &planned = plan.valuePlan(value);
  const std::vector<PlanState::Reader> &readers = plan.readersOf(value);
  bool waits = planned.sourcesAreTasks && !planned.tasks.empty();
  if (!waits && !isFinal)
    return 0;
  if (waits)
    findChains(planned, chainNs);
  int64_t sum = 0;
  for (size_t u = 0; u < readers.size(); ++u) {
    auto [slot, operand, output] = readers[u];
    if (slot < 0)
      continue;
    Delay delay;
    if (waits && !planned.bindings[u].empty()) {
      delay.minNs = std::numeric_limits<int64_t>::max();
      for (int reference : planned.bindings[u]) {
        int64_t ns =
            reference < planned.sources
                ? 0
                : chainNs[planned.actions[reference - planned.sources].task];
        delay.minNs = std::min(delay.minNs, ns);
        delay.maxNs = std::max(delay.maxNs, ns);
      }
    }
    int place = firstDelay[slot] + operand;
    Delay known = delays[place];
    if (!isFinal) {
      delay.minNs = std::max(delay.minNs, known.minNs);
      delay.maxNs = std::max(delay.maxNs, known.maxNs);
    }
    if (delay == known)
      continue;
    sum += std::max(delay.minNs - known.minNs, delay.maxNs - known.maxNs);
    (isFinal ? savedDelays : changedDelays).push_back({place, known});
    delays[place] = delay;
  }
  return sum;
}

void KernelPaths::dropDelays(int value) {
  for (const PlanState::Reader &reader : plan.readersOf(value))
    if (reader.slot >= 0) {
      int place = firstDelay[reader.slot] + reader.operand;
      if (delays[place] != Delay())
        setDelay(place, {});
    }
}

void KernelPaths::forgetDelays() {
  for (size_t i = changedDelays.size(); i-- > 0;)
    delays[changedDelays[i].place] = changedDelays[i].delay;
  changedDelays.clear();
}

void KernelPaths::revertDelays() {
  for (size_t i = savedDelays.size(); i-- > 0;)
    delays[savedDelays[i].place] = savedDelays[i].delay;
  savedDelays.clear();
}
