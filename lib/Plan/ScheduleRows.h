//===- ScheduleRows.h - Tasks of a schedule that are alike ------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pipeline runs the same tasks for each microbatch. They differ in times, in
// numbers of their names and keys, and in the numbers of their messages, and
// these are mostly arithmetic progressions. So a schedule is written in *rows*:
// tasks that are alike are a row, with the times and numbers of all of them as
// sequences (Support/NumberSequence.h). The text of a schedule then hardly
// grows with microbatches.
//
// `soap.programs` and manifests have the same columns (docs/Partition.md), and
// both are written and read here. Readers get all tasks in global order.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_PLAN_SCHEDULEROWS_H
#define SOAP_LIB_PLAN_SCHEDULEROWS_H

#include "Soap/Support/Error.h"

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace soap {

/// The tasks of all devices in global order: the value of each at its place.
struct ScheduleColumns {
  std::vector<std::string> names, kinds;
  std::vector<int64_t> startNs, endNs;
  /// Three numbers for each task.
  std::vector<int64_t> keys;
  /// Where they are known, else empty: the number of its shape (-1: none),
  /// bytes in registers, and whether it joins the kernel before it.
  std::vector<int64_t> shapes, registerBytes, joins;
  /// Pairs of places: the second task waits for the first.
  std::vector<int64_t> waits;
};

/// Tasks and messages of the ops of one device, by slot; -1: none.
struct SlotColumns {
  /// Place in the schedule.
  std::vector<int64_t> tasks;
  std::vector<int64_t> peers, transfers, collectives;
};

/// Columns with their keys, as texts of sequences.
using TextColumns = std::vector<std::pair<const char *, std::string>>;

/// A schedule in rows, and the slots of its devices.
struct ScheduleTexts {
  std::vector<std::string> names, kinds;
  TextColumns schedule;
  std::vector<TextColumns> ranks;
};

/// Writes a schedule in rows. None where it would not be written shorter (the
/// mean row has less than three tasks), where it is too large to be read, or
/// where the order of its tasks does not follow from times and keys.
std::optional<ScheduleTexts>
writeScheduleRows(const ScheduleColumns &schedule,
                  const std::vector<SlotColumns> &ranks);

/// How much texts in rows may stand for, all together: a few characters may be
/// a million tasks.
struct ScheduleLimits {
  int64_t tasks = int64_t(1) << 22, slots = int64_t(1) << 24;
  /// Of the texts of all tasks.
  int64_t characters = int64_t(1) << 29;

  /// Takes the characters of `count` texts; false if too few are left.
  bool takeTexts(int64_t count, size_t length) {
    if (count > 0 && static_cast<int64_t>(length) > characters / count)
      return false;
    characters -= count * static_cast<int64_t>(length);
    return true;
  }
};

/// Reads what `writeScheduleRows` wrote. Errors name the column.
class ScheduleRows {
public:
  /// The text of a column by its key, if there is one.
  using TextOf = std::function<std::optional<std::string>(const char *key)>;

  /// Names and kinds are by row. Takes tasks and characters from `limits`.
  static Expected<ScheduleRows> parse(std::vector<std::string> names,
                                      std::vector<std::string> kinds,
                                      const TextOf &textOf,
                                      ScheduleLimits &limits);

  /// All tasks in global order.
  ScheduleColumns columns() const;

  /// Tasks by row, and the number of the shape of each row; empty if there are
  /// none.
  const std::vector<int64_t> &rowCounts() const { return counts; }
  const std::vector<int64_t> &rowShapes() const { return shapes; }

  /// The slots of one device. Takes them from `limits`.
  Expected<SlotColumns> parseRank(const TextOf &textOf,
                                  ScheduleLimits &limits) const;

private:
  /// By row.
  std::vector<std::string> names, kinds;
  std::vector<int64_t> counts, durations, shapes, registerBytes, joins;
  /// Of the first task of a row among all tasks, row after row.
  std::vector<size_t> firstTask;
  /// By task, row after row.
  std::vector<int64_t> starts;
  std::array<std::vector<int64_t>, 3> keys;
  std::vector<size_t> places;
  /// By row, by star of its name, by task of the row.
  std::vector<int64_t> numbers;
  /// Numbers of tasks, row after row: all that are waited for, then all that
  /// wait.
  std::vector<int64_t> waits;

  friend class ScheduleRowsReader;
};

} // namespace soap

#endif // SOAP_LIB_PLAN_SCHEDULEROWS_H
