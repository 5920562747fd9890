//===- RoundPlaces.h - Where in a round tasks of a device are ---*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Schedules that repeat: a device's tasks have places on a circle of time, and
// a task that does not begin in one round does in the next.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_PIPELINE_ROUNDPLACES_H
#define SOAP_LIB_PIPELINE_ROUNDPLACES_H

#include <algorithm>
#include <cassert>
#include <cmath>

namespace soap {

/// Tasks of one device, placed behind each other in the order in which they
/// come, so that they always fit. The first is where it can begin, and what a
/// device has left of a round goes where the next task waits less for it.
class RoundPlaces {
public:
  /// `cycle`: after how long tasks repeat; `total`: of all that will be placed,
  /// at most `cycle`.
  RoundPlaces(double cycle, double total) : cycle(cycle), slack(cycle - total) {
    assert(total <= cycle * (1 + 1e-6) + 1e-6 && "no more than a round");
  }

  /// The beginning of a task at or after `ready` (up to rounding), both for
  /// the first sample.
  double place(double ready, double duration) {
    if (!(cycle > 0))
      return ready;
    if (isEmpty)
      next = ready;
    isEmpty = false;
    assert(duration >= 0 && "a negative task");
    double late = ready - next;
    double rounds = std::floor(late / cycle + rounding);
    double wait = std::max(late - rounds * cycle, 0.0);
    if (wait <= rounding * cycle)
      wait = 0;
    else if (wait <= slack)
      slack -= wait, next += wait;
    else
      ++rounds;
    double begin = next + rounds * cycle;
    next += duration;
    return begin;
  }

private:
  static constexpr double rounding = 1e-10;
  double cycle, slack;
  double next = 0;
  bool isEmpty = true;
};

} // namespace soap

#endif // SOAP_LIB_PIPELINE_ROUNDPLACES_H
