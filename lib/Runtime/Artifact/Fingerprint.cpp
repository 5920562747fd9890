//===- Fingerprint.cpp - Fingerprint of a manifest ------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Manifest.h.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Artifact/Fingerprint.h"

#include "Soap/Runtime/Artifact/Manifest.h"

using namespace soap;
using namespace soap::runtime;

namespace {

void addTile(Hasher &hash, const TileInfo &tile) {
  hash.add(uint64_t(tile.tensor));
  hash.add(tile.region.str());
  hash.add(uint64_t(tile.updated));
}

} // namespace

std::string runtime::fingerprint(const Manifest &manifest) {
  Hasher hash;
  hash.add(uint64_t(manifest.devices));
  for (const TensorInfo &info : manifest.tensors) {
    hash.add(info.name);
    hash.add(uint64_t(info.kind));
    hash.add(info.shape);
    hash.add(uint64_t(info.dtype));
  }
  for (const EntryInfo &entry : manifest.entries) {
    hash.add(entry.name);
    for (const ScheduledTask &task : entry.schedule) {
      hash.add(task.name);
      hash.add(task.kind);
    }
    for (const RankInfo &rank : entry.ranks) {
      hash.add(uint64_t(rank.device));
      hash.add(rank.tasks);
      hash.add(rank.peers);
      hash.add(rank.transfers);
      for (const TileInfo &tile : rank.args)
        addTile(hash, tile);
      for (const TileInfo &tile : rank.results)
        addTile(hash, tile);
    }
  }
  return hash.digits();
}
