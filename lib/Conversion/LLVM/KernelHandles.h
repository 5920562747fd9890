//===- KernelHandles.h - GPU kernels as constants of a module ---*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch names its kernel by a constant `SoapKernel` (Soap/ABI/Runtime.h)
// with the kernel's name in the image and, as a function pointer, its host
// reference: the same loop for the CPU.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_CONVERSION_LLVM_KERNELHANDLES_H
#define SOAP_LIB_CONVERSION_LLVM_KERNELHANDLES_H

#include "Soap/Dialect/Soap/SoapOps.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/SymbolTable.h"

namespace mlir::soap {

/// `CALLEE_range(list of buffers, begin, end)`, which calls the function that
/// `call` calls; made where there is none.
LLVM::LLVMFuncOp rangeFunction(ParallelCallOp call, ModuleOp module,
                               OpBuilder &builder);

/// The constant `SoapKernel` of a launch; equal ones are one. Without
/// `hostReferences` its function pointer is null. An error if the launch has no
/// GPU kernel.
FailureOr<LLVM::GlobalOp> kernelHandle(ParallelCallOp call, ModuleOp module,
                                       bool hostReferences);

} // namespace mlir::soap

#endif // SOAP_LIB_CONVERSION_LLVM_KERNELHANDLES_H
