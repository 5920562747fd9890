//===- TaskRunPool.h - Memory of a simulation's tasks -----------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory of the tasks of a running simulation. A simulation touches its
// blocks of tasks one after the other and needs them until it ends. So blocks
// that are touched one after the other lie next to each other, and each run
// reuses the memory of the one before.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_SIMULATOR_TASKRUNPOOL_H
#define SOAP_SIMULATOR_TASKRUNPOOL_H

#include "Soap/Simulator/SimulatorState.h"

#include <memory>

namespace soap {

class TaskRunPool {
public:
  /// Tasks that are ready at 0 and wait for so many others. They stay where
  /// they are until `reset`.
  TaskRun *allocate(std::span<const int> waiting) {
    TaskRun *tasks = take(waiting.size());
    for (size_t i = 0; i < waiting.size(); ++i)
      tasks[i] = {0, waiting[i]};
    return tasks;
  }
  /// `count` tasks that wait for none.
  TaskRun *allocate(size_t count) {
    TaskRun *tasks = take(count);
    std::fill_n(tasks, count, TaskRun{0, 0});
    return tasks;
  }
  /// Takes all tasks back, and keeps their memory.
  void reset() {
    used = 0;
    left = 0;
  }

private:
  static constexpr size_t chunkTasks = 8192;
  struct Chunk {
    std::unique_ptr<TaskRun[]> tasks;
    size_t size = 0;
  };
  std::vector<Chunk> chunks;
  size_t used = 0; ///< chunks
  TaskRun *next = nullptr;
  size_t left = 0;

  TaskRun *take(size_t count) {
    if (left < count)
      addChunk(count);
    TaskRun *tasks = next;
    next += count;
    left -= count;
    return tasks;
  }
  void addChunk(size_t count) {
    while (used < chunks.size() && chunks[used].size < count)
      ++used;
    if (used == chunks.size()) {
      size_t size = std::max(count, chunkTasks);
      chunks.push_back({std::make_unique<TaskRun[]>(size), size});
    }
    next = chunks[used].tasks.get();
    left = chunks[used].size;
    ++used;
  }
};

} // namespace soap

#endif // SOAP_SIMULATOR_TASKRUNPOOL_H
