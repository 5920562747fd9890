//===- Staging.cpp - Input on its way to devices --------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of TensorStore that brings the next batch to devices of a backend
// while they compute. The tiles of inputs have two places on their device,
// which take turns.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Backend/Backend.h"
#include "Soap/Runtime/Execution/TensorStore.h"

#include <algorithm>
#include <cassert>
#include <set>

using namespace soap;
using namespace soap::runtime;

bool TensorStore::canStage() const {
  return backend && backend->stages() && !stagingOff;
}

HostTensor &TensorStore::nextHost(size_t tensor) {
  TensorState &state = tensors[tensor];
  const TensorInfo &info = manifest->tensors[tensor];
  if (!state.next.bytes.data())
    state.next = HostTensor(info.dtype, info.shape);
  return state.next;
}

MaybeError TensorStore::stage(size_t entry, const std::vector<size_t> &wanted) {
  assert(entry < ranks.size() && "no such entry");
  stagedTensors.clear();
  stagedTiles.clear();
  std::set<size_t> mine;
  for (const RankTiles &row : ranks[entry])
    for (size_t index : row.args)
      if (tiles[index].place && std::find(wanted.begin(), wanted.end(),
                                          tiles[index].tensor) != wanted.end())
        mine.insert(index);
  for (size_t index : mine) {
    Tile &tile = tiles[index];
    if (tile.nextPlace)
      continue;
    auto place = backend->allocate(tile.device, tile.memory.size());
    auto pinned = backend->allocatePinned(tile.memory.size());
    if (!place || !pinned) {
      // Then batches are copied before iterations, as without a pipeline.
      stagingOff = true;
      return std::nullopt;
    }
    tile.nextPlace = *place;
    tile.pinned = *pinned;
  }
  for (size_t index : mine) {
    Tile &tile = tiles[index];
    const HostTensor &value = tensors[tile.tensor].next;
    assert(value.bytes.data() && "the next value must have been written");
    copyPacked(Region::whole(value.shape), value.bytes.data(), tile.region,
               tile.pinned, sizeOf(manifest->tensors[tile.tensor].dtype));
    moved += tile.region.volume();
    if (MaybeError error = backend->beginUpload(
            tile.device, tile.nextPlace, tile.pinned, tile.memory.size()))
      return error;
  }
  stagedTensors = wanted;
  stagedTiles.assign(mine.begin(), mine.end());
  return std::nullopt;
}

MaybeError TensorStore::adopt() {
  for (size_t tensor : stagedTensors) {
    TensorState &state = tensors[tensor];
    std::swap(state.host, state.next);
    state.hostVersion = ++state.version;
  }
  std::set<int64_t> devices;
  for (size_t index : stagedTiles) {
    Tile &tile = tiles[index];
    devices.insert(tile.device);
    std::swap(tile.place, tile.nextPlace);
    tile.version = tensors[tile.tensor].version;
    tile.placeStale = false;
    tile.hostStale = true;
    ++addresses;
  }
  stagedTensors.clear();
  stagedTiles.clear();
  for (int64_t device : devices)
    if (MaybeError error = backend->endUploads(device))
      return error;
  return std::nullopt;
}
