//===- TensorStore.cpp - The tiles of all tensors -------------------------===//
//
// See TensorStore.h.
//
//===----------------------------------------------------------------------===//

#include "Soap/Runtime/TensorStore.h"

#include <cstring>
#include <set>
#include <tuple>

using namespace soap;
using namespace soap::runtime;

TensorStore::TensorStore(std::shared_ptr<const Manifest> m)
    : manifest(std::move(m)), tensors(manifest->tensors.size()) {
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
          it->second = newTile(arg);
          tensors[arg.tensor].tiles.push_back(it->second);
        }
        row.args.push_back(it->second);
      }
      for (const TileInfo &result : rank.results)
        row.results.push_back(newTile(result));
      ranks.back().push_back(std::move(row));
    }
  }
}

size_t TensorStore::newTile(const TileInfo &info) {
  int64_t size = sizeOf(manifest->tensors[info.tensor].dtype);
  tiles.push_back(
      {info.tensor, info.region, AlignedBytes(info.region.volume() * size), 0});
  return tiles.size() - 1;
}

std::vector<void *> TensorStore::pointers(size_t entry, size_t rank) const {
  std::vector<void *> result;
  for (size_t tile : ranks[entry][rank].args)
    result.push_back(tiles[tile].memory.data());
  for (size_t tile : ranks[entry][rank].results)
    result.push_back(tiles[tile].memory.data());
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

bool TensorStore::assemble(const TensorState &state, const Region &region,
                           void *target, int64_t elementSize) {
  int64_t wanted = region.volume();
  if (state.hostVersion == state.version && state.version) {
    Region whole = Region::whole(state.host.shape);
    moved +=
        copyPacked(whole, state.host.bytes.data(), region, target, elementSize);
    return true;
  }
  // Replicas hold the same bits, so each distinct part is copied once. Parts
  // may overlap without being equal: then the count says nothing and all
  // sources are copied.
  std::vector<Region> done;
  int64_t copied = 0;
  bool overlapping = false;
  for (size_t index : state.tiles) {
    const Tile &tile = tiles[index];
    if (tile.version != state.version)
      continue;
    Region part = tile.region.intersect(region);
    if (part.empty())
      continue;
    bool known = false;
    for (const Region &other : done) {
      known |= other.contains(part);
      overlapping |= !other.intersect(part).empty();
    }
    if (known)
      continue;
    copied += copyPacked(tile.region, tile.memory.data(), region, target,
                         elementSize);
    done.push_back(std::move(part));
    if (done.back().volume() == wanted || (!overlapping && copied == wanted))
      break;
  }
  moved += copied;
  return copied >= wanted;
}

Expected<HostTensor> TensorStore::get(size_t tensor) {
  const TensorInfo &info = manifest->tensors[tensor];
  TensorState &state = tensors[tensor];
  HostTensor value(info.dtype, info.shape);
  if (!state.version || !assemble(state, Region::whole(info.shape),
                                  value.bytes.data(), sizeOf(info.dtype)))
    return Error{"no device holds the value of tensor '" + info.name + "'"};
  return value;
}

MaybeError TensorStore::prepare(size_t entry) {
  for (const RankTiles &row : ranks[entry])
    for (size_t index : row.args) {
      Tile &tile = tiles[index];
      const TensorState &state = tensors[tile.tensor];
      const TensorInfo &info = manifest->tensors[tile.tensor];
      if (!state.version)
        return Error{std::string(nameOf(info.kind)) + " '" + info.name +
                     "' has no value"};
      if (tile.version == state.version)
        continue;
      if (!assemble(state, tile.region, tile.memory.data(), sizeOf(info.dtype)))
        return Error{"no device holds all of tensor '" + info.name + "'"};
      tile.version = state.version;
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
  for (size_t r = 0; r < info.ranks.size(); ++r)
    for (size_t i = 0; i < info.ranks[r].args.size(); ++i)
      if (info.ranks[r].args[i].updated) {
        Tile &tile = tiles[ranks[entry][r].args[i]];
        tile.version = tensors[tile.tensor].version;
      }
}

Expected<HostTensor> TensorStore::result(size_t entry, size_t tensor) const {
  const TensorInfo &info = manifest->tensors[tensor];
  HostTensor value(info.dtype, info.shape);
  Region whole = Region::whole(info.shape);
  std::set<Region> done;
  int64_t copied = 0;
  for (const RankTiles &row : ranks[entry])
    for (size_t index : row.results) {
      const Tile &tile = tiles[index];
      if (tile.tensor == tensor && done.insert(tile.region).second)
        copied += copyPacked(tile.region, tile.memory.data(), whole,
                             value.bytes.data(), sizeOf(info.dtype));
    }
  if (copied < whole.volume())
    return Error{"entry '" + manifest->entries[entry].name +
                 "' does not compute all of '" + info.name + "'"};
  return value;
}
