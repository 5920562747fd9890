//===- ValuePlannerScratch.h - Memory of a value planner --------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists that steps of ValuePlanner.h fill and forget. A search plans thousands
// of values a second, so their memory is kept from one value to the next. Each
// belongs to one function, which is not called again while it runs.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_PLAN_VALUEPLANNERSCRATCH_H
#define SOAP_LIB_PLAN_VALUEPLANNERSCRATCH_H

#include "Cost/InsideExchange.h"
#include "Soap/Plan/ValuePlanner.h"

#include <utility>
#include <vector>

namespace soap {

struct ValuePlanner::Scratch {
  /// Of `addGridOverlaps`, by dim: what a region overlaps.
  struct GridDim {
    std::vector<std::pair<int, int>>
        hits; ///< place, number of the intersection
    size_t at = 0;
  };
  std::vector<GridDim> gridDims;
  std::vector<int> gridSets; ///< of one intersection
  /// Of `overlaps`.
  std::vector<int> firstPiece; ///< by region, -1: none

  /// Of `commonBlocks`.
  std::vector<Common> foundBlocks;
  /// Of `findCommonBlocks`, by dim: what a region overlaps.
  struct CommonHit {
    size_t place;
    int64_t size;
    bool whole;
  };
  std::vector<std::vector<CommonHit>> commonHits;
  std::vector<size_t> commonAt; ///< the hit of each dim that is looked at

  /// Of `exchangeAll`.
  std::vector<Wanted> wanted, wantedByRegion;
  std::vector<int> regionReaders; ///< devices that want one region
  /// Of `exchangeRegion`: devices, and what each of them sends.
  std::vector<int> senders;
  std::vector<int64_t> senderBytes;
  InsideExchange inside; ///< of `exchange`
  /// Of `exchangeTemporaries`, by device.
  std::vector<int64_t> bytesSent, bytesReceived;

  /// Of `gatherAll`.
  struct GatherNeed {
    int order, region, device;
  };
  std::vector<GatherNeed> gatherNeeds;
  std::vector<int> firstGather; ///< place of a region, by number
  std::vector<int> gatherSources, gatherFrom, gatherDevices;

  /// Of `sendAll`.
  struct Move {
    int block, device, region;
  };
  std::vector<Move> moves, sortedMoves;
  std::vector<int> moveStart; ///< by block
  struct Broadcast {
    int region, source;
    std::vector<size_t> moves;
  };
  std::vector<Broadcast> broadcasts;
  std::vector<Move> singleMoves; ///< of one block, those in no broadcast

  /// Of `contributionsBySource`: the entry of each device.
  std::vector<int> entryOf;
  /// Of `combineAll`.
  struct SumPart {
    int block, device, region, order = 0;
  };
  std::vector<SumPart> sumParts;
  /// Of `materialize`.
  std::vector<int> tileInputs;

  /// Keys of the caches of `assembleNs` and `packNs`.
  std::vector<int> assembleKey, packKey;
};

} // namespace soap

#endif // SOAP_LIB_PLAN_VALUEPLANNERSCRATCH_H
