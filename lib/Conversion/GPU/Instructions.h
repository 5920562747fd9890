//===- Instructions.h - Functions that GPUs have as instructions *- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MLIR turns every function of the math dialect into a call of CUDA's
// libdevice, even those that are one instruction. Kernels of f32, which are
// most, need no libdevice without them.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_CONVERSION_GPU_INSTRUCTIONS_H
#define SOAP_LIB_CONVERSION_GPU_INSTRUCTIONS_H

namespace mlir {
class Operation;
} // namespace mlir

namespace mlir::soap {

/// Replaces calls of libdevice by LLVM's intrinsics for instructions that are
/// as exact, or, as 1 / sqrt(x), more so.
void useInstructions(Operation *gpuModule);

} // namespace mlir::soap

#endif // SOAP_LIB_CONVERSION_GPU_INSTRUCTIONS_H
