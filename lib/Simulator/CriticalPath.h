//===- CriticalPath.h - The tasks that the makespan waits for ---*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One algorithm for task graphs and for compact plans.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SIMULATOR_CRITICALPATH_H
#define SOAP_LIB_SIMULATOR_CRITICALPATH_H

#include "Soap/Simulator/Timeline.h"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <span>
#include <vector>

namespace soap {

/// A path of tasks, each of which starts when the one before ends, from 0 to
/// the end of the last task. Tasks are 0 to `size() - 1`; a task that ends at 0
/// is absent. `cause(task)` is the task that it depends on and
/// that ends when it starts, by `isBefore` the first one; -1: none. Then the
/// path goes on with the task before it on one of its `resources`.
template <typename Tasks>
std::vector<int> findCriticalPath(const Tasks &tasks) {
  auto isThere = [&](int task) { return tasks.endNs(task) > 0; };
  auto later = [&](int a, int b) {
    return tasks.endNs(a) != tasks.endNs(b) ? tasks.endNs(a) > tasks.endNs(b)
                                            : tasks.isBefore(a, b);
  };
  // Tasks of a resource by their end: no two end at once, each lasts 1 ns.
  std::vector<std::vector<int>> onResource(tasks.resourceCount());
  int current = -1;
  for (int t = 0; t < static_cast<int>(tasks.size()); ++t) {
    if (!isThere(t))
      continue;
    for (int resource : tasks.resources(t))
      onResource[static_cast<size_t>(resource)].push_back(t);
    if (current < 0 || later(t, current))
      current = t;
  }
  for (std::vector<int> &list : onResource)
    std::sort(list.begin(), list.end(),
              [&](int a, int b) { return tasks.endNs(a) < tasks.endNs(b); });

  std::vector<int> path;
  while (current >= 0) {
    path.push_back(current);
    int64_t startNs = tasks.startNs(current);
    int before = tasks.cause(current);
    if (before < 0)
      for (int resource : tasks.resources(current)) {
        const std::vector<int> &list =
            onResource[static_cast<size_t>(resource)];
        auto it = std::partition_point(list.begin(), list.end(), [&](int t) {
          return tasks.endNs(t) < startNs;
        });
        if (it != list.end() && tasks.endNs(*it) == startNs &&
            (before < 0 || tasks.isBefore(*it, before)))
          before = *it;
      }
    current = before;
  }
  assert((path.empty() || tasks.startNs(path.back()) == 0) &&
         "a path begins at 0");
  std::reverse(path.begin(), path.end());
  return path;
}

/// Appends a task to a path: to its last stretch, or as the first of a new one.
void appendToPath(std::vector<PathStretch> &stretches,
                  const std::string &subject, TaskClass taskClass,
                  int64_t readyNs, int64_t startNs, int64_t endNs);

} // namespace soap

#endif // SOAP_LIB_SIMULATOR_CRITICALPATH_H
