//===- SimulatorState.h - What a running simulation knows -------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state of a running simulation that simulators of a plan share: for how
// many predecessors each task waits, and when each resource becomes free.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_SIMULATOR_SIMULATORSTATE_H
#define SOAP_SIMULATOR_SIMULATORSTATE_H

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <span>
#include <vector>

namespace soap {

/// A task that has not been simulated yet.
struct TaskRun {
  int64_t readyNs; ///< the latest end of predecessors so far
  int waiting;     ///< predecessors that have not ended
};

/// The tasks of a block, made when the first of them is touched in a run.
struct BlockRun {
  uint64_t epoch = 0; ///< the run that this state belongs to
  std::vector<TaskRun> tasks;
};

/// Devices and links, in ns.
struct ResourceState {
  std::vector<int64_t> freeNs;      ///< end of what was simulated
  std::vector<int64_t> remainingNs; ///< work that was not; kept if bounded

  /// A task occupies resources together, first in, first out. Sets its start
  /// (from its ready time) and its end; returns whether what remains proves the
  /// makespan to be above the limit, if bounded.
  template <bool Bounded>
  bool occupy(std::span<const int> resources, int64_t durationNs,
              int64_t limitNs, int64_t &startNs, int64_t &endNs) {
    assert(durationNs > 0 && "a task takes at least 1 ns");
    for (int resource : resources)
      startNs = std::max(startNs, freeNs[resource]);
    endNs = startNs + durationNs;
    bool tooLate = false;
    for (int resource : resources) {
      freeNs[resource] = endNs;
      if constexpr (Bounded) {
        tooLate |= endNs + (remainingNs[resource] -= durationNs) > limitNs;
        assert(remainingNs[resource] >= 0 && "more work than the plan has");
      }
    }
    return tooLate;
  }
};

} // namespace soap

#endif // SOAP_SIMULATOR_SIMULATORSTATE_H
