//===- SharedTasks.h - Tasks that are written once --------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Microbatches go through the same tasks of a stage, and so do layers of one
// form: the same calls with other slots, buffers and messages. Such a run of
// tasks becomes one function, called with a row of the numbers that differ.
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

/// Tasks `[task, task + count)` of a program, as they are or as a call of
/// `shared`.
struct ProgramStep {
  size_t task = 0, count = 1;
  const SharedTasks *shared = nullptr;
  SmallVector<int64_t> row; ///< `shared->columns` numbers
};

/// How programs are written.
struct ProgramSteps {
  std::vector<std::unique_ptr<SharedTasks>> shared;
  std::vector<SmallVector<ProgramStep>> steps; ///< by program
};

/// Finds the tasks that `programs` share among and within them. Each call saves
/// more than `callCost` tasks (RepeatedRuns.h); 0: nothing is shared.
ProgramSteps shareTasks(std::vector<ProgramCode> &programs, int64_t callCost);

} // namespace mlir::soap

#endif // SOAP_LIB_CONVERSION_LLVM_SHAREDTASKS_H
