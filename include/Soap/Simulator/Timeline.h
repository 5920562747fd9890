//===- Timeline.h - What a simulated timeline says --------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the time of an iteration goes: the critical path by op, the busy times
// of devices, the communication that they do not hide, and the kinds of tensors
// that are moved; and the trace file that shows it.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_SIMULATOR_TIMELINE_H
#define SOAP_SIMULATOR_TIMELINE_H

#include "Soap/Simulator/TaskGraph.h"

namespace soap {

/// The class of a task, by its kind.
enum class TaskClass {
  Compute,  ///< a kernel
  Movement, ///< fill, assemble, combine: on one device, for communication
  Transfer, ///< between devices
};
TaskClass classOf(const Task &task);
/// The op or value that a task is for: its name without shard, devices and key.
std::string subjectOf(const Task &task);

/// Tasks one after the other on the critical path that are for one op, or that
/// move one value.
struct PathStretch {
  std::string subject;
  TaskClass taskClass = TaskClass::Compute;
  int tasks = 0;
  int64_t startNs = 0, endNs = 0;
  /// Of the time between: tasks were ready and waited for a resource, in which
  /// other tasks of the path ran. Not idle time: a critical path has none.
  int64_t queuedNs = 0;
};

/// A path of tasks, each of which starts when the one before ends, because it
/// depends on it or needs its resource, from 0 to the end of the last task:
/// task ids, first to last. Of several such paths always the same one.
std::vector<int> criticalPath(const TaskGraph &graph);
/// The path in stretches.
std::vector<PathStretch> stretchesOf(const TaskGraph &graph,
                                     const std::vector<int> &path);

/// The busy times of one device in an iteration.
struct DeviceTimes {
  int64_t computeNs = 0;  ///< kernels
  int64_t movementNs = 0; ///< fills, assembles, combines
  /// Some transfer to or from it runs.
  int64_t communicationNs = 0;
  /// It runs no kernel, fill, assemble or combine while some transfer runs,
  /// whichever devices it is between: communication that is not hidden.
  int64_t exposedNs = 0;
};
std::vector<DeviceTimes> deviceTimes(const TaskGraph &graph, int deviceCount);

enum class TensorKind {
  Input,              ///< data, labels, constants
  Weight,             ///< parameters, optimizer states, views of them
  Activation,         ///< what forward ops compute
  ActivationGradient, ///< what backward ops compute for backward ops
  WeightGradient,     ///< what backward ops compute for updates
};
constexpr int tensorKindCount = 5;
/// `inputs`, `weights`, `activations`, `activation_gradients`,
/// `weight_gradients`.
const char *tensorKindName(TensorKind kind);
/// Kind of every value of a graph.
std::vector<TensorKind> tensorKinds(const Graph &graph);
/// Bytes of all transfers by kind.
std::array<int64_t, tensorKindCount>
bytesByKind(const std::vector<TensorKind> &kinds, const Graph &graph,
            const Plan &plan);

/// Live bytes of a device from then on.
struct MemoryPoint {
  int64_t timeNs = 0;
  int64_t bytes = 0;
};
/// Chrome trace events (Perfetto) of a simulated graph: devices, links, and a
/// counter of memory per device where `memory` is not empty.
std::string
printChromeTrace(const TaskGraph &graph,
                 const std::vector<std::vector<MemoryPoint>> &memory = {});

} // namespace soap

#endif // SOAP_SIMULATOR_TIMELINE_H
