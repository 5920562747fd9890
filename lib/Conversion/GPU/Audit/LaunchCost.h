//===- LaunchCost.h - What a launch moves and how long it takes -*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds up what warps of a launch do (WarpRun.h), and estimates its time on a
// chip from that: an estimate by counting, no measurement.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_CONVERSION_GPU_AUDIT_LAUNCHCOST_H
#define SOAP_LIB_CONVERSION_GPU_AUDIT_LAUNCHCOST_H

#include "Chips.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>
#include <string>
#include <vector>

namespace mlir::soap {

/// Loads from one buffer, or stores to it, of a whole launch.
struct LaunchAccess {
  unsigned argument = 0;
  bool writes = false;
  double mustBytes = 0;   ///< what is touched, once
  double movedBytes = 0;  ///< sectors that warps ask for
  double memoryBytes = 0; ///< of them, from memory or to it
  double l2Bytes = 0;     ///< of them, from L2 or to it
  /// Elements between neighbour lanes; none if they differ.
  std::optional<int64_t> stride;
  bool dependsOnData = false;
  /// More than twice the sectors that would hold what lanes ask for.
  bool isUncoalesced = false;
};

struct LaunchCost {
  int64_t extent = 0;
  int64_t threads = 0, blocks = 0;
  double serial = 0; ///< iterations that a thread does one after the other
  std::vector<LaunchAccess> accesses;
  std::vector<std::string> unknown; ///< what could not be analyzed
  double mustBytes = 0, movedBytes = 0;
  /// Loads that wait for each other: of all warps together, and of the longest
  /// one; and what each of them takes.
  double rounds = 0, longestRounds = 0, latencyS = 0;
  /// Loads of elements that a thread is taken to have under way at once, and
  /// their bytes.
  double loadsAtOnce = 0, loadBytesAtOnce = 0;
  /// Warps that the chip is taken to have at once, and can have.
  int64_t residentWarps = 0, maxWarps = 0;

  // Seconds; the launch takes the longest of the five, the tail and the gap.
  double memoryS = 0; ///< bytes of memory at its bandwidth
  double cacheS = 0;  ///< bytes of L2 at its bandwidth, lines of L1 one a clock
  double chainS = 0;  ///< loads that wait for each other
  double instructionsS = 0;
  double hostS = 0; ///< bytes of the host's memory at the link's bandwidth
  double tailS = 0; ///< of the block that folds what all others have written
  double mustS = 0; ///< bytes that must move, at the bandwidth of their memory

  double bodyS() const;
  double timeS() const { return bodyS() + GpuChip::gapS; }
  /// Which of the five is longest: memory, cache, chain, instructions or host.
  const char *limit() const;
  /// Accesses of these arguments are in the memory of the host, the others in
  /// that of the device; `bandwidth` as below.
  void moveToHost(llvm::ArrayRef<unsigned> arguments, const GpuChip &chip,
                  double bandwidth);
};

/// Cost of `part` for the iterations below `extent`. `bandwidth`: bytes/s of
/// the memory.
LaunchCost costOfLaunch(func::FuncOp part, int64_t extent, const GpuChip &chip,
                        double bandwidth);

} // namespace mlir::soap

#endif // SOAP_LIB_CONVERSION_GPU_AUDIT_LAUNCHCOST_H
