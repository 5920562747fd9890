//===- ValuePlan.cpp - How one value gets where it is needed --------------===//
//
// See docs/Plan.md. Needs are collected per device first, so that a piece is
// moved to a device once; then complete pieces are sent, or contributions
// combined; then the tiles that readers want are put together.
//
//===----------------------------------------------------------------------===//

#include "Soap/Core/ValuePlan.h"

#include <algorithm>
#include <numeric>

using namespace soap;

void ValuePlan::clear() {
  sources = 0;
  sourcesAreTasks = isInPlace = false;
  sourceSlot = triggerSlot = -1;
  actions.clear();
  inputs.clear();
  passingBytes.clear();
  tasks.clear();
  collectives.clear();
  for (std::vector<int> &binding : bindings)
    binding.clear();
  tiles.clear();
  successorStart.clear();
  successors.clear();
  predecessorCounts.clear();
  roots.clear();
}

//===----------------------------------------------------------------------===//
// Geometry
//===----------------------------------------------------------------------===//

/// Overlaps with blocks that are a grid: those of each dim, combined.
void ValuePlanner::addGridOverlaps(const BlockSet &blocks, int need,
                                   Overlaps &result) {
  struct Dim {
    std::vector<std::pair<int, int>>
        hits; ///< place, number of the intersection
    size_t at = 0;
  };
  static thread_local std::vector<Dim> dims;
  static thread_local std::vector<int> sets;
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
  static thread_local std::vector<int> firstPiece; // by region, -1: none
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
  return std::span(sourceList)
      .subspan(sourceStart[slot], sourceStart[slot + 1] - sourceStart[slot]);
}

/// The nearest of some sources, ties by device id.
int ValuePlanner::nearest(std::span<const int> replicas, int device) {
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
  if (reference >= out->sources)
    return out->actions[reference - out->sources].region;
  if (source->kind == ValueSource::Kind::Preplaced)
    return out->tiles[reference].second;
  return source->blocks
      ->regions[source->blocks->blockOf[reference % source->pieces]];
}

//===----------------------------------------------------------------------===//
// Actions
//===----------------------------------------------------------------------===//

/// An input of the graph, as it is at the start.
bool ValuePlanner::isInput(int reference) const {
  return reference < out->sources && !source->isRestored &&
         source->kind != ValueSource::Kind::Kernel;
}

/// Mirrors `copyPart` on numbers of regions.
CopyPart ValuePlanner::partOf(int reference, int region, bool isMessage) {
  int from = regionOf(reference), part = table->intersect(from, region),
      to = isMessage ? part : region;
  CopyPart result{table->bytes(part), 1, table->bytes(from), table->bytes(to),
                  isInput(reference)};
  bool isWhole = true;
  for (size_t d = table->rank(); d-- > 0;) {
    IndexSetTable &sets = table->dim(d);
    int set = table->sets(part)[d], source = table->sets(from)[d],
        target = table->sets(to)[d];
    if (!isWhole) {
      result.runs *= sets.size(set);
      continue;
    }
    isWhole = set == source && set == target;
    if (!isWhole && !(sets[source].isInterval() && sets[target].isInterval())) {
      result.runs =
          contiguousRuns((*table)[part], (*table)[from], (*table)[to]);
      break;
    }
  }
  return result;
}

int64_t ValuePlanner::assembleNs(int device, int region,
                                 std::span<const int> inputs) {
  static thread_local std::vector<int> key;
  key = {cost.getTopology().devices[device].type, region};
  for (int input : inputs)
    key.push_back(2 * regionOf(input) + isInput(input));
  auto [it, isNew] = costs->assembleOf.try_emplace(key);
  if (isNew) {
    Work work = localWork(ActionKind::Assemble, table->volume(region),
                          elementBytes, inputs.size());
    for (int input : inputs)
      work.parts.push_back(partOf(input, region, false));
    it->second = cost.computeNs(device, work);
    overlapBytes += 100 + key.size() * sizeof(int);
  }
  return it->second;
}

int64_t ValuePlanner::packNs(int device, int reference, int region) {
  int type = cost.getTopology().devices[device].type;
  if (!knowsRuns[type] || regionOf(reference) == region)
    return 0;
  // Mostly one run, which is sent as it lies: that is found out sooner than
  // looked up.
  CopyPart part = partOf(reference, region, true);
  if (part.runs <= 1)
    return 0;
  static thread_local std::vector<int> key;
  key = {type, region, 2 * regionOf(reference) + part.isInput};
  auto [it, isNew] = costs->pack.try_emplace(key);
  if (isNew) {
    it->second = cost.packNs(device, part);
    overlapBytes += 100 + key.size() * sizeof(int);
  }
  return it->second;
}

int64_t ValuePlanner::localNs(ActionKind kind, int device, int region,
                              std::span<const int> inputs) {
  const Topology &topology = cost.getTopology();
  int type = topology.devices[device].type;
  auto compute = [&] {
    return cost.computeNs(device, localWork(kind, table->volume(region),
                                            elementBytes, inputs.size()));
  };
  if (kind == ActionKind::Combine) {
    uint64_t key = (static_cast<uint64_t>(region) << 32) +
                   (static_cast<uint64_t>(inputs.size()) << 8) +
                   static_cast<uint64_t>(type);
    auto [it, isNew] = costs->combine.try_emplace(key);
    if (isNew)
      it->second = compute();
    return it->second;
  }
  if (kind == ActionKind::Assemble && knowsRuns[type])
    return assembleNs(device, region, inputs);
  std::vector<int64_t> &known =
      kind == ActionKind::Fill ? costs->fill : costs->assemble;
  size_t index = static_cast<size_t>(region) * topology.deviceTypes.size() +
                 static_cast<size_t>(type);
  if (known.size() <= index)
    known.resize(index + 1);
  if (known[index] == 0)
    known[index] = compute();
  return known[index];
}

/// Appends an action, as a task of its own or, a transfer, as part of the last
/// task. The reference of its output.
int ValuePlanner::addAction(ActionKind kind, int device, int from, int region,
                            std::span<const int> inputs, bool partial,
                            bool newTask) {
  PlannedAction action;
  action.kind = kind;
  action.partial = partial;
  action.device = device;
  action.source = from;
  action.region = region;
  action.firstInput = static_cast<int>(out->inputs.size());
  action.inputCount = static_cast<int>(inputs.size());
  out->inputs.insert(out->inputs.end(), inputs.begin(), inputs.end());
  if (newTask) {
    PlannedTask &task = out->tasks.emplace_back();
    task.firstAction = static_cast<int>(out->actions.size());
    if (kind == ActionKind::Transfer) {
      task.resource = -1 - transfers.resources(from, device);
    } else if (kind != ActionKind::Collective) {
      task.resource = device;
      task.durationNs = localNs(kind, device, region, inputs);
    }
  }
  PlannedTask &task = out->tasks.back();
  if (kind == ActionKind::Transfer) {
    task.bytes += table->bytes(region);
    task.packNs += packNs(from, inputs[0], region);
    task.durationNs = cost.transferNs(from, device, task.bytes) + task.packNs;
  }
  action.task = static_cast<int>(out->tasks.size()) - 1;
  out->actions.push_back(action);
  return out->sources + static_cast<int>(out->actions.size()) - 1;
}

/// Makes the last task a collective; its actions have been added.
int ValuePlanner::addCollective(CollectiveKind kind, std::vector<int> devices,
                                int64_t bytes) {
  CollectiveModels::Price price = models.price(kind, devices, bytes);
  PlannedTask &task = out->tasks.back();
  task.durationNs = price.ns;
  task.resource = -1 - price.resources;
  task.collective = static_cast<int>(out->collectives.size());
  out->collectives.push_back({kind, std::move(devices), bytes});
  return static_cast<int>(out->tasks.size()) - 1;
}

//===----------------------------------------------------------------------===//
// Planning
//===----------------------------------------------------------------------===//

/// Larger regions first; few, and mostly in order.
void ValuePlanner::sortNeeds(std::vector<Need> &needs) {
  for (size_t i = 1; i < needs.size(); ++i)
    for (size_t j = i; j > 0 && table->volume(needs[j - 1].region) <
                                    table->volume(needs[j].region);
         --j)
      std::swap(needs[j - 1], needs[j]);
}

/// What each device has, and what it needs, larger regions first.
void ValuePlanner::collectNeeds(std::span<const ValueUse> uses) {
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
      if (region < 0 ||
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
  // What is there already.
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
    static thread_local std::vector<Common> found;
    found.clear();
    findCommonBlocks(blocks, need, found);
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
  struct Hit {
    size_t place;
    int64_t size;
    bool whole;
  };
  static thread_local std::vector<std::vector<Hit>> hits;
  static thread_local std::vector<size_t> at;
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

/// What devices lack, with the number of blocks that it overlaps.
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
      messages += countCommonBlocks(*source->blocks, need.region);
    }
  }
}

/// Adds the messages that bring a region to devices, and their ends to lists:
/// the sources that are read (each once), and devices. Returns the bytes moved.
int64_t ValuePlanner::exchangeRegion(int region, std::span<const int> readers,
                                     std::vector<int> &sources,
                                     std::vector<int> &devices) {
  static thread_local std::vector<int> senders;
  static thread_local std::vector<int64_t> bytes;
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
    // The replica depends on who asks.
    for (int device : readers) {
      int s = nearest(written, device);
      read(s);
      if (source->devices[s] == device)
        continue;
      exchanged.add({source->devices[s], device, size});
      total += size;
    }
  }
  exchanged.add(*routes, senders, bytes, readers);
  auto count = static_cast<int64_t>(readers.size());
  for (size_t i = 0; i < senders.size(); ++i)
    total +=
        bytes[i] * (count - std::ranges::binary_search(readers, senders[i]));
  devices.insert(devices.end(), readers.begin(), readers.end());
  return total;
}

/// Many messages as one operation. Whether it was done.
bool ValuePlanner::exchangeAll() {
  // Fewer are sent one by one, each as soon as it can be.
  constexpr int64_t fewMessages = 8;
  static thread_local std::vector<Wanted> wanted, byRegion;
  static thread_local std::vector<int> readers;
  int64_t count = 0;
  listWanted(wanted, count);
  if (count <= fewMessages || wanted.size() < 2)
    return false;
  std::vector<int> sources, devices;
  isRead.assign(source->devices.size(), false);
  byRegion = wanted;
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
  PlannedTask &task = out->tasks.back();
  task.durationNs = exchange.ns;
  task.resource = -1 - transfers.resourceNumber(exchange.links);
  task.collective = static_cast<int>(out->collectives.size());
  std::sort(devices.begin(), devices.end());
  devices.erase(std::unique(devices.begin(), devices.end()), devices.end());
  out->collectives.push_back(
      {CollectiveKind::Exchange, std::move(devices), total});
  return true;
}

/// All-gathers: several devices need the same region, of which each of them has
/// written one whole block.
void ValuePlanner::gatherAll() {
  // Needs by region, in the order of the first of each, then by device.
  struct Wanted {
    int order, region, device;
  };
  static thread_local std::vector<Wanted> wanted;
  static thread_local std::vector<int> first; ///< place of a region, by number
  static thread_local std::vector<int> sources, from, devices;
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
  struct Move {
    int block, device, region;
  };
  static thread_local std::vector<Move> moves, sorted;
  static thread_local std::vector<int> start;
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
  struct Group {
    int region, source;
    std::vector<size_t> moves;
  };
  static thread_local std::vector<Group> groups;
  static thread_local std::vector<Move> rest;
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
  place.parts.push_back(
      {block, region, static_cast<int>(partBuffers.size()), 1});
  partBuffers.push_back(reference);
  addTile(place, region, reference);
}

//===----------------------------------------------------------------------===//
// Contributions
//===----------------------------------------------------------------------===//

template <typename Keep>
ValuePlanner::BySource
ValuePlanner::contributionsBySource(int block, int device, Keep keep) {
  BySource bySource;
  // The entry of each device.
  static thread_local std::vector<int> entryOf;
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
  struct Want {
    int block, device, region, order = 0;
  };
  static thread_local std::vector<Want> wants;
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
          // Combined jointly, whoever needs only some of them.
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
    if (collectives) {
      reduceBlock(block, groups);
      continue;
    }
    for (const auto &[region, devices] : groups)
      combineGroup(block, region, devices);
  }
}

/// Contributions to a block, folded by collectives: contributions of one device
/// there first, then all-reduces or reduces of the parts, or one reduce-scatter
/// of all parts.
void ValuePlanner::reduceBlock(
    int block, std::span<const std::pair<int, std::vector<int>>> groups) {
  int whole = source->blocks->regions[block];
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

/// All contributions to a region, folded on `device` in their order; those of
/// another device are folded there first.
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
  static thread_local std::vector<int> inputs;
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

//===----------------------------------------------------------------------===//
// All together
//===----------------------------------------------------------------------===//

/// Whether every shard of every reader reads just what the shard of the same
/// number has written, on its device: most values of a strategy, since an op
/// and its gradients are cut alike.
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
  collectNeeds(uses);
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

  for (size_t u = 0; u < uses.size(); ++u) {
    const ValueUse &use = uses[u];
    std::vector<int> &binding = plan.bindings[u];
    if (!use.needs)
      continue;
    int count = static_cast<int>(use.devices.size());
    binding.assign(count, -1);
    for (int s = 0; s < count; ++s) {
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
  for (int device : usedDevices) {
    OnDevice &place = byDevice[device];
    place.needs.clear();
    place.parts.clear();
    place.tiles.clear();
  }
  if (!plan.tasks.empty())
    plan.passingBytes.assign(cuts.count(), 0);
  for (const PlannedTask &task : plan.tasks)
    if (task.resource < 0)
      cuts.add(transfers.resourceLists()[-1 - task.resource], task.durationNs,
               plan.passingBytes);
  link(uses, block);
}

/// Calls `visit(shard, task)` for each shard of the backward pass that a task
/// which reads kept tiles waits for: those on the devices that it starts from,
/// or else the first there is.
template <typename Visit>
void ValuePlanner::forEachTrigger(Visit visit) const {
  const ValuePlan &plan = *out;
  std::span<const int> shards = source->triggerDevices;
  if (shards.empty())
    return;
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
    if (!readsKept)
      continue;
    int first = -1;
    bool found = false;
    for (size_t s = 0; s < shards.size(); ++s) {
      if (source->triggerStates[s] == ShardState::Absent)
        continue;
      if (first < 0)
        first = static_cast<int>(s);
      if (std::find(devices.begin(), devices.end(), shards[s]) == devices.end())
        continue;
      visit(static_cast<int>(s), number);
      found = true;
    }
    if (!found && first >= 0)
      visit(first, number);
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
    forEachTrigger([&](int shard, int task) {
      visit(static_cast<int>(firstTrigger) + shard, block, task);
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
  for (size_t i = nodes; i > 0; --i)
    plan.successorStart[i] = plan.successorStart[i - 1];
  plan.successorStart[0] = 0;
  for (size_t t = 0; t < plan.tasks.size(); ++t)
    if (plan.predecessorCounts[t] == 0)
      plan.roots.push_back(static_cast<int>(t));
}
