//===- PlanMemory.h - Peak memory of a strategy's plan ----------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The peak of the live bytes of each device when the tasks of a plan run at
// given times. It takes one pass over the timeline from its end: where the pass
// meets a buffer first, the buffer is used last.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_MEMORY_PLANMEMORY_H
#define SOAP_MEMORY_PLANMEMORY_H

#include "Soap/Plan/PlanState.h"
#include "Soap/Simulator/TaskQueue.h"

namespace soap {

/// Keeps a reference to a plan and memory for its buffers.
class PlanMemory {
public:
  explicit PlanMemory(const PlanState &plan);

  /// Peak live bytes per device, as `peakBytes` of the written-out plan
  /// (Simulator.h) in the order of the schedule. `tasks`: all tasks of the
  /// plan, which must be finished, with their starts as `readyNs`; sorted here.
  std::vector<int64_t> peakBytes(std::vector<TaskQueue::Entry> &tasks);

private:
  struct Buffer {
    int64_t bytes = 0;
    int device = -1;        ///< -1: there from the start to the end
    bool stays = false;     ///< a tile of a graph output
    bool isInPlace = false; ///< replaces the tile that it was computed from
    bool isLive = false;
  };

  const PlanState &plan;
  /// By node: results that take the place of what they were computed from.
  std::vector<std::vector<int>> updatedResults;
  std::vector<size_t> first; ///< by value: its sources, then its actions
  std::vector<Buffer> buffers;
  /// By buffer: the one that it is, -1: one of its own; empty if all are.
  std::vector<int64_t> keptAt;
  std::vector<int64_t> live, peak; ///< by device
  std::vector<TaskQueue::Entry> sorted;

  void listBuffers();
  void addKernelResults(int slot);
  void touch(Buffer &buffer);
  void notePeak(const Buffer &buffer);
  void leave(const Buffer &buffer);
  Buffer &readBuffer(size_t number);
  void visitShard(int slot, size_t shard);
  void visitAction(int value, size_t action);
  void sortTasks(std::vector<TaskQueue::Entry> &tasks);
};

/// Simulates a finished plan for this.
std::vector<int64_t> peakBytes(const PlanState &plan);

} // namespace soap

#endif // SOAP_MEMORY_PLANMEMORY_H
