//===- StageTable.h - The dynamic programs' table ---------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For every ideal and number of accelerators and CPUs, how well these hold it
// (section 5.1.1): one load, or with GPipe the Pareto frontier of forward and
// backward loads. What can not lead to a better split than the best known is
// left out.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SEARCH_DEVICEPLACEMENT_ALGORITHMS_STAGETABLE_H
#define SOAP_LIB_SEARCH_DEVICEPLACEMENT_ALGORITHMS_STAGETABLE_H

#include "StageSet.h"

namespace soap::placement {

/// The size of the table, and what a split has to beat.
struct StageLimits {
  int accelerators = 0, cpus = 0;
  double acceleratorMemoryBytes = 0;
  Objective objective;
  /// Splits of this value or more are of no interest.
  double below = 0;
  /// Minimizes the greatest memory instead of the load, with no limit on it.
  bool minimizeMemory = false;
  /// No CPU does more work, measured by what it would be on an accelerator, in
  /// one unit of time; infinite if some work takes a CPU no time.
  double cpuSpeed = 0;

  StageLimits(const Problem &problem, const Objective &objective,
              const UnitGraph &graph, double below);

  int states() const { return (accelerators + 1) * (cpus + 1); }
  bool fits(const StageSums &sums) const {
    return sums.acceleratable &&
           (minimizeMemory ||
            sums.memoryBytes <= acceleratorMemoryBytes * (1 + 1e-13));
  }
  /// Neither a device of the set nor one of any superset is of interest.
  bool prunes(const StageSums &sums) const;
  StageLoad acceleratorLoad(const StageSums &sums, int replicas) const {
    if (minimizeMemory)
      return {sums.memoryBytes, 0};
    return sums.acceleratorLoad(objective, replicas);
  }
  StageLoad cpuLoad(const StageSums &sums) const {
    return minimizeMemory ? StageLoad{} : sums.cpuLoad(objective);
  }
};

class StageTable {
public:
  /// `ideals` are numbered from 0, the empty set.
  StageTable(const StageLimits &limits, size_t ideals);

  /// Whether some devices hold the ideal with a value of interest.
  bool isReached(size_t ideal) const { return reached[ideal]; }

  /// The ideal `to` is `from` and a set with these sums. `remainingWork` is the
  /// time on accelerators of what is not in `to`. Threads may extend different
  /// ideals.
  void extend(size_t to, size_t from, const StageSums &sums,
              double remainingWork);

  /// One stage of a split: `ideal` without `previous`, on as many replicas of
  /// an accelerator, or 0: on a CPU.
  struct Stage {
    size_t ideal, previous;
    int replicas;
  };
  /// The stages of the best split of an ideal, first to last; empty if there is
  /// none. `value` becomes its value.
  std::vector<Stage> bestSplit(size_t ideal, double &value) const;

private:
  struct Entry {
    double forward, backward;
    uint32_t fromIdeal, fromEntry;
    int32_t state, replicas;
  };
  const StageLimits &limits;
  /// Per ideal: at most one entry per state, or frontiers. Sorted by nothing.
  std::vector<std::vector<Entry>> entries;
  std::vector<char> reached;

  void offer(std::vector<Entry> &list, const Entry &entry);
};

} // namespace soap::placement

#endif // SOAP_LIB_SEARCH_DEVICEPLACEMENT_ALGORITHMS_STAGETABLE_H
