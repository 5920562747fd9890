//===- ExpertGradients.cpp - Gradients of routed tokens -------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dispatch and combine are each other's transposes. The gradient of a gate is
// the product of two rows.
//
//===----------------------------------------------------------------------===//

#include "GradientUtils.h"

using namespace mlir;
using namespace mlir::soap;

LogicalResult TopKOp::buildGradient(OpBuilder &builder,
                                    ArrayRef<Value> resultGrads,
                                    ArrayRef<bool> wanted,
                                    SmallVectorImpl<Value> &operandGrads) {
  operandGrads.assign(1, Value());
  if (wanted[0] && resultGrads[0])
    operandGrads[0] = GradientBuilder(builder, *this)
                          .create<TopKGradOp>("input_grad", getX().getType(),
                                              resultGrads[0], getIndices());
  return success();
}

LogicalResult DispatchOp::buildGradient(OpBuilder &builder,
                                        ArrayRef<Value> resultGrads,
                                        ArrayRef<bool> wanted,
                                        SmallVectorImpl<Value> &operandGrads) {
  operandGrads.assign(getNumOperands(), Value());
  Value dy = resultGrads[0];
  if (!dy)
    return success();
  GradientBuilder gradients(builder, *this);
  if (wanted[0])
    operandGrads[0] = gradients.create<CombineExpertsOp>(
        "input_grad", getX().getType(), dy, getSlots(), getTokens(), getGates(),
        builder.getI64IntegerAttr(0));
  if (getGates() && wanted[3])
    operandGrads[3] = gradients.create<GatesGradOp>(
        "gates_grad", getGates().getType(), getX(), dy, getSlots(),
        builder.getI64IntegerAttr(0));
  return success();
}

LogicalResult
CombineExpertsOp::buildGradient(OpBuilder &builder, ArrayRef<Value> resultGrads,
                                ArrayRef<bool> wanted,
                                SmallVectorImpl<Value> &operandGrads) {
  operandGrads.assign(getNumOperands(), Value());
  Value dz = resultGrads[0];
  if (!dz)
    return success();
  if (getFirstExpert() != 0)
    return emitOpError("has a gradient only if 'first_expert' is 0: it is a "
                       "shard of another op");
  GradientBuilder gradients(builder, *this);
  if (wanted[0])
    operandGrads[0] =
        gradients.create<DispatchOp>("input_grad", getY().getType(), dz,
                                     getSlots(), getTokens(), getGates());
  if (getGates() && wanted[3])
    operandGrads[3] =
        gradients.create<GatesGradOp>("gates_grad", getGates().getType(), dz,
                                      getY(), getSlots(), getFirstExpertAttr());
  return success();
}
