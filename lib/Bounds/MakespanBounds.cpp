//===- MakespanBounds.cpp - Lower bounds of the makespan ------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which bounds are asked for in which order, and what is known of a change so
// far. KernelPaths.h has the bounds from paths, InboundTransfers.h those from
// what devices must receive. docs/Simulator.md says why they hold.
//
//===----------------------------------------------------------------------===//

#include "Soap/Bounds/MakespanBounds.h"

#include "Bounds/InboundTransfers.h"
#include "Bounds/KernelPaths.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <numeric>

using namespace soap;

/// Each list belongs to one function. All are asked for every proposal, so
/// memory is kept from one call to the next.
struct MakespanBounds::Scratch {
  std::vector<int64_t> loadWithoutReplicas; ///< of `loadBoundNs`, by device
  /// Of `addInbound`, by reader: the place of its delay, and the number of what
  /// it receives.
  std::vector<int> delayPlaces;
  std::vector<size_t> inboundNumbers;
  /// Of `boundNs`: values around the changed kernels.
  std::vector<int> touchedValues;
  std::vector<bool> isTouched;     ///< by value; all false between calls
  std::vector<int> boundaryValues; ///< of `planBoundaryValues`
};

MakespanBounds::MakespanBounds(StrategyPlan &plan)
    : plan(plan), paths(std::make_unique<KernelPaths>(plan)),
      inbound(std::make_unique<InboundTransfers>(plan)),
      isLeftOut(plan.getSlots().size()),
      minBytes(plan.getGraph().values.size()),
      scratch(std::make_unique<Scratch>()) {
  // The plan may have a strategy already.
  std::vector<int> slots(plan.getSlots().size());
  std::iota(slots.begin(), slots.end(), 0);
  paths->update(slots);
  for (size_t v = 0; v < minBytes.size(); ++v)
    if (!plan.valuePlan(static_cast<int>(v)).bindings.empty())
      paths->addDelays(static_cast<int>(v), true);
  paths->commitDelays();
  plan.setObserver(this);
}

MakespanBounds::~MakespanBounds() { plan.setObserver(nullptr); }

//===----------------------------------------------------------------------===//
// Transactions
//===----------------------------------------------------------------------===//

void MakespanBounds::kernelsChanged(std::span<const int> slots) {
  validTails = nullptr;
  grownDelayNs = 0;
  paths->update(slots);
}

void MakespanBounds::valueDropped(int value) {
  // `boundNs` has dropped it already.
  if (!minBytes[value].empty())
    return;
  if (!expectedBytes.empty())
    expect(plan.valuePlan(value).passingBytes, {});
  paths->dropDelays(value);
}

bool MakespanBounds::valuePlanned(int value, int64_t limitNs) {
  if (expectedBytes.empty())
    return true;
  const std::vector<int64_t> &now = plan.valuePlan(value).passingBytes;
  expect(minBytes[value], now);
  for (size_t c = 0; c < now.size(); ++c)
    if (now[c] > 0 && plan.getCuts().shortestNs(c, expectedBytes[c]) > limitNs)
      return false;
  return true;
}

bool MakespanBounds::valueFinished(int value, int64_t limitNs) {
  // Paths of another proposal say nothing of this one.
  if (!validTails)
    return true;
  // A bound grows by the delays at most.
  grownDelayNs += paths->addDelays(value, false);
  if (grownDelayNs <= limitNs - pathNs)
    return true;
  grownDelayNs = 0;
  return pathBoundNs() <= limitNs;
}

void MakespanBounds::finished() {
  forgetBounds();
  for (int value : plan.changedValues())
    paths->addDelays(value, true);
}

void MakespanBounds::committed() { paths->commitDelays(); }

void MakespanBounds::reverted(std::span<const int> slots) {
  forgetBounds();
  paths->revertDelays();
  validTails = nullptr;
  paths->update(slots);
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

/// Takes off the durations of replicas, which may have no contributions and
/// then nothing to do.
static void subtractReplicas(const KernelPlan &kernel,
                             std::vector<int64_t> &ns) {
  for (auto s = static_cast<size_t>(kernel.pieces()); s < kernel.devices.size();
       ++s)
    if (kernel.states[s] != ShardState::Absent)
      ns[static_cast<size_t>(kernel.devices[s])] -= kernel.durationNs[s];
}

void MakespanBounds::loadWithoutNs(std::span<const int> nodes,
                                   std::vector<int64_t> &ns) {
  assert(plan.changedKernels().empty() && "there must be no transaction");
  plan.trimCaches();
  ns = plan.kernelLoadNs();
  for (int n : nodes)
    for (int slot : plan.slotsOf(n)) {
      isLeftOut[slot] = true;
      const KernelPlan &kernel = plan.kernelPlan(slot);
      for (size_t s = 0; s < kernel.devices.size(); ++s)
        if (kernel.states[s] != ShardState::Absent)
          ns[static_cast<size_t>(kernel.devices[s])] -= kernel.durationNs[s];
    }
  const std::vector<PlanState::Slot> &slots = plan.getSlots();
  for (size_t k = 0; k < slots.size(); ++k)
    if (slots[k].kernel->space.linear && !isLeftOut[k] &&
        plan.kernelPlan(static_cast<int>(k)).active)
      subtractReplicas(plan.kernelPlan(static_cast<int>(k)), ns);
  for (int n : nodes)
    for (int slot : plan.slotsOf(n))
      isLeftOut[slot] = false;
}

void MakespanBounds::addShardNs(int node, const Config &config,
                                std::vector<int64_t> &ns) {
  assert(node >= 0 &&
         static_cast<size_t>(node) < plan.getGraph().nodes.size() &&
         "no node of the graph");
  const GraphNode &of = plan.getGraph().nodes[node];
  bool staged = usesStages(of, config);
  for (int slot : plan.slotsOf(node)) {
    int stage = plan.getSlots()[slot].stage;
    if ((stage >= 0) != staged)
      continue;
    Config ofStage;
    if (staged)
      ofStage = stageConfig(of, config, of.stages[stage]);
    const Config &own = staged ? ofStage : config;
    const KernelGeometry &geometry = *plan.geometryOf(slot, own.degrees);
    auto pieces = static_cast<size_t>(geometry.pieces);
    bool mayLack =
        own.replicas > 1 && plan.getSlots()[slot].kernel->space.linear;
    for (size_t s = 0; s < (mayLack ? pieces : own.devices.size()); ++s) {
      size_t piece = s % pieces;
      if (geometry.states[piece] == ShardState::Absent)
        continue;
      int64_t minNs = geometry.durationNs[0][piece];
      for (const std::vector<int64_t> &ofType : geometry.durationNs)
        minNs = std::min(minNs, ofType[piece]);
      ns[static_cast<size_t>(own.devices[s])] += minNs;
    }
  }
}

int64_t MakespanBounds::loadBoundNs(int64_t limitNs) {
  int64_t bound =
      *std::max_element(plan.kernelLoadNs().begin(), plan.kernelLoadNs().end());
  if (bound <= limitNs)
    return bound;
  std::vector<int64_t> &total = scratch->loadWithoutReplicas;
  total = plan.kernelLoadNs();
  paths->findPartial();
  for (size_t k = 0; k < plan.getSlots().size(); ++k)
    if (paths->mayBePartial(static_cast<int>(k)))
      subtractReplicas(plan.kernelPlan(static_cast<int>(k)), total);
  return *std::max_element(total.begin(), total.end());
}

//===----------------------------------------------------------------------===//
// Cuts and paths
//===----------------------------------------------------------------------===//

/// Replaces what passes cuts for a value.
void MakespanBounds::expect(const std::vector<int64_t> &before,
                            const std::vector<int64_t> &now) {
  for (size_t c = 0; c < before.size(); ++c)
    expectedBytes[c] -= before[c];
  for (size_t c = 0; c < now.size(); ++c)
    expectedBytes[c] += now[c];
}

/// Sets `bytes` to a lower bound of what passes each cut for a value: the
/// largest need of its readers behind the cut, less what is written there. Sets
/// the delays of the value's readers. Returns by how much these grow together.
int64_t MakespanBounds::addInbound(int value, std::vector<int64_t> &bytes) {
  int input = plan.inputOf(value);
  const KernelPlan *writer = nullptr;
  const TileSets *tiles = nullptr;
  int64_t contributions = 1;
  for (auto [slot, result] : plan.producersOf(value))
    if (plan.kernelPlan(slot).active) {
      const Kernel &op = *plan.getSlots()[slot].kernel;
      if (paths->mayBePartial(slot))
        return 0; // replicas may be contributions
      writer = &plan.kernelPlan(slot);
      tiles = &writer->geometry->resultTiles[result];
      for (size_t l = 0; l < op.space.loops.size(); ++l)
        if (!usesLoop(op.space.results[result].map, static_cast<int>(l)))
          contributions *= writer->geometry->degrees[l];
    }
  if (int n = input < 0 ? -1 : plan.getGraph().inputs[input].updateNode; n >= 0)
    for (int slot : plan.slotsOf(n))
      if (!writer && plan.kernelPlan(slot).active) {
        writer = &plan.kernelPlan(slot);
        tiles =
            &writer->geometry
                 ->operandTiles[plan.getGraph().inputs[input].updateOperand];
      }
  if (!writer)
    return 0;
  int64_t elementBytes = plan.getGraph().values[value].elementBytes;
  RegionTable &table = plan.regionTableOf(value);
  // Whether the value moves by one exchange (`ValuePlanner`): by more than a
  // few messages, and nothing is gathered.
  bool isExchange =
      contributions == 1 && plan.getCost().getTopology().hasCollectives();
  int waitingDevices = 0;
  std::vector<int> &places = scratch->delayPlaces;
  std::vector<size_t> &numbers = scratch->inboundNumbers;
  places.clear();
  numbers.clear();
  for (const PlanState::Reader &reader : plan.readersOf(value)) {
    if (reader.slot < 0) {
      isExchange &= plan.outputDevices(reader.output).size() == 1;
      continue;
    }
    if (!plan.kernelPlan(reader.slot).active)
      continue;
    const KernelPlan &kernel = plan.kernelPlan(reader.slot);
    if (paths->mayBePartial(reader.slot)) {
      isExchange = false;
      continue;
    }
    const TileSets &needs = kernel.geometry->operandTiles[reader.operand];
    // Every shard reads what was written on its device.
    if (contributions == 1 && needs.sets == tiles->sets &&
        kernel.devices == writer->devices && kernel.geometry->allCompute)
      continue;
    size_t number = inbound->find(table, elementBytes, contributions, *writer,
                                  *tiles, kernel, needs);
    const InboundTransfers::Inbound &entry = (*inbound)[number];
    for (size_t c = 0; c < bytes.size(); ++c)
      bytes[c] = std::max(bytes[c], entry.bytes[c]);
    waitingDevices = std::max(waitingDevices, entry.waitingDevices);
    places.push_back(paths->placeOf(reader.slot, reader.operand));
    numbers.push_back(number);
  }
  double exchangeNs = 0;
  if (isExchange && waitingDevices > ValuePlanner::fewMessages &&
      !inbound->mayGather(numbers))
    for (size_t c = 0; c < bytes.size(); ++c)
      exchangeNs = std::max(exchangeNs, static_cast<double>(bytes[c]) *
                                            plan.getCuts().getNsPerByte(c));
  if (exchangeNs > 0)
    for (size_t number : numbers)
      exchangeNs = std::max(exchangeNs, (*inbound)[number].exchangeNs);
  int64_t grownNs = 0;
  for (size_t i = 0; i < places.size(); ++i) {
    const InboundTransfers::Inbound &entry = (*inbound)[numbers[i]];
    double minNs = entry.minDelayNs, maxNs = entry.maxDelayNs;
    // No device lacks anything, or no shard reads anything.
    if (maxNs == 0 || maxNs >= 1e18 || minNs >= 1e18)
      continue;
    if (minNs > 0)
      minNs = std::max(minNs, exchangeNs);
    grownNs += paths->setDelay(
        places[i], {static_cast<int64_t>(minNs),
                    static_cast<int64_t>(std::max(maxNs, exchangeNs))});
  }
  return grownNs;
}

void MakespanBounds::findPaths() {
  paths->findPartial();
  paths->findHeads();
  findTails();
}

void MakespanBounds::findTails() {
  paths->findTails();
  validTails = paths->getTails().data();
}

int64_t MakespanBounds::pathBoundNs() { return pathNs = paths->boundNs(); }

int64_t MakespanBounds::boundNs(int64_t limitNs) {
  forgetBounds();
  paths->findPartial();
  int64_t bound = 0;
  std::vector<int> &touched = scratch->touchedValues;
  std::vector<bool> &isTouched = scratch->isTouched;
  expectedBytes = plan.passingBytes();
  inbound->clear();
  touched.clear();
  isTouched.resize(plan.getGraph().values.size());
  auto visit = [&](int value) {
    if (!isTouched[value]) {
      isTouched[value] = true;
      touched.push_back(value);
    }
  };
  for (int slot : plan.touchedKernels()) {
    for (int value : plan.getSlots()[slot].kernel->operands)
      visit(value);
    for (int value : plan.getSlots()[slot].kernel->results)
      visit(value);
  }
  // Restored values follow kernels that neither read nor write them.
  if (!touched.empty())
    for (const Restore &restore : plan.getGraph().restores)
      visit(restore.value);
  // A linear kernel may enter or leave partial mode. Its operands and results
  // are unknown then.
  for (size_t i = 0; i < touched.size(); ++i)
    for (const PlanState::Reader &reader : plan.readersOf(touched[i]))
      if (reader.slot >= 0 && plan.kernelPlan(reader.slot).active &&
          (paths->mayBePartial(reader.slot) ||
           plan.kernelPlan(reader.slot).partialMode)) {
        for (int value : plan.getSlots()[reader.slot].kernel->operands)
          visit(value);
        for (int value : plan.getSlots()[reader.slot].kernel->results)
          visit(value);
      }
  for (int value : touched) {
    isTouched[value] = false;
    expect(plan.valuePlan(value).passingBytes, {});
    paths->dropDelays(value);
  }
  // Large values first: one of them may be a proof on its own.
  std::sort(touched.begin(), touched.end(), [&](int a, int b) {
    return std::pair(-plan.getGraph().values[a].bytes(), a) <
           std::pair(-plan.getGraph().values[b].bytes(), b);
  });
  for (size_t c = 0; c < expectedBytes.size(); ++c)
    bound = std::max(bound, plan.getCuts().shortestNs(c, expectedBytes[c]));
  constexpr int64_t smallPart = 256; // of the largest value
  int64_t minBytesToBound =
      touched.empty() ? 0
                      : plan.getGraph().values[touched[0]].bytes() / smallPart;
  // Paths are found again when delays may have made them too long.
  int64_t grownNs = 0, leftNs = 0;
  for (int value : touched) {
    std::vector<int64_t> &bytes = minBytes[value];
    bytes.assign(expectedBytes.size(), 0);
    boundedValues.push_back(value);
    // Small values prove nothing: they count as 0.
    if (plan.getGraph().values[value].bytes() < minBytesToBound)
      continue;
    grownNs += addInbound(value, bytes);
    for (size_t c = 0; c < bytes.size(); ++c)
      if (bytes[c] > 0) {
        expectedBytes[c] += bytes[c];
        bound = std::max(bound, plan.getCuts().shortestNs(c, expectedBytes[c]));
      }
    if (bound > limitNs)
      return bound;
    if (grownNs > leftNs) {
      if (!validTails)
        findTails();
      bound = std::max(bound, pathBoundNs());
      if (bound > limitNs)
        return bound;
      leftNs = limitNs - pathNs;
      grownNs = 0;
    }
  }
  if (!validTails) {
    findTails();
    bound = std::max(bound, pathBoundNs());
    grownNs = 0;
  }
  pathNs += grownNs;
  return bound;
}

bool MakespanBounds::planBoundaryValues(int64_t limitNs) {
  constexpr size_t maxValues = 2;
  if (!validTails) {
    // Without tails, and without a bound to start from.
    paths->findPartial();
    paths->clearTails();
    pathNs = limitNs;
  }
  std::vector<int> &boundary = scratch->boundaryValues;
  boundary.clear();
  for (int value : plan.valuesToPlan()) {
    int writer = plan.producerOf(value);
    if (!plan.isPending(value) || writer < 0 || paths->mayBePartial(writer))
      continue;
    bool changed = plan.isKernelChanged(writer);
    if (std::any_of(plan.readersOf(value).begin(), plan.readersOf(value).end(),
                    [&](const PlanState::Reader &reader) {
                      return reader.slot >= 0 &&
                             plan.isKernelChanged(reader.slot) != changed;
                    }))
      boundary.push_back(value);
  }
  // The first ones, which a simulation meets first and has to plan anyway.
  std::sort(boundary.begin(), boundary.end(),
            [&](int a, int b) { return plan.blockOf(a) < plan.blockOf(b); });
  int64_t delayNs = 0;
  for (size_t i = 0; i < std::min(maxValues, boundary.size()); ++i) {
    if (!plan.planPending(boundary[i], limitNs))
      return false;
    // A bound grows by the delays at most.
    delayNs += paths->addDelays(boundary[i], false);
    if (delayNs <= limitNs - pathNs)
      continue;
    if (pathBoundNs() > limitNs)
      return false;
    delayNs = 0;
  }
  return true;
}

void MakespanBounds::forgetBounds() {
  for (int value : boundedValues)
    minBytes[value].clear();
  boundedValues.clear();
  expectedBytes.clear();
  paths->forgetDelays();
}
