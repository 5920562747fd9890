//===- Deadline.h - When a solver has to stop -------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The budget's clock, which started with the solver.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SEARCH_DEVICEPLACEMENT_DEADLINE_H
#define SOAP_LIB_SEARCH_DEVICEPLACEMENT_DEADLINE_H

#include "Soap/Search/DevicePlacement/Throughput.h"

#include <algorithm>
#include <chrono>

namespace soap::placement {

class Deadline {
public:
  explicit Deadline(const Budget &budget)
      : budget(budget), start(std::chrono::steady_clock::now()) {}

  double elapsed() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                         start)
        .count();
  }
  double left() const { return std::max(0.0, budget.seconds - elapsed()); }
  bool stopped() const { return budget.stop && budget.stop->load(); }
  bool isOver() const { return stopped() || elapsed() >= budget.seconds; }
  /// The rest of the budget, for a solver that this one calls.
  Budget rest(double share = 1) const {
    Budget result = budget;
    result.seconds = left() * share;
    return result;
  }

private:
  Budget budget;
  std::chrono::steady_clock::time_point start;
};

/// Steps of about the same length, none of which is to begin if the time would
/// be over before its end.
class StepClock {
public:
  explicit StepClock(const Deadline &deadline)
      : deadline(deadline), last(deadline.elapsed()) {}

  /// Called before each step: whether one that takes as long as the longest
  /// so far ends in time.
  bool hasTimeForAnother() {
    double now = deadline.elapsed();
    longest = std::max(longest, now - last);
    last = now;
    return !deadline.isOver() && longest <= deadline.left();
  }

private:
  const Deadline &deadline;
  double last, longest = 0;
};

} // namespace soap::placement

#endif // SOAP_LIB_SEARCH_DEVICEPLACEMENT_DEADLINE_H
