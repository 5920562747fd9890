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

/// Finds what comes round after round in a program and makes it a loop.
class LoopMaker {
public:
  /// `letters`: by task; tasks of equal letters have equal keys.
  LoopMaker(ProgramCode &program, ArrayRef<unsigned> letters, int64_t callCost,
            ProgramSteps &result)
      : program(program), letters(letters), callCost(callCost), result(result) {
  }

  SmallVector<ProgramStep> run(SmallVector<ProgramStep> steps) {
    SmallVector<ProgramStep> made;
    for (size_t at = 0; at < steps.size();) {
      Rounds best = bestAt(steps, at);
      if (!best.saved) {
        made.push_back(std::move(steps[at++]));
        continue;
      }
      size_t length = best.length * best.count;
      makeLoop(ArrayRef(steps).slice(at, length), best.count, made);
      at += length;
    }
    return made;
  }

private:
  ProgramCode &program;
  ArrayRef<unsigned> letters;
  int64_t callCost;
  ProgramSteps &result;

  /// Steps that come `count` times, one after the other.
  struct Rounds {
    size_t length = 0, count = 0;
    int64_t saved = 0; ///< tasks, or as long as so many
  };

  bool areEqual(const ProgramStep &a, const ProgramStep &b) const {
    if (a.calls.empty() && b.calls.empty())
      return letters[a.task] == letters[b.task] &&
             letters[a.task] != kSeparator;
    return a.calls == b.calls;
  }

  Rounds bestAt(ArrayRef<ProgramStep> steps, size_t at) const {
    Rounds best;
    int64_t cost = 0; // of a round
    constexpr size_t longest = 256;
    size_t limit = std::min(longest, (steps.size() - at) / 2);
    for (size_t length = 1; length <= limit; ++length) {
      cost += steps[at + length - 1].calls.empty() ? 1 : callCost;
      size_t end = at + length;
      while (end < steps.size() && areEqual(steps[end], steps[end - length]))
        ++end;
      size_t count = (end - at) / length;
      int64_t saved = static_cast<int64_t>(count - 1) * cost - callCost;
      if (saved > best.saved)
        best = {length, count, saved};
    }
    return best;
  }

  /// Tasks of a round that are written out become functions, too.
  void makeLoop(ArrayRef<ProgramStep> steps, size_t count,
                SmallVectorImpl<ProgramStep> &made) {
    size_t length = steps.size() / count;
    ProgramStep loop{steps[0].task, 0, {}, count, {}};
    std::vector<SmallVector<int64_t>> rows(count); // by round
    for (size_t i = 0; i < length;) {
      size_t end = i;
      while (end < length && steps[end].calls.empty())
        ++end;
      std::vector<SmallVector<int64_t>> numbers;
      if (end == i) {
        loop.calls.push_back(steps[i].calls[0]);
        for (size_t round = 0; round < count; ++round)
          numbers.push_back(steps[round * length + i].rows);
        ++end;
      } else {
        SmallVector<MutableArrayRef<ProgramTask>> runs;
        for (size_t round = 0; round < count; ++round)
          runs.push_back(MutableArrayRef<ProgramTask>(program.tasks)
                             .slice(steps[round * length + i].task, end - i));
        result.shared.push_back(makeShared(runs, numbers));
        loop.calls.push_back(result.shared.back().get());
      }
      for (auto [row, more] : llvm::zip(rows, numbers))
        llvm::append_range(row, more);
      i = end;
    }
    for (const ProgramStep &step : steps)
      loop.count += step.count;
    for (const SmallVector<int64_t> &row : rows)
      llvm::append_range(loop.rows, row);
    made.push_back(std::move(loop));
  }
};

} // namespace

ProgramSteps mlir::soap::shareTasks(std::vector<ProgramCode> &programs,
                                    int64_t callCost) {
  ProgramSteps result;
  // Shared runs by where they begin.
  std::vector<std::map<size_t, ProgramStep>> calls(programs.size());
  std::vector<std::vector<unsigned>> lettersOfProgram(programs.size());
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
    for (auto [letter, place] : llvm::zip(sequence.letters, sequence.places))
      if (place.task < programs[place.program].tasks.size())
        lettersOfProgram[place.program].push_back(letter);
    for (const RepeatedRun &run :
         findRepeatedRuns(sequence.letters, kSeparator, callCost,
                          /*loops=*/true)) {
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
        calls[place.program][place.task] = {place.task,
                                            run.length,
                                            {result.shared.back().get()},
                                            1,
                                            std::move(row)};
      }
    }
    begin = end;
  }
  for (auto [program, shared, own] :
       llvm::zip(programs, calls, lettersOfProgram)) {
    SmallVector<ProgramStep> steps;
    for (size_t task = 0; task < program.tasks.size();) {
      auto call = shared.find(task);
      steps.push_back(call == shared.end() ? ProgramStep{task, 1, {}, 1, {}}
                                           : std::move(call->second));
      task += steps.back().count;
    }
    if (callCost > 0)
      steps = LoopMaker(program, own, callCost, result).run(std::move(steps));
    result.steps.push_back(std::move(steps));
  }
  return result;
}
