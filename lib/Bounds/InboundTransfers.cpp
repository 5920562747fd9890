//===- InboundTransfers.cpp - Bounds from what devices receive ------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts elements: what the shards of a reader need on a device or a group of
// devices, less what the shards of the writer have written there.
//
//===----------------------------------------------------------------------===//

#include "Bounds/InboundTransfers.h"

#include "Soap/Plan/ValuePlanner.h"

#include <algorithm>
#include <cassert>
#include <limits>

using namespace soap;

/// How many elements of each piece of a writer all pieces of a reader read
/// together: dim by dim, as the reader's pieces are all combinations.
static void countReads(RegionTable &table, const TileSets &needs,
                       const TileSets &tiles, int64_t times,
                       PieceReads &result) {
  auto &[reads, known] = result;
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

/// Lower bound of the time of one exchange that sends each shard of a reader
/// what it lacks of pieces that are written once, in ns times bytes an element:
/// from what gets into and out of each device and group. 0 if it is unknown.
static double exchangeNs(const LinkCuts &cuts, RegionTable &table,
                         const KernelPlan &reader, const TileSets &needs,
                         const KernelPlan &writer, const TileSets &tiles,
                         const ShardsByDevice &written,
                         const ShardsByDevice &read,
                         const CommonElements &common, PieceReads &memory) {
  if (!reader.geometry->allCompute || !needs.isProduct)
    return 0;
  // Shards of one device may read the same.
  if (std::any_of(read.next.begin(), read.next.end(),
                  [](int s) { return s >= 0; }))
    return 0;
  int64_t combinations = 1;
  for (const auto &dim : needs.dims)
    combinations *= static_cast<int64_t>(dim->ids.size());
  countReads(table, needs, tiles,
             reader.replicas * reader.pieces() / combinations, memory);
  const std::vector<int64_t> &reads = memory.reads;
  double ns = 0;
  auto bound = [&](std::span<const int> devices, size_t cut) {
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
      bound({&device, 1}, static_cast<size_t>(device));
  for (const LinkCuts::Group &group : cuts.getGroups())
    bound(group.devices, static_cast<size_t>(group.cut));
  return ns;
}

/// Lower bound of the time that the last shard of a reader waits for sums of
/// contributions of a writer, in ns times bytes an element: a device that
/// contributes to a block sends all of it that other devices read.
static double sumNs(const LinkCuts &cuts, const KernelPlan &reader,
                    const TileSets &needs, const KernelPlan &writer,
                    const TileSets &tiles) {
  if (!needs.everyElement || !reader.geometry->allCompute)
    return 0;
  // A value that all devices read is sent whole. Otherwise a device may keep
  // the part that it alone reads.
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

/// Whether another pair of kernels writes and reads the same tiles on the same
/// devices, so that what is found for one holds for the other.
bool InboundTransfers::Inbound::isAsMuch(const Inbound &other) const {
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

size_t InboundTransfers::find(RegionTable &table, int64_t elementBytes,
                              int64_t contributions, const KernelPlan &writer,
                              const TileSets &written, const KernelPlan &reader,
                              const TileSets &read) {
  if (inbound.size() == usedCount)
    inbound.emplace_back();
  assert(contributions > 0 && elementBytes >= 0 && "pieces that contribute");
  assert(written.rank == read.rank && "tiles of the same value");
  Inbound &entry = inbound[usedCount];
  entry.table = &table;
  entry.elementBytes = elementBytes;
  entry.contributions = contributions;
  entry.writer = &writer;
  entry.written = &written;
  entry.reader = &reader;
  entry.read = &read;
  for (size_t i = 0; i < usedCount; ++i)
    if (inbound[i].isAsMuch(entry))
      return i;
  compute(table, entry);
  return usedCount++;
}

void InboundTransfers::compute(RegionTable &table, Inbound &entry) {
  const KernelPlan &writer = *entry.writer, &kernel = *entry.reader;
  const TileSets *tiles = entry.written;
  const TileSets &needs = *entry.read;
  int64_t contributions = entry.contributions,
          elementBytes = entry.elementBytes;
  entry.bytes.assign(plan.getCuts().count(), 0);
  std::vector<int64_t> &byCut = entry.bytes;
  double minDelayNs = std::numeric_limits<double>::infinity(), maxDelayNs = 0;
  entry.waitingDevices = 0;
  wholePieces.clear();
  otherTiles.clear();
  bool mayExchange =
      contributions == 1 && plan.getCost().getTopology().hasCollectives() &&
      static_cast<int64_t>(kernel.devices.size()) > ValuePlanner::fewMessages;
  ShardsByDevice &written = writtenShards, &read = readShards;
  written.assign(writer.devices, plan.kernelLoadNs().size());
  common.assign(table, needs, *tiles);
  int pieces = writer.pieces(), readerPieces = kernel.pieces();
  for (size_t s = 0; s < kernel.devices.size(); ++s) {
    int piece = static_cast<int>(s) % readerPieces, device = kernel.devices[s];
    if (kernel.geometry->states[piece] != ShardState::Compute)
      continue;
    int64_t missing = needs.volumes[piece];
    if (missing == 0) {
      minDelayNs = 0;
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
    entry.waitingDevices += bytes > 0 && byCut[device] == 0;
    byCut[device] = std::max(byCut[device], bytes);
    double ns = static_cast<double>(bytes) *
                plan.getCuts().getNsPerByte(static_cast<size_t>(device));
    minDelayNs = std::min(minDelayNs, ns);
    maxDelayNs = std::max(maxDelayNs, ns);
    if (!mayExchange)
      continue;
    if (hasWhole && !hasParts)
      wholePieces.push_back(piece);
    else
      otherTiles.push_back(needs.tileOf[piece]);
  }
  entry.minDelayNs = minDelayNs;
  entry.maxDelayNs = maxDelayNs;
  entry.exchangeNs = 0;
  entry.gathered.clear();
  for (int piece : wholePieces) {
    int64_t tile = needs.tileOf[piece];
    if (std::find(otherTiles.begin(), otherTiles.end(), tile) ==
        otherTiles.end())
      entry.gathered.push_back(
          {needs.volumes[piece],
           kernel.replicas *
               std::count(needs.tileOf.begin(), needs.tileOf.end(), tile)});
  }
  read.assign(kernel.devices, plan.kernelLoadNs().size());
  if (mayExchange && writer.replicas == 1)
    entry.exchangeNs = exchangeNs(plan.getCuts(), table, kernel, needs, writer,
                                  *tiles, written, read, common, pieceReads) *
                       static_cast<double>(elementBytes);
  if (contributions > 1 && writer.replicas == 1 &&
      !plan.getCost().hasMeasuredCollectives())
    entry.maxDelayNs = std::max(
        entry.maxDelayNs, sumNs(plan.getCuts(), kernel, needs, writer, *tiles) *
                              static_cast<double>(elementBytes));
  for (const LinkCuts::Group &group : plan.getCuts().getGroups()) {
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
    byCut[group.cut] = std::max(byCut[group.cut], missing * elementBytes);
  }
}

bool InboundTransfers::mayGather(std::span<const size_t> numbers) const {
  int64_t largest = 0;
  for (size_t i = 0; i < numbers.size(); ++i) {
    assert(numbers[i] < usedCount && "of another proposal");
    const Inbound &entry = inbound[numbers[i]];
    if (std::find(numbers.begin(), numbers.begin() + i, numbers[i]) !=
        numbers.begin() + i)
      continue;
    if (entry.gathered.empty())
      continue;
    int64_t others = 0;
    for (size_t j = 0; j < numbers.size(); ++j)
      if (numbers[j] != numbers[i])
        others +=
            static_cast<int64_t>(inbound[numbers[j]].reader->devices.size());
    for (int64_t elements : entry.written->volumes)
      largest = std::max(largest, elements);
    for (auto [elements, readers] : entry.gathered)
      if (elements <= (readers + others) * largest)
        return true;
  }
  return false;
}
