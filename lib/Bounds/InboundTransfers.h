//===- InboundTransfers.h - Bounds from what devices receive ----*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The inbound-transfer bound: what must get into a device, or over a cut of the
// topology (LinkCuts.h), from the writer of a value to one of its readers, and
// how long the reader's shards wait for it, before the value is planned.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_BOUNDS_INBOUNDTRANSFERS_H
#define SOAP_LIB_BOUNDS_INBOUNDTRANSFERS_H

#include "Bounds/ShardTiles.h"
#include "Soap/Plan/PlanState.h"

namespace soap {

/// How often elements of the pieces of a writer are read, with memory to count
/// it.
struct PieceReads {
  std::vector<int64_t> reads;                 ///< by piece
  std::vector<std::pair<int, int64_t>> known; ///< of a dim, by set
};

/// Found once for all values of a proposal that are written and read alike.
/// Keeps a reference to the plan. Not safe from several threads.
class InboundTransfers {
public:
  explicit InboundTransfers(const PlanState &plan) : plan(plan) {}

  /// The bytes that must get from a writer to one reader of a value.
  struct Inbound {
    const RegionTable *table;
    int64_t elementBytes, contributions;
    const KernelPlan *writer, *reader;
    const TileSets *written, *read;
    std::vector<int64_t> bytes; ///< lower bounds, by cut
    /// Lower bounds in ns of what the shards of the reader wait: the minimum
    /// and the maximum over them.
    double minDelayNs, maxDelayNs;
    double exchangeNs;  ///< of one exchange, if the value moves by one
    int waitingDevices; ///< that lack some of what they read
    /// Tiles that may be gathered from whole blocks of the devices that read
    /// them: how many elements they have, and how many shards read them.
    struct Gathered {
      int64_t elements, readers;
    };
    std::vector<Gathered> gathered;
    bool isAsMuch(const Inbound &other) const;
  };

  /// Forgets what was found; for a new proposal.
  void clear() { usedCount = 0; }
  /// Finds what must get from a writer to a reader, or takes over what was
  /// found for a pair that is alike. `contributions`: how many pieces of the
  /// writer contribute to each element. Returns a number for `operator[]`.
  size_t find(RegionTable &table, int64_t elementBytes, int64_t contributions,
              const KernelPlan &writer, const TileSets &written,
              const KernelPlan &reader, const TileSets &read);
  const Inbound &operator[](size_t number) const { return inbound[number]; }
  /// Whether a tile of some reader of a value may be gathered from whole
  /// blocks, one of each device that reads it. `numbers`: one per reader.
  bool mayGather(std::span<const size_t> numbers) const;

private:
  const PlanState &plan;
  std::vector<Inbound> inbound; ///< memory is kept
  size_t usedCount = 0;
  // Memory of `compute`.
  ShardsByDevice writtenShards, readShards;
  CommonElements common; ///< of the pair of kernels
  /// Pieces that contain whole blocks written on their device, and tiles that
  /// are read on a device that has written no whole block of them.
  std::vector<int> wholePieces;
  std::vector<int64_t> otherTiles;
  /// Of a group of devices: pieces that are written there, and tiles that are
  /// read there.
  std::vector<int> writtenPieces;
  std::vector<int64_t> tilesRead;
  PieceReads pieceReads; ///< of `exchangeNs`

  void compute(RegionTable &table, Inbound &entry);
};

} // namespace soap

#endif // SOAP_LIB_BOUNDS_INBOUNDTRANSFERS_H
