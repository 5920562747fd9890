//===- TensorStore.h - The tiles of all tensors -----------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A `TensorStore` owns the memory behind the arguments and results of all
// entries and knows which tiles hold the current value of a tensor. A tensor
// has a version; a tile of an older version is refreshed before a program reads
// it, from any current tiles. So weights move between the tiles of `train_step`
// and `evaluate` only when an entry with other tiles runs, and never where both
// entries have the same tiles.
//
// In a run of several processes, each process holds the tiles of its own
// devices and knows of all others. Which tiles are current is the same on every
// rank, because all ranks call the functions marked *collective* in the same
// order. Tiles then move between processes as they do within one.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_RUNTIME_EXECUTION_TENSORSTORE_H
#define SOAP_RUNTIME_EXECUTION_TENSORSTORE_H

#include "Soap/Runtime/Data/HostTensor.h"
#include "Soap/Runtime/Processes/Placement.h"

#include <map>
#include <optional>

namespace soap::runtime {

class Backend;

class TensorStore {
public:
  /// With a backend, which outlives the store, tiles have memory on their
  /// device and a copy on the host; either is refreshed when it is needed.
  explicit TensorStore(std::shared_ptr<const Manifest> manifest,
                       Placement placement = {}, Backend *backend = nullptr);

  /// The device whose memory is missing, and why.
  struct AllocationError {
    int64_t device;
    std::string message;
  };

  /// The memory on the devices of a backend; to be called once, before all
  /// else. Nothing without a backend.
  std::optional<AllocationError> allocate();

  /// One pointer per argument and result of rank `rank` of entry `entry`, on
  /// its device; null where another process holds the tile.
  std::vector<void *> pointers(size_t entry, size_t rank) const;

  /// The host's copy of a tensor, to be written before `hostWritten`.
  HostTensor &host(size_t tensor);
  /// The host's copy is now the tensor's value. Collective: every rank has
  /// written the same.
  void hostWritten(size_t tensor);
  /// Makes `value` the tensor's value; its shape must be the tensor's.
  /// Collective, with the same value on every rank.
  MaybeError set(size_t tensor, const HostTensor &value);
  /// Gathers the current value. Collective; with `rootOnly` the value on other
  /// ranks than 0 is unspecified.
  Expected<HostTensor> get(size_t tensor, bool rootOnly = false);
  /// Whether the tensor has a value: one was set or computed.
  bool hasValue(size_t tensor) const { return tensors[tensor].version > 0; }

  /// The input pipeline of a backend. While an entry runs, the caller writes
  /// the next values of tensors to `nextHost`, and `stage` begins to copy them
  /// to second buffers on the devices. `adopt` waits for the copies and makes
  /// them the tensors' values. Arguments then have other addresses: ask
  /// `pointers` again. Collective; every rank has written the same.
  bool canStage() const;
  HostTensor &nextHost(size_t tensor);
  MaybeError stage(size_t entry, const std::vector<size_t> &tensors);
  MaybeError adopt();
  /// Grows when addresses change.
  uint64_t addressVersion() const { return addresses; }

  /// Refreshes the argument tiles of an entry that are behind. Collective.
  MaybeError prepare(size_t entry);
  /// After a run: updated tiles hold their tensor's new value.
  void finished(size_t entry);
  /// Gathers a result of the latest run of an entry, on rank 0: on others the
  /// value is unspecified. Collective.
  Expected<HostTensor> result(size_t entry, size_t tensor) const;

  /// The first parameter or state of which a current tile of this process has
  /// an element that is infinite or not a number. Tiles on a backend are looked
  /// at only with `downloads`.
  Expected<std::optional<size_t>> findNonFinite(bool downloads) const;
  /// Tiles are in memory of the host only.
  bool isOnHost() const { return !backend; }

  const Placement &placement() const { return place; }

  /// Elements copied into argument tiles of this process so far.
  int64_t elementsMoved() const { return moved; }

private:
  struct Tile {
    size_t tensor;
    Region region;
    /// Rank that holds the memory.
    int owner = 0;
    AlignedBytes memory;
    /// Version of the tensor that it holds; 0: none.
    uint64_t version = 0;
    int64_t device = 0;
    /// On a device of a backend.
    void *place = nullptr;
    /// Whether the copy on the host, and the one on the device, is out of date.
    mutable bool hostStale = false;
    bool placeStale = true;
    /// Where the next value goes, by way of pinned memory; null before it is
    /// needed.
    void *nextPlace = nullptr, *pinned = nullptr;
    int64_t bytes = 0;
    /// Its one copy is in memory of the host that the device computes in, where
    /// the host sees it at `mapped`, and the device at `place`.
    bool inHost = false;
    char *mapped = nullptr;
    char *hostData() const { return inHost ? mapped : memory.data(); }
  };
  struct TensorState {
    uint64_t version = 0;
    /// `host` holds this version.
    uint64_t hostVersion = 0;
    HostTensor host, next;
    std::vector<size_t> tiles;
  };
  struct RankTiles {
    std::vector<size_t> args, results;
  };

  /// A part of a current tile.
  struct Part {
    size_t tile;
    Region region;
  };

  size_t newTile(const TileInfo &info, int64_t device);
  /// The tile's value on the host.
  Expected<const char *> hostValue(const Tile &tile) const;
  /// Parts of current tiles that cover a region for rank `reader`; nothing if
  /// they do not.
  std::optional<std::vector<Part>>
  cover(const TensorState &state, const Region &region, int reader) const;
  /// Moves parts into the packed tile `target` of rank `reader`; null
  /// elsewhere.
  MaybeError move(const std::vector<Part> &parts, const Region &region,
                  void *target, int reader, int64_t elementSize) const;
  /// Fills the packed tile `target` of rank `reader` with the tensor's value.
  MaybeError assemble(size_t tensor, const Region &region, void *target,
                      int reader);

  std::shared_ptr<const Manifest> manifest;
  Placement place;
  Backend *backend = nullptr;
  std::vector<Tile> tiles;
  std::vector<TensorState> tensors;
  /// By entry and rank.
  std::vector<std::vector<RankTiles>> ranks;
  int64_t moved = 0;
  uint64_t addresses = 0;
  std::vector<size_t> stagedTensors, stagedTiles;
  /// Memory was not enough for second places.
  bool stagingOff = false;
};

} // namespace soap::runtime

#endif // SOAP_RUNTIME_EXECUTION_TENSORSTORE_H
