//===- WarpRun.h - What a warp of a launch touches --------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates the integers of a part - positions, conditions, bounds of loops -
// for 32 iterations side by side, and records which bytes the lanes touch.
// Floats are not computed. Of long loops some iterations are evaluated, and
// what they do is scaled to all.
//
// The value of integers in memory is not known: equal addresses have equal
// values, others differ, comparisons of them with numbers hold and they equal
// nothing else. Accesses that depend on them are marked.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_CONVERSION_GPU_AUDIT_WARPRUN_H
#define SOAP_LIB_CONVERSION_GPU_AUDIT_WARPRUN_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SmallVector.h"

#include <map>
#include <optional>
#include <string>

namespace mlir::soap {

/// Loads of a buffer, or stores to it, of one warp.
struct WarpAccess {
  double lines = 0;   ///< of 128 bytes, access by access: L1 serves one a clock
  double sectors = 0; ///< that are asked for: loads and stores x sectors
  double ownSectors = 0; ///< of them, different ones
  double bytes = 0;      ///< that the lanes ask for
  double ownBytes = 0;   ///< of them, different ones
  double minSectors = 0; ///< that would hold `bytes`, access by access
  /// Elements between lane 0 and lane 1, where it is the same for all lanes and
  /// all accesses; none where it is not.
  std::optional<int64_t> stride;
  bool hasStride = false;     ///< some access had one
  bool isIrregular = false;   ///< accesses or lanes differ
  bool dependsOnData = false; ///< on integers in memory
};

/// The work of a warp in 32 iterations of a part.
struct WarpWork {
  /// By argument of the part, and whether it is written.
  std::map<std::pair<unsigned, bool>, WarpAccess> accesses;
  double instructions = 0; ///< about
  double rounds = 0;       ///< loads that wait for each other
  double nearRounds = 0;   ///< the same of what the thread has just stored
  double serial = 0;       ///< iterations of innermost loops, one by one
  /// Loads of elements that a thread is taken to have under way at once, and
  /// their bytes.
  double loadsAtOnce = 0, loadBytesAtOnce = 0;
  int64_t keptNumbers = 0; ///< of a row, in the registers of a lane
  /// Things that could not be evaluated, by name.
  llvm::SmallVector<std::string, 0> unknown;
};

/// The end of a block of `part` (Parallelize/CooperativeBlocks.h), by all of
/// its threads.
struct BlockEnd {
  WarpWork work;         ///< of every block; `rounds`: of the longest thread
  double lastRounds = 0; ///< of the block that ends last, behind all others
};
BlockEnd runBlockEnd(func::FuncOp part);

/// Runs the iterations `first` to `first` + 31 of `part` that are below
/// `extent`.
WarpWork runWarp(func::FuncOp part, int64_t first, int64_t extent);

/// Numbers that the iteration of `part` is compared with: the part does the
/// same on one side of each. Sorted, without 0 and the extent.
llvm::SmallVector<int64_t> segmentsOf(func::FuncOp part, int64_t extent);

} // namespace mlir::soap

#endif // SOAP_LIB_CONVERSION_GPU_AUDIT_WARPRUN_H
