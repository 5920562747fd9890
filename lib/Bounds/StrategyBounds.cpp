//===- StrategyBounds.cpp - What a makespan is at least -------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lower bounds of the makespan of a strategy whose kernels have changed, before
// the values around them are planned: from paths through kernels, and from what
// must get into devices and groups of devices. docs/Simulator.md says why they
// hold.
//
//===----------------------------------------------------------------------===//

#include "Soap/Plan/StrategyPlan.h"

#include <algorithm>
#include <limits>

using namespace soap;

/// Whether a cut loop does not appear in the map of a result.
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

void StrategyPlan::findPartial() {
  for (int k : linearSlots) {
    mayBePartial[k] = false;
    const KernelPlan &kernel = kernels[k];
    if (!kernel.active || kernel.replicas == 1)
      continue;
    for (int operand : slots[k].kernel->operands)
      for (auto [p, result] : valueInfo[operand].producers)
        if (kernels[p].active)
          mayBePartial[k] |=
              mayBePartial[p] ||
              isPartial(*slots[p].kernel, result, kernels[p].geometry->degrees);
  }
}

void StrategyPlan::findPaths() {
  findPartial();
  findHeads();
  findTails();
  pathsAreValid = true;
}

void StrategyPlan::listPathEdges() {
  firstPathEdge = {0};
  pathEdgesFrom.resize(slots.size());
  for (size_t k = 0; k < slots.size(); ++k) {
    const std::vector<int> &operands = slots[k].kernel->operands;
    for (size_t i = 0; i < operands.size(); ++i)
      for (auto [writer, result] : valueInfo[operands[i]].producers) {
        auto operand = static_cast<int>(i);
        pathEdgesFrom[writer].push_back(static_cast<int>(pathEdges.size()));
        pathEdges.push_back({writer, static_cast<int>(k), result, operand,
                             firstDelay[k] + operand});
      }
    firstPathEdge.push_back(static_cast<int>(pathEdges.size()));
  }
  pathNodes.resize(slots.size());
}

/// After a change of a kernel.
void StrategyPlan::updatePathNode(int slot) {
  PathNode &node = pathNodes[slot];
  const KernelPlan &kernel = kernels[slot];
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
    node.sumsAll |= uint64_t(isSumOfAll(*slots[slot].kernel,
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
void StrategyPlan::updatePathEdge(PathEdge &edge) {
  const PathNode &writer = pathNodes[edge.from], &reader = pathNodes[edge.to];
  edge.inHeads = edge.inTails = edge.isJoin = false;
  if (!writer.active || !reader.active)
    return;
  edge.inHeads = edge.operand < 64 && (reader.readsSome >> edge.operand & 1);
  // Of replicas, only the nearest are read.
  if (!writer.isSingle || !writer.allCompute || edge.result >= 64 ||
      !(writer.writesSome >> edge.result & 1))
    return;
  int value = slots[edge.from].kernel->results[edge.result];
  edge.inTails =
      (edge.operand < 64 && (reader.readsAll >> edge.operand & 1)) ||
      readsEveryPiece(regions.table(value),
                      kernels[edge.from].geometry->resultTiles[edge.result],
                      kernels[edge.to].geometry->operandTiles[edge.operand]);
  edge.isJoin =
      edge.inHeads && edge.inTails && (writer.sumsAll >> edge.result & 1);
}

/// After a change of kernels, all of whose tiles are known.
void StrategyPlan::updatePaths(const std::vector<int> &changed) {
  for (int slot : changed)
    updatePathNode(slot);
  for (int slot : changed) {
    for (int e = firstPathEdge[slot]; e < firstPathEdge[slot + 1]; ++e)
      updatePathEdge(pathEdges[e]);
    for (int e : pathEdgesFrom[slot])
      updatePathEdge(pathEdges[e]);
  }
}

void StrategyPlan::findHeads() {
  // Slots are in a topological order.
  for (size_t k = 0; k < slots.size(); ++k) {
    heads[k] = lateHeads[k] = 0;
    const PathNode &node = pathNodes[k];
    if (!node.active || !node.allCompute || mayBePartial[k])
      continue;
    int64_t headNs = 0, lateNs = 0;
    for (int e = firstPathEdge[k]; e < firstPathEdge[k + 1]; ++e) {
      const PathEdge &edge = pathEdges[e];
      int64_t shortestNs = pathNodes[edge.from].shortestNs,
              lastNs = lateHeads[edge.from] + shortestNs;
      if (edge.inHeads) {
        const Delay &delay = delays[edge.delay];
        int64_t firstNs = edge.isJoin ? lastNs : heads[edge.from] + shortestNs;
        headNs = std::max(headNs, firstNs + delay.ns);
        lateNs = std::max(lateNs, firstNs + delay.lateNs);
      }
      // Some shard waits for the last of the writer's.
      if (edge.inTails)
        lateNs = std::max(lateNs, lastNs);
    }
    heads[k] = headNs;
    lateHeads[k] = std::max(headNs, lateNs);
  }
}

void StrategyPlan::findTails() {
  std::fill(tails.begin(), tails.end(), 0);
  for (size_t k = slots.size(); k-- > 0;) {
    const PathNode &node = pathNodes[k];
    if (!node.active || !node.allCompute || mayBePartial[k])
      continue;
    int64_t tailNs = tails[k] + node.shortestNs;
    for (int e = firstPathEdge[k]; e < firstPathEdge[k + 1]; ++e)
      if (const PathEdge &edge = pathEdges[e]; edge.inTails)
        tails[edge.from] = std::max(tails[edge.from], tailNs);
  }
}

namespace {

/// How many elements tiles of a reader and of a writer have in common. Only
/// dims that one of them cuts differ from pair to pair, and nearly all sets are
/// intervals.
class CommonElements {
public:
  void assign(RegionTable &regions, const TileSets &readTiles,
              const TileSets &writtenTiles) {
    table = &regions;
    read = &readTiles;
    written = &writtenTiles;
    rank = readTiles.rank;
    factor = 1;
    cutDims = 0;
    isExact = true;
    for (size_t d = 0; d < rank; ++d) {
      const DimTiles &a = *read->dims[d], &b = *written->dims[d];
      IndexSetTable &sets = table->dim(d);
      if (a.ids.size() == 1 && b.ids.size() == 1) {
        factor *= a.ids[0] < 0 || b.ids[0] < 0
                      ? 0
                      : sets.commonSize(a.ids[0], b.ids[0]);
        continue;
      }
      if (cutDims == dims.size())
        dims.emplace_back();
      Dim &dim = dims[cutDims++];
      isExact &= list(sets, *read, d, dim.read) &&
                 list(sets, *written, d, dim.written);
    }
  }
  /// Of tiles that are not empty.
  int64_t of(int reader, int writer) const {
    if (!isExact)
      return ofSets(reader, writer);
    int64_t common = factor;
    for (size_t i = 0; i < cutDims; ++i) {
      const Interval &a = dims[i].read[static_cast<size_t>(reader)],
                     &b = dims[i].written[static_cast<size_t>(writer)];
      int64_t size = std::min(a.hi, b.hi) - std::max(a.lo, b.lo);
      if (size <= 0)
        return 0;
      common *= size;
    }
    return common;
  }

private:
  struct Dim {
    std::vector<Interval> read, written; ///< by piece
  };
  RegionTable *table = nullptr;
  const TileSets *read = nullptr, *written = nullptr;
  size_t rank = 0, cutDims = 0;
  int64_t factor = 1; ///< of the other dims
  bool isExact = true;
  std::vector<Dim> dims;

  /// Whether they are intervals.
  static bool list(const IndexSetTable &sets, const TileSets &tiles, size_t d,
                   std::vector<Interval> &intervals) {
    size_t pieces = tiles.volumes.size();
    intervals.resize(pieces);
    for (size_t p = 0; p < pieces; ++p) {
      int id = tiles.sets[p * tiles.rank + d];
      intervals[p] = id < 0 ? Interval{} : sets.hull(id);
      if (intervals[p].size() != sets.size(id))
        return false;
    }
    return true;
  }
  int64_t ofSets(int reader, int writer) const {
    int64_t common = 1;
    for (size_t d = 0; d < rank && common > 0; ++d)
      common *= table->dim(d).commonSize(
          read->sets[static_cast<size_t>(reader) * rank + d],
          written->sets[static_cast<size_t>(writer) * rank + d]);
    return common;
  }
};

/// Shards by the device that they run on.
class ShardsByDevice {
public:
  void assign(const std::vector<int> &devices, size_t deviceCount) {
    first.assign(deviceCount, -1);
    next.resize(devices.size());
    for (size_t s = devices.size(); s-- > 0;) {
      next[s] = first[devices[s]];
      first[devices[s]] = static_cast<int>(s);
    }
  }
  template <typename Visit>
  void visit(int device, Visit visit) const {
    for (int s = first[device]; s >= 0; s = next[s])
      visit(s);
  }
  std::vector<int> first, next;
};

} // namespace

/// How many elements of each piece of a writer the pieces of a reader read, in
/// all: dim by dim, as the reader's are all combinations.
static void countReads(RegionTable &table, const TileSets &needs,
                       const TileSets &tiles, int64_t times,
                       std::vector<int64_t> &reads) {
  static thread_local std::vector<std::pair<int, int64_t>> known; // by set
  size_t rank = needs.rank;
  reads.assign(tiles.volumes.size(), times);
  for (size_t d = 0; d < rank; ++d) {
    known.clear();
    for (size_t p = 0; p < reads.size(); ++p) {
      int set = tiles.sets[p * rank + d];
      auto it = std::find_if(known.rbegin(), known.rend(),
                             [&](const auto &of) { return of.first == set; });
      if (it == known.rend()) {
        int64_t sum = 0;
        for (int read : needs.dims[d]->ids)
          if (set >= 0 && read >= 0)
            sum += table.dim(d).commonSize(read, set);
        known.emplace_back(set, sum);
        it = known.rbegin();
      }
      reads[p] *= it->second;
    }
  }
}

/// How long it takes at least to send each shard of a reader what it lacks of
/// pieces that are written once, all at the same time, in ns times bytes an
/// element: by what gets into and out of each device and group. 0 if that is
/// not known.
static double exchangeNs(const LinkCuts &cuts, RegionTable &table,
                         const KernelPlan &reader, const TileSets &needs,
                         const KernelPlan &writer, const TileSets &tiles,
                         const ShardsByDevice &written,
                         const ShardsByDevice &read,
                         const CommonElements &common) {
  if (!reader.geometry->allCompute || !needs.isProduct)
    return 0;
  // Shards of one device may read the same.
  if (std::any_of(read.next.begin(), read.next.end(),
                  [](int s) { return s >= 0; }))
    return 0;
  int64_t combinations = 1;
  for (const auto &dim : needs.dims)
    combinations *= static_cast<int64_t>(dim->ids.size());
  static thread_local std::vector<int64_t> reads;
  countReads(table, needs, tiles,
             reader.replicas * reader.pieces() / combinations, reads);
  double ns = 0;
  auto look = [&](std::span<const int> devices, size_t cut) {
    int64_t in = 0, out = 0, within = 0;
    for (int device : devices) {
      written.visit(device,
                    [&](int w) { out += reads[static_cast<size_t>(w)]; });
      read.visit(device, [&](int s) {
        int piece = s % reader.pieces();
        in += needs.volumes[static_cast<size_t>(piece)];
        for (int from : devices)
          written.visit(from, [&](int w) {
            if (tiles.volumes[static_cast<size_t>(w)] > 0)
              within += common.of(piece, w);
          });
      });
    }
    ns = std::max(
        {ns, static_cast<double>(in - within) * cuts.getNsPerByte(cut),
         static_cast<double>(out - within) * cuts.getOutNsPerByte(cut)});
  };
  for (int device = 0; device < static_cast<int>(read.first.size()); ++device)
    if (written.first[device] >= 0 || read.first[device] >= 0)
      look({&device, 1}, static_cast<size_t>(device));
  for (const LinkCuts::Group &group : cuts.getGroups())
    look(group.devices, static_cast<size_t>(group.cut));
  return ns;
}

/// How long the last shard of a reader waits at least for sums of what pieces
/// of a writer contribute, in ns times bytes an element: whoever contributes to
/// a block has to send all of it that others read.
static double sumNs(const LinkCuts &cuts, const KernelPlan &reader,
                    const TileSets &needs, const KernelPlan &writer,
                    const TileSets &tiles) {
  if (!needs.everyElement || !reader.geometry->allCompute)
    return 0;
  // What all read, on different devices, is sent whole; else a device may keep
  // what it alone reads.
  bool allReadAll =
      std::all_of(needs.tileOf.begin(), needs.tileOf.end(),
                  [&](int64_t tile) { return tile == needs.tileOf.front(); });
  bool isOneDevice =
      std::all_of(reader.devices.begin(), reader.devices.end(),
                  [&](int device) { return device == reader.devices.front(); });
  int64_t own =
      allReadAll && !isOneDevice
          ? 0
          : *std::max_element(needs.volumes.begin(), needs.volumes.end());
  double ns = 0;
  for (size_t w = 0; w < writer.devices.size(); ++w)
    ns = std::max(
        ns, static_cast<double>(tiles.volumes[w] - own) *
                cuts.getOutNsPerByte(static_cast<size_t>(writer.devices[w])));
  return ns;
}

/// Whether another pair of kernels that write and read the same on the same
/// devices is known to be as this one.
bool StrategyPlan::Arrival::isAsMuch(const Arrival &other) const {
  auto areSame = [](const TileSets *a, const TileSets *b) {
    return a == b || a->sets == b->sets;
  };
  return table == other.table && elementBytes == other.elementBytes &&
         contributions == other.contributions &&
         (writer == other.writer || writer->devices == other.writer->devices) &&
         (reader == other.reader || reader->devices == other.reader->devices) &&
         writer->geometry->pieces == other.writer->geometry->pieces &&
         reader->geometry->pieces == other.reader->geometry->pieces &&
         (reader->geometry == other.reader->geometry ||
          (reader->geometry->allCompute &&
           other.reader->geometry->allCompute)) &&
         areSame(written, other.written) && areSame(read, other.read);
}

/// The values of a group mostly lie alike: what gets to a reader is found once
/// for all that are the same. Returns its number in `arrivals`.
size_t StrategyPlan::arrivalOf(RegionTable &table, int64_t elementBytes,
                               int64_t contributions, const KernelPlan &writer,
                               const TileSets &written,
                               const KernelPlan &reader, const TileSets &read) {
  if (arrivals.size() == arrivalCount)
    arrivals.emplace_back();
  Arrival &arrival = arrivals[arrivalCount];
  arrival.table = &table;
  arrival.elementBytes = elementBytes;
  arrival.contributions = contributions;
  arrival.writer = &writer;
  arrival.written = &written;
  arrival.reader = &reader;
  arrival.read = &read;
  for (size_t i = 0; i < arrivalCount; ++i)
    if (arrivals[i].isAsMuch(arrival))
      return i;
  findArrival(table, arrival);
  return arrivalCount++;
}

/// The bytes that get over each cut at least, and the delay.
void StrategyPlan::findArrival(RegionTable &table, Arrival &arrival) const {
  const KernelPlan &writer = *arrival.writer, &kernel = *arrival.reader;
  const TileSets *tiles = arrival.written;
  const TileSets &needs = *arrival.read;
  int64_t contributions = arrival.contributions,
          elementBytes = arrival.elementBytes;
  arrival.bytes.assign(cuts.count(), 0);
  std::vector<int64_t> &most = arrival.bytes;
  double delayNs = std::numeric_limits<double>::infinity(), lateNs = 0;
  arrival.waitingDevices = 0;
  // Pieces of which their device has written whole blocks, and tiles that some
  // device reads which has not.
  static thread_local std::vector<int> wholePieces;
  static thread_local std::vector<int64_t> otherTiles;
  wholePieces.clear();
  otherTiles.clear();
  bool mayExchange =
      contributions == 1 && planner.hasCollectives() &&
      static_cast<int64_t>(kernel.devices.size()) > ValuePlanner::fewMessages;
  static thread_local ShardsByDevice written, read;
  static thread_local std::vector<int> writtenPieces;
  static thread_local std::vector<int64_t> tilesRead;
  static thread_local CommonElements common;
  written.assign(writer.devices, kernelLoad.size());
  common.assign(table, needs, *tiles);
  int pieces = writer.pieces(), readerPieces = kernel.pieces();
  for (size_t s = 0; s < kernel.devices.size(); ++s) {
    int piece = static_cast<int>(s) % readerPieces, device = kernel.devices[s];
    if (kernel.geometry->states[piece] != ShardState::Compute)
      continue;
    int64_t missing = needs.volumes[piece];
    if (missing == 0) {
      delayNs = 0;
      continue;
    }
    int64_t local = 0;
    int64_t localContributions = 0;
    int lastPiece = -1;
    bool hasWhole = false, hasParts = false;
    for (int w = written.first[device]; w >= 0 && local < missing;
         w = written.next[w]) {
      int p = w % pieces;
      if (contributions > 1) {
        // Whole only if the device has all contributions, perhaps.
        if (++localContributions == contributions)
          local = missing;
        continue;
      }
      if (p == lastPiece || tiles->volumes[p] == 0)
        continue;
      lastPiece = p;
      int64_t elements = common.of(piece, p);
      hasWhole |= elements == tiles->volumes[p];
      hasParts |= elements > 0 && elements < tiles->volumes[p];
      local += elements;
    }
    int64_t bytes = std::max<int64_t>(missing - local, 0) * elementBytes;
    arrival.waitingDevices += bytes > 0 && most[device] == 0;
    most[device] = std::max(most[device], bytes);
    double ns = static_cast<double>(bytes) *
                cuts.getNsPerByte(static_cast<size_t>(device));
    delayNs = std::min(delayNs, ns);
    lateNs = std::max(lateNs, ns);
    if (!mayExchange)
      continue;
    if (hasWhole && !hasParts)
      wholePieces.push_back(piece);
    else
      otherTiles.push_back(needs.tileOf[piece]);
  }
  arrival.delayNs = delayNs;
  arrival.lateNs = lateNs;
  arrival.exchangeNs = 0;
  arrival.gathered.clear();
  for (int piece : wholePieces) {
    int64_t tile = needs.tileOf[piece];
    if (std::find(otherTiles.begin(), otherTiles.end(), tile) ==
        otherTiles.end())
      arrival.gathered.push_back(
          {needs.volumes[piece],
           kernel.replicas *
               std::count(needs.tileOf.begin(), needs.tileOf.end(), tile)});
  }
  read.assign(kernel.devices, kernelLoad.size());
  if (mayExchange && writer.replicas == 1)
    arrival.exchangeNs = exchangeNs(cuts, table, kernel, needs, writer, *tiles,
                                    written, read, common) *
                         static_cast<double>(elementBytes);
  if (contributions > 1 && writer.replicas == 1 &&
      !cost.hasMeasuredCollectives())
    arrival.lateNs =
        std::max(arrival.lateNs, sumNs(cuts, kernel, needs, writer, *tiles) *
                                     static_cast<double>(elementBytes));
  for (const LinkCuts::Group &group : cuts.getGroups()) {
    writtenPieces.clear();
    int64_t count = 0;
    for (int device : group.devices)
      written.visit(device, [&](int s) {
        ++count;
        int piece = s % pieces;
        if (contributions == 1 && tiles->volumes[piece] > 0 &&
            std::none_of(writtenPieces.begin(), writtenPieces.end(),
                         [&](int p) {
                           return tiles->tileOf[p] == tiles->tileOf[piece];
                         }))
          writtenPieces.push_back(piece);
      });
    // All contributions may be here.
    if (contributions > 1 && count >= contributions)
      continue;
    int64_t missing = 0;
    tilesRead.clear();
    for (int device : group.devices)
      read.visit(device, [&](int s) {
        int piece = s % readerPieces;
        int64_t own = needs.ownVolumes[piece], tile = needs.tileOf[piece];
        if (own == 0 || kernel.geometry->states[piece] != ShardState::Compute ||
            std::find(tilesRead.begin(), tilesRead.end(), tile) !=
                tilesRead.end())
          return;
        tilesRead.push_back(tile);
        for (int p : writtenPieces)
          own -= common.of(piece, p);
        missing += std::max<int64_t>(own, 0);
      });
    most[group.cut] = std::max(most[group.cut], missing * elementBytes);
  }
}

/// Whether something that readers of a value read may be gathered from whole
/// blocks, one of each device that reads it. `numbers`: of their arrivals.
bool StrategyPlan::mayGather(std::span<const size_t> numbers) const {
  int64_t largest = 0;
  for (size_t i = 0; i < numbers.size(); ++i) {
    const Arrival &arrival = arrivals[numbers[i]];
    if (std::find(numbers.begin(), numbers.begin() + i, numbers[i]) !=
        numbers.begin() + i)
      continue;
    if (arrival.gathered.empty())
      continue;
    int64_t others = 0;
    for (size_t j = 0; j < numbers.size(); ++j)
      if (numbers[j] != numbers[i])
        others +=
            static_cast<int64_t>(arrivals[numbers[j]].reader->devices.size());
    for (int64_t elements : arrival.written->volumes)
      largest = std::max(largest, elements);
    for (auto [elements, readers] : arrival.gathered)
      if (elements <= (readers + others) * largest)
        return true;
  }
  return false;
}

/// Sets a delay until `forgetBounds`. By how much it grows.
int64_t StrategyPlan::setDelay(int place, const Delay &delay) {
  Delay &known = delays[place];
  int64_t grownNs = std::max(delay.ns - known.ns, delay.lateNs - known.lateNs);
  delayed.push_back({place, known});
  known = delay;
  return grownNs;
}

/// What must at least get over each cut for a value: the largest need of its
/// readers there, less what is written there. Sets the delays of the value's
/// readers: the times that the luckiest and the unluckiest shard wait for it.
/// Returns by how much they grow together.
int64_t StrategyPlan::addArrivals(int value, std::vector<int64_t> &most) {
  const ValueInfo &info = valueInfo[value];
  const KernelPlan *writer = nullptr;
  const TileSets *tiles = nullptr;
  int64_t contributions = 1;
  for (auto [slot, result] : info.producers)
    if (kernels[slot].active) {
      const Kernel &op = *slots[slot].kernel;
      if (mayBePartial[slot])
        return 0; // replicas may be contributions
      writer = &kernels[slot];
      tiles = &writer->geometry->resultTiles[result];
      for (size_t l = 0; l < op.space.loops.size(); ++l)
        if (!usesLoop(op.space.results[result].map, static_cast<int>(l)))
          contributions *= writer->geometry->degrees[l];
    }
  if (int n = info.input < 0 ? -1 : graph.inputs[info.input].updateNode; n >= 0)
    for (int slot : slotsOfNode[n])
      if (!writer && kernels[slot].active) {
        writer = &kernels[slot];
        tiles = &writer->geometry
                     ->operandTiles[graph.inputs[info.input].updateOperand];
      }
  if (!writer)
    return 0;
  int64_t elementBytes = graph.values[value].elementBytes;
  RegionTable &table = regions.table(value);
  // Whether all that is lacking comes by one exchange (`ValuePlanner`): more
  // than a few messages, and nothing is gathered.
  bool isExchange = contributions == 1 && planner.hasCollectives();
  int waitingDevices = 0;
  static thread_local std::vector<int> places;
  static thread_local std::vector<size_t> numbers;
  places.clear();
  numbers.clear();
  for (const Reader &reader : info.readers) {
    if (reader.slot < 0) {
      isExchange &= outputs[reader.output].devices.size() == 1;
      continue;
    }
    if (!kernels[reader.slot].active)
      continue;
    const KernelPlan &kernel = kernels[reader.slot];
    if (mayBePartial[reader.slot]) {
      isExchange = false;
      continue;
    }
    const TileSets &needs = kernel.geometry->operandTiles[reader.operand];
    // Every shard reads what was written on its device.
    if (contributions == 1 && needs.sets == tiles->sets &&
        kernel.devices == writer->devices && kernel.geometry->allCompute)
      continue;
    size_t number = arrivalOf(table, elementBytes, contributions, *writer,
                              *tiles, kernel, needs);
    const Arrival &arrival = arrivals[number];
    for (size_t c = 0; c < most.size(); ++c)
      most[c] = std::max(most[c], arrival.bytes[c]);
    waitingDevices = std::max(waitingDevices, arrival.waitingDevices);
    places.push_back(firstDelay[reader.slot] + reader.operand);
    numbers.push_back(number);
  }
  double exchangeNs = 0;
  if (isExchange && waitingDevices > ValuePlanner::fewMessages &&
      !mayGather(numbers))
    for (size_t c = 0; c < most.size(); ++c)
      exchangeNs = std::max(exchangeNs, static_cast<double>(most[c]) *
                                            cuts.getNsPerByte(c));
  if (exchangeNs > 0)
    for (size_t number : numbers)
      exchangeNs = std::max(exchangeNs, arrivals[number].exchangeNs);
  int64_t grownNs = 0;
  for (size_t i = 0; i < places.size(); ++i) {
    const Arrival &arrival = arrivals[numbers[i]];
    double ns = arrival.delayNs, lateNs = arrival.lateNs;
    // Nobody reads anything else.
    if (lateNs == 0 || lateNs >= 1e18 || ns >= 1e18)
      continue;
    if (ns > 0)
      ns = std::max(ns, exchangeNs);
    grownNs += setDelay(places[i],
                        {static_cast<int64_t>(ns),
                         static_cast<int64_t>(std::max(lateNs, exchangeNs))});
  }
  return grownNs;
}

/// Sorts all slots by their heads. Those whose heads are as they were at the
/// last call are in order already; the others have mostly grown by the same
/// delay, and are nearly.
void StrategyPlan::sortByHead() {
  if (byHead.empty())
    for (size_t k = 0; k < slots.size(); ++k)
      byHead.emplace_back(-1, static_cast<int>(k));
  static thread_local std::vector<std::pair<int64_t, int>> kept, moved;
  kept.clear();
  moved.clear();
  for (auto [headNs, slot] : byHead)
    (headNs == heads[slot] ? kept : moved).emplace_back(heads[slot], slot);
  size_t moves = 0, mostMoves = 8 * moved.size();
  for (size_t i = 1; i < moved.size() && moves <= mostMoves; ++i)
    for (size_t j = i; j > 0 && moved[j] < moved[j - 1]; --j, ++moves)
      std::swap(moved[j], moved[j - 1]);
  if (moves > mostMoves)
    std::sort(moved.begin(), moved.end());
  std::merge(kept.begin(), kept.end(), moved.begin(), moved.end(),
             byHead.begin());
}

/// Lower bound of the makespan from paths through changed kernels, with what is
/// known of their delays, and from the work that devices have left when the
/// last of it can start: what starts at its head or later takes a device at
/// least from there as long as all of it together.
int64_t StrategyPlan::pathBoundNs() {
  findHeads();
  int64_t bound = 0;
  for (int slot : dirtyKernels)
    if (kernels[slot].active && !mayBePartial[slot])
      bound =
          std::max({bound, heads[slot] + kernels[slot].longestNs + tails[slot],
                    lateHeads[slot] + kernels[slot].shortestNs + tails[slot]});
  sortByHead();
  // Work of all devices, and of each beyond that.
  int64_t commonNs = 0, mostNs = 0;
  static thread_local std::vector<int64_t> work;
  work.assign(kernelLoad.size(), 0);
  for (size_t i = byHead.size(); i-- > 0;) {
    auto [headNs, slot] = byHead[i];
    const PathNode &node = pathNodes[slot];
    if (!node.active)
      continue;
    if (node.isUniform && !mayBePartial[slot]) {
      commonNs += node.shortestNs;
    } else {
      const KernelPlan &kernel = kernels[slot];
      // Replicas may turn out to have no contributions, and nothing to do.
      size_t count = mayBePartial[slot] ? static_cast<size_t>(kernel.pieces())
                                        : kernel.devices.size();
      for (size_t s = 0; s < count; ++s)
        if (kernel.states[s] != ShardState::Absent)
          mostNs =
              std::max(mostNs, work[kernel.devices[s]] += kernel.durationNs[s]);
    }
    bound = std::max(bound, headNs + commonNs + mostNs);
  }
  pathNs = bound;
  return bound;
}

/// Takes off the durations of replicas that may have no contributions, and then
/// nothing to do. Needs `findPartial`.
void StrategyPlan::subtractUncertain(int slot,
                                     std::vector<int64_t> &total) const {
  const KernelPlan &kernel = kernels[slot];
  if (!mayBePartial[slot] || !kernel.active)
    return;
  for (size_t s = kernel.pieces(); s < kernel.devices.size(); ++s)
    if (kernel.states[s] != ShardState::Absent)
      total[kernel.devices[s]] -= kernel.durationNs[s];
}

int64_t StrategyPlan::loadBoundNs(int64_t limitNs) {
  int64_t bound = *std::max_element(kernelLoad.begin(), kernelLoad.end());
  if (bound <= limitNs)
    return bound;
  static thread_local std::vector<int64_t> total;
  total = kernelLoad;
  findPartial();
  for (size_t k = 0; k < slots.size(); ++k)
    subtractUncertain(static_cast<int>(k), total);
  return *std::max_element(total.begin(), total.end());
}

int64_t StrategyPlan::boundNs(int64_t limitNs) {
  forgetBounds();
  findPartial();
  int64_t bound = 0;
  static thread_local std::vector<int> touched;
  static thread_local std::vector<bool> isTouched;
  expected = passing;
  arrivalCount = 0;
  touched.clear();
  isTouched.resize(std::max(isTouched.size(), valueInfo.size()));
  auto visit = [&](int value) {
    if (!isTouched[value]) {
      isTouched[value] = true;
      touched.push_back(value);
    }
  };
  for (int slot : dirtyKernels) {
    for (int value : slots[slot].kernel->operands)
      visit(value);
    for (int value : slots[slot].kernel->results)
      visit(value);
  }
  // Whether replicas of linear kernels take contributions apart may change, as
  // it does where they have until now: nothing is known of what is around them.
  for (size_t i = 0; i < touched.size(); ++i)
    for (const Reader &reader : valueInfo[touched[i]].readers)
      if (reader.slot >= 0 && kernels[reader.slot].active &&
          (mayBePartial[reader.slot] || kernels[reader.slot].partialMode)) {
        for (int value : slots[reader.slot].kernel->operands)
          visit(value);
        for (int value : slots[reader.slot].kernel->results)
          visit(value);
      }
  for (int value : touched) {
    isTouched[value] = false;
    expect(plans[value].passingBytes, {});
    dropDelays(value);
  }
  // Large values first: they may be a proof on their own.
  std::sort(touched.begin(), touched.end(), [&](int a, int b) {
    return std::pair(-graph.values[a].bytes(), a) <
           std::pair(-graph.values[b].bytes(), b);
  });
  for (size_t c = 0; c < expected.size(); ++c)
    bound = std::max(bound, cuts.shortestNs(c, expected[c]));
  constexpr int64_t smallPart = 256; // of the largest value
  int64_t leastBytesToBound =
      touched.empty() ? 0 : graph.values[touched[0]].bytes() / smallPart;
  // Paths are looked at when delays may have made them too long.
  int64_t grownNs = 0, leftNs = 0;
  for (int value : touched) {
    std::vector<int64_t> &least = leastBytes[value];
    least.assign(expected.size(), 0);
    bounded.push_back(value);
    // Nothing is known of small ones then, which prove nothing.
    if (graph.values[value].bytes() < leastBytesToBound)
      continue;
    grownNs += addArrivals(value, least);
    for (size_t c = 0; c < least.size(); ++c)
      if (least[c] > 0) {
        expected[c] += least[c];
        bound = std::max(bound, cuts.shortestNs(c, expected[c]));
      }
    if (bound > limitNs)
      return bound;
    if (grownNs > leftNs) {
      if (!pathsAreValid) {
        findTails();
        pathsAreValid = true;
      }
      bound = std::max(bound, pathBoundNs());
      if (bound > limitNs)
        return bound;
      leftNs = limitNs - pathNs;
      grownNs = 0;
    }
  }
  if (!pathsAreValid) {
    findTails();
    pathsAreValid = true;
    bound = std::max(bound, pathBoundNs());
    grownNs = 0;
  }
  pathNs += grownNs;
  return bound;
}

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
    chainNs[task] = readyNs + plan.tasks[task].durationNs;
  }
}

/// Sets the delays of the readers of a value to those of its plan, if they are
/// longer or `isFinal`: of the luckiest and of the unluckiest shard, the tasks
/// that bring what it reads, one after the other. By how much they grow
/// together.
int64_t StrategyPlan::addDelays(int value, bool isFinal) {
  const ValuePlan &plan = plans[value];
  const std::vector<Reader> &readers = valueInfo[value].readers;
  static thread_local std::vector<int64_t> chainNs;
  bool waits = plan.sourcesAreTasks && !plan.tasks.empty();
  if (!waits && !isFinal)
    return 0;
  if (waits)
    findChains(plan, chainNs);
  int64_t sum = 0;
  for (size_t u = 0; u < readers.size(); ++u) {
    auto [slot, operand, output] = readers[u];
    if (slot < 0)
      continue;
    Delay delay;
    if (waits && !plan.bindings[u].empty()) {
      delay.ns = std::numeric_limits<int64_t>::max();
      for (int reference : plan.bindings[u]) {
        int64_t ns = reference < plan.sources
                         ? 0
                         : chainNs[plan.actions[reference - plan.sources].task];
        delay.ns = std::min(delay.ns, ns);
        delay.lateNs = std::max(delay.lateNs, ns);
      }
    }
    int place = firstDelay[slot] + operand;
    Delay known = delays[place];
    if (!isFinal) {
      delay.ns = std::max(delay.ns, known.ns);
      delay.lateNs = std::max(delay.lateNs, known.lateNs);
    }
    if (delay == known)
      continue;
    sum += std::max(delay.ns - known.ns, delay.lateNs - known.lateNs);
    (isFinal ? savedDelays : delayed).push_back({place, known});
    delays[place] = delay;
  }
  return sum;
}

/// Nothing is known any more of when a value that will be planned again gets to
/// its readers.
void StrategyPlan::dropDelays(int value) {
  for (const Reader &reader : valueInfo[value].readers)
    if (reader.slot >= 0) {
      int place = firstDelay[reader.slot] + reader.operand;
      if (delays[place] != Delay())
        setDelay(place, {});
    }
}

/// Values that a search has to plan anyway, and that come between kernels which
/// have changed and others, until what is known of their delays is a proof.
bool StrategyPlan::planBorder(int64_t limitNs) {
  constexpr size_t fewValues = 2;
  if (!pathsAreValid) {
    // Without tails, and without a bound to start from.
    findPartial();
    std::fill(tails.begin(), tails.end(), 0);
    pathNs = limitNs;
  }
  static thread_local std::vector<int> border;
  border.clear();
  for (int value : dirtyValues) {
    int writer = producerOf(value);
    if (!isPending(value) || writer < 0 || mayBePartial[writer])
      continue;
    bool changed = kernelSaved[writer];
    if (std::any_of(valueInfo[value].readers.begin(),
                    valueInfo[value].readers.end(), [&](const Reader &reader) {
                      return reader.slot >= 0 &&
                             kernelSaved[reader.slot] != changed;
                    }))
      border.push_back(value);
  }
  // Those that are met first, and have to be planned anyway.
  std::sort(border.begin(), border.end(), [&](int a, int b) {
    return valueInfo[a].block < valueInfo[b].block;
  });
  int64_t delayNs = 0;
  for (size_t i = 0; i < std::min(fewValues, border.size()); ++i) {
    if (!planPending(border[i], limitNs))
      return false;
    // A bound grows by the delays at most.
    delayNs += addDelays(border[i], false);
    if (delayNs <= limitNs - pathNs)
      continue;
    if (pathBoundNs() > limitNs)
      return false;
    delayNs = 0;
  }
  return true;
}

/// What passes cuts for a value becomes something else.
void StrategyPlan::expect(const std::vector<int64_t> &before,
                          const std::vector<int64_t> &now) {
  for (size_t c = 0; c < before.size(); ++c)
    expected[c] -= before[c];
  for (size_t c = 0; c < now.size(); ++c)
    expected[c] += now[c];
}

/// A value has been planned: whether what passes cuts may still be done within
/// a limit.
bool StrategyPlan::mayPass(int value, int64_t limitNs) {
  if (expected.empty())
    return true;
  const std::vector<int64_t> &now = plans[value].passingBytes;
  expect(leastBytes[value], now);
  for (size_t c = 0; c < now.size(); ++c)
    if (now[c] > 0 && cuts.shortestNs(c, expected[c]) > limitNs)
      return false;
  return true;
}

void StrategyPlan::forgetBounds() {
  for (int value : bounded)
    leastBytes[value].clear();
  bounded.clear();
  expected.clear();
  for (size_t i = delayed.size(); i-- > 0;)
    delays[delayed[i].place] = delayed[i].delay;
  delayed.clear();
}
