//===- StageQuotientKernels.cpp - Shards of a replica ---------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The shards of a kernel on replica 0 of its stage, and on the replicas that a
// value is planned on. Their boxes are the boxes of the whole strategy. From
// replica to replica, boxes of equal size follow each other, so that all
// regions of a replica are replica 0's, moved by a shift.
//
//===----------------------------------------------------------------------===//

#include "AxisShift.h"
#include "Soap/Mesh/Symmetry/StageQuotient.h"

#include <algorithm>

using namespace soap;

/// Which digit of the number of a shard says on which replica it is.
void StageQuotient::findSpread(size_t node) {
  const Config &config = (*configs)[node];
  const Kernel &op = graph.nodes[node].whole;
  auto replicas = static_cast<int64_t>(getReplicas());
  auto fail = [&](const std::string &why) {
    reason = "'" + op.name + "' " + why;
  };
  bool isOnce = passes->runsOnce(static_cast<int>(node));
  std::vector<size_t> &alike = knownSpreads[{config.degrees, isOnce}];
  for (size_t other : alike)
    if (config == (*configs)[other]) {
      spreads[node] = spreads[other];
      return checkEven(node);
    }
  alike.push_back(node);
  int first = config.devices.front() / group * group;
  if (config.piecesPerReplica() == 1 && isOnce) {
    // The same on all devices of one stage or of several.
    std::vector<int> sorted = config.devices;
    std::sort(sorted.begin(), sorted.end());
    bool isWhole = sorted.size() % static_cast<size_t>(group) == 0;
    for (size_t s = 0; isWhole && s < sorted.size(); ++s) {
      size_t inGroup = s % static_cast<size_t>(group);
      isWhole = inGroup ? sorted[s] == sorted[s - 1] + 1
                        : sorted[s] % group == 0 &&
                              (s == 0 || sorted[s] > sorted[s - 1]);
    }
    spreads[node].isEverywhere = isWhole;
    if (isWhole)
      return;
  }
  // By place on the devices of the stage: a device may have several pieces, as
  // an early and a late one of a sequence.
  std::vector<std::vector<int64_t>> indicesOf(static_cast<size_t>(group));
  for (size_t s = 0; s < config.devices.size(); ++s) {
    int place = config.devices[s] - first;
    if (place < 0 || place >= group)
      return fail("is on devices of several stages");
    indicesOf[static_cast<size_t>(place)].push_back(static_cast<int64_t>(s));
  }
  int64_t step = 0;
  for (int place = 0; place < group; ++place) {
    const std::vector<int64_t> &indices = indicesOf[static_cast<size_t>(place)],
                               &starts =
                                   indicesOf[static_cast<size_t>(place % unit)];
    if (indices.size() != starts.size())
      return fail("does not run on every replica of its stage");
    int64_t replica = place / unit;
    for (size_t i = 0; i < indices.size(); ++i) {
      if (replica == 1 && step == 0)
        step = indices[i] - starts[i];
      if (indices[i] != starts[i] + replica * step)
        return fail("is not cut over the replicas of its stage in their order");
    }
  }
  Spread &spread = spreads[node];
  int64_t pieces = config.piecesPerReplica(), inner = pieces;
  if (step % pieces == 0) {
    spread.weight = step / pieces;
  } else {
    inner = 1;
    for (size_t l = config.degrees.size(); l-- > 0; inner *= config.degrees[l])
      if (step < inner * config.degrees[l]) {
        spread.target = static_cast<int>(l);
        break;
      }
    if (spread.target < 0 || step % inner != 0)
      return fail("is not cut over the replicas of its stage along one loop");
    spread.weight = step / inner;
  }
  if (spread.weight <= 0)
    return fail("is not cut over the replicas of its stage in their order");
  for (size_t s = 0; s < config.devices.size(); ++s) {
    int64_t digit = static_cast<int64_t>(s) / inner;
    if (spread.target >= 0)
      digit %= config.degrees[static_cast<size_t>(spread.target)];
    if (digit / spread.weight % replicas != copyOf(config.devices[s]))
      return fail("is not cut over the replicas of its stage along one loop");
  }
  checkEven(node);
}

/// Pieces along the digit of the replicas have to be equal.
void StageQuotient::checkEven(size_t node) {
  const Spread &spread = spreads[node];
  if (spread.target < 0)
    return;
  const Kernel &op = graph.nodes[node].whole;
  auto target = static_cast<size_t>(spread.target);
  int64_t degree = (*configs)[node].degrees[target],
          extent = op.space.loops[target].extent;
  if (!passes->runsOnce(static_cast<int>(node)) &&
      passes->sampleLoops[node] == spread.target)
    degree *= passes->microbatches;
  if (extent * spread.weight % degree != 0)
    reason = "'" + op.name + "' has " + std::to_string(extent) +
             " points in loop '" + op.space.loops[target].name + "', which " +
             std::to_string(degree) + " pieces do not share evenly";
}

StageQuotient::Part StageQuotient::partOf(int slot, int count) {
  const Slot &info = slots[slot];
  auto n = static_cast<size_t>(info.node);
  const Config &config = (*configs)[n];
  const Spread &spread = spreads[n];
  int64_t all = getReplicas();
  // Calls `take` with the numbers below `end` whose digit is one of the first
  // `count` replicas.
  auto forEachHere = [&](int64_t end, auto take) {
    for (int64_t start = 0; start < end; start += all * spread.weight)
      for (int64_t c = start; c < std::min(start + count * spread.weight, end);
           ++c)
        take(c);
  };
  size_t loops = config.degrees.size();
  int cutLoop = passes->runsOnce(info.node) ? -1 : passes->sampleLoops[n];
  std::vector<int64_t> degrees = config.degrees;
  PieceGeometries::Coordinates coords(loops);
  for (size_t l = 0; l < loops; ++l) {
    bool isCut = cutLoop == static_cast<int>(l);
    for (int64_t m = 0; m < (isCut ? microbatches : 1); ++m) {
      auto take = [&](int64_t c) {
        coords[l].push_back(m * config.degrees[l] + c);
      };
      if (spread.target == static_cast<int>(l)) {
        forEachHere(config.degrees[l], take);
        continue;
      }
      for (int64_t c = 0; c < config.degrees[l]; ++c)
        take(c);
    }
    if (isCut)
      degrees[l] *= microbatches;
  }
  std::vector<int64_t> copies;
  auto takeCopy = [&](int64_t r) { copies.push_back(r); };
  if (spread.isEverywhere) {
    for (int64_t r = 0; r < config.replicas; ++r)
      if (copyOf(config.devices[static_cast<size_t>(r)]) < count)
        takeCopy(r);
  } else if (spread.target == Spread::replicas) {
    forEachHere(config.replicas, takeCopy);
  } else {
    for (int64_t r = 0; r < config.replicas; ++r)
      takeCopy(r);
  }
  // The shards in their order; by shard, that of replica 0.
  Config pieces;
  pieces.replicas = static_cast<int64_t>(copies.size());
  for (const std::vector<int64_t> &list : coords)
    pieces.degrees.push_back(static_cast<int64_t>(list.size()));
  int64_t whole = config.piecesPerReplica();
  int64_t mine = pieces.piecesPerReplica();
  pieces.devices.reserve(static_cast<size_t>(pieces.replicas * mine));
  std::vector<int64_t> placeOf(static_cast<size_t>(mine));
  for (int64_t p = 0; p < mine; ++p) {
    int64_t rest = p, index = 0, inner = 1;
    for (size_t l = loops; l-- > 0; rest /= pieces.degrees[l]) {
      int64_t c = coords[l][static_cast<size_t>(rest % pieces.degrees[l])];
      index += c % config.degrees[l] * inner;
      inner *= config.degrees[l];
    }
    placeOf[static_cast<size_t>(p)] = index;
  }
  for (int64_t copy : copies)
    for (int64_t place : placeOf)
      pieces.devices.push_back(
          config.devices[static_cast<size_t>(copy * whole + place)]);
  Part part =
      makePart(slot, std::move(pieces), std::move(degrees), std::move(coords));
  const KernelPlan &kernel = kernels[slot];
  if (!kernel.partialMode || kernel.states.empty())
    return part;
  // A shard has the state of replica 0's shard: the one on the corresponding
  // device of the same place among the shards there.
  std::map<int, std::vector<ShardState>> statesOf;
  for (size_t s = 0; s < kernel.devices.size(); ++s)
    statesOf[kernel.devices[s]].push_back(kernel.states[s]);
  std::map<int, size_t> seen;
  for (size_t s = 0; s < part.devices.size(); ++s) {
    int device = part.devices[s];
    part.states[s] = statesOf[firstOf(device)].at(seen[device]++);
  }
  return part;
}

/// The loop of a kernel that replicas cut, or `Spread::replicas`.
int StageQuotient::targetOf(int slot) const {
  const Slot &info = slots[slot];
  int loop = loopOf(info, spreads[static_cast<size_t>(info.node)].target);
  return loop < 0 ? Spread::replicas : loop;
}

StageQuotient::Layout StageQuotient::layoutOf(int slot, const AccessMap &map,
                                              int value, bool isResult) {
  const Kernel &kernel = *slots[slot].kernel;
  auto node = static_cast<size_t>(slots[slot].node);
  Layout layout;
  layout.slot = slot;
  layout.map = &map;
  const IterationSpace &space = kernel.space;
  for (size_t r = 0; r < space.results.size(); ++r)
    if (&space.results[r].map == &map)
      layout.number = -1 - static_cast<int>(r);
  for (size_t i = 0; i < space.operands.size(); ++i)
    if (&space.operands[i].map == &map)
      layout.number = static_cast<int>(i);
  layout.shifts.resize(map.size());
  int target = targetOf(slot);
  if (target < 0) {
    if (isResult && kernels[slot].partialMode)
      layout.kind = Layout::Partial;
    return layout;
  }
  if (const std::optional<Band> &band = space.band;
      band && (target == band->rows || target == band->columns))
    reason = "loop '" + space.loops[static_cast<size_t>(target)].name +
             "' of '" + kernel.name +
             "' is split over replicas, whose pieces have different numbers of "
             "points that count";
  // Points of the loop from replica to replica.
  int wholeTarget = spreads[node].target;
  int64_t degree = (*configs)[node].degrees[static_cast<size_t>(wholeTarget)];
  if (!passes->runsOnce(static_cast<int>(node)) &&
      passes->sampleLoops[node] == wholeTarget)
    degree *= passes->microbatches;
  int64_t extent = kernel.space.loops[static_cast<size_t>(target)].extent,
          points = extent * spreads[node].weight / degree;
  bool isUsed = false;
  for (size_t d = 0; d < map.size(); ++d)
    for (const Term &term : map[d].terms) {
      if (term.loop != target)
        continue;
      isUsed = true;
      std::optional<int64_t> shift = shiftOf(map[d], term, points, kernel.space,
                                             graph.values[value].shape[d]);
      if (!shift)
        reason = "loop '" +
                 kernel.space.loops[static_cast<size_t>(target)].name +
                 "' of '" + kernel.name +
                 "', which is split over replicas, moves '" +
                 graph.values[value].name +
                 "' by other than a shift, as a window does";
      layout.shifts[d] += shift.value_or(0);
    }
  if (isUsed)
    layout.kind = Layout::Cut;
  else if (isResult)
    layout.kind = Layout::Partial;
  return layout;
}

/// Whether a linear op handles contributions as they are, as
/// `StrategyPlan::resolve` decides it. On all replicas alike: each handles
/// its own devices.
void StageQuotient::resolve(int slot) {
  KernelPlan &kernel = kernels[slot];
  const Kernel &op = *slots[slot].kernel;
  bool isSpreadOut = targetOf(slot) == Spread::replicas;
  if (op.space.linear && (kernel.replicas > 1 || isSpreadOut))
    for (int operand : op.operands)
      kernel.partialMode |= isContributed(operand);
  if (kernel.partialMode) {
    std::vector<bool> contributes(kernel.states.size());
    for (size_t i = 0; i < op.operands.size(); ++i) {
      int value = op.operands[i];
      if (!isContributed(value)) {
        if (isSpreadOut)
          reason = "replicas of '" + op.name +
                   "' other than the first read zeros of '" +
                   graph.values[value].name + "'";
        continue;
      }
      Layout written;
      bool isPreplaced = false;
      sourceLayout(value, written, isPreplaced);
      Layout read = layoutOf(slot, op.space.operands[i].map, value, false);
      if (isSpreadOut
              ? written.kind != Layout::Partial
              : written.kind != Layout::Cut || read.kind != Layout::Cut ||
                    !(written.shifts == read.shifts))
        reason = "replicas of '" + op.name +
                 "' do not handle their own contributions to '" +
                 graph.values[value].name + "'";
      Part sourcePart, usePart;
      ValueSource source = sourceOf(value, {}, sourcePart);
      ValueUse use = useOf(value, {slot, static_cast<int>(i), -1}, {}, usePart);
      planner.findContributors(regions.of(value), source, use, contributes);
      if (!isSpreadOut)
        continue;
      // Contributions that have no replica on their device go by their numbers.
      std::set<int> readers(use.devices.begin(), use.devices.end());
      for (size_t s = 0; s < source.devices.size(); ++s)
        if (source.states[s] != ShardState::Absent &&
            !readers.count(source.devices[s]))
          reason = "contributions to '" + graph.values[value].name +
                   "' are not where '" + op.name + "' handles them";
    }
    for (size_t s = 0; s < kernel.states.size(); ++s) {
      bool isIdle = kernel.states[s] != ShardState::Compute || !contributes[s];
      if (!isIdle)
        continue;
      // The first copy of an op computes without contributions, too; those on
      // the corresponding devices of other replicas do not.
      if (s >= static_cast<size_t>(kernel.pieces()))
        kernel.states[s] = ShardState::Absent;
      else if (isSpreadOut)
        reason = "the first replica of '" + op.name + "' has no contributions";
    }
  }
  addKernelLoad(slot);
}
