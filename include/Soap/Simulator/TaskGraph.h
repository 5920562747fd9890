//===- TaskGraph.h - Tasks, resources, dependencies -------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The task graph T of the FlexFlow paper (section 5.1): compute and
// communication tasks with dependencies; resources are one compute queue per
// device and one queue per link. JSON form in docs/Simulator.md.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_SIMULATOR_TASKGRAPH_H
#define SOAP_SIMULATOR_TASKGRAPH_H

#include "Soap/Plan/ActionCost.h"
#include "Soap/Topology/Resources.h"

namespace soap {

struct Task {
  std::string name;
  std::string kind; ///< "conv2d", "fill", "assemble", "combine", "transfer"
  std::vector<int> resources;         ///< all occupied for the whole duration
  int64_t durationNs = 1;             ///< exeTime, at least 1
  std::vector<int> preds;             ///< sorted, unique
  TaskKey key{};                      ///< breaks ties of ready time
  int device = -1, sourceDevice = -1; ///< sourceDevice: of a transfer
  std::vector<int> devices;           ///< of a collective; a root comes first
  int64_t bytes = 0;                  ///< moved by a transfer or collective
  /// Taken after all tasks that are not deferred; so are all its successors.
  bool deferred = false;
  // Set by simulation (Table 2).
  int64_t readyNs = 0, startNs = 0, endNs = 0;
};

struct TaskGraph {
  std::vector<Resource> resources; ///< compute queues 0..devices-1, then links
  std::vector<Task> tasks;
  int64_t makespanNs = 0;
};

/// Makes a task a collective: kind, device (the first), duration, links, and
/// the bytes of all its messages.
void setCollective(Task &task, const PlanCollective &collective,
                   CollectiveWorkspace &workspace);
/// The tasks of a plan by number (`Action::task`). Without `names`, tasks
/// and resources have none.
TaskGraph buildTaskGraph(const Graph &graph, const Plan &plan,
                         const CostModel &cost, bool names = true);
/// The role of a task for `markDeferred`.
enum class TaskRole {
  Compute,  ///< a kernel
  Update,   ///< a kernel that writes nothing but updated parameters
  Movement, ///< fills, assembles, combines, transfers
};

/// Sets `deferred` of copies that no computation waits for, and of what depends
/// on them. A copy is a transfer that occupies its receiver's compute queue; it
/// is deferred if nothing follows it but movements, updates, and kernels whose
/// results only updates read: gradients on the way to their sums, the loss on
/// the way to its report. In the order of ready times it would keep a device
/// waiting for its peer in the middle of an iteration. Tasks have to be in a
/// topological order; `roles` has one entry per task.
void markDeferred(TaskGraph &graph, const std::vector<TaskRole> &roles);
/// Name of an action's task: `conv1[2]`, `conv1.out:0>3#5`, ...; unique in a
/// plan.
std::string actionName(const Graph &graph, const Plan &plan,
                       const Action &action);
/// `[from][to]` bytes between devices; their sum is that of all tasks. Bytes of
/// a collective are on the ring of its devices, of an exchange on all pairs.
std::vector<std::vector<int64_t>> transferBytes(const TaskGraph &graph,
                                                int deviceCount);
/// The file format of docs/Simulator.md.
std::string printTaskGraph(const TaskGraph &graph);

} // namespace soap

#endif // SOAP_SIMULATOR_TASKGRAPH_H
