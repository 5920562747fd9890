//===- TensorStore.h - The tiles of all tensors -----------------*- C++ -*-===//
//
// Owns the memory behind the arguments and results of all entries, and knows
// which tiles hold the current value of a tensor. A tensor has a version; a
// tile that is behind is refreshed before a program reads it, from any tiles
// that are not. So weights move between the tiles of `train_step` and
// `evaluate` only when an entry that wants other tiles runs, and not at all
// where both want the same.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_RUNTIME_TENSORSTORE_H
#define SOAP_RUNTIME_TENSORSTORE_H

#include "Soap/Runtime/HostTensor.h"

#include <map>

namespace soap::runtime {

class TensorStore {
public:
  explicit TensorStore(std::shared_ptr<const Manifest> manifest);

  /// One pointer per argument and result of rank `rank` of entry `entry`.
  std::vector<void *> pointers(size_t entry, size_t rank) const;

  /// The host's copy of a tensor, to be written before `hostWritten`.
  HostTensor &host(size_t tensor);
  /// The host's copy is now the tensor's value.
  void hostWritten(size_t tensor);
  /// Makes `value` the tensor's value; its shape must be the tensor's.
  MaybeError set(size_t tensor, const HostTensor &value);
  /// Gathers the current value.
  Expected<HostTensor> get(size_t tensor);
  /// Some value was set or computed.
  bool hasValue(size_t tensor) const { return tensors[tensor].version > 0; }

  /// Refreshes the argument tiles of an entry that are behind.
  MaybeError prepare(size_t entry);
  /// After a run: updated tiles hold their tensor's new value.
  void finished(size_t entry);
  /// Gathers a result of the latest run of an entry.
  Expected<HostTensor> result(size_t entry, size_t tensor) const;

  /// Elements copied into argument tiles so far.
  int64_t elementsMoved() const { return moved; }

private:
  struct Tile {
    size_t tensor;
    Region region;
    AlignedBytes memory;
    /// Version of the tensor that it holds; 0: none.
    uint64_t version = 0;
  };
  struct TensorState {
    uint64_t version = 0;
    /// `host` holds this version.
    uint64_t hostVersion = 0;
    HostTensor host;
    std::vector<size_t> tiles;
  };
  struct RankTiles {
    std::vector<size_t> args, results;
  };

  size_t newTile(const TileInfo &info);
  /// Fills `target` from current tiles; false if they do not cover it.
  bool assemble(const TensorState &state, const Region &region, void *target,
                int64_t elementSize);

  std::shared_ptr<const Manifest> manifest;
  std::vector<Tile> tiles;
  std::vector<TensorState> tensors;
  /// By entry and rank.
  std::vector<std::vector<RankTiles>> ranks;
  int64_t moved = 0;
};

} // namespace soap::runtime

#endif // SOAP_RUNTIME_TENSORSTORE_H
