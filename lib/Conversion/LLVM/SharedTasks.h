//===- SharedTasks.h - Tasks that are written once --------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Microbatches go through the same tasks of a stage, and so do layers of one
// form: the same calls with other slots, buffers and messages. Such a run of
// tasks becomes one function, called with a row of the numbers that differ. In
// the steady state of a pipeline the same calls come round after round: a loop
// over a table of rows.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_CONVERSION_LLVM_SHAREDTASKS_H
#define SOAP_LIB_CONVERSION_LLVM_SHAREDTASKS_H

#include "ProgramCode.h"

namespace mlir::soap {

/// Tasks in a row that programs have in common.
struct SharedTasks {
  /// Their numbers name columns of a row, or are the same in all.
  std::vector<ProgramTask> tasks;
  size_t columns = 0;
};

/// Tasks `[task, task + count)` of a program: one as it is, or calls.
struct ProgramStep {
  size_t task = 0, count = 1;
  /// The calls of a round, one after the other; none: the task as it is.
  SmallVector<const SharedTasks *> calls;
  size_t rounds = 1;
  /// Of each round, of each of its calls, `columns` numbers.
  SmallVector<int64_t> rows;
};

/// How programs are written.
struct ProgramSteps {
  std::vector<std::unique_ptr<SharedTasks>> shared;
  std::vector<SmallVector<ProgramStep>> steps; ///< by program
};

/// Finds the tasks that `programs` share among and within them. Each call, or
/// loop of calls, saves more than `callCost` tasks (RepeatedRuns.h); 0: nothing
/// is shared.
ProgramSteps shareTasks(std::vector<ProgramCode> &programs, int64_t callCost);

} // namespace mlir::soap

#endif // SOAP_LIB_CONVERSION_LLVM_SHAREDTASKS_H
