//===- KernelLoops.h - Loops of kernels on buffers --------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Short spellings for loop nests that copy and fill buffers.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_EXTENSIONS_LINALG_KERNELLOOPS_H
#define SOAP_LIB_EXTENSIONS_LINALG_KERNELLOOPS_H

#include "mlir/IR/Builders.h"

namespace mlir::soap {

/// A nest of loops from 0 to `extents`, the last innermost.
void forEach(OpBuilder &builder, Location loc, ArrayRef<int64_t> extents,
             function_ref<void(OpBuilder &, ValueRange)> body);

/// `offset + stride * index`.
Value affineIndex(OpBuilder &builder, Location loc, Value index, int64_t offset,
                  int64_t stride = 1);

/// `target[targetOffsets + targetStrides * i] = source[sourceOffsets +
/// sourceStrides * i]` for all i below `extents`. Entry d of `sourceDims` is
/// the loop of dim d of the source, or -1: the dim is at its offset.
struct BufferCopy {
  Value source, target;
  SmallVector<int64_t> extents;
  SmallVector<int64_t> sourceOffsets, sourceStrides;
  SmallVector<int64_t> targetOffsets, targetStrides;
  SmallVector<int> sourceDims, targetDims;
};
void emitCopy(OpBuilder &builder, Location loc, const BufferCopy &copy);

/// Sets all elements of a buffer to a scalar.
void emitFill(OpBuilder &builder, Location loc, Value scalar, Value target);
/// Copies a buffer to one of its shape.
void emitCopy(OpBuilder &builder, Location loc, Value source, Value target);

} // namespace mlir::soap

#endif // SOAP_LIB_EXTENSIONS_LINALG_KERNELLOOPS_H
