//===- PassStatistics.h - Counting in passes --------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds to the statistics of a pass that `--mlir-pass-statistics` prints.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_DIALECT_SOAP_PASSSTATISTICS_H
#define SOAP_LIB_DIALECT_SOAP_PASSSTATISTICS_H

#include "mlir/Pass/Pass.h"

namespace mlir::soap {

/// Adds `count` to a statistic. MLIR's library makes the statistic: in a build
/// with assertions on an LLVM without them it lacks the fields that this
/// build's header has, and nothing is counted.
inline void addTo(Pass::Statistic &statistic, int64_t count = 1) {
#if defined(NDEBUG) || LLVM_FORCE_ENABLE_STATS
  statistic += static_cast<uint64_t>(count);
#else
  (void)statistic;
  (void)count;
#endif
}

} // namespace mlir::soap

#endif // SOAP_LIB_DIALECT_SOAP_PASSSTATISTICS_H
