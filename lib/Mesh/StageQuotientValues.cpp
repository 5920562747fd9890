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

/// Where replicas have the tiles that a value is made of. Returns false if
/// there are none.
bool StageQuotient::sourceLayout(int value, Layout &layout, bool &isPreplaced) {
  std::optional<Access> access = sourceAccess(value, isPreplaced);
  if (access && !isPreplaced)
    layout =
        layoutOf(access->slot, *access->map, rootOf(value), access->isResult);
  return access.has_value();
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
    result[static_cast<size_t>(copyOf(config.devices[s]))].push_back(image(
        *layout.map, box, graph.values[static_cast<size_t>(value)].shape));
  }
  return result;
}

/// Elements that two regions have in common.
static int64_t commonVolume(const Region &a, const Region &b) {
  int64_t volume = 1;
  for (size_t d = 0; d < a.rank() && volume > 0; ++d) {
    int64_t size =
        std::min(a[d].hi(), b[d].hi()) - std::max(a[d].lo(), b[d].lo());
    if (size > 0 && !(a[d].isInterval() && b[d].isInterval()))
      size = a[d].intersect(b[d]).size();
    volume *= std::max<int64_t>(size, 0);
  }
  return volume;
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
          int64_t volume = commonVolume(a[ra][i], b[rb][j]),
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
  planOn(value, [this](int slot) { return partOf(slot, 2); }, planned);
  restrict(value, /*mayRootsDiffer=*/true);
  if (reason.empty())
    addLoad(value);
}
