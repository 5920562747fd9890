//===- TaskReleases.h - What ends of tasks release --------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The successors of each task of an iteration in microbatches: what reads it,
// what waits for it (PassWaits.h), and the pass that it ends the one before.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_PLAN_TASKRELEASES_H
#define SOAP_LIB_PLAN_TASKRELEASES_H

#include "PassWaits.h"

namespace soap {

struct TaskReleases {
  TaskReleases(const TaskTable &table, const PassWaits &waits);

  /// By task: `next[nextStart[task] .. nextStart[task + 1])`.
  std::vector<uint32_t> nextStart, next;
  struct Join {
    int waiting = 0;             ///< last tasks of the pass before
    std::vector<uint32_t> first; ///< of the next one
  };
  std::vector<Join> joins;
  /// By task: the join that waits for it, -1: none.
  std::vector<int32_t> joinOf;
  /// By task: how many tasks and joins it waits for.
  std::vector<int> waiting;

  /// Tasks, each behind what it waits for. Those that wait for each other in a
  /// circle are not there, nor what is behind them.
  std::vector<uint32_t> order(const TaskTable &table) const;
  /// An error if some wait for each other in a circle.
  MaybeError checkOrder(const TaskTable &table) const;
};

/// `isWaiting(task)`: tasks that wait for each other in a circle, or for those.
template <typename IsWaiting>
Error describeCircle(const TaskTable &table, IsWaiting isWaiting) {
  std::string text;
  int listed = 0;
  for (size_t t = 0; t < table.size() && listed < 2; ++t)
    if (table.passOfTask[t] >= 0 && isWaiting(t))
      text += (listed++ ? " and " : "") + table.describe(t);
  return Error{"the passes of the stages wait for each other in a circle, "
               "with " +
               text +
               " in it: forward values have to go to later stages, and "
               "gradients to earlier ones"};
}

} // namespace soap

#endif // SOAP_LIB_PLAN_TASKRELEASES_H
