//===- TensorKernels.cpp - Kernels of the tensor dialect ------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Slices, pads, concat and splat as copies between buffers.
//
//===----------------------------------------------------------------------===//

#include "KernelLoops.h"
#include "Models.h"

#include "Soap/Dialect/Soap/Ops/ForeignOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::soap;

static ArrayRef<int64_t> shapeOf(Value buffer) {
  return cast<MemRefType>(buffer.getType()).getShape();
}

/// A copy whose loops are the dims of `small`, and dim d of `large` is at
/// `offsets[d] + strides[d] * loop`, or at its offset where it is dropped.
static void emitSlice(OpBuilder &builder, Location loc, Value large,
                      Value small, ArrayRef<int64_t> offsets,
                      ArrayRef<int64_t> strides,
                      const llvm::SmallBitVector &dropped, bool insert) {
  size_t rank = shapeOf(small).size();
  SmallVector<int> smallDims, largeDims;
  for (size_t d = 0; d < rank; ++d)
    smallDims.push_back(static_cast<int>(d));
  int loop = 0;
  for (size_t d = 0; d < offsets.size(); ++d)
    largeDims.push_back(dropped[d] ? -1 : loop++);
  SmallVector<int64_t> zeros(rank, 0), ones(rank, 1);
  BufferCopy copy;
  copy.extents.assign(shapeOf(small).begin(), shapeOf(small).end());
  copy.source = insert ? small : large;
  copy.target = insert ? large : small;
  (insert ? copy.targetOffsets : copy.sourceOffsets)
      .assign(offsets.begin(), offsets.end());
  (insert ? copy.targetStrides : copy.sourceStrides)
      .assign(strides.begin(), strides.end());
  (insert ? copy.targetDims : copy.sourceDims) = largeDims;
  (insert ? copy.sourceOffsets : copy.targetOffsets) = zeros;
  (insert ? copy.sourceStrides : copy.targetStrides) = ones;
  (insert ? copy.sourceDims : copy.targetDims) = smallDims;
  emitCopy(builder, loc, copy);
}

template <typename Op>
static bool isStatic(Op op) {
  return !ShapedType::isDynamicShape(op.getStaticOffsets()) &&
         !ShapedType::isDynamicShape(op.getStaticSizes()) &&
         !ShapedType::isDynamicShape(op.getStaticStrides());
}

static LogicalResult emitPad(tensor::PadOp pad, OpBuilder &builder,
                             Value source, Value target) {
  Value number = pad.getConstantPaddingValue();
  if (!number || ShapedType::isDynamicShape(pad.getStaticLow()))
    return failure();
  Location loc = pad.getLoc();
  // A constant of the region moves with it.
  if (pad->isAncestor(number.getParentBlock()->getParentOp()))
    number = cloneScalar(builder, number);
  emitFill(builder, loc, number, target);
  // Negative padding crops.
  BufferCopy copy;
  copy.source = source;
  copy.target = target;
  for (auto [d, low] : llvm::enumerate(pad.getStaticLow())) {
    int64_t first = std::max<int64_t>(0, -low);
    int64_t last = std::min(shapeOf(source)[d], shapeOf(target)[d] - low);
    copy.extents.push_back(std::max<int64_t>(0, last - first));
    copy.sourceOffsets.push_back(first);
    copy.targetOffsets.push_back(first + low);
    copy.sourceStrides.push_back(1);
    copy.targetStrides.push_back(1);
    copy.sourceDims.push_back(static_cast<int>(d));
    copy.targetDims.push_back(static_cast<int>(d));
  }
  emitCopy(builder, loc, copy);
  return success();
}

static LogicalResult emitConcat(tensor::ConcatOp concat, OpBuilder &builder,
                                ValueRange inputs, Value target) {
  int64_t first = 0, axis = static_cast<int64_t>(concat.getDim());
  size_t rank = shapeOf(target).size();
  for (Value input : inputs) {
    SmallVector<int64_t> offsets(rank, 0), ones(rank, 1);
    offsets[axis] = first;
    first += shapeOf(input)[axis];
    emitSlice(builder, concat.getLoc(), target, input, offsets, ones,
              llvm::SmallBitVector(rank), /*insert=*/true);
  }
  return success();
}

static LogicalResult emitFromElements(tensor::FromElementsOp op,
                                      OpBuilder &builder, ValueRange inputs,
                                      Value target) {
  Location loc = op.getLoc();
  for (auto [i, element] : llvm::enumerate(inputs)) {
    SmallVector<Value> indices;
    auto rest = static_cast<int64_t>(i);
    for (int64_t extent : llvm::reverse(shapeOf(target))) {
      indices.push_back(
          arith::ConstantIndexOp::create(builder, loc, rest % extent));
      rest /= extent;
    }
    std::reverse(indices.begin(), indices.end());
    memref::StoreOp::create(builder, loc, element, target, indices);
  }
  return success();
}

LogicalResult mlir::soap::emitTensorKernel(Operation *op, OpBuilder &builder,
                                           ValueRange inputs,
                                           ValueRange outputs) {
  Location loc = op->getLoc();
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](tensor::ExtractSliceOp slice) -> LogicalResult {
        if (!isStatic(slice))
          return failure();
        emitSlice(builder, loc, inputs[0], outputs[0], slice.getStaticOffsets(),
                  slice.getStaticStrides(), slice.getDroppedDims(),
                  /*insert=*/false);
        return success();
      })
      .Case([&](tensor::InsertSliceOp insert) -> LogicalResult {
        if (!isStatic(insert))
          return failure();
        if (inputs[1] != outputs[0])
          emitCopy(builder, loc, inputs[1], outputs[0]);
        emitSlice(builder, loc, outputs[0], inputs[0],
                  insert.getStaticOffsets(), insert.getStaticStrides(),
                  insert.getDroppedDims(), /*insert=*/true);
        return success();
      })
      .Case([&](tensor::PadOp pad) {
        return emitPad(pad, builder, inputs[0], outputs[0]);
      })
      .Case([&](tensor::ConcatOp concat) {
        return emitConcat(concat, builder, inputs, outputs[0]);
      })
      .Case([&](tensor::SplatOp) {
        emitFill(builder, loc, inputs[0], outputs[0]);
        return success();
      })
      .Case([&](tensor::FromElementsOp elements) {
        return emitFromElements(elements, builder, inputs, outputs[0]);
      })
      .Default(failure());
}
