//===- SharedTasks.cpp - Tasks that are written once ----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See SharedTasks.h.
//
//===----------------------------------------------------------------------===//

#include "SharedTasks.h"

#include "Analysis/RepeatedRuns.h"

#include "llvm/ADT/StringMap.h"

#include <map>

using namespace mlir;
using namespace mlir::soap;

namespace {

/// A task of one of the programs.
struct TaskPlace {
  size_t program = 0, task = 0;
};

constexpr unsigned kSeparator = ~0U;

/// Where all programs are one sequence: their tasks, a separator behind each.
class TaskSequence {
public:
  TaskSequence(ArrayRef<ProgramCode> programs, size_t begin, size_t end) {
    llvm::StringMap<unsigned> known;
    for (size_t program = begin; program < end; ++program) {
      for (auto [i, task] : llvm::enumerate(programs[program].tasks)) {
        std::optional<std::string> key = keyOf(task);
        letters.push_back(
            key ? known.try_emplace(*key, known.size()).first->second
                : kSeparator);
        places.push_back({program, i});
      }
      letters.push_back(kSeparator);
      places.push_back({program, programs[program].tasks.size()});
    }
  }

  std::vector<unsigned> letters;
  std::vector<TaskPlace> places;
};

/// All numbers of a run of tasks.
SmallVector<int64_t> numbersOf(MutableArrayRef<ProgramTask> tasks) {
  SmallVector<int64_t> numbers;
  for (ProgramTask &task : tasks)
    forEachNumber(task,
                  [&](CallNumber &number) { numbers.push_back(number.value); });
  return numbers;
}

/// Makes a function of runs of tasks with equal keys, and the row of each.
/// Numbers that are the same distance apart in all runs share a column.
std::unique_ptr<SharedTasks>
makeShared(ArrayRef<MutableArrayRef<ProgramTask>> runs,
           std::vector<SmallVector<int64_t>> &rows) {
  std::vector<SmallVector<int64_t>> numbers;
  for (MutableArrayRef<ProgramTask> run : runs)
    numbers.push_back(numbersOf(run));
  rows.assign(runs.size(), {});
  auto shared = std::make_unique<SharedTasks>();
  shared->tasks.assign(runs[0].begin(), runs[0].end());
  // Columns by how they differ from run to run; each is that of its first
  // number.
  std::map<std::vector<int64_t>, int> columns;
  size_t next = 0;
  for (ProgramTask &task : shared->tasks)
    forEachNumber(task, [&](CallNumber &number) {
      size_t place = next++;
      std::vector<int64_t> changes;
      for (const SmallVector<int64_t> &run : numbers)
        changes.push_back(run[place] - numbers[0][place]);
      if (llvm::all_of(changes, [](int64_t change) { return change == 0; }))
        return;
      auto [column, isNew] = columns.try_emplace(
          std::move(changes), static_cast<int>(columns.size()));
      if (isNew)
        for (auto [row, run] : llvm::zip(rows, numbers))
          row.push_back(run[place]);
      number.column = column->second;
      number.value -= rows[0][column->second];
    });
  shared->columns = columns.size();
  return shared;
}

} // namespace

ProgramSteps mlir::soap::shareTasks(std::vector<ProgramCode> &programs,
                                    int64_t callCost) {
  ProgramSteps result;
  // Shared runs by where they begin.
  std::vector<std::map<size_t, ProgramStep>> calls(programs.size());
  // Time and memory of the search grow with the sequence: programs of many
  // devices are taken a few at a time.
  constexpr size_t maxTasks = 100000;
  for (size_t begin = 0; callCost > 0 && begin < programs.size();) {
    size_t end = begin, tasks = 0;
    do
      tasks += programs[end++].tasks.size();
    while (end < programs.size() &&
           tasks + programs[end].tasks.size() <= maxTasks);
    TaskSequence sequence(programs, begin, end);
    for (const RepeatedRun &run :
         findRepeatedRuns(sequence.letters, kSeparator, callCost)) {
      SmallVector<MutableArrayRef<ProgramTask>> runs;
      for (size_t start : run.starts) {
        TaskPlace place = sequence.places[start];
        runs.push_back(
            MutableArrayRef<ProgramTask>(programs[place.program].tasks)
                .slice(place.task, run.length));
      }
      std::vector<SmallVector<int64_t>> rows;
      result.shared.push_back(makeShared(runs, rows));
      for (auto [start, row] : llvm::zip(run.starts, rows)) {
        TaskPlace place = sequence.places[start];
        calls[place.program][place.task] = {
            place.task, run.length, result.shared.back().get(), std::move(row)};
      }
    }
    begin = end;
  }
  for (auto [program, shared] : llvm::zip(programs, calls)) {
    SmallVector<ProgramStep> &steps = result.steps.emplace_back();
    for (size_t task = 0; task < program.tasks.size();) {
      auto call = shared.find(task);
      steps.push_back(call == shared.end() ? ProgramStep{task, 1, nullptr, {}}
                                           : std::move(call->second));
      task += steps.back().count;
    }
  }
  return result;
}
