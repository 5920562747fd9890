//===- Algorithm1Simulator.h - The paper's full simulation ------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Algorithm 1 of the FlexFlow paper (full simulation) on a task graph. Tasks
// leave a queue in the order of (ready time, key) and start when all their
// resources are free. Deferred tasks (`markDeferred`) leave it after all
// others. It is the reference for all other simulators: docs/Simulator.md.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_SIMULATOR_ALGORITHM1SIMULATOR_H
#define SOAP_SIMULATOR_ALGORITHM1SIMULATOR_H

#include "Soap/Simulator/TaskGraph.h"

namespace soap {

/// Sets ready, start and end of every task and the makespan, which it returns,
/// in ns. The graph must be acyclic.
int64_t simulateFull(TaskGraph &graph);

/// Task ids in schedule order: (start, key).
std::vector<int> scheduleOrder(const TaskGraph &graph);

} // namespace soap

#endif // SOAP_SIMULATOR_ALGORITHM1SIMULATOR_H
