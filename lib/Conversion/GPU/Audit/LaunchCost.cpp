//===- LaunchCost.cpp - What a launch moves and how long it takes ---------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See LaunchCost.h.
//
//===----------------------------------------------------------------------===//

#include "LaunchCost.h"

#include "../../Parallelize/CooperativeBlocks.h"
#include "../../Parallelize/CooperativeRows.h"
#include "../../PostedSends.h"
#include "WarpRun.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"

#include <algorithm>
#include <cassert>
#include <map>

using namespace mlir;
using namespace mlir::soap;

namespace {

/// A warp that stands for `weight` warps.
struct Sample {
  int64_t first;
  double weight;
};

/// Warps spread over every segment of the iterations.
SmallVector<Sample> samplesOf(func::FuncOp part, int64_t extent) {
  SmallVector<int64_t> bounds{0};
  llvm::append_range(bounds, segmentsOf(part, extent));
  bounds.push_back(extent);
  assert(llvm::is_sorted(bounds) && "segments one after the other");
  SmallVector<Sample> samples;
  for (size_t i = 0; i + 1 < bounds.size(); ++i) {
    constexpr int64_t most = 4;
    int64_t begin = bounds[i] / kWarpLanes,
            end = std::max((bounds[i + 1] + kWarpLanes - 1) / kWarpLanes,
                           begin + 1);
    // A warp over a bound counts for the segment that it begins in.
    if (i > 0 && bounds[i] % kWarpLanes != 0)
      ++begin;
    int64_t warps = end - begin, taken = std::min(warps, most);
    for (int64_t s = 0; s < taken; ++s) {
      int64_t at = taken == 1 ? 0 : s * (warps - 1) / (taken - 1);
      samples.push_back(
          {(begin + at) * kWarpLanes,
           static_cast<double>(warps) / static_cast<double>(taken)});
    }
  }
  return samples;
}

/// Sums over all warps.
struct Total {
  double lines = 0, sectors = 0, ownSectors = 0, ownBytes = 0, minSectors = 0;
  double maxOwnSectors = 0; ///< of a warp
  std::optional<int64_t> stride;
  bool isFirst = true, dependsOnData = false;
};

} // namespace

double LaunchCost::bodyS() const {
  return std::max({memoryS, cacheS, chainS, instructionsS, hostS}) + tailS;
}

const char *LaunchCost::limit() const {
  double body = std::max({memoryS, cacheS, chainS, instructionsS, hostS});
  return body == memoryS  ? "memory"
         : body == cacheS ? "cache"
         : body == chainS ? "chain"
         : body == hostS  ? "host"
                          : "instructions";
}

void LaunchCost::moveToHost(ArrayRef<unsigned> arguments, const GpuChip &chip,
                            double bandwidth) {
  assert(bandwidth > 0 && "bytes/s of the memory");
  double must = 0, moved = 0;
  for (const LaunchAccess &access : accesses)
    if (llvm::is_contained(arguments, access.argument)) {
      must += access.mustBytes;
      // No cache of the device keeps what is in the host.
      moved += access.movedBytes;
      memoryS -= access.memoryBytes / bandwidth;
    }
  hostS = moved / chip.hostBandwidth;
  mustS = std::max((mustBytes - must) / bandwidth, must / chip.hostBandwidth);
}

LaunchCost mlir::soap::costOfLaunch(func::FuncOp part, int64_t extent,
                                    const GpuChip &chip, double bandwidth) {
  assert(bandwidth > 0 && "bytes/s of the memory");
  LaunchCost cost;
  cost.extent = extent;
  if (extent <= 0)
    return cost;
  assert(extent > 0 && "at least one iteration");
  // As the runtime launches it (CudaDevice::launch).
  constexpr int64_t maxThreads = 256, blocksPerMultiprocessor = 32;
  int64_t allWarps = (extent + kWarpLanes - 1) / kWarpLanes;
  cost.threads = std::min(maxThreads, allWarps * kWarpLanes);
  cost.blocks = std::min((extent + cost.threads - 1) / cost.threads,
                         chip.multiprocessors * blocksPerMultiprocessor);

  // Code generation moves out of a loop what is the same in all iterations.
  OwningOpRef<func::FuncOp> hoisted(part.clone());
  hoisted->walk([](LoopLikeOpInterface loop) { moveLoopInvariantCode(loop); });

  std::map<std::pair<unsigned, bool>, Total> totals;
  double instructions = 0, rounds = 0, maxRounds = 0;
  double nearRounds = 0, maxNearRounds = 0;
  int64_t keptNumbers = 0;
  auto addAccesses = [&](const WarpWork &work, double weight) {
    for (auto &[key, access] : work.accesses) {
      Total &total = totals[key];
      total.sectors += access.sectors * weight;
      total.lines += access.lines * weight;
      total.ownSectors += access.ownSectors * weight;
      total.ownBytes += access.ownBytes * weight;
      total.minSectors += access.minSectors * weight;
      total.maxOwnSectors = std::max(total.maxOwnSectors, access.ownSectors);
      total.dependsOnData |= access.dependsOnData;
      if (access.hasStride) {
        if (total.isFirst)
          total.stride = access.stride;
        else if (total.stride != access.stride)
          total.stride.reset();
        total.isFirst = false;
      }
    }
  };
  auto addUnknown = [&](const WarpWork &work) {
    for (const std::string &text : work.unknown)
      if (!llvm::is_contained(cost.unknown, text))
        cost.unknown.push_back(text);
  };
  for (const Sample &sample : samplesOf(part, extent)) {
    WarpWork work = runWarp(*hoisted, sample.first, extent);
    instructions += work.instructions * sample.weight;
    rounds += work.rounds * sample.weight;
    maxRounds = std::max(maxRounds, work.rounds);
    nearRounds += work.nearRounds * sample.weight;
    maxNearRounds = std::max(maxNearRounds, work.nearRounds);
    cost.serial = std::max(cost.serial, work.serial);
    keptNumbers = std::max(keptNumbers, work.keptNumbers);
    cost.loadsAtOnce = std::max(cost.loadsAtOnce, work.loadsAtOnce);
    cost.loadBytesAtOnce = std::max(cost.loadBytesAtOnce, work.loadBytesAtOnce);
    addUnknown(work);
    addAccesses(work, sample.weight);
  }
  if (int64_t block = iterationsOfBlock(part); block > 0) {
    BlockEnd end = runBlockEnd(*hoisted);
    auto blocks = static_cast<double>(extent / block);
    addUnknown(end.work);
    addAccesses(end.work, blocks);
    instructions += end.work.instructions * blocks;
    // All warps of a block wait for its end.
    rounds += end.work.rounds * static_cast<double>(allWarps);
    maxRounds += end.work.rounds;
    // Others have just written what the last one reads.
    cost.tailS = end.lastRounds * GpuChip::l2LatencyS;
  }
  int64_t launched = cost.blocks * cost.threads;
  cost.serial *= static_cast<double>((extent + launched - 1) / launched);

  constexpr double sector = GpuChip::sectorBytes;
  auto resident = static_cast<double>(std::min(allWarps, chip.residentWarps()));
  auto bufferBytes = [&](unsigned argument) {
    return static_cast<double>(
        sizeInBytes(cast<MemRefType>(part.getArgumentTypes()[argument])));
  };
  // Bytes that the warps at work touch, a small buffer once for all.
  double atWork = 0;
  for (auto &[key, total] : totals)
    atWork += std::min(bufferBytes(key.first),
                       total.maxOwnSectors * sector * resident);
  double l2Share = static_cast<double>(chip.l2Bytes) / 2;
  double onOne = atWork / static_cast<double>(chip.multiprocessors);
  double memoryBytes = 0, l2Bytes = 0, lines = 0;
  for (auto &[key, total] : totals) {
    LaunchAccess access;
    access.argument = key.first;
    access.writes = key.second;
    double buffer = bufferBytes(key.first);
    access.mustBytes = std::min(buffer, total.ownBytes);
    access.movedBytes = total.sectors * sector;
    // L1 serves a warp what it has read before, if that is still there.
    bool isInL1 =
        !access.writes && onOne <= static_cast<double>(chip.l1Bytes) * 0.75;
    access.l2Bytes = isInL1 ? total.ownSectors * sector : access.movedBytes;
    // A small buffer that is only read stays in L1.
    if (!access.writes && buffer <= static_cast<double>(chip.l1Bytes) / 4)
      access.l2Bytes = std::min(
          access.l2Bytes, buffer * static_cast<double>(chip.multiprocessors));
    // L2 does so for all warps that are at work at a time.
    bool isInL2 = buffer <= l2Share || atWork <= l2Share;
    access.memoryBytes =
        isInL2 ? std::min(std::min(buffer, total.ownSectors * sector),
                          access.l2Bytes)
               : access.movedBytes;
    access.stride = total.stride;
    access.dependsOnData = total.dependsOnData;
    access.isUncoalesced = total.sectors > 2 * total.minSectors;
    assert(access.mustBytes >= 0 && access.movedBytes >= 0 &&
           access.memoryBytes >= 0 && access.l2Bytes >= 0 && "bytes");
    cost.mustBytes += access.mustBytes;
    cost.movedBytes += access.movedBytes;
    memoryBytes += access.memoryBytes;
    l2Bytes += access.l2Bytes;
    lines += total.lines;
    cost.accesses.push_back(access);
  }
  cost.mustS = cost.mustBytes / bandwidth;
  cost.memoryS = memoryBytes / bandwidth;
  double clocks = static_cast<double>(chip.multiprocessors) * chip.clockHz;
  cost.cacheS = std::max(l2Bytes / chip.l2Bandwidth, lines / clocks);
  cost.instructionsS =
      instructions / (static_cast<double>(chip.multiprocessors *
                                          GpuChip::instructionsPerClock) *
                      chip.clockHz);
  // Bytes that fit in L2 were written there by the launch before.
  double latency =
      cost.mustBytes <= l2Share ? GpuChip::l2LatencyS : GpuChip::latencyS;
  cost.rounds = rounds;
  cost.longestRounds = maxRounds;
  cost.latencyS = latency;
  cost.maxWarps = chip.residentWarps();
  // Registers of a thread that keeps nothing, about.
  constexpr int64_t ownRegisters = 28;
  cost.residentWarps = keptNumbers > 0
                           ? chip.residentWarps(ownRegisters + keptNumbers)
                           : cost.maxWarps;
  auto warps = static_cast<double>(cost.residentWarps);
  cost.chainS =
      std::max(maxRounds, rounds / warps) * latency +
      std::max(maxNearRounds, nearRounds / warps) * GpuChip::l1LatencyS;
  return cost;
}
