//===- ProgramCode.h - Programs as lists of calls ---------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A planned program is straight-line code on buffers at known places, so all
// that it does is calls with places and numbers. That is what this list says,
// before it becomes an LLVM function.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_CONVERSION_LLVM_PROGRAMCODE_H
#define SOAP_LIB_CONVERSION_LLVM_PROGRAMCODE_H

#include "RuntimeSymbols.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <array>
#include <optional>
#include <vector>

namespace mlir::soap {

/// A number that calls of equal tasks may differ in: `value`, added to a
/// number of the row that a shared function gets, if `column` names one.
struct CallNumber {
  int64_t value = 0;
  int column = -1;

  bool operator==(const CallNumber &) const = default;
};

/// An operand of a call.
struct CallOperand {
  enum Kind {
    Context,
    Fixed,    ///< `number`, the same in all tasks that are equal
    Varying,  ///< `number`: a slot or an event
    Argument, ///< buffer `number` of the program, `offset` bytes from its begin
    Arena,    ///< `offset` bytes from the begin of the arena
    Global,   ///< `offset` bytes from the begin of a constant
    Buffers   ///< the list of `ProgramCall::buffers`
  } kind = Context;
  CallNumber number, offset;
  LLVM::GlobalOp global;
};

/// A call, or a copy of bytes.
struct ProgramCall {
  enum Kind {
    Runtime, ///< of a function of the runtime
    Kernel,  ///< of a function of the module
    Copy     ///< memcpy: target, source, bytes
  } kind = Runtime;
  Location loc;
  StringAttr callee;
  SmallVector<CallOperand> operands;
  /// Pointers that are stored one after the other before the call.
  SmallVector<CallOperand> buffers;
  /// The buffer of the program that the result is the address of, -1: none.
  /// Such buffers come behind the buffers of `ProgramCode::signature`.
  int64_t result = -1;
};

/// Calls of a task, from its begin to its end, with tasks that are part of its
/// kernel before it.
using ProgramTask = SmallVector<ProgramCall>;

struct ProgramCode {
  func::FuncOp program;
  /// Types of the buffers of the program, the arena at the end.
  SmallVector<Type> signature;
  /// Buffers whose addresses are results of calls.
  int64_t results = 0;
  std::vector<ProgramTask> tasks;
  int64_t slots = 0; ///< one more than the largest slot
  /// Slot, kind and bytes of every message (`soap_interface_NAME`).
  SmallVector<std::array<int64_t, 3>> messages;
};

/// Reads a program after `--soap-plan-memory`. An error names an op without a
/// place or a lowering.
FailureOr<ProgramCode> readProgram(func::FuncOp program,
                                   RuntimeSymbols &runtime);

/// All numbers of a task in which tasks of equal keys may differ, in a fixed
/// order.
void forEachNumber(ProgramTask &task,
                   llvm::function_ref<void(CallNumber &)> visit);

/// Tasks of equal keys are the same calls up to their numbers. Of a task that
/// is not like any other one: nothing.
std::optional<std::string> keyOf(const ProgramTask &task);

} // namespace mlir::soap

#endif // SOAP_LIB_CONVERSION_LLVM_PROGRAMCODE_H
