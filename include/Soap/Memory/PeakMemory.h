//===- PeakMemory.h - Live bytes of a schedule ------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The live bytes of every device when the actions of a plan run in the order of
// a simulated schedule: their peak, and their course. PlanMemory.h finds the
// same peaks on the compact plan that searches change.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_MEMORY_PEAKMEMORY_H
#define SOAP_MEMORY_PEAKMEMORY_H

#include "Soap/Memory/MemoryCourse.h"
#include "Soap/Simulator/Timeline.h"

#include <functional>

namespace soap {

/// Told of every change of a device's live bytes: by the action at `position`
/// of the order (-1: inputs), which takes memory, then gives some back. `value`
/// is what they are of, -1: a message or a temporary, or all inputs.
using MemoryObserver = std::function<void(
    int position, int device, int64_t liveBytes, int value, int64_t change)>;

/// Peak live bytes per device when actions run in `order`: inputs live
/// throughout, other buffers from the action that writes them to their last
/// reader, outputs to the end; a transfer's message counts on both ends while
/// it runs.
std::vector<int64_t> peakBytes(const Graph &graph, const Plan &plan,
                               const std::vector<int> &order, int deviceCount,
                               const MemoryObserver &observer = nullptr);

/// Per device: live bytes over time, when actions run in schedule order at
/// their simulated times; the largest is `peakBytes`. `order` is one of tasks.
std::vector<std::vector<MemoryPoint>>
memoryOverTime(const Graph &graph, const Plan &plan, const TaskGraph &tasks,
               const std::vector<int> &order, int deviceCount);

/// The same by kind of value, into a course.
void followMemory(const Graph &graph, const Plan &plan, const TaskGraph &tasks,
                  const std::vector<int> &order, int deviceCount,
                  MemoryCourse &course);

} // namespace soap

#endif // SOAP_MEMORY_PEAKMEMORY_H
