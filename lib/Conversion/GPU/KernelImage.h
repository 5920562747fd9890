//===- KernelImage.h - PTX and cubins of GPU kernels ------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes the image of a module of kernels. A file of its own because it knows
// nothing of programs and tables: text comes from MLIR's target, several parts
// of a large module at a time, and `ptxas` assembles it.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_CONVERSION_GPU_KERNELIMAGE_H
#define SOAP_LIB_CONVERSION_GPU_KERNELIMAGE_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

#include <string>

namespace mlir::soap {

/// Replaces `module`, whose kernels are in NVVM, by a `gpu.binary` of its name
/// with an object for each of its targets: PTX, or what `ptxas` (a path) makes
/// of it; empty: PTX. `toolkit` is the folder whose libdevice is linked; empty:
/// none. Errors are reported at the module.
LogicalResult makeImage(gpu::GPUModuleOp module, StringRef toolkit,
                        StringRef ptxas);

} // namespace mlir::soap

#endif // SOAP_LIB_CONVERSION_GPU_KERNELIMAGE_H
