//===- RepeatedRuns.h - What a sequence says more than once -----*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs of a sequence that are worth writing once, as functions are.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_ANALYSIS_REPEATEDRUNS_H
#define SOAP_LIB_ANALYSIS_REPEATEDRUNS_H

#include "mlir/Support/LLVM.h"

#include <cstdint>

namespace mlir::soap {

/// Equal parts of a sequence.
struct RepeatedRun {
  size_t length = 0;
  /// Where they begin, in order; at least two.
  SmallVector<size_t> starts;
};

/// The letters saved if `count` runs of `length` letters are written once and
/// called in `calls` places, where a call is as long as `callCost` letters.
/// Negative if calls are longer.
int64_t savedLetters(size_t length, size_t count, size_t calls,
                     int64_t callCost);

/// Repeated runs, none of which has a letter of another one, each of which
/// saves letters. The best one is taken first, again and again. The best is
/// that with the largest savedLetters * (count - 1) / count, so that what comes
/// often is preferred to one long run that comes twice; of equals that which
/// begins first, then the longest. Runs that are tried are those that become
/// fewer when they are made longer and, where these overlap, those as long as
/// their shortest distance. No run has the letter `separator`. With `loops`,
/// runs next to each other are one call. Takes time n log n for each run that
/// is found, more where few letters repeat all the time.
SmallVector<RepeatedRun> findRepeatedRuns(ArrayRef<unsigned> letters,
                                          unsigned separator, int64_t callCost,
                                          bool loops = false);

} // namespace mlir::soap

#endif // SOAP_LIB_ANALYSIS_REPEATEDRUNS_H
