//===- PlanMemory.h - Peak memory of a strategy's plan ----------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The peak of the live bytes of each device when the tasks of a plan run at
// given times, by one pass over the timeline from its end (LiveBuffers.h).
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_MEMORY_PLANMEMORY_H
#define SOAP_MEMORY_PLANMEMORY_H

#include "Soap/Memory/LiveBuffers.h"
#include "Soap/Simulator/TaskQueue.h"

namespace soap {

/// Keeps a reference to a plan and memory for its buffers.
class PlanMemory {
public:
  /// `course`: null, or is told of live bytes, too.
  explicit PlanMemory(const PlanState &plan, MemoryCourse *course = nullptr)
      : plan(plan), course(course), buffers(plan, course) {}

  /// Peak live bytes per device, as `peakBytes` of the written-out plan
  /// (Simulator.h) in the order of the schedule. `tasks`: all tasks of the
  /// plan, which must be finished, with their starts as `readyNs`; sorted here.
  std::vector<int64_t> peakBytes(std::vector<TaskQueue::Entry> &tasks);

private:
  const PlanState &plan;
  MemoryCourse *course;
  LiveBuffers buffers;
  std::vector<TaskQueue::Entry> sorted;

  void sortTasks(std::vector<TaskQueue::Entry> &tasks);
};

/// Simulates a finished plan for this.
std::vector<int64_t> peakBytes(const PlanState &plan);

} // namespace soap

#endif // SOAP_MEMORY_PLANMEMORY_H
