//===- StepFunction.h - Programs as LLVM functions --------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program is straight-line code on buffers at known places, so it becomes
// calls with raw pointers directly: no dialect conversion, no descriptors.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_CONVERSION_LLVM_STEPFUNCTION_H
#define SOAP_LIB_CONVERSION_LLVM_STEPFUNCTION_H

#include "RuntimeSymbols.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::soap {

/// Replaces planned programs (`--soap-plan-memory`) by
/// `llvm.func @NAME(!llvm.ptr ctx, !llvm.ptr args, !llvm.ptr arena)`. Programs
/// on streams (`--soap-order-streams`) launch kernels instead of calling them.
/// The constant `soap_interface_NAME` says what the program needs of its caller
/// (Soap/ABI/Runtime.h).
///
/// Runs of tasks that repeat become functions `@tasks_N(ctx, args, arena,
/// row)`: a row holds the numbers that are not the same at every call. Each
/// call saves more than `callCost` tasks; 0: all tasks are written out.
LogicalResult lowerPrograms(ArrayRef<func::FuncOp> programs,
                            RuntimeSymbols &runtime, int64_t callCost);

} // namespace mlir::soap

#endif // SOAP_LIB_CONVERSION_LLVM_STEPFUNCTION_H
