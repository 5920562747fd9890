//===- PlanMemoryBound.h - Upper bound of a plan's memory -------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An upper bound of the peak memory of each device, many times as fast as
// PlanMemory.h. Nearly all strategies fit with some room, and that can be known
// without an order of tasks: time is cut into spans, and a tile counts in each
// span from its writer to its last reader, value by value.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_MEMORY_PLANMEMORYBOUND_H
#define SOAP_MEMORY_PLANMEMORYBOUND_H

#include "Soap/Plan/PlanState.h"
#include "Soap/Simulator/TaskQueue.h"

#include <span>

namespace soap {

/// Keeps a reference to a plan without restored values, and memory for its
/// tasks.
class PlanMemoryBound {
public:
  explicit PlanMemoryBound(const PlanState &plan);

  /// Bytes per device that are not below the result of `PlanMemory::peakBytes`.
  /// `tasks`: all tasks of the plan, which must be finished, in any order, with
  /// their starts as `readyNs`.
  const std::vector<int64_t> &
  boundBytes(std::span<const TaskQueue::Entry> tasks);

  /// The lifetimes that are looked at. The method above takes lifetimes of
  /// large values if the bound is within capacity then, else all.
  enum class Detail { LargeValues, AllValues };
  const std::vector<int64_t> &
  boundBytes(std::span<const TaskQueue::Entry> tasks, Detail detail);

private:
  const PlanState &plan;
  /// By node: results that take the place of what they were computed from.
  std::vector<std::vector<int>> updatedResults;
  std::vector<int> large;        ///< values that have most of all bytes
  std::vector<size_t> firstTask; ///< by block, in `spanOf`
  std::vector<uint8_t> spanOf;   ///< by task
  struct Writer {
    int slot = -1, result = -1;
  };
  std::vector<Writer> writers; ///< by value
  /// Of the value that is looked at: by buffer, the span of its last reader.
  std::vector<uint8_t> lastSpan;
  /// By device and span, and one more: what comes, less what went before.
  std::vector<int64_t> changes;
  std::vector<int64_t> bytes; ///< by device

  void findSpans(std::span<const TaskQueue::Entry> tasks);
  void findWriters();
  const uint8_t *spansOf(int block) const {
    return spanOf.data() + firstTask[static_cast<size_t>(block)];
  }
  void findLastReaders(int value);
  void addWritten(int value);
  void addTiles(int value);
  void addActions(int value);
  void subtractAll(int value);
  const std::vector<int64_t> &bound(Detail detail);
  void add(int device, uint8_t from, uint8_t to, int64_t count);
};

} // namespace soap

#endif // SOAP_MEMORY_PLANMEMORYBOUND_H
