//===- TaskReleases.cpp - What ends of tasks release ----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See TaskReleases.h.
//
//===----------------------------------------------------------------------===//

#include "TaskReleases.h"

#include <algorithm>

using namespace soap;

TaskReleases::TaskReleases(const TaskTable &table, const PassWaits &waits) {
  size_t count = table.size();
  nextStart.assign(count + 2, 0);
  for (uint32_t pred : table.preds)
    ++nextStart[pred + 2];
  for (auto [before, task] : waits.waits)
    ++nextStart[before + 2];
  for (size_t i = 2; i < nextStart.size(); ++i)
    nextStart[i] += nextStart[i - 1];
  next.resize(table.preds.size() + waits.waits.size());
  waiting.resize(count);
  for (size_t t = 0; t < count; ++t) {
    for (uint32_t i = table.predStart[t]; i < table.predStart[t + 1]; ++i)
      next[nextStart[table.preds[i] + 1]++] = static_cast<uint32_t>(t);
    waiting[t] = static_cast<int>(table.predStart[t + 1] - table.predStart[t]);
  }
  for (auto [before, task] : waits.waits) {
    next[nextStart[before + 1]++] = task;
    ++waiting[task];
  }
  joinOf.assign(count, -1);
  for (const PassWaits::Join &join : waits.joins) {
    for (uint32_t task : join.last)
      joinOf[task] = static_cast<int32_t>(joins.size());
    for (uint32_t task : join.first)
      ++waiting[task];
    joins.push_back({static_cast<int>(join.last.size()), join.first});
  }
}

std::vector<uint32_t> TaskReleases::order(const TaskTable &table) const {
  std::vector<int> missing = waiting;
  std::vector<int> ofJoins;
  for (const Join &join : joins)
    ofJoins.push_back(join.waiting);
  std::vector<uint32_t> done;
  auto release = [&](uint32_t task) {
    if (--missing[task] == 0)
      done.push_back(task);
  };
  for (size_t t = 0; t < table.size(); ++t)
    if (missing[t] == 0 && table.isThere[t])
      done.push_back(static_cast<uint32_t>(t));
  for (size_t i = 0; i < done.size(); ++i) {
    uint32_t task = done[i];
    for (uint32_t n = nextStart[task]; n < nextStart[task + 1]; ++n)
      release(next[n]);
    int32_t join = joinOf[task];
    if (join >= 0 && --ofJoins[static_cast<size_t>(join)] == 0)
      for (uint32_t first : joins[static_cast<size_t>(join)].first)
        release(first);
  }
  return done;
}

MaybeError TaskReleases::checkOrder(const TaskTable &table) const {
  std::vector<bool> isOpen = table.isThere;
  for (uint32_t task : order(table))
    isOpen[task] = false;
  if (std::find(isOpen.begin(), isOpen.end(), true) == isOpen.end())
    return std::nullopt;
  return describeCircle(table, [&](size_t task) { return isOpen[task]; });
}
