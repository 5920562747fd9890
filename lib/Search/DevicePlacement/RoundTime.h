//===- RoundTime.h - The time that a device has for tasks -------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A replicated device spends the beginning of each round in the all-reduce.
// The rest of the round is the time of its tasks, here called own time.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SEARCH_DEVICEPLACEMENT_ROUNDTIME_H
#define SOAP_LIB_SEARCH_DEVICEPLACEMENT_ROUNDTIME_H

#include <algorithm>
#include <cmath>

namespace soap::placement {

/// Times of a schedule may be off by so much of a period: sums of doubles.
inline constexpr double scheduleRounding = 1e-9;

struct RoundTime {
  double period = 0;
  double allReduce = 0; ///< at the beginning of each round
  int replicas = 1;

  /// Own time of a round.
  double own() const { return std::max(period - allReduce, 0.0); }
  /// Own time from which on tasks repeat.
  double cycle() const { return replicas * own(); }
  /// Own time up to a point in time.
  double ownAt(double time) const {
    if (allReduce == 0 || period == 0)
      return time;
    double rounds = std::floor(time / period);
    return rounds * own() + std::max(time - rounds * period - allReduce, 0.0);
  }
  /// The first point in time that has so much own time before it.
  double timeAt(double ownTime) const {
    if (allReduce == 0 || own() == 0)
      return ownTime;
    double rounds = std::ceil(ownTime / own()) - 1;
    if (rounds < 0)
      return 0;
    return rounds * period + allReduce + (ownTime - rounds * own());
  }
};

} // namespace soap::placement

#endif // SOAP_LIB_SEARCH_DEVICEPLACEMENT_ROUNDTIME_H
