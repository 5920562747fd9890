//===- PassTimeline.h - Microbatches of a compact plan ----------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The task graph of an iteration in microbatches, from the compact plan of a
// strategy (PlanState.h) instead of the plan that is written out: the same
// tasks, waits, times and peaks as `buildPipelinePlan` (PassOrder.h) and its
// simulation have, in about 150 bytes a task instead of a thousand.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_MESH_PASSTIMELINE_H
#define SOAP_MESH_PASSTIMELINE_H

#include "Soap/Memory/MemoryCourse.h"
#include "Soap/Plan/TaskTable.h"
#include "Soap/Simulator/StrategySimulator.h"
#include "Soap/Simulator/Timeline.h"

namespace soap {

/// A pass on one device: from the start of its first kernel to the end of its
/// last.
struct PassSpan {
  PipelinePass pass;
  int device = 0;
  int64_t startNs = 0, endNs = 0;
  int64_t busyNs = 0; ///< of its kernels
};

/// A task as it was simulated.
struct SimulatedTask {
  uint32_t number = 0;
  size_t block = 0; ///< of the plan
  size_t index = 0; ///< in the block
  /// None: it belongs to no pass.
  std::optional<PipelinePass> pass;
  int64_t startNs = 0, endNs = 0;
  std::span<const int> resources;
};

/// The simulated passes of a plan. Keeps a reference to the plan.
class PassTimeline {
public:
  /// The plan is one that `TaskTable::make` takes, for `graphOfPasses` of
  /// `graph` (PassReads.h). An error if there is no table, or if passes wait
  /// for each other in a circle. `isOver`: null, or ends it with an error.
  /// `findsPath`: the critical path is looked for.
  static Expected<PassTimeline> make(const PlanState &plan, const Graph &graph,
                                     const PassOrder &passes,
                                     const PieceBox &boxOf,
                                     const StopCheck &isOver = {},
                                     bool findsPath = false);

  int64_t getMakespanNs() const { return makespanNs; }
  int64_t getMicrobatches() const { return microbatches; }
  /// Tasks of the plan; a sum of n tiles that is made one by one is n - 1.
  int64_t getTaskCount() const { return count; }
  /// The times of task `index` of a block, of a sum the times of its last step.
  TaskTimes timesOf(int block, int index) const {
    return times(table.numberOf(block, index));
  }
  /// The times of one step of a sum: 0 is the last, the others are in order.
  TaskTimes timesOf(int block, int index, int step) const {
    return times(table.numberOf(block, index) + static_cast<size_t>(step));
  }
  /// Steps of a task: n - 1 of a sum of n > 2 tiles, else 1.
  int stepsOf(int block, int index) const;
  /// By device, then by start.
  const std::vector<PassSpan> &getPasses() const { return spans; }
  /// Time in which each device computes, by device, with what it moves.
  const std::vector<int64_t> &busyNs() const { return busy; }
  /// Where the time of each device goes, except `communicationNs`.
  std::vector<DeviceTimes> deviceTimes() const;
  /// Peak live bytes per device, as `peakBytes` (PeakMemory.h). `course`: null,
  /// or is told of live bytes, too.
  std::vector<int64_t> peakBytes(MemoryCourse *course = nullptr) const;
  /// Calls `visit` for all tasks, by number. Tasks of sums have a number for
  /// each step.
  void
  forEachTask(const std::function<void(const SimulatedTask &)> &visit) const;
  /// Numbers of tasks, each of which starts when the one before ends, from 0 to
  /// the end; empty if it was not looked for.
  const std::vector<uint32_t> &criticalPath() const { return path; }

private:
  explicit PassTimeline(const PlanState &plan) : plan(&plan) {}

  const PlanState *plan;
  int64_t makespanNs = 0, count = 0, microbatches = 1;
  /// Of the tasks: numbers, durations, resources and passes; what they read is
  /// known while the timeline is made.
  TaskTable table;
  std::vector<int64_t> readyNs, startNs; ///< by task
  std::vector<PassSpan> spans;
  std::vector<int64_t> busy;
  std::vector<uint32_t> path;

  class Builder;

  TaskTimes times(size_t task) const {
    return {readyNs[task], startNs[task],
            startNs[task] + table.durationNs[task]};
  }
};

} // namespace soap

#endif // SOAP_MESH_PASSTIMELINE_H
