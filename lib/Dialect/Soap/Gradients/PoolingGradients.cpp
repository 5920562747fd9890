//===- PoolingGradients.cpp - Gradients of pooling ------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pooling has gradient ops of its own, with the forward op's loop names.
//
//===----------------------------------------------------------------------===//

#include "GradientUtils.h"

using namespace mlir;
using namespace mlir::soap;

LogicalResult MaxPool2DOp::buildGradient(OpBuilder &builder,
                                         ArrayRef<Value> resultGrads,
                                         ArrayRef<bool> wanted,
                                         SmallVectorImpl<Value> &operandGrads) {
  operandGrads.assign(1, Value());
  if (wanted[0] && resultGrads[0])
    operandGrads[0] = GradientBuilder(builder, *this)
                          .create<MaxPool2DGradOp>(
                              "input_grad", getX().getType(), resultGrads[0],
                              getX(), getY(), getKernelAttr(), getStridesAttr(),
                              getPaddingAttr(), getDilationsAttr());
  return success();
}

LogicalResult AvgPool2DOp::buildGradient(OpBuilder &builder,
                                         ArrayRef<Value> resultGrads,
                                         ArrayRef<bool> wanted,
                                         SmallVectorImpl<Value> &operandGrads) {
  operandGrads.assign(1, Value());
  if (wanted[0] && resultGrads[0])
    operandGrads[0] =
        GradientBuilder(builder, *this)
            .create<AvgPool2DGradOp>(
                "input_grad", getX().getType(), resultGrads[0], getKernelAttr(),
                getStridesAttr(), getPaddingAttr(), getDilationsAttr(),
                getCountIncludePadAttr(), getCountLowAttr(),
                getCountSizeAttr());
  return success();
}
