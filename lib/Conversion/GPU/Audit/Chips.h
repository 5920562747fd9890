//===- Chips.h - What estimates know of a GPU -------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The few figures of a chip by which the audit estimates launches. Sources are
// in docs/GPUChecks.md.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_CONVERSION_GPU_AUDIT_CHIPS_H
#define SOAP_LIB_CONVERSION_GPU_AUDIT_CHIPS_H

#include "llvm/ADT/StringRef.h"

#include <algorithm>
#include <cstdint>
#include <string>

namespace mlir::soap {

struct GpuChip {
  llvm::StringLiteral name;
  int64_t multiprocessors;
  double bandwidth; ///< bytes/s that a copy in memory moves, read and written
  double hostBandwidth; ///< bytes/s of kernels in the memory of the host
  double l2Bandwidth;   ///< bytes/s between L2 and the multiprocessors
  int64_t l2Bytes;
  int64_t l1Bytes; ///< of a multiprocessor
  double clockHz;
  double tensorFlops; ///< per second, bf16; tf32 has half of it
  double f32Flops;    ///< per second

  static constexpr int64_t warpsPerMultiprocessor = 64;
  static constexpr int64_t instructionsPerClock = 4; ///< of a multiprocessor
  static constexpr int64_t sectorBytes = 32, lineBytes = 128;
  /// A buffer that stays in L1, beside others.
  static constexpr int64_t smallBytes = 48 << 10;
  /// From a load to its use, from memory and from L2.
  static constexpr double latencyS = 0.6e-6, l2LatencyS = 0.3e-6;
  /// The same where the thread has just stored there: about 50 clocks.
  static constexpr double l1LatencyS = 0.03e-6;
  /// Between two kernels of a graph on a stream, beside what they do: with one
  /// load the shortest kernel takes 1.6 us, as measured on an H200.
  static constexpr double gapS = 1.3e-6;

  /// Warps at work at once, with so many registers a thread.
  int64_t residentWarps(int64_t registers = 32) const {
    constexpr int64_t all = 65536, blockThreads = 256, blockWarps = 8;
    int64_t blocks = all / (blockThreads * ((registers + 7) / 8 * 8));
    return multiprocessors *
           std::min(warpsPerMultiprocessor, blocks * blockWarps);
  }
};

/// Null for an unknown name.
const GpuChip *findGpuChip(llvm::StringRef name);
/// For messages: `a100, h100 or h200`.
std::string gpuChipNames();

} // namespace mlir::soap

#endif // SOAP_LIB_CONVERSION_GPU_AUDIT_CHIPS_H
