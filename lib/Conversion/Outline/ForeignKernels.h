//===- ForeignKernels.h - Kernels of ops of other dialects ------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Has an op write its kernel, and lowers what it wrote to loops.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_CONVERSION_OUTLINE_FOREIGNKERNELS_H
#define SOAP_LIB_CONVERSION_OUTLINE_FOREIGNKERNELS_H

#include "Soap/Dialect/Soap/KernelOpInterface.h"

#include "mlir/IR/DialectRegistry.h"

namespace mlir::soap {

/// Dialects that `KernelOpInterface::emitKernel` may use.
void insertKernelDialects(DialectRegistry &registry);

/// Writes the kernel of `op` at the insertion point, which is in the one block
/// of a function whose arguments are the buffers. `inputs` and `outputs` as in
/// `KernelOpInterface`. What is left are loops, arithmetic, loads and stores;
/// an error says what is not. `forThreads`: each iteration of parallel loops
/// will be a thread of a GPU, so that they stay outside of reductions; else
/// loops are in the order that is fastest on a CPU.
LogicalResult emitForeignKernel(KernelOpInterface op, OpBuilder &builder,
                                ValueRange inputs, ValueRange outputs,
                                bool forThreads);

} // namespace mlir::soap

#endif // SOAP_LIB_CONVERSION_OUTLINE_FOREIGNKERNELS_H
