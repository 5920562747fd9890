//===- ValueMovement.cpp - How complete pieces get to readers -------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See docs/Plan.md. Needs are collected per device first, so that a piece is
// moved to a device once: by a collective of many devices, or by transfers.
//
//===----------------------------------------------------------------------===//

#include "ValuePlannerScratch.h"

#include "Soap/Support/DisjointSets.h"

#include <algorithm>
#include <cassert>
#include <numeric>

using namespace soap;

/// Larger regions first; few, and mostly in order.
void ValuePlanner::sortNeeds(std::vector<Need> &needs) {
  for (size_t i = 1; i < needs.size(); ++i)
    for (size_t j = i; j > 0 && table->volume(needs[j - 1].region) <
                                    table->volume(needs[j].region);
         --j)
      std::swap(needs[j - 1], needs[j]);
}

/// Lists what each device has and what it needs in a round, larger regions
/// first.
void ValuePlanner::collectNeeds(std::span<const ValueUse> uses, int round) {
  usedDevices.clear();
  auto use = [&](int device) -> OnDevice & {
    OnDevice &place = byDevice[device];
    if (place.needs.empty())
      usedDevices.push_back(device);
    return place;
  };
  for (const ValueUse &reader : uses) {
    if (!reader.needs || reader.ownTile || reader.contributions)
      continue;
    int count = static_cast<int>(reader.devices.size());
    // Other replicas read zeros.
    if (reader.zeroReplicas)
      count = reader.pieces;
    for (int s = 0; s < count; ++s) {
      int piece = s % reader.pieces, region = reader.needs->regions[piece];
      if (region < 0 || !isInRound(reader, s, round) ||
          (!reader.states.empty() && reader.states[s] != ShardState::Compute))
        continue;
      OnDevice &place = use(reader.devices[s]);
      if (std::none_of(place.needs.begin(), place.needs.end(),
                       [&](const Need &n) { return n.region == region; }))
        place.needs.push_back({region, reader.needs, piece, -1, nullptr});
    }
  }
  std::sort(usedDevices.begin(), usedDevices.end());
  for (int device : usedDevices) {
    OnDevice &place = byDevice[device];
    sortNeeds(place.needs);
  }
  // Tiles that are there already.
  if (source->partial || source->kind == ValueSource::Kind::Preplaced)
    return;
  for (size_t b = 0; source->blocks && b < source->blocks->regions.size(); ++b)
    for (int s : replicas(static_cast<int>(b), 0)) {
      OnDevice &place = byDevice[source->devices[s]];
      if (place.needs.empty())
        continue;
      int region = source->blocks->regions[b];
      if (std::any_of(place.tiles.begin(), place.tiles.end(),
                      [&](const Tile &t) { return t.region == region; }))
        continue;
      arrive(source->devices[s], static_cast<int>(b), region, s);
    }
}

/// How many blocks of a grid a region overlaps.
int64_t ValuePlanner::countCommonBlocks(const BlockSet &blocks, int need) {
  if (blocks.gridSets.size() != table->rank() || table->rank() == 0)
    return static_cast<int64_t>(blocks.regions.size());
  int64_t count = 1;
  for (size_t d = 0; d < table->rank(); ++d) {
    int set = table->sets(need)[d];
    int64_t hits = 0;
    for (int place : blocks.gridSets[d])
      hits += table->dim(d).overlaps(set, place);
    count *= hits;
  }
  return count;
}

const std::vector<ValuePlanner::Common> &
ValuePlanner::commonBlocks(const BlockSet &blocks, int need) {
  uint64_t key =
      static_cast<uint64_t>(blocks.id) << 32 | static_cast<uint32_t>(need);
  auto [it, isNew] = commonOfShape->try_emplace(key);
  if (isNew) {
    std::vector<Common> &found = scratch->foundBlocks;
    found.clear();
    findCommonBlocks(blocks, need, found);
    for (Common &common : found) {
      int block = blocks.regions[static_cast<size_t>(common.block)],
          part = table->intersect(need, block);
      common.isRunOfBlock = table->isRun(part, block);
      common.isRunOfRegion = table->isRun(part, need);
    }
    it->second = found;
    overlapBytes += 100 + it->second.capacity() * sizeof(Common);
  }
  return it->second;
}

void ValuePlanner::findCommonBlocks(const BlockSet &blocks, int need,
                                    std::vector<Common> &result) {
  size_t rank = table->rank();
  if (blocks.gridSets.size() != rank || rank == 0) {
    for (size_t b = 0; b < blocks.regions.size(); ++b)
      if (int region = table->intersect(need, blocks.regions[b]); region >= 0)
        result.push_back({static_cast<int>(b), region == blocks.regions[b],
                          table->volume(region)});
    return;
  }
  using Hit = Scratch::CommonHit;
  std::vector<std::vector<Hit>> &hits = scratch->commonHits;
  std::vector<size_t> &at = scratch->commonAt;
  hits.resize(std::max(hits.size(), rank));
  at.assign(rank, 0);
  for (size_t d = 0; d < rank; ++d) {
    hits[d].clear();
    IndexSetTable &sets = table->dim(d);
    int set = table->sets(need)[d];
    for (size_t i = 0; i < blocks.gridSets[d].size(); ++i) {
      int place = blocks.gridSets[d][i];
      if (int64_t size = sets.commonSize(set, place))
        hits[d].push_back({i, size, size == sets.size(place)});
    }
    if (hits[d].empty())
      return;
  }
  for (;;) {
    size_t index = 0;
    int64_t elements = 1;
    bool whole = true;
    for (size_t d = 0; d < rank; ++d) {
      const Hit &hit = hits[d][at[d]];
      index = index * blocks.gridSets[d].size() + hit.place;
      elements *= hit.size;
      whole &= hit.whole;
    }
    if (int block = blocks.grid[index]; block >= 0)
      result.push_back({block, whole, elements});
    size_t d = rank;
    while (d-- > 0) {
      if (++at[d] < hits[d].size())
        break;
      at[d] = 0;
    }
    if (d == static_cast<size_t>(-1))
      return;
  }
}

/// Lists the regions that devices lack, with the number of blocks that it
/// overlaps: all of them, or more than a few.
void ValuePlanner::listWanted(std::vector<Wanted> &wanted, int64_t &messages) {
  wanted.clear();
  messages = 0;
  for (int device : usedDevices) {
    OnDevice &place = byDevice[device];
    size_t first = wanted.size();
    for (const Need &need : place.needs) {
      auto covers = [&](int region) {
        return table->contains(region, need.region);
      };
      if (std::any_of(place.parts.begin(), place.parts.end(),
                      [&](const Part &part) { return covers(part.region); }) ||
          std::any_of(wanted.begin() + static_cast<ptrdiff_t>(first),
                      wanted.end(),
                      [&](const Wanted &w) { return covers(w.region); }))
        continue;
      wanted.push_back({device, need.region});
      if (messages <= fewMessages)
        messages += countCommonBlocks(*source->blocks, need.region);
    }
  }
}

/// Adds the messages that bring a region to devices, and their ends to lists:
/// the sources that are read (each once), and devices. Returns the bytes moved.
int64_t ValuePlanner::exchangeRegion(int region, std::span<const int> readers,
                                     std::vector<int> &sources,
                                     std::vector<int> &devices) {
  std::vector<int> &senders = scratch->senders;
  std::vector<int64_t> &bytes = scratch->senderBytes;
  senders.clear();
  bytes.clear();
  int64_t total = 0;
  auto read = [&](int s) {
    if (isRead[s])
      return;
    isRead[s] = true;
    sources.push_back(s);
    devices.push_back(source->devices[s]);
  };
  for (const Common &common : commonBlocks(*source->blocks, region)) {
    std::span<const int> written = replicas(common.block, 0);
    int64_t size = common.elements * elementBytes;
    if (written.size() == 1) {
      read(written[0]);
      senders.push_back(source->devices[written[0]]);
      bytes.push_back(size);
      continue;
    }
    // Each reader takes the nearest replica.
    for (int device : readers) {
      int s = nearest(written, device);
      read(s);
      if (source->devices[s] == device)
        continue;
      exchanged.add({source->devices[s], device, size});
      scratch->inside.add(std::span(&source->devices[s], 1),
                          std::span(&size, 1), std::span(&device, 1));
      total += size;
    }
  }
  exchanged.add(models.routeSets(), senders, bytes, readers);
  scratch->inside.add(senders, bytes, readers);
  auto count = static_cast<int64_t>(readers.size());
  for (size_t i = 0; i < senders.size(); ++i)
    total +=
        bytes[i] * (count - std::ranges::binary_search(readers, senders[i]));
  devices.insert(devices.end(), readers.begin(), readers.end());
  return total;
}

/// Many messages as one operation. Whether it was done.
bool ValuePlanner::exchangeAll() {
  std::vector<Wanted> &wanted = scratch->wanted;
  int64_t count = 0;
  listWanted(wanted, count);
  auto [times, per] = multiplicity;
  if (count * times <= fewMessages * per ||
      static_cast<int64_t>(wanted.size()) * times < 2 * per)
    return false;
  if (!oneByOne)
    return exchange(wanted);
  exchangeByRounds(wanted);
  return false; // there may be others
}

/// Of pieces that come one by one, those that devices exchange among each
/// other: each of them has one piece, of which every one of them wants a part.
/// All pieces of an exchange are of one microbatch then.
void ValuePlanner::exchangeByRounds(std::span<const Wanted> wanted) {
  // Regions with the blocks that they overlap: the exchange of each block.
  size_t blocks = source->blocks->regions.size();
  DisjointSets exchanges(blocks);
  auto exchangeOf = [&](int block) {
    return static_cast<size_t>(exchanges.find(block));
  };
  std::vector<int> firstBlock; // by place in `wanted`
  std::vector<size_t> blocksOf;
  for (const Wanted &want : wanted) {
    const std::vector<Common> &common =
        commonBlocks(*source->blocks, want.region);
    firstBlock.push_back(common.empty() ? -1 : common[0].block);
    blocksOf.push_back(common.size());
    for (const Common &other : common)
      exchanges.merge(other.block, common[0].block);
  }
  std::vector<std::vector<int>> holders(blocks);
  for (int block = 0; block < static_cast<int>(blocks); ++block)
    for (int written : replicas(block, 0))
      holders[exchangeOf(block)].push_back(
          source->devices[static_cast<size_t>(written)]);
  std::vector<std::vector<size_t>> members(blocks); // of `wanted`
  for (size_t w = 0; w < wanted.size(); ++w)
    if (firstBlock[w] >= 0)
      members[exchangeOf(firstBlock[w])].push_back(w);
  std::vector<Wanted> together;
  std::vector<int> readers;
  for (size_t e = 0; e < members.size(); ++e) {
    std::vector<int> &from = holders[e];
    if (static_cast<int64_t>(members[e].size() * from.size()) <= fewMessages)
      continue;
    together.clear();
    readers.clear();
    bool isWhole = true;
    for (size_t w : members[e]) {
      together.push_back(wanted[w]);
      readers.push_back(wanted[w].device);
      isWhole &= blocksOf[w] == from.size();
    }
    std::ranges::sort(from);
    std::ranges::sort(readers);
    if (isWhole && from == readers &&
        std::ranges::adjacent_find(from) == from.end())
      exchange(together);
  }
}

/// The regions that devices lack, by device, in one operation. Whether anything
/// has to move.
bool ValuePlanner::exchange(std::span<const Wanted> wanted) {
  std::vector<Wanted> &byRegion = scratch->wantedByRegion;
  std::vector<int> &readers = scratch->regionReaders;
  std::vector<int> sources, devices;
  isRead.assign(source->devices.size(), false);
  scratch->inside.begin(models.getWorkspace());
  byRegion.assign(wanted.begin(), wanted.end());
  std::sort(
      byRegion.begin(), byRegion.end(), [](const Wanted &a, const Wanted &b) {
        return std::pair(a.region, a.device) < std::pair(b.region, b.device);
      });
  int64_t total = 0;
  for (size_t i = 0, end; i < byRegion.size(); i = end) {
    readers.clear();
    for (end = i;
         end < byRegion.size() && byRegion[end].region == byRegion[i].region;
         ++end)
      readers.push_back(byRegion[end].device);
    total += exchangeRegion(byRegion[i].region, readers, sources, devices);
  }
  if (total == 0)
    return false; // all is there, and only has to be assembled
  assert(total > 0 && !sources.empty() && "messages have senders");
  std::sort(sources.begin(), sources.end());
  for (size_t w = 0; w < wanted.size(); ++w)
    arrive(wanted[w].device, -1, wanted[w].region,
           addAction(
               ActionKind::Collective, wanted[w].device, -1, wanted[w].region,
               w == 0 ? std::span<const int>(sources) : std::span<const int>(),
               false, w == 0));
  CollectiveCost exchange = exchanged.take();
  for (int &link : exchange.links)
    link += deviceCount;
  std::sort(devices.begin(), devices.end());
  devices.erase(std::unique(devices.begin(), devices.end()), devices.end());
  PlannedTask &task = out->tasks.back();
  task.durationNs = exchange.ns;
  if (auto inside = scratch->inside.measured(devices))
    task.durationNs = std::max(
        task.durationNs,
        models.price(CollectiveKind::AllToAll, inside->devices, inside->bytes)
            .ns);
  task.resource = -1 - transfers.resourceNumber(exchange.links);
  task.collective = static_cast<int>(out->collectives.size());
  out->collectives.push_back({CollectiveKind::Exchange, std::move(devices),
                              total, exchangeTemporaries(byRegion, sources)});
  return true;
}

/// All-gathers: several devices need the same region, of which each of them has
/// written one whole block.
void ValuePlanner::gatherAll() {
  // Needs by region, in the order of the first of each, then by device.
  using Wanted = Scratch::GatherNeed;
  std::vector<Wanted> &wanted = scratch->gatherNeeds;
  std::vector<int> &first = scratch->firstGather,
                   &sources = scratch->gatherSources,
                   &from = scratch->gatherFrom,
                   &devices = scratch->gatherDevices;
  wanted.clear();
  first.resize(std::max(first.size(), table->size()), -1);
  for (int device : usedDevices)
    for (const Need &need : byDevice[device].needs) {
      if (first[need.region] < 0)
        first[need.region] = static_cast<int>(wanted.size());
      wanted.push_back({first[need.region], need.region, device});
    }
  for (const Wanted &want : wanted)
    first[want.region] = -1;
  std::sort(wanted.begin(), wanted.end(), [](const Wanted &a, const Wanted &b) {
    return std::pair(a.order, a.device) < std::pair(b.order, b.device);
  });
  for (size_t i = 0, end; i < wanted.size(); i = end) {
    int region = wanted[i].region;
    devices.clear();
    for (end = i; end < wanted.size() && wanted[end].region == region; ++end)
      devices.push_back(wanted[end].device);
    if (devices.size() < 2 || countCommonBlocks(*source->blocks, region) !=
                                  static_cast<int64_t>(devices.size()))
      continue;
    const std::vector<Common> &blocks = commonBlocks(*source->blocks, region);
    if (blocks.size() != devices.size())
      continue;
    // A larger one may have brought it.
    if (std::any_of(devices.begin(), devices.end(), [&](int d) {
          return std::any_of(byDevice[d].parts.begin(), byDevice[d].parts.end(),
                             [&](const Part &part) {
                               return part.block < 0 &&
                                      table->contains(part.region, region);
                             });
        }))
      continue;
    sources.clear();
    from.clear();
    for (const Common &common : blocks) {
      std::span<const int> written = replicas(common.block, 0);
      if (!common.whole || written.size() != 1)
        break;
      sources.push_back(written[0]);
      from.push_back(source->devices[written[0]]);
    }
    std::sort(from.begin(), from.end());
    if (from != devices)
      continue;
    for (size_t d = 0; d < devices.size(); ++d) {
      int device = devices[d];
      arrive(device, -1, region,
             addAction(ActionKind::Collective, device, -1, region,
                       d == 0 ? std::span<const int>(sources)
                              : std::span<const int>(),
                       false, d == 0));
    }
    addCollective(CollectiveKind::AllGather, devices, table->bytes(region));
  }
}

/// Sends the pieces of a complete value that devices lack. What one piece sends
/// to one device is one task.
void ValuePlanner::sendAll() {
  using Move = Scratch::Move;
  std::vector<Move> &moves = scratch->moves, &sorted = scratch->sortedMoves;
  std::vector<int> &start = scratch->moveStart;
  moves.clear();
  start.assign(source->blocks->regions.size() + 1, 0);
  for (int device : usedDevices) {
    OnDevice &place = byDevice[device];
    size_t first = moves.size();
    for (Need &need : place.needs) {
      // All there: blocks are disjoint, so it overlaps no other. Looking for
      // what others have of it takes a look at every block.
      if (std::any_of(place.parts.begin(), place.parts.end(),
                      [&](const Part &part) {
                        return table->contains(part.region, need.region);
                      }))
        continue;
      const Overlaps &blocks = overlapsOf(need);
      for (int i = blocks.start[need.piece]; i < blocks.start[need.piece + 1];
           ++i) {
        auto [block, region] = blocks.entries[i];
        if (std::any_of(place.parts.begin(), place.parts.end(),
                        [&](const Part &part) {
                          return holds(part, block) &&
                                 table->contains(part.region, region);
                        }) ||
            std::any_of(moves.begin() + static_cast<ptrdiff_t>(first),
                        moves.end(), [&](const Move &move) {
                          return move.block == block &&
                                 table->contains(move.region, region);
                        }))
          continue;
        moves.push_back({block, device, region});
        ++start[block + 1];
      }
    }
  }
  for (size_t b = 1; b < start.size(); ++b)
    start[b] += start[b - 1];
  sorted.resize(moves.size());
  for (const Move &move : moves)
    sorted[start[move.block]++] = move;
  // Where several devices get the same from the same source: a broadcast.
  using Group = Scratch::Broadcast;
  std::vector<Group> &groups = scratch->broadcasts;
  std::vector<Move> &rest = scratch->singleMoves;
  for (size_t i = 0, end; i < sorted.size(); i = end) {
    int block = sorted[i].block;
    for (end = i; end < sorted.size() && sorted[end].block == block;)
      ++end;
    rest.clear();
    if (collectives && end - i > 1) {
      groups.clear();
      for (size_t m = i; m < end; ++m) {
        int from = nearest(replicas(block, 0), sorted[m].device);
        auto group = std::find_if(groups.begin(), groups.end(), [&](Group &g) {
          return g.region == sorted[m].region && g.source == from;
        });
        if (group == groups.end()) {
          groups.push_back({sorted[m].region, from, {}});
          group = groups.end() - 1;
        }
        group->moves.push_back(m);
      }
      for (const Group &group : groups) {
        if (group.moves.size() == 1) {
          rest.push_back(sorted[group.moves[0]]);
          continue;
        }
        std::vector<int> devices = {source->devices[group.source]};
        for (size_t m : group.moves) {
          bool isFirst = m == group.moves[0];
          devices.push_back(sorted[m].device);
          arrive(sorted[m].device, block, sorted[m].region,
                 addAction(ActionKind::Collective, sorted[m].device, -1,
                           group.region,
                           isFirst ? std::span<const int>(&group.source, 1)
                                   : std::span<const int>(),
                           false, isFirst));
        }
        addCollective(CollectiveKind::Broadcast, std::move(devices),
                      table->bytes(group.region));
      }
    } else {
      rest.assign(sorted.begin() + static_cast<ptrdiff_t>(i),
                  sorted.begin() + static_cast<ptrdiff_t>(end));
    }
    // Of one device together: groups came in the order of their first.
    if (collectives)
      std::stable_sort(
          rest.begin(), rest.end(),
          [](const Move &a, const Move &b) { return a.device < b.device; });
    for (size_t m = 0; m < rest.size(); ++m) {
      const Move &move = rest[m];
      bool same = m > 0 && rest[m - 1].device == move.device;
      int from = nearest(replicas(block, 0), move.device);
      arrive(move.device, block, move.region,
             addAction(ActionKind::Transfer, move.device, source->devices[from],
                       move.region, {{from}}, false, !same));
    }
  }
}

void ValuePlanner::addTile(OnDevice &place, int region, int reference) {
  if (std::none_of(place.tiles.begin(), place.tiles.end(),
                   [&](const Tile &tile) { return tile.region == region; }))
    place.tiles.push_back({region, reference});
}

void ValuePlanner::arrive(int device, int block, int region, int reference) {
  OnDevice &place = byDevice[device];
  assert(region >= 0 && reference >= 0 && "a tile has arrived");
  place.parts.push_back(
      {block, region, static_cast<int>(partBuffers.size()), 1});
  partBuffers.push_back(reference);
  addTile(place, region, reference);
}
