//===- StrategySimulator.h - Algorithm 1 on a compact plan ------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Algorithm 1 of the FlexFlow paper (full simulation) on the compact plan of a
// strategy. It gives the same times as Algorithm1Simulator.h on the task graph
// that is written out, task by task. It can stop as soon as the makespan is
// proven to be above a limit. See docs/Simulator.md.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_SIMULATOR_STRATEGYSIMULATOR_H
#define SOAP_SIMULATOR_STRATEGYSIMULATOR_H

#include "Soap/Bounds/MakespanBounds.h"
#include "Soap/Simulator/ReadyQueue.h"
#include "Soap/Simulator/SimulatorState.h"

#include <limits>
#include <memory>

namespace soap {

/// Times of one task, as in Table 2 of the paper.
struct TaskTimes {
  int64_t readyNs = 0, startNs = 0, endNs = 0;
  bool operator==(const TaskTimes &) const = default;
};

/// Keeps references, and memory for the tasks of the plan.
class StrategySimulator {
public:
  /// With bounds of the plan, `makespan` stops earlier.
  explicit StrategySimulator(const PlanState &plan,
                             const MakespanBounds *bounds = nullptr);
  ~StrategySimulator();

  /// The makespan in ns if it is at most `limitNs`; else some number above the
  /// limit, as soon as the makespan is known to be above it.
  int64_t makespan(int64_t limitNs = std::numeric_limits<int64_t>::max());
  /// The makespan, with the times of every task: `times[block][index]`.
  int64_t timeline(std::vector<std::vector<TaskTimes>> &times);
  /// The makespan, with a list of all tasks that has their starts as `readyNs`.
  int64_t starts(std::vector<TaskQueue::Entry> &tasks);
  /// By block of a value and task: whether the task is a deferred copy, as
  /// `markDeferred` (TaskGraph.h) says. Tasks that depend on one are deferred
  /// too, but have no mark.
  const std::vector<std::vector<uint8_t>> &deferredCopies() {
    findDeferred();
    return deferred;
  }
  /// Tasks that the last call took from the queue.
  int64_t simulatedTasks() const { return simulated; }

private:
  using Entry = TaskQueue::Entry;

  const PlanState &plan;
  const MakespanBounds *bounds; ///< may be null
  int deviceCount;
  bool copiesOccupy; ///< copies of some device occupy the receiver
  uint64_t epoch = 0;
  std::vector<BlockRun> blocks;
  ResourceState resources;
  ReadyQueue readyQueue;
  int64_t simulated = 0;
  /// Marks of deferred copies, by block.
  std::vector<std::vector<uint8_t>> deferred;
  struct DeferralFlags; ///< memory of `findDeferred`
  std::unique_ptr<DeferralFlags> deferralFlags;

  // Of `starts`.
  std::vector<std::vector<TaskTimes>> recorded;

  template <bool Bounded, bool Record>
  struct PlanGraph;
  template <bool Bounded, bool Record>
  int64_t run(int64_t limitNs, std::vector<std::vector<TaskTimes>> *times);
  TaskRun &touch(int block, int index);
  void findDeferred();
};

/// All tasks of a plan that has the times of `StrategySimulator::timeline`,
/// with their starts as `readyNs`.
void listStarts(const PlanState &plan,
                const std::vector<std::vector<TaskTimes>> &times,
                std::vector<TaskQueue::Entry> &tasks);

} // namespace soap

#endif // SOAP_SIMULATOR_STRATEGYSIMULATOR_H
