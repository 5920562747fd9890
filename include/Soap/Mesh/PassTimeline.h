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

#include "Soap/Plan/PassOrder.h"
#include "Soap/Plan/PlanState.h"
#include "Soap/Simulator/SimulatorState.h"
#include "Soap/Simulator/StrategySimulator.h"
#include "Soap/Simulator/Timeline.h"

#include <functional>

namespace soap {

/// Asked again and again while something long is computed: true ends it.
using StopCheck = std::function<bool()>;
/// The error of what a `StopCheck` has ended.
inline constexpr const char *stoppedMessage = "no time is left";

/// Sets the box of a piece of a slot's kernel.
using PieceBox = std::function<void(int slot, int piece, LoopBox &box)>;

/// A pass on one device: from the start of its first kernel to the end of its
/// last.
struct PassSpan {
  PipelinePass pass;
  int device = 0;
  int64_t startNs = 0, endNs = 0;
  int64_t busyNs = 0; ///< of its kernels
};

/// The simulated passes of a plan. Keeps a reference to the plan.
class PassTimeline {
public:
  /// The plan is one of `cutIntoMicrobatches`, made while a `OneByOneScope`
  /// lived, with `roundsOfPasses`, on a topology in which copies do not occupy
  /// their receivers. Its graph is `graphOfPasses` of `graph` (PassReads.h). An
  /// error if a pass reads of another microbatch, or if passes wait for each
  /// other in a circle, or if there are more than 2^31 tasks. `isOver`: null,
  /// or ends it with an error.
  static Expected<PassTimeline> make(const PlanState &plan, const Graph &graph,
                                     const PassOrder &passes,
                                     const PieceBox &boxOf,
                                     const StopCheck &isOver = {});

  int64_t getMakespanNs() const { return makespanNs; }
  /// Tasks of the plan; a sum of n tiles that is made one by one is n - 1.
  int64_t getTaskCount() const { return count; }
  /// The times of task `index` of a block, of a sum the times of its last step.
  TaskTimes timesOf(int block, int index) const {
    return times(numberOf(block, index));
  }
  /// The times of one step of a sum: 0 is the last, the others are in order.
  TaskTimes timesOf(int block, int index, int step) const {
    return times(numberOf(block, index) + static_cast<size_t>(step));
  }
  /// Steps of a task: n - 1 of a sum of n > 2 tiles, else 1.
  int stepsOf(int block, int index) const;
  /// By device, then by start.
  const std::vector<PassSpan> &getPasses() const { return spans; }
  /// Time in which each device computes, by device, with what it moves.
  const std::vector<int64_t> &busyNs() const { return busy; }
  /// Where the time of each device goes, except `communicationNs`.
  std::vector<DeviceTimes> deviceTimes() const;
  /// Peak live bytes per device, as `peakBytes` (MemoryOverTime.h).
  std::vector<int64_t> peakBytes() const;

private:
  explicit PassTimeline(const PlanState &plan) : plan(&plan) {}

  const PlanState *plan;
  int64_t makespanNs = 0, count = 0;
  /// Tasks have the numbers of their blocks, one block after the other. A
  /// sum has its last step first. Absent shards have numbers, too.
  std::vector<uint32_t> firstTask; ///< by block, one more
  /// By block, by task: its first number less that of the block; empty: number
  /// i is task i.
  std::vector<std::vector<uint32_t>> offsets;
  std::vector<uint32_t> firstSum; ///< by block: steps of sums before it
  std::vector<int64_t> durationNs, readyNs, startNs;
  /// Its device; of tasks on several resources, -1 - number of a list.
  std::vector<int> resource;
  std::vector<bool> isThere;
  std::vector<PassSpan> spans;
  std::vector<int64_t> busy;

  class Builder;
  class Memory;

  size_t numberOf(int block, int index) const {
    auto b = static_cast<size_t>(block);
    return firstTask[b] + (offsets[b].empty()
                               ? static_cast<size_t>(index)
                               : offsets[b][static_cast<size_t>(index)]);
  }
  TaskTimes times(size_t task) const {
    return {readyNs[task], startNs[task], startNs[task] + durationNs[task]};
  }
};

/// The inputs of a sum in the order in which they are added: those that other
/// devices send come last. References of the value's plan.
std::vector<int> inputsInOrder(const ValuePlan &plan,
                               const PlannedAction &combine);

/// The boxes of a plan that has all pieces of its kernels.
PieceBox boxesOf(const PlanState &plan);

} // namespace soap

#endif // SOAP_MESH_PASSTIMELINE_H
