//===- KernelPatterns.h - Kernels as LLVM functions -------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Patterns on buffers that are pointers: tiles are static and row-major, so
// shape and strides are known wherever they are used.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_CONVERSION_LLVM_KERNELPATTERNS_H
#define SOAP_LIB_CONVERSION_LLVM_KERNELPATTERNS_H

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Transforms/DialectConversion.h"

namespace mlir::soap {

/// Types of kernels: static row-major memrefs are pointers.
void addBufferConversion(LLVMTypeConverter &converter);

/// Functions, loads, stores and views of kernels.
void populateKernelPatterns(const LLVMTypeConverter &converter,
                            RewritePatternSet &patterns);

} // namespace mlir::soap

#endif // SOAP_LIB_CONVERSION_LLVM_KERNELPATTERNS_H
