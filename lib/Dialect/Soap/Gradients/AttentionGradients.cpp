//===- AttentionGradients.cpp - Gradient of attention ---------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One op that computes the scores again (Dao et al., 2022).
//
//===----------------------------------------------------------------------===//

#include "GradientUtils.h"

using namespace mlir;
using namespace mlir::soap;

LogicalResult AttentionOp::buildGradient(OpBuilder &builder,
                                         ArrayRef<Value> resultGrads,
                                         ArrayRef<bool> wanted,
                                         SmallVectorImpl<Value> &operandGrads) {
  operandGrads.assign(getNumOperands(), Value());
  Value dout = resultGrads[0], dlse = resultGrads[1];
  if ((!dout && !dlse) || !llvm::is_contained(wanted, true))
    return success();
  GradientBuilder gradients(builder, *this);
  if (!dout)
    dout = gradients.splat(0, tensorType(getOut()), "out_grad");
  constexpr size_t biasAt = 3;
  bool wantsBias = getBias() && wanted[biasAt];
  auto op = gradients.create<AttentionGradOp>(
      "grad", getQ().getType(), getK().getType(), getV().getType(),
      wantsBias ? getBias().getType() : Type(), dout, getQ(), getK(), getV(),
      getOut(), getLse(), getBias(), getQuerySegments(), getKeySegments(),
      getScaleAttr(), getSoftcapAttr(), getLeftAttr(), getRightAttr(),
      getOffsetAttr(), dlse);
  Value grads[] = {op.getDq(), op.getDk(), op.getDv()};
  for (size_t i = 0; i < biasAt; ++i)
    if (wanted[i])
      operandGrads[i] = grads[i];
  if (wantsBias)
    operandGrads[biasAt] = op.getDbias();
  return success();
}
