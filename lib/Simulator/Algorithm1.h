//===- Algorithm1.h - The paper's full simulation ---------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Algorithm 1 of the FlexFlow paper (full simulation), line by line. It runs on
// a task graph that is written out (Algorithm1Simulator.h) and on the compact
// plan of a strategy (StrategySimulator.h). docs/Simulator.md says how it
// differs from the paper: tasks may occupy several resources, ties are broken
// by keys, and some tasks are deferred.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SIMULATOR_ALGORITHM1_H
#define SOAP_LIB_SIMULATOR_ALGORITHM1_H

#include "Soap/Simulator/ReadyQueue.h"
#include "Soap/Simulator/SimulatorState.h"

#include <cassert>

namespace soap {

/// Simulates the tasks of a graph and returns their makespan in ns (line 21).
/// A task is named by the key of its queue entry. `Graph` stands for the task
/// graph T of line 2 and has
///
///     forEachRoot(visit)              // visit(key): tasks t with I(t) = {}
///     bool isDeferred(key)            // the task leaves the queue last
///     bool schedule(entry, endNs)     // lines 11 to 15; sets t.endTime
///     forEachSuccessor(entry, visit)  // visit(state, key): tasks n in O(t)
///
/// where a state is a `TaskRun` that holds n.readyTime and how many tasks of
/// I(n) are not COMPLETE. `schedule` returns false to stop the simulation; the
/// end of its task is returned then. `readyQueue` must be empty.
template <typename Graph>
int64_t runAlgorithm1(Graph &graph, ReadyQueue &readyQueue) {
  assert(readyQueue.empty() && "the queue must be empty");
  int64_t makespanNs = 0;
  // Lines 4 to 8. A task is READY when it is in the queue, COMPLETE when it has
  // left it, and NOTREADY before.
  graph.forEachRoot([&](uint64_t key) {
    readyQueue.enqueue({0, key}, graph.isDeferred(key));
  });
  while (!readyQueue.empty()) {                    // line 9
    ReadyQueue::Entry task = readyQueue.dequeue(); // line 10
    int64_t endNs;
    if (!graph.schedule(task, endNs)) // lines 11 to 15
      return endNs;
    assert(endNs > task.readyNs && "a task takes at least 1 ns");
    makespanNs = std::max(makespanNs, endNs);
    graph.forEachSuccessor(task, [&](TaskRun &next, uint64_t key) { // line 16
      assert(next.waiting > 0 && "a predecessor that was not counted");
      next.readyNs = std::max(next.readyNs, endNs); // line 17
      if (--next.waiting == 0)                      // line 18
        readyQueue.enqueue({next.readyNs, key},
                           graph.isDeferred(key)); // lines 19 and 20
    });
  }
  return makespanNs; // line 21
}

} // namespace soap

#endif // SOAP_LIB_SIMULATOR_ALGORITHM1_H
