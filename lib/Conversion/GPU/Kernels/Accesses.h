//===- Accesses.h - Which bytes the ops of a program touch ------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops of a planned program read and write ranges of bytes of its arguments, the
// arena being one of them. What orders streams and what checks the order both
// start from here.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_CONVERSION_GPU_KERNELS_ACCESSES_H
#define SOAP_LIB_CONVERSION_GPU_KERNELS_ACCESSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::soap {

/// Bytes [begin, end) of an argument of the program.
struct Access {
  unsigned argument = 0;
  int64_t begin = 0, end = 0;
  bool writes = false;

  /// Both touch a byte that one of them writes.
  bool conflictsWith(const Access &other) const {
    return argument == other.argument && begin < other.end &&
           other.begin < end && (writes || other.writes);
  }
};

/// The op does work on a stream: a launch, a library call, a copy, a message.
bool runsOnStream(Operation *op);

/// The buffers that such an op of a planned program touches; constants are not
/// listed. An error if a buffer is at no known place.
FailureOr<SmallVector<Access>> accessesOf(Operation *op);

/// A buffer as one row of elements.
Value asRow(OpBuilder &builder, Value buffer);

/// A program of the module: a function with an arena.
bool isProgram(func::FuncOp function);

} // namespace mlir::soap

#endif // SOAP_LIB_CONVERSION_GPU_KERNELS_ACCESSES_H
