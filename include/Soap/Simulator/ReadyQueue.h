//===- ReadyQueue.h - The queue of Algorithm 1 ------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The global queue of ready tasks in Algorithm 1 of the FlexFlow paper, sorted
// by (ready time, key). Deferred tasks leave it after all others.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_SIMULATOR_READYQUEUE_H
#define SOAP_SIMULATOR_READYQUEUE_H

#include "Soap/Simulator/TaskQueue.h"

#include <cassert>

namespace soap {

/// Entries must be enqueued after the last one that was dequeued in their
/// order, as for `TaskQueue`. What is enqueued while only deferred tasks are
/// left is deferred too: it depends on one.
class ReadyQueue {
public:
  using Entry = TaskQueue::Entry;

  bool empty() const { return tasks.empty() && deferred.empty(); }
  void clear() {
    tasks.clear();
    deferred.clear();
    onlyDeferredLeft = false;
  }
  void enqueue(const Entry &task, bool isDeferred) {
    (onlyDeferredLeft || isDeferred ? deferred : tasks).push(task);
  }
  Entry dequeue() {
    assert(!empty() && "there must be a ready task");
    onlyDeferredLeft = onlyDeferredLeft || tasks.empty();
    return (onlyDeferredLeft ? deferred : tasks).pop();
  }

private:
  TaskQueue tasks, deferred;
  bool onlyDeferredLeft = false;
};

} // namespace soap

#endif // SOAP_SIMULATOR_READYQUEUE_H
