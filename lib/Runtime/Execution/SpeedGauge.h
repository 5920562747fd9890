//===- SpeedGauge.h - Whether a core runs at full speed ---------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cores of a virtual machine lose up to half of their speed, for tenths of a
// second to minutes, while the host runs another guest on the other hardware
// thread of a core. The guest sees neither load nor stolen time. The gauge
// detects it with a loop of independent additions, as many as the core can
// start in a cycle. Both threads of a core share that limit, so the loop takes
// twice as long while the other thread does anything. Devices run it on their
// cores between iterations; an iteration with a slow loop before or after it
// says little about the program.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_RUNTIME_EXECUTION_SPEEDGAUGE_H
#define SOAP_LIB_RUNTIME_EXECUTION_SPEEDGAUGE_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace soap::runtime {

/// Nanoseconds that the loop takes on the calling thread: some 25 us on a core
/// of 2.5 GHz.
int64_t gaugeSpeed();

/// Which of `count` iterations ran at full speed: those with a gauge before and
/// after them that is at most `gaugeTolerance` times the smallest of all.
/// `gauges[i]` is a device's, or the slowest one's, before iteration i, so
/// there is one more of them than of iterations.
/// `best`: the smallest that is known from elsewhere, 0: none.
std::vector<size_t> fullSpeedIterations(const std::vector<int64_t> &gauges,
                                        int64_t best = 0);

/// The iterations at full speed, or, where they are fewer than `minimum`, the
/// `minimum` shortest of all (or all). `lengths`: of each iteration.
std::vector<size_t> steadyIterations(const std::vector<int64_t> &gauges,
                                     int64_t best,
                                     const std::vector<int64_t> &lengths,
                                     size_t minimum);

/// The given iterations whose length is in the middle half, shortest first:
/// interruptions are no part of an op, but steady variation is part of an
/// iteration. Times of ops over these add up to an iteration of the usual
/// length, as medians of the ops would not.
std::vector<size_t> typicalIterations(std::vector<size_t> iterations,
                                      const std::vector<int64_t> &lengths);

/// Above the ratio of a core's frequencies, below the ratio that a busy other
/// thread causes.
constexpr double gaugeTolerance = 1.5;

/// Whether a gauge is at full speed, the smallest that is known being `best`.
inline bool isFullSpeed(int64_t gauge, int64_t best) {
  return static_cast<double>(gauge) <=
         gaugeTolerance * static_cast<double>(best);
}

} // namespace soap::runtime

#endif // SOAP_LIB_RUNTIME_EXECUTION_SPEEDGAUGE_H
