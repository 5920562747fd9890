//===- StageQuotientValues.cpp - Values of a replica ----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether a value moves between replicas, and whether it is planned on two of
// them because of that. docs/Mesh.md has the cases.
//
//===----------------------------------------------------------------------===//

#include "Soap/Mesh/Symmetry/StageQuotient.h"

#include <algorithm>

using namespace soap;

/// Where replicas have the tiles that a value is made of. Returns false if
/// there are none.
bool StageQuotient::sourceLayout(int value, Layout &layout, bool &isPreplaced) {
  std::optional<Access> access = sourceAccess(value, isPreplaced);
  if (access && !isPreplaced)
    layout =
        layoutOf(access->slot, *access->map, rootOf(value), access->isResult);
  return access.has_value();
}

/// The regions that the pieces of the first microbatch touch on replica 0.
std::vector<Region> StageQuotient::regionsOfPieces(int value,
                                                   const Layout &layout) const {
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
  std::vector<Region> result;
  LoopBox box(space.loops.size());
  int64_t pieces = config.piecesPerReplica();
  for (size_t s = 0; s < config.devices.size(); ++s) {
    if (!isFirst(config.devices[s]))
      continue;
    int64_t rest = static_cast<int64_t>(s) % pieces;
    for (size_t l = box.size(); l-- > 0; rest /= config.degrees[l])
      box[l] = cut(space.loops[l].extent, degrees[l], rest % config.degrees[l]);
    result.push_back(image(*layout.map, box,
                           graph.values[static_cast<size_t>(value)].shape));
  }
  return result;
}

/// Elements that two sets have in common if the second one is moved.
static int64_t commonSize(const IndexSet &a, const IndexSet &b, int64_t shift) {
  int64_t size =
      std::min(a.hi(), b.hi() + shift) - std::max(a.lo(), b.lo() + shift);
  if (size <= 0 || (a.isInterval() && b.isInterval()))
    return std::max<int64_t>(size, 0);
  size = 0;
  for (const Interval &mine : a.intervals())
    for (const Interval &its : b.intervals())
      size += std::max<int64_t>(std::min(mine.hi, its.hi + shift) -
                                    std::max(mine.lo, its.lo + shift),
                                0);
  return size;
}

/// Whether two intervals have as much in common wherever the second one is
/// moved by a multiple of `shift` from `first` to `last`, except 0 if
/// `butZero`. What they have is linear between places where their ends meet.
static bool isCommonSizeSame(const IndexSet &a, const IndexSet &b,
                             int64_t shift, int64_t first, int64_t last,
                             bool butZero) {
  std::set<int64_t> places = {first, last, -1, 1};
  for (int64_t end :
       {a.lo() - b.hi(), a.lo() - b.lo(), a.hi() - b.hi(), a.hi() - b.lo()})
    for (int64_t near : {-1, 0, 1})
      places.insert(end / shift + near);
  std::optional<int64_t> known;
  for (int64_t place : places) {
    if (place < first || place > last || (butZero && place == 0))
      continue;
    int64_t size = commonSize(a, b, place * shift);
    if (known.value_or(size) != size)
      return false;
    known = size;
  }
  return true;
}

/// Whether what a piece of one replica has in common with one of another, or of
/// its own, does not depend on which replicas these are. `mine`, `its`: the
/// regions of replica 0, which move by the shifts of the layouts from replica
/// to replica; a few replicas beside all others show it.
bool StageQuotient::areOverlapsAlike(const std::vector<Region> &mine,
                                     const Layout &a,
                                     const std::vector<Region> &its,
                                     const Layout &b) const {
  int64_t replicas = getReplicas();
  const std::set<int64_t> few = {0, 1, replicas / 2, replicas - 1};
  for (const Region &first : mine)
    for (const Region &second : its) {
      auto volumeOf = [&](int64_t ra, int64_t rb) {
        int64_t volume = 1;
        for (size_t d = 0; d < first.rank() && volume > 0; ++d)
          volume *= commonSize(first[d], second[d],
                               rb * b.shifts[d] - ra * a.shifts[d]);
        return volume;
      };
      // Mostly one dim of both moves, or of one of them.
      std::vector<size_t> moving;
      for (size_t d = 0; d < first.rank(); ++d)
        if (a.shifts[d] != 0 || b.shifts[d] != 0)
          moving.push_back(d);
      if (moving.empty())
        continue;
      if (size_t d = moving[0]; moving.size() == 1 && first[d].isInterval() &&
                                second[d].isInterval()) {
        int64_t most = replicas - 1;
        bool isSame =
            b.shifts[d] == 0
                ? isCommonSizeSame(first[d], second[d], a.shifts[d], -most, 0,
                                   /*butZero=*/false)
            : a.shifts[d] == 0
                ? isCommonSizeSame(first[d], second[d], b.shifts[d], 0, most,
                                   /*butZero=*/false)
                : isCommonSizeSame(first[d], second[d], a.shifts[d], -most,
                                   most, /*butZero=*/true);
        bool isAny = true; // in the other dims
        for (size_t other = 0; other < first.rank(); ++other)
          isAny &= other == d || commonSize(first[other], second[other], 0) > 0;
        if (isAny && !isSame)
          return false;
        continue;
      }
      // Of the same replica, then of different ones.
      std::optional<int64_t> known[2];
      auto isAsKnown = [&](int64_t ra, int64_t rb) {
        int64_t volume = volumeOf(ra, rb);
        std::optional<int64_t> &before = known[ra != rb];
        if (!before)
          before = volume;
        return *before == volume;
      };
      for (int64_t one : few)
        for (int64_t all = 0; all < replicas; ++all)
          if (!isAsKnown(one, all) || !isAsKnown(all, one))
            return false;
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
    it->second = isShifted && areOverlapsAlike(regionsOfPieces(value, a), a,
                                               regionsOfPieces(value, b), b);
  }
  if (!it->second)
    reason = "'" + graph.values[static_cast<size_t>(value)].name +
             "' is cut in two ways, so that replicas read different parts of "
             "what others have";
  return it->second;
}

/// The readers that take part in moving a value, and how. Returns false with a
/// reason.
bool StageQuotient::listReadings(int value, bool isCut,
                                 std::vector<Reading> &readings) {
  std::vector<const Reader *> readers;
  if (!listReaders(value, isCut, readers))
    return false;
  for (const Reader *reader : readers) {
    Reading &reading = readings.emplace_back();
    if (reader->output >= 0)
      continue;
    reading.reader = reader;
    reading.isContributions =
        kernels[reader->slot].partialMode && isContributed(value);
    const Kernel &kernel = *slots[reader->slot].kernel;
    reading.layout = layoutOf(
        reader->slot,
        kernel.space.operands[static_cast<size_t>(reader->operand)].map, value,
        false);
    if (!reason.empty())
      return false;
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
    planOn(value, {}, plan);
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
    planOn(value, {}, plan);
    checkTasks(value);
    return addLoad(value);
  }
  if (source.kind == Layout::Replica) {
    // Of contributions that several replicas have each, one replica's are
    // taken.
    Part part;
    if (sourceOf(value, {}, part).partial && !readings.empty()) {
      reason = "contributions to '" +
               graph.values[static_cast<size_t>(value)].name +
               "' are on several replicas each";
      return;
    }
    // Every replica has all that any has. For one alone, it is as for all if
    // nothing has to move.
    planOn(value, {}, plan);
    if (isLocal(plan))
      return addLoad(value);
  }
  // Two replicas stand for all, unless each has a part for each other one.
  bool isExchanged = std::ranges::any_of(readings, [&](const Reading &reading) {
    return source.kind == Layout::Cut && reading.reader &&
           !reading.isContributions && reading.layout.kind == Layout::Cut &&
           reading.layout.shifts != source.shifts;
  });
  int count = isExchanged ? getReplicas() : 2;
  planOn(value, [&](int slot) { return partOf(slot, count); }, planned);
  for (const PlannedCollective &collective : planned.collectives)
    if (size_t spanned = membersOf(collective.devices).size();
        spanned > 1 && static_cast<int>(spanned) != count) {
      reason = "'" + graph.values[static_cast<size_t>(value)].name +
               "' moves between some of the replicas only";
      return;
    }
  restrict(value, /*mayRootsDiffer=*/true);
  if (reason.empty())
    addLoad(value);
}
