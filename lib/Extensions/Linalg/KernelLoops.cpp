//===- KernelLoops.cpp - Loops of kernels on buffers ----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See KernelLoops.h.
//
//===----------------------------------------------------------------------===//

#include "KernelLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::soap;

static Value constantIndex(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

void mlir::soap::forEach(OpBuilder &builder, Location loc,
                         ArrayRef<int64_t> extents,
                         function_ref<void(OpBuilder &, ValueRange)> body) {
  Value zero = constantIndex(builder, loc, 0),
        one = constantIndex(builder, loc, 1);
  SmallVector<Value> low(extents.size(), zero), step(extents.size(), one), high;
  for (int64_t extent : extents)
    high.push_back(constantIndex(builder, loc, extent));
  scf::buildLoopNest(builder, loc, low, high, step,
                     [&](OpBuilder &inner, Location, ValueRange indices) {
                       body(inner, indices);
                     });
}

Value mlir::soap::affineIndex(OpBuilder &builder, Location loc, Value index,
                              int64_t offset, int64_t stride) {
  if (stride != 1)
    index = arith::MulIOp::create(builder, loc, index,
                                  constantIndex(builder, loc, stride));
  if (offset != 0)
    index = arith::AddIOp::create(builder, loc, index,
                                  constantIndex(builder, loc, offset));
  return index;
}

void mlir::soap::emitCopy(OpBuilder &builder, Location loc,
                          const BufferCopy &copy) {
  forEach(builder, loc, copy.extents, [&](OpBuilder &inner, ValueRange loops) {
    auto indices = [&](ArrayRef<int> dims, ArrayRef<int64_t> offsets,
                       ArrayRef<int64_t> strides) {
      SmallVector<Value> result;
      for (size_t d = 0; d < dims.size(); ++d)
        result.push_back(dims[d] < 0 ? constantIndex(inner, loc, offsets[d])
                                     : affineIndex(inner, loc, loops[dims[d]],
                                                   offsets[d], strides[d]));
      return result;
    };
    Value element = memref::LoadOp::create(
        inner, loc, copy.source,
        indices(copy.sourceDims, copy.sourceOffsets, copy.sourceStrides));
    memref::StoreOp::create(
        inner, loc, element, copy.target,
        indices(copy.targetDims, copy.targetOffsets, copy.targetStrides));
  });
}

void mlir::soap::emitFill(OpBuilder &builder, Location loc, Value scalar,
                          Value target) {
  forEach(builder, loc, cast<MemRefType>(target.getType()).getShape(),
          [&](OpBuilder &inner, ValueRange indices) {
            memref::StoreOp::create(inner, loc, scalar, target, indices);
          });
}

void mlir::soap::emitCopy(OpBuilder &builder, Location loc, Value source,
                          Value target) {
  forEach(builder, loc, cast<MemRefType>(target.getType()).getShape(),
          [&](OpBuilder &inner, ValueRange indices) {
            Value element = memref::LoadOp::create(inner, loc, source, indices);
            memref::StoreOp::create(inner, loc, element, target, indices);
          });
}
