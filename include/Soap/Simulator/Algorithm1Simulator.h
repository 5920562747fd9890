//===- Simulator.h - Full simulation and memory over time -------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Algorithm 1 of the SOAP paper: tasks leave a queue ordered by (ready time,
// key) and start when all their resources are free. Deferred tasks
// (`markDeferred`) leave it after all others.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_SIMULATOR_SIMULATOR_H
#define SOAP_SIMULATOR_SIMULATOR_H

#include "Soap/Simulator/TaskGraph.h"

#include <functional>

namespace soap {

/// Sets ready, start and end of every task and the makespan, which it returns.
/// The graph must be acyclic.
int64_t simulateFull(TaskGraph &graph);

/// Task ids in schedule order: (start, key).
std::vector<int> scheduleOrder(const TaskGraph &graph);

/// Told of every change of a device's live bytes: by the action at `position`
/// of the order (-1: inputs), which takes memory, then gives some back.
using MemoryObserver = std::function<void(int position, int device,
                                          int64_t liveBytes, bool givenBack)>;

/// Peak live bytes per device when actions run in `order`: inputs live
/// throughout, other buffers from the action that writes them to their last
/// reader, outputs to the end; a transfer's message counts on both ends while
/// it runs.
std::vector<int64_t> peakBytes(const Graph &graph, const Plan &plan,
                               const std::vector<int> &order, int deviceCount,
                               const MemoryObserver &observer = nullptr);

/// `[from][to]` bytes of all transfers; those of collectives are not among
/// them.
std::vector<std::vector<int64_t>> bytesBetween(const TaskGraph &graph,
                                               int deviceCount);
/// `[from][to]` bytes of all messages of a plan; of a plan with expanded
/// collectives, all that is sent.
std::vector<std::vector<int64_t>>
bytesBetween(const Graph &graph, const Plan &plan, int deviceCount);

} // namespace soap

#endif // SOAP_SIMULATOR_SIMULATOR_H
