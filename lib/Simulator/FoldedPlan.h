//===- FoldedPlan.h - One task for all that are alike -----------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Folding: one task for all tasks that are alike. A strategy that does the same
// on many devices, as data parallelism on a cluster, is simulated once for all
// of them: tasks and resources are replaced by classes, and the times of a
// class are the times of each of its members, to the nanosecond.
// docs/Simulator.md, section 6, has the conditions and the proof.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SIMULATOR_FOLDEDPLAN_H
#define SOAP_LIB_SIMULATOR_FOLDEDPLAN_H

#include "Soap/Simulator/StrategySimulator.h"
#include "Soap/Simulator/TaskGraph.h"

namespace soap {

/// Classes of tasks and of resources of a plan.
struct FoldedPlan {
  /// A task per class of tasks, called after its first member, on a resource
  /// per class of resources. `simulateFull` gives it times.
  TaskGraph graph;
  std::vector<int64_t> taskCounts;     ///< members, by task of `graph`
  std::vector<int64_t> resourceCounts; ///< members, by resource of `graph`
  std::vector<int> resourceClasses; ///< resources of the topology, to classes
  /// By block and index: the task of `graph`, -1 of an absent shard.
  std::vector<std::vector<int>> classes;
  int64_t unfoldedTasks = 0;
  int deviceClasses = 0;
  /// Where it has as many classes as devices: why, as far as one resource is
  /// the reason.
  std::string reason;

  /// Whether anything was folded.
  bool isFolded() const {
    return unfoldedTasks > static_cast<int64_t>(graph.tasks.size());
  }
  /// Times of all tasks, as `StrategySimulator::timeline` has them, after
  /// `simulateFull(graph)`.
  void timeline(std::vector<std::vector<TaskTimes>> &times) const;
};

/// Folds as far as it is exact: in the worst case, every task is a class.
FoldedPlan foldPlan(const PlanState &plan);

} // namespace soap

#endif // SOAP_LIB_SIMULATOR_FOLDEDPLAN_H
