//===- TensorStore.cpp - The tiles of all tensors -------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See TensorStore.h.
//
//===----------------------------------------------------------------------===//

#include "Soap/Runtime/Execution/TensorStore.h"

#include "Runtime/Backend/Backend.h"

#include <cassert>
#include <cstring>
#include <set>
#include <tuple>

using namespace soap;
using namespace soap::runtime;

TensorStore::TensorStore(std::shared_ptr<const Manifest> m, Placement placement,
                         Backend *backend)
    : manifest(std::move(m)), place(placement), backend(backend),
      tensors(manifest->tensors.size()) {
  // Positions are known, and never change.
  for (size_t t = 0; t < tensors.size(); ++t)
    if (manifest->tensors[t].kind == TensorKind::Positions)
      tensors[t].version = 1;
  // Entries that want the same tile on the same device share its memory. The
  // last number tells apart several arguments of one program.
  std::map<std::tuple<int64_t, size_t, Region, int>, size_t> shared;
  for (const EntryInfo &entry : manifest->entries) {
    ranks.emplace_back();
    for (const RankInfo &rank : entry.ranks) {
      RankTiles row;
      std::map<std::pair<size_t, Region>, int> ordinals;
      for (const TileInfo &arg : rank.args) {
        int ordinal = ordinals[{arg.tensor, arg.region}]++;
        auto [it, isNew] = shared.try_emplace(
            {rank.device, arg.tensor, arg.region, ordinal}, 0);
        if (isNew) {
          it->second = newTile(arg, rank.device);
          tensors[arg.tensor].tiles.push_back(it->second);
        }
        row.args.push_back(it->second);
      }
      for (const TileInfo &result : rank.results)
        row.results.push_back(newTile(result, rank.device));
      ranks.back().push_back(std::move(row));
    }
  }
}

size_t TensorStore::newTile(const TileInfo &info, int64_t device) {
  int64_t size = sizeOf(manifest->tensors[info.tensor].dtype);
  Tile tile{info.tensor, info.region, place.rankOf(device), {}, 0, device};
  tile.bytes = info.region.volume() * size;
  tile.inHost = backend && manifest->tensors[info.tensor].inHost;
  if (tile.owner == place.rank() && !tile.inHost)
    tile.memory = AlignedBytes(tile.bytes);
  tiles.push_back(std::move(tile));
  return tiles.size() - 1;
}

std::optional<TensorStore::AllocationError> TensorStore::allocate() {
  assert(std::ranges::none_of(tiles,
                              [](const Tile &tile) { return tile.place; }) &&
         "to be called once");
  if (!backend)
    return std::nullopt;
  for (Tile &tile : tiles) {
    if (tile.owner != place.rank())
      continue;
    if (tile.inHost) {
      auto memory = backend->allocateInHost(tile.device, tile.bytes);
      if (!memory)
        return AllocationError{
            tile.device, "tensor '" + manifest->tensors[tile.tensor].name +
                             "': " + memory.error()};
      tile.mapped = static_cast<char *>(memory->host);
      tile.place = memory->device;
      tile.placeStale = false;
      continue;
    }
    auto memory = backend->allocate(tile.device, tile.bytes);
    if (!memory)
      return AllocationError{tile.device, memory.error()};
    tile.place = *memory;
  }
  return std::nullopt;
}

Expected<const char *> TensorStore::hostValue(const Tile &tile) const {
  if (tile.hostStale) {
    if (MaybeError error = backend->download(tile.device, tile.hostData(),
                                             tile.place, tile.bytes))
      return *error;
    tile.hostStale = false;
  }
  return tile.hostData();
}

std::vector<void *> TensorStore::pointers(size_t entry, size_t rank) const {
  assert(entry < ranks.size() && rank < ranks[entry].size() &&
         "no such rank of an entry");
  std::vector<void *> result;
  auto add = [&](size_t tile) {
    result.push_back(backend ? tiles[tile].place : tiles[tile].hostData());
  };
  for (size_t tile : ranks[entry][rank].args)
    add(tile);
  for (size_t tile : ranks[entry][rank].results)
    add(tile);
  return result;
}

HostTensor &TensorStore::host(size_t tensor) {
  TensorState &state = tensors[tensor];
  const TensorInfo &info = manifest->tensors[tensor];
  if (!state.host.bytes.data())
    state.host = HostTensor(info.dtype, info.shape);
  return state.host;
}

void TensorStore::hostWritten(size_t tensor) {
  assert(tensor < tensors.size() && tensors[tensor].host.bytes.data() &&
         "the host's copy must have been written");
  TensorState &state = tensors[tensor];
  state.hostVersion = ++state.version;
}

MaybeError TensorStore::set(size_t tensor, const HostTensor &value) {
  const TensorInfo &info = manifest->tensors[tensor];
  if (value.shape != info.shape)
    return Error{"tensor '" + info.name + "': expected shape " +
                 shapeString(info.shape) + ", got " + shapeString(value.shape)};
  TensorState &state = tensors[tensor];
  state.host = value.converted(elementType(info.dtype));
  hostWritten(tensor);
  return std::nullopt;
}

Expected<std::optional<size_t>>
TensorStore::findNonFinite(bool downloads) const {
  for (size_t t = 0; t < tensors.size(); ++t) {
    const TensorInfo &info = manifest->tensors[t];
    if (info.kind != TensorKind::Parameter && info.kind != TensorKind::State)
      continue;
    // Replicas hold the same bits.
    std::set<Region> done;
    for (size_t index : tensors[t].tiles) {
      const Tile &tile = tiles[index];
      if (tile.owner != place.rank() || tile.version != tensors[t].version ||
          !tile.version || (tile.hostStale && !downloads) ||
          !done.insert(tile.region).second)
        continue;
      auto value = hostValue(tile);
      if (!value)
        return value.takeError();
      if (runtime::findNonFinite(elementType(info.dtype), *value,
                                 tile.region.volume()) >= 0)
        return std::optional<size_t>(t);
    }
  }
  return std::optional<size_t>();
}

std::optional<std::vector<TensorStore::Part>>
TensorStore::cover(const TensorState &state, const Region &region,
                   int reader) const {
  // The reader's own tiles first. Replicas hold the same bits, so each distinct
  // part is taken once. Parts may overlap without being equal: then the sum of
  // volumes says nothing and all sources are taken.
  std::vector<Part> parts;
  int64_t wanted = region.volume(), found = 0;
  bool overlapping = false;
  auto take = [&](bool own) {
    for (size_t index : state.tiles) {
      const Tile &tile = tiles[index];
      if (tile.version != state.version || (tile.owner == reader) != own)
        continue;
      Region part = tile.region.intersect(region);
      if (part.empty())
        continue;
      bool known = false;
      for (const Part &other : parts) {
        known |= other.region.contains(part);
        overlapping |= !other.region.intersect(part).empty();
      }
      if (known)
        continue;
      int64_t volume = part.volume();
      assert(volume <= wanted && "a part of the region");
      found += volume;
      parts.push_back({index, std::move(part)});
      if (volume == wanted || (!overlapping && found == wanted))
        return true;
    }
    return false;
  };
  if (take(true) || take(false) || found >= wanted)
    return parts;
  return std::nullopt;
}

MaybeError TensorStore::move(const std::vector<Part> &parts,
                             const Region &region, void *target, int reader,
                             int64_t elementSize) const {
  assert(elementSize > 0 && reader >= 0 && reader < place.size() &&
         "no such rank");
  for (const Part &part : parts) {
    const Tile &tile = tiles[part.tile];
    if (tile.owner != place.rank() && reader != place.rank())
      continue;
    const char *source = nullptr;
    if (tile.owner == place.rank()) {
      auto value = hostValue(tile);
      if (!value)
        return value.takeError();
      source = *value;
    }
    if (tile.owner == reader) {
      copyPacked(tile.region, source, region, target, elementSize);
      continue;
    }
    // Packed on both sides, so that only the wanted part travels.
    AlignedBytes packed(part.region.volume() * elementSize);
    if (tile.owner == place.rank()) {
      copyPacked(tile.region, source, part.region, packed.data(), elementSize);
      if (MaybeError error = place.group->send(reader, Channel::Tensor, 0,
                                               packed.data(), packed.size()))
        return error;
      continue;
    }
    if (MaybeError error = place.group->receive(tile.owner, Channel::Tensor, 0,
                                                packed.data(), packed.size()))
      return error;
    copyPacked(part.region, packed.data(), region, target, elementSize);
  }
  return std::nullopt;
}

/// The numbers of the indices.
static void writePositions(const IndexSet &indices, int32_t *target) {
  for (const Interval &interval : indices.intervals())
    for (int64_t index = interval.lo; index < interval.hi; ++index)
      *target++ = static_cast<int32_t>(index);
}

MaybeError TensorStore::assemble(size_t tensor, const Region &region,
                                 void *target, int reader) {
  const TensorState &state = tensors[tensor];
  const TensorInfo &info = manifest->tensors[tensor];
  if (reader == place.rank())
    moved += region.volume();
  if (info.kind == TensorKind::Positions) {
    if (reader == place.rank())
      writePositions(region[0], static_cast<int32_t *>(target));
    return std::nullopt;
  }
  if (state.hostVersion == state.version && state.version) {
    if (reader == place.rank())
      copyPacked(Region::whole(state.host.shape), state.host.bytes.data(),
                 region, target, sizeOf(info.dtype));
    return std::nullopt;
  }
  auto parts = cover(state, region, reader);
  if (!state.version || !parts)
    return Error{"no device holds all of tensor '" + info.name + "'"};
  return move(*parts, region, target, reader, sizeOf(info.dtype));
}

Expected<HostTensor> TensorStore::get(size_t tensor, bool rootOnly) {
  const TensorInfo &info = manifest->tensors[tensor];
  int readers = rootOnly ? 1 : place.size();
  HostTensor value;
  if (place.rank() < readers)
    value = HostTensor(info.dtype, info.shape);
  for (int reader = 0; reader < readers; ++reader)
    if (MaybeError error = assemble(tensor, Region::whole(info.shape),
                                    value.bytes.data(), reader))
      return *error;
  return value;
}

MaybeError TensorStore::prepare(size_t entry) {
  for (const RankTiles &row : ranks[entry])
    for (size_t index : row.args) {
      Tile &tile = tiles[index];
      const TensorState &state = tensors[tile.tensor];
      assert(tile.version <= state.version && "a tile of the future");
      const TensorInfo &info = manifest->tensors[tile.tensor];
      if (!state.version)
        return Error{std::string(nameOf(info.kind)) + " '" + info.name +
                     "' has no value"};
      if (tile.version == state.version)
        continue;
      if (MaybeError error =
              assemble(tile.tensor, tile.region, tile.hostData(), tile.owner))
        return error;
      tile.version = state.version;
      tile.hostStale = false;
      tile.placeStale = !tile.inHost;
    }
  // Refreshed tiles may have been read for others meanwhile.
  for (const RankTiles &row : ranks[entry])
    for (size_t index : row.args) {
      Tile &tile = tiles[index];
      if (!tile.place || !tile.placeStale)
        continue;
      if (MaybeError error = backend->upload(tile.device, tile.place,
                                             tile.hostData(), tile.bytes))
        return error;
      tile.placeStale = false;
    }
  return std::nullopt;
}

void TensorStore::finished(size_t entry) {
  std::set<size_t> changed;
  const EntryInfo &info = manifest->entries[entry];
  for (const RankInfo &rank : info.ranks)
    for (const TileInfo &arg : rank.args)
      if (arg.updated)
        changed.insert(arg.tensor);
  for (size_t tensor : changed)
    ++tensors[tensor].version;
  assert(ranks[entry].size() == info.ranks.size() && "tiles of each rank");
  for (size_t r = 0; r < info.ranks.size(); ++r)
    for (size_t i = 0; i < info.ranks[r].args.size(); ++i)
      if (info.ranks[r].args[i].updated) {
        Tile &tile = tiles[ranks[entry][r].args[i]];
        tile.version = tensors[tile.tensor].version;
        tile.hostStale = tile.place && !tile.inHost;
      }
  for (const RankTiles &row : ranks[entry])
    for (size_t index : row.results)
      tiles[index].hostStale = tiles[index].place != nullptr;
}

Expected<HostTensor> TensorStore::result(size_t entry, size_t tensor) const {
  const TensorInfo &info = manifest->tensors[tensor];
  Region whole = Region::whole(info.shape);
  std::set<Region> done;
  std::vector<Part> parts;
  int64_t found = 0;
  for (const RankTiles &row : ranks[entry])
    for (size_t index : row.results) {
      const Tile &tile = tiles[index];
      if (tile.tensor != tensor || !done.insert(tile.region).second)
        continue;
      parts.push_back({index, tile.region});
      found += tile.region.volume();
    }
  if (found < whole.volume())
    return Error{"entry '" + manifest->entries[entry].name +
                 "' does not compute all of '" + info.name + "'"};
  HostTensor value(info.dtype, info.shape);
  if (MaybeError error =
          move(parts, whole, value.bytes.data(), 0, sizeOf(info.dtype)))
    return *error;
  return value;
}
