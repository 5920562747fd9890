//===- ValueOverlaps.cpp - Which tiles of a value overlap -----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sources by block, and the blocks that the pieces of a reader overlap. Kept by
// shape, since op groups have many values of one.
//
//===----------------------------------------------------------------------===//

#include "ValuePlannerScratch.h"

#include <algorithm>
#include <cassert>
#include <numeric>

using namespace soap;

/// Overlaps with blocks that are a grid: the overlaps of each dim, combined.
void ValuePlanner::addGridOverlaps(const BlockSet &blocks, int need,
                                   Overlaps &result) {
  std::vector<Scratch::GridDim> &dims = scratch->gridDims;
  std::vector<int> &sets = scratch->gridSets;
  size_t rank = table->rank(), first = result.entries.size();
  dims.resize(std::max(dims.size(), rank));
  sets.resize(rank);
  for (size_t d = 0; d < rank; ++d) {
    dims[d].hits.clear();
    dims[d].at = 0;
    int set = table->sets(need)[d];
    const std::vector<int> &places = blocks.gridSets[d];
    for (size_t i = 0; i < places.size(); ++i)
      if (int common = table->dim(d).intersect(set, places[i]); common >= 0)
        dims[d].hits.emplace_back(static_cast<int>(i), common);
    if (dims[d].hits.empty())
      return;
  }
  for (;;) {
    size_t index = 0;
    for (size_t d = 0; d < rank; ++d) {
      auto [place, common] = dims[d].hits[dims[d].at];
      index = index * blocks.gridSets[d].size() + static_cast<size_t>(place);
      sets[d] = common;
    }
    if (int block = blocks.grid[index]; block >= 0)
      result.entries.push_back({block, table->number(sets.data())});
    size_t d = rank;
    while (d-- > 0) {
      if (++dims[d].at < dims[d].hits.size())
        break;
      dims[d].at = 0;
    }
    if (d == static_cast<size_t>(-1))
      break;
  }
  std::sort(result.entries.begin() + static_cast<ptrdiff_t>(first),
            result.entries.end(),
            [](const Overlaps::Entry &a, const Overlaps::Entry &b) {
              return a.block < b.block;
            });
}

const ValuePlanner::Overlaps &ValuePlanner::overlaps(const BlockSet &blocks,
                                                     const NeedSet &needs) {
  uint64_t key =
      static_cast<uint64_t>(blocks.id) << 32 | static_cast<uint32_t>(needs.id);
  auto [it, isNew] = overlapsOfShape->try_emplace(key);
  Overlaps &result = it->second;
  if (!isNew)
    return result;
  // Pieces that read the same region overlap the same blocks.
  std::vector<int> &firstPiece = scratch->firstPiece;
  firstPiece.resize(std::max(firstPiece.size(), table->size()), -1);
  result.start.reserve(needs.regions.size() + 1);
  for (size_t p = 0; p < needs.regions.size(); ++p) {
    result.start.push_back(static_cast<int>(result.entries.size()));
    int need = needs.regions[p];
    if (need < 0)
      continue;
    int &first = firstPiece[need];
    if (first >= 0) {
      int from = result.start[first], to = result.start[first + 1];
      for (int i = from; i < to; ++i)
        result.entries.push_back(Overlaps::Entry(result.entries[i]));
      continue;
    }
    first = static_cast<int>(p);
    if (blocks.gridSets.empty() && table->rank() > 0) {
      for (size_t b = 0; b < blocks.regions.size(); ++b)
        if (int region = table->intersect(need, blocks.regions[b]); region >= 0)
          result.entries.push_back({static_cast<int>(b), region});
      continue;
    }
    addGridOverlaps(blocks, need, result);
  }
  result.start.push_back(static_cast<int>(result.entries.size()));
  for (int need : needs.regions)
    if (need >= 0)
      firstPiece[need] = -1;
  overlapBytes += 100 + result.start.size() * sizeof(int) +
                  result.entries.size() * sizeof(Overlaps::Entry);
  return result;
}

void ValuePlanner::clearCaches() {
  overlapCache.clear();
  commonCache.clear();
  for (auto &[shape, known] : costCache) {
    known.assembleOf.clear();
    known.pack.clear();
  }
  overlapBytes = 0;
  models.clear();
}

void ValuePlanner::begin(ShapeRegions &shapeRegions,
                         const ValueSource &valueSource) {
  regions = &shapeRegions;
  table = &shapeRegions.table;
  source = &valueSource;
  overlapsOfShape = &overlapCache[regions];
  commonOfShape = &commonCache[regions];
  costs = &costCache[regions];
  listSources();
}

/// Sources by block and contribution, in order.
void ValuePlanner::listSources() {
  const BlockSet *blocks = source->blocks;
  contributions = 1;
  sourceStart.assign(1, 0);
  sourceList.clear();
  if (!blocks)
    return;
  int count = static_cast<int>(source->devices.size());
  if (source->partial)
    contributions = blocks->contributions *
                    (source->partialMode ? count / source->pieces : 1);
  auto slotOf = [&](int s) {
    if (!source->states.empty() && source->states[s] == ShardState::Absent)
      return -1;
    int piece = s % source->pieces, block = blocks->blockOf[piece];
    if (block < 0)
      return -1;
    if (!source->partial)
      return block;
    int contribution = blocks->contributionOf[piece];
    if (source->partialMode)
      contribution += s / source->pieces * blocks->contributions;
    return block * contributions + contribution;
  };
  sourceStart.assign(blocks->regions.size() * contributions + 1, 0);
  for (int s = 0; s < count; ++s)
    if (int slot = slotOf(s); slot >= 0)
      ++sourceStart[slot + 1];
  for (size_t i = 1; i < sourceStart.size(); ++i)
    sourceStart[i] += sourceStart[i - 1];
  assert(sourceStart.back() <= count && "a source is listed once");
  sourceList.resize(sourceStart.back());
  for (int s = count; s-- > 0;)
    if (int slot = slotOf(s); slot >= 0)
      sourceList[--sourceStart[slot + 1]] = s;
  // Filling moved every start to the place of the one before it.
  sourceStart.erase(sourceStart.begin());
  sourceStart.push_back(static_cast<int>(sourceList.size()));
}

std::span<const int> ValuePlanner::replicas(int block, int contribution) const {
  int slot = block * contributions + contribution;
  assert(contribution >= 0 && contribution < contributions && slot >= 0 &&
         static_cast<size_t>(slot) + 1 < sourceStart.size() &&
         "no such contribution");
  return std::span(sourceList)
      .subspan(sourceStart[slot], sourceStart[slot + 1] - sourceStart[slot]);
}

/// The nearest of some sources, ties by device id.
int ValuePlanner::nearest(std::span<const int> replicas, int device) {
  assert(!replicas.empty() && "at least one source");
  int best = replicas.front();
  if (replicas.size() == 1)
    return best;
  auto distance = [&](int s) {
    int from = source->devices[s];
    return from == device ? -1 : transfers.distance(from, device);
  };
  int64_t bestDistance = distance(best);
  for (int s : replicas.subspan(1)) {
    int64_t d = distance(s);
    if (d < bestDistance ||
        (d == bestDistance && source->devices[s] < source->devices[best])) {
      best = s;
      bestDistance = d;
    }
  }
  return best;
}

int ValuePlanner::regionOf(int reference) const {
  assert(reference >= 0 &&
         static_cast<size_t>(reference) <
             static_cast<size_t>(out->sources) + out->actions.size() &&
         "no such buffer");
  if (reference >= out->sources)
    return out->actions[reference - out->sources].region;
  if (source->kind == ValueSource::Kind::Preplaced)
    return out->tiles[reference].second;
  return source->blocks
      ->regions[source->blocks->blockOf[reference % source->pieces]];
}
