//===- PlanTimeline.h - The timeline of a compact plan ----------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sums of Timeline.h for a plan whose tasks are not written out: a task
// takes 24 bytes beside the plan.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_SIMULATOR_PLANTIMELINE_H
#define SOAP_SIMULATOR_PLANTIMELINE_H

#include "Soap/Simulator/StrategySimulator.h"
#include "Soap/Simulator/Timeline.h"

namespace soap {

/// Keeps a reference to the plan.
class PlanTimeline {
public:
  /// Simulates a finished plan by Algorithm 1.
  explicit PlanTimeline(const PlanState &plan);

  int64_t getMakespanNs() const { return makespanNs; }
  /// Times by block and index; absent shards have times of 0.
  const std::vector<std::vector<TaskTimes>> &getTimes() const { return times; }
  /// Where the time of each device goes.
  std::vector<DeviceTimes> deviceTimes() const;
  /// The tasks of `criticalPath`. An error if there are 2^31 tasks or more.
  Expected<std::vector<TaskRef>> criticalTasks() const;
  /// The same in stretches.
  Expected<std::vector<PathStretch>> criticalPath() const;

private:
  const PlanState &plan;
  std::vector<std::vector<TaskTimes>> times;
  int64_t makespanNs;
};

} // namespace soap

#endif // SOAP_SIMULATOR_PLANTIMELINE_H
