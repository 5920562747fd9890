//===- ShapeGradients.cpp - Gradients of ops that move elements -----------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each is the adjoint of a move of elements, and moves them back.
//
//===----------------------------------------------------------------------===//

#include "GradientUtils.h"

using namespace mlir;
using namespace mlir::soap;

LogicalResult ReshapeOp::buildGradient(OpBuilder &builder,
                                       ArrayRef<Value> resultGrads,
                                       ArrayRef<bool> wanted,
                                       SmallVectorImpl<Value> &operandGrads) {
  operandGrads.assign(1, Value());
  if (!wanted[0] || !resultGrads[0])
    return success();
  // The common factors of both shapes are the same in both directions.
  operandGrads[0] =
      GradientBuilder(builder, *this)
          .create<ReshapeOp>("input_grad", getX().getType(), resultGrads[0]);
  return success();
}

LogicalResult TransposeOp::buildGradient(OpBuilder &builder,
                                         ArrayRef<Value> resultGrads,
                                         ArrayRef<bool> wanted,
                                         SmallVectorImpl<Value> &operandGrads) {
  operandGrads.assign(1, Value());
  if (!wanted[0] || !resultGrads[0])
    return success();
  GradientBuilder gradients(builder, *this);
  SmallVector<int64_t> inverse(getPermutation().size());
  for (auto [dim, from] : llvm::enumerate(getPermutation()))
    inverse[from] = dim;
  operandGrads[0] = gradients.transpose(resultGrads[0], inverse, "input_grad");
  gradients.matchLoops(operandGrads[0].getDefiningOp(), 1, 0);
  return success();
}

LogicalResult ConcatOp::buildGradient(OpBuilder &builder,
                                      ArrayRef<Value> resultGrads,
                                      ArrayRef<bool> wanted,
                                      SmallVectorImpl<Value> &operandGrads) {
  operandGrads.assign(getXs().size(), Value());
  Value dy = resultGrads[0];
  if (!dy)
    return success();
  GradientBuilder gradients(builder, *this);
  SmallVector<int64_t> offsets(shapeOf(dy).size(), 0);
  SmallVector<int64_t> strides(shapeOf(dy).size(), 1);
  for (auto [i, x] : llvm::enumerate(getXs())) {
    if (wanted[i])
      operandGrads[i] = gradients.create<SliceOp>(
          ("input" + Twine(i) + "_grad").str(), x.getType(), dy,
          builder.getDenseI64ArrayAttr(offsets),
          builder.getDenseI64ArrayAttr(shapeOf(x)),
          builder.getDenseI64ArrayAttr(strides));
    offsets[getAxis()] += shapeOf(x)[getAxis()];
  }
  return success();
}

LogicalResult SliceOp::buildGradient(OpBuilder &builder,
                                     ArrayRef<Value> resultGrads,
                                     ArrayRef<bool> wanted,
                                     SmallVectorImpl<Value> &operandGrads) {
  operandGrads.assign(1, Value());
  if (!wanted[0] || !resultGrads[0])
    return success();
  SmallVector<int64_t> interior;
  for (int64_t stride : getStrides())
    interior.push_back(stride - 1);
  operandGrads[0] = GradientBuilder(builder, *this)
                        .create<PadOp>("input_grad", getX().getType(),
                                       resultGrads[0], getOffsetsAttr(),
                                       builder.getDenseI64ArrayAttr(interior),
                                       builder.getF64FloatAttr(0.0));
  return success();
}

LogicalResult PadOp::buildGradient(OpBuilder &builder,
                                   ArrayRef<Value> resultGrads,
                                   ArrayRef<bool> wanted,
                                   SmallVectorImpl<Value> &operandGrads) {
  operandGrads.assign(1, Value());
  if (!wanted[0] || !resultGrads[0])
    return success();
  GradientBuilder gradients(builder, *this);
  // Element i of x went to low + i * stride of y. Those in [first, first +
  // size) arrived; the others were cropped and have gradient 0.
  RankedTensorType xType = tensorType(getX());
  SmallVector<int64_t> first, offsets, sizes, strides;
  bool cropped = false, empty = false;
  for (auto [low, interior, xExtent, yExtent] : llvm::zip_equal(
           getLow(), getInterior(), xType.getShape(), shapeOf(getY()))) {
    int64_t stride = interior + 1;
    int64_t begin = low < 0 ? llvm::divideCeil(-low, stride) : 0;
    int64_t end =
        yExtent > low
            ? std::min<int64_t>(xExtent, (yExtent - 1 - low) / stride + 1)
            : 0;
    empty |= begin >= end;
    cropped |= begin != 0 || end != xExtent;
    first.push_back(begin);
    offsets.push_back(low + begin * stride);
    sizes.push_back(end - begin);
    strides.push_back(stride);
  }
  if (empty) {
    operandGrads[0] = gradients.splat(0.0, xType, "input_grad");
    return success();
  }
  Value arrived = gradients.create<SliceOp>(
      cropped ? "input_grad_arrived" : "input_grad", xType.clone(sizes),
      resultGrads[0], builder.getDenseI64ArrayAttr(offsets),
      builder.getDenseI64ArrayAttr(sizes),
      builder.getDenseI64ArrayAttr(strides));
  operandGrads[0] = arrived;
  if (cropped)
    operandGrads[0] = gradients.create<PadOp>(
        "input_grad", xType, arrived, builder.getDenseI64ArrayAttr(first),
        builder.getDenseI64ArrayAttr(SmallVector<int64_t>(first.size(), 0)),
        builder.getF64FloatAttr(0.0));
  return success();
}
