//===- ExactTimeline.h - Bounds from what is known of a timeline ----------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The task graph of the groups that are assigned, with the order on resources
// that follows from it (ExactTables.cpp says why). Takes longer than tables of
// few groups, and sees what many groups together do to a device.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SEARCH_EXACT_EXACTTIMELINE_H
#define SOAP_LIB_SEARCH_EXACT_EXACTTIMELINE_H

#include "ExactBounds.h"

namespace soap {

class ExactTimeline {
public:
  /// Keeps references.
  ExactTimeline(const ParallelizationProblem &problem,
                const std::vector<std::vector<Config>> &configs,
                const ExactTables &tables);

  /// A bound of all strategies of the domains of `bounds`, which must have
  /// been propagated; may stop above the limit. Earliest starts and tails that
  /// are found go back to `bounds`.
  int64_t boundNs(ExactBounds &bounds, int64_t limitNs);

private:
  struct Task {
    int block = -1, index = -1, slot = -1;
    int64_t durationNs = 1, headNs = 0, tailNs = 0;
    int resource = -1;    ///< a device, or -1 - number of a list
    bool isKnown = false; ///< all that it waits for is here
    std::vector<int> waitsFor, next;
  };

  const ParallelizationProblem &problem;
  const std::vector<std::vector<Config>> &configs;
  const ExactTables &tables;
  CostModel cost;
  StrategyPlan plan;
  Strategy strategy;
  std::vector<int> present; ///< configs of groups in `plan`
  bool ordered;
  std::vector<Task> tasks;
  size_t count = 0;
  std::vector<std::vector<int>> numbers;    ///< by block, index
  std::vector<std::vector<int>> byResource; ///< tasks
  std::vector<int> order;                   ///< of tasks, by head
  /// By task: what has ended when it starts, as bits.
  std::vector<uint64_t> before, awaited, strictly, known;
  size_t words = 0;
  std::vector<PreemptiveJob> jobs;
  std::vector<std::pair<int64_t, int64_t>> waitingJobs;

  void update(const ExactBounds &bounds);
  void findTasks(const ExactBounds &bounds);
  bool sortByHead();
  bool findOrder(int64_t limitNs);
  void findTails();
};

} // namespace soap

#endif // SOAP_LIB_SEARCH_EXACT_EXACTTIMELINE_H
