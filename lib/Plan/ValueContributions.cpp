//===- ValueContributions.cpp - How contributions become sums -------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See docs/Plan.md. Contributions to a block are combined where it is needed,
// by a collective, or by transfers and sums; linear ops in partial mode read
// them as they are.
//
//===----------------------------------------------------------------------===//

#include "ValuePlannerScratch.h"

#include <algorithm>
#include <cassert>
#include <numeric>

using namespace soap;

template <typename Keep>
ValuePlanner::BySource
ValuePlanner::contributionsBySource(int block, int device, Keep keep) {
  BySource bySource;
  std::vector<int> &entryOf = scratch->entryOf;
  entryOf.resize(std::max(entryOf.size(), byDevice.size()), -1);
  for (int c = 0; c < contributions; ++c) {
    std::span<const int> sources = replicas(block, c);
    if (sources.empty() || !keep(sources, c))
      continue;
    int s = nearest(sources, device);
    int from = source->devices[s];
    int &entry = entryOf[from];
    if (entry < 0) {
      entry = static_cast<int>(bySource.size());
      bySource.push_back({from, {}});
    }
    bySource[entry].second.push_back(s);
  }
  for (const auto &[from, buffers] : bySource)
    entryOf[from] = -1;
  return bySource;
}

ValuePlanner::BySource ValuePlanner::contributionsBySource(int block,
                                                           int device) {
  return contributionsBySource(block, device,
                               [](std::span<const int>, int) { return true; });
}

/// The parts of blocks that devices need are combined once each.
void ValuePlanner::combineAll() {
  using Want = Scratch::SumPart;
  std::vector<Want> &wants = scratch->sumParts;
  wants.clear();
  bool statistics = hasStatisticsDim(source->combiner);
  for (int device : usedDevices) {
    size_t first = wants.size();
    for (Need &need : byDevice[device].needs) {
      const Overlaps &blocks = overlapsOf(need);
      for (int i = blocks.start[need.piece]; i < blocks.start[need.piece + 1];
           ++i) {
        auto [block, region] = blocks.entries[i];
        if (statistics) {
          // Statistics are combined jointly, even if a device needs only some.
          Region joint = (*table)[region];
          joint[0] = (*table)[source->blocks->regions[block]][0];
          region = table->number(joint);
        }
        if (std::none_of(wants.begin() + static_cast<ptrdiff_t>(first),
                         wants.end(), [&](const Want &want) {
                           return want.block == block &&
                                  table->contains(want.region, region);
                         }))
          wants.push_back({block, device, region, 0});
      }
    }
  }
  // Entries of a device are few, and come in any order of blocks.
  for (size_t i = 0; i < wants.size(); ++i)
    wants[i].order = static_cast<int>(i);
  std::sort(wants.begin(), wants.end(), [](const Want &a, const Want &b) {
    return std::pair(a.block, a.order) < std::pair(b.block, b.order);
  });
  std::vector<std::pair<int, std::vector<int>>> groups; // region, devices
  for (size_t i = 0; i < wants.size();) {
    int block = wants[i].block;
    groups.clear();
    for (; i < wants.size() && wants[i].block == block; ++i) {
      auto group = std::find_if(groups.begin(), groups.end(), [&](auto &g) {
        return g.first == wants[i].region;
      });
      if (group == groups.end()) {
        groups.push_back({wants[i].region, {}});
        group = groups.end() - 1;
      }
      group->second.push_back(wants[i].device);
    }
    if (!source->rounds.empty() && reduceInRounds(block, groups))
      continue;
    if (collectives) {
      reduceBlock(block, groups);
      continue;
    }
    for (const auto &[region, devices] : groups)
      combineGroup(block, region, devices);
  }
}

/// Contributions to a block, one round after the other: each part goes to its
/// reader, which adds up what it gets. So no device has the sum of a whole
/// block. False if some part has several readers.
bool ValuePlanner::reduceInRounds(
    int block, std::span<const std::pair<int, std::vector<int>>> groups) {
  std::vector<int> readers, rounds;
  int64_t bytes = 0;
  for (const auto &[region, devices] : groups) {
    if (devices.size() != 1)
      return false;
    readers.push_back(devices[0]);
    bytes += table->bytes(region);
  }
  // One reader of the whole block adds up what devices have added up.
  if (collectives && groups.size() == 1)
    return false;
  std::sort(readers.begin(), readers.end());
  if (std::adjacent_find(readers.begin(), readers.end()) != readers.end())
    return false;
  auto roundOf = [&](std::span<const int> sources) {
    return source->rounds[static_cast<size_t>(sources.front())];
  };
  for (int c = 0; c < contributions; ++c)
    if (std::span<const int> sources = replicas(block, c); !sources.empty())
      rounds.push_back(roundOf(sources));
  std::sort(rounds.begin(), rounds.end());
  rounds.erase(std::unique(rounds.begin(), rounds.end()), rounds.end());
  int whole = source->blocks->regions[static_cast<size_t>(block)];
  std::vector<std::vector<int>> sums(groups.size());
  for (int round : rounds) {
    BySource bySource = contributionsBySource(
        block, groups[0].second[0], [&](std::span<const int> sources, int) {
          return roundOf(sources) == round;
        });
    std::vector<int> inputs, holders;
    for (auto &[device, buffers] : bySource) {
      holders.push_back(device);
      if (buffers.size() > 1) {
        int sum =
            addAction(ActionKind::Combine, device, -1, whole, buffers, true);
        buffers.clear();
        buffers.push_back(sum);
      }
      inputs.push_back(buffers[0]);
    }
    std::sort(holders.begin(), holders.end());
    bool isOne = collectives && holders == readers;
    for (size_t g = 0; g < groups.size(); ++g) {
      const auto &[region, devices] = groups[g];
      sums[g].push_back(isOne ? addAction(ActionKind::Collective, devices[0],
                                          -1, region,
                                          g == 0 ? std::span<const int>(inputs)
                                                 : std::span<const int>(),
                                          false, g == 0)
                              : fold(devices[0], region, bySource, true));
    }
    if (isOne)
      addCollective(CollectiveKind::ReduceScatter, readers, bytes);
  }
  for (size_t g = 0; g < groups.size(); ++g) {
    const auto &[region, devices] = groups[g];
    arrive(devices[0], block, region,
           sums[g].size() == 1 ? sums[g][0]
                               : addAction(ActionKind::Combine, devices[0], -1,
                                           region, sums[g], false));
  }
  return true;
}

/// Contributions to a block, folded by collectives: contributions of one device
/// there first, then all-reduces or reduces of the parts, or one reduce-scatter
/// of all parts.
void ValuePlanner::reduceBlock(
    int block, std::span<const std::pair<int, std::vector<int>>> groups) {
  int whole = source->blocks->regions[block];
  assert(!groups.empty() && "at least one part");
  // Every contribution once, from its nearest replica.
  BySource bySource = contributionsBySource(block, groups[0].second[0]);
  std::vector<int> inputs, holders;
  for (const auto &[device, buffers] : bySource) {
    holders.push_back(device);
    inputs.push_back(
        buffers.size() == 1
            ? buffers[0]
            : addAction(ActionKind::Combine, device, -1, whole, buffers, true));
  }
  std::vector<int> sortedHolders = holders;
  std::sort(sortedHolders.begin(), sortedHolders.end());

  std::vector<int> readers;
  int64_t bytes = 0;
  for (const auto &[region, devices] : groups) {
    readers.insert(readers.end(), devices.begin(), devices.end());
    bytes += table->bytes(region);
  }
  std::sort(readers.begin(), readers.end());
  if (groups.size() > 1 && readers.size() == groups.size() &&
      readers == sortedHolders) {
    for (const auto &[region, devices] : groups) {
      bool isFirst = region == groups[0].first;
      arrive(devices[0], block, region,
             addAction(ActionKind::Collective, devices[0], -1, region,
                       isFirst ? std::span<const int>(inputs)
                               : std::span<const int>(),
                       false, isFirst));
    }
    addCollective(CollectiveKind::ReduceScatter, std::move(readers), bytes);
    return;
  }
  for (const auto &[region, devices] : groups) {
    if (holders.size() == 1) {
      // Nothing to reduce: to each reader from there.
      for (int device : devices)
        arrive(device, block, region,
               fold(device, region, {{holders[0], {inputs[0]}}}, false));
      continue;
    }
    for (int device : devices)
      arrive(device, block, region,
             addAction(ActionKind::Collective, device, -1, region,
                       device == devices[0] ? std::span<const int>(inputs)
                                            : std::span<const int>(),
                       false, device == devices[0]));
    std::vector<int> members = sortedHolders;
    members.insert(members.end(), devices.begin(), devices.end());
    std::sort(members.begin(), members.end());
    members.erase(std::unique(members.begin(), members.end()), members.end());
    bool toOne = devices.size() == 1;
    if (toOne)
      std::rotate(members.begin(),
                  std::find(members.begin(), members.end(), devices[0]),
                  std::find(members.begin(), members.end(), devices[0]) + 1);
    addCollective(toOne ? CollectiveKind::Reduce : CollectiveKind::AllReduce,
                  std::move(members), table->bytes(region));
  }
}

/// Split among the devices that need the same part, which then exchange their
/// results (reduce-scatter, then all-gather; one reader: reduce to it).
void ValuePlanner::combineGroup(int block, int region,
                                std::span<const int> devices) {
  bool statistics = hasStatisticsDim(source->combiner);
  std::vector<std::pair<int, int>> slices; // device, region
  const std::vector<int> &parts =
      table->slices(region, static_cast<int>(devices.size()), statistics);
  for (size_t i = 0; i < parts.size(); ++i)
    if (parts[i] >= 0)
      slices.emplace_back(devices[i], parts[i]);
  if (slices.empty()) {
    // One device combines all: one that holds a contribution, if there is one.
    int best = devices.front();
    [&] {
      for (int device : devices)
        for (int c = 0; c < contributions; ++c)
          for (int s : replicas(block, c))
            if (source->devices[s] == device) {
              best = device;
              return;
            }
    }();
    slices.emplace_back(best, region);
  }
  std::vector<int> combined;
  for (auto [device, slice] : slices)
    combined.push_back(combineSlice(block, device, slice));
  for (int device : devices) {
    OnDevice &place = byDevice[device];
    Part part{block, region, static_cast<int>(partBuffers.size()),
              static_cast<int>(slices.size())};
    // All messages first: `partBuffers` of a part lie together.
    for (size_t i = 0; i < slices.size(); ++i) {
      int buffer =
          slices[i].first == device
              ? combined[i]
              : addAction(ActionKind::Transfer, device, slices[i].first,
                          slices[i].second, {{combined[i]}}, false);
      partBuffers.push_back(buffer);
      addTile(place, slices[i].second, buffer);
    }
    place.parts.push_back(part);
  }
}

/// All contributions to a region, folded on `device` in their order;
/// contributions of another device are folded there first.
int ValuePlanner::combineSlice(int block, int device, int region) {
  return fold(device, region, contributionsBySource(block, device), false);
}

int ValuePlanner::fold(int device, int region, const BySource &bySource,
                       bool partial) {
  std::vector<int> inputs;
  for (const auto &[from, buffers] : bySource) {
    if (from == device) {
      inputs.insert(inputs.end(), buffers.begin(), buffers.end());
      continue;
    }
    int buffer = buffers.size() == 1 ? buffers.front()
                                     : addAction(ActionKind::Combine, from, -1,
                                                 region, buffers, true);
    inputs.push_back(addAction(ActionKind::Transfer, device, from, region,
                               {{buffer}}, true));
  }
  assert(!inputs.empty() && "at least one contribution");
  if (inputs.size() > 1)
    return addAction(ActionKind::Combine, device, -1, region, inputs, partial);
  if (regionOf(inputs[0]) == region)
    return inputs[0];
  return addAction(ActionKind::Assemble, device, -1, region, inputs, partial);
}

/// Preplaced inputs: one tile per device and distinct need; needs inside of
/// larger ones are cut out of them.
void ValuePlanner::placeWhereNeeded() {
  for (int device : usedDevices) {
    OnDevice &place = byDevice[device];
    for (const Need &need : place.needs) {
      if (std::any_of(place.parts.begin(), place.parts.end(),
                      [&](const Part &part) {
                        return table->contains(part.region, need.region);
                      }))
        continue;
      int tile = static_cast<int>(out->tiles.size());
      out->tiles.emplace_back(device, need.region);
      arrive(device, 0, need.region, tile);
    }
  }
  out->sources = static_cast<int>(out->tiles.size());
}

/// The buffer that holds exactly what is needed, where its parts already are.
int ValuePlanner::materialize(OnDevice &place, int device, Need &need) {
  for (const Tile &tile : place.tiles)
    if (tile.region == need.region)
      return tile.reference;
  std::vector<int> &inputs = scratch->tileInputs;
  inputs.clear();
  auto addPart = [&](int block, int region) {
    for (const Part &part : place.parts)
      if (holds(part, block) && table->contains(part.region, region)) {
        for (int i = 0; i < part.count; ++i)
          if (int buffer = partBuffers[part.first + i];
              table->intersect(regionOf(buffer), region) >= 0 &&
              std::find(inputs.begin(), inputs.end(), buffer) == inputs.end())
            inputs.push_back(buffer);
        return;
      }
  };
  if (!source->blocks) {
    addPart(0, need.region);
  } else {
    const Overlaps &blocks = overlapsOf(need);
    for (int i = blocks.start[need.piece]; i < blocks.start[need.piece + 1];
         ++i)
      addPart(blocks.entries[i].block, blocks.entries[i].region);
  }
  int buffer =
      addAction(ActionKind::Assemble, device, -1, need.region, inputs, false);
  place.tiles.push_back({need.region, buffer});
  return buffer;
}

//===----------------------------------------------------------------------===//
// Linear ops in partial mode
//===----------------------------------------------------------------------===//

/// The first replica of a piece on each device, for `assignedReplica`.
void ValuePlanner::listReplicas(const ValueUse &use, int piece) {
  replicaOn.assign(static_cast<size_t>(deviceCount), -1);
  for (int r = static_cast<int>(use.devices.size()) / use.pieces; r-- > 0;)
    replicaOn[use.devices[r * use.pieces + piece]] = r;
}

/// The replica of the piece that handles a contribution: one that runs where
/// the contribution is, else by its number.
int ValuePlanner::assignedReplica(const ValueUse &use,
                                  std::span<const int> sources,
                                  int contribution) const {
  int readers = static_cast<int>(use.devices.size()) / use.pieces;
  int first = readers;
  for (int s : sources)
    if (int r = replicaOn[source->devices[s]]; r >= 0)
      first = std::min(first, r);
  return first < readers ? first : contribution % readers;
}

void ValuePlanner::findContributors(ShapeRegions &shapeRegions,
                                    const ValueSource &valueSource,
                                    const ValueUse &use,
                                    std::vector<bool> &contributes) {
  begin(shapeRegions, valueSource);
  if (!source->blocks)
    return;
  const Overlaps &blocks = overlaps(*source->blocks, *use.needs);
  for (int piece = 0; piece < use.pieces; ++piece) {
    if (use.needs->regions[piece] < 0)
      continue;
    listReplicas(use, piece);
    for (int i = blocks.start[piece]; i < blocks.start[piece + 1]; ++i)
      for (int c = 0; c < contributions; ++c)
        if (std::span<const int> sources = replicas(blocks.entries[i].block, c);
            !sources.empty())
          contributes[assignedReplica(use, sources, c) * use.pieces + piece] =
              true;
  }
}

/// The sum of the contributions that belong to a replica, on its device; zeros
/// if there are none.
int ValuePlanner::gatherContributions(const ValueUse &use, int shard) {
  int piece = shard % use.pieces, replica = shard / use.pieces,
      device = use.devices[shard], need = use.needs->regions[piece];
  listReplicas(use, piece);
  const Overlaps &blocks = overlaps(*source->blocks, *use.needs);
  std::vector<int> tiles, missing;
  for (int i = blocks.start[piece]; i < blocks.start[piece + 1]; ++i) {
    auto [block, region] = blocks.entries[i];
    BySource bySource = contributionsBySource(
        block, device, [&](std::span<const int> sources, int c) {
          return assignedReplica(use, sources, c) == replica;
        });
    if (bySource.empty())
      missing.push_back(region);
    else
      tiles.push_back(fold(device, region, bySource, true));
  }
  if (tiles.empty())
    return addAction(ActionKind::Fill, device, -1, need, {}, false);
  for (int region : missing)
    tiles.push_back(addAction(ActionKind::Fill, device, -1, region, {}, true));
  if (tiles.size() == 1 && regionOf(tiles[0]) == need)
    return tiles[0];
  return addAction(ActionKind::Assemble, device, -1, need, tiles, true);
}
