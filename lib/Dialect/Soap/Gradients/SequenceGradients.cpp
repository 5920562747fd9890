//===- SequenceGradients.cpp - Gradients of gather and LSTM ---------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The gradient of an LSTM's recurrent weights is one matmul over all time
// steps; only what depends on the step behind it runs backwards in time.
//
//===----------------------------------------------------------------------===//

#include "GradientUtils.h"

using namespace mlir;
using namespace mlir::soap;

LogicalResult GatherOp::buildGradient(OpBuilder &builder,
                                      ArrayRef<Value> resultGrads,
                                      ArrayRef<bool> wanted,
                                      SmallVectorImpl<Value> &operandGrads) {
  operandGrads.assign(2, Value());
  if (wanted[0] && resultGrads[0])
    operandGrads[0] =
        GradientBuilder(builder, *this)
            .create<GatherGradOp>("table_grad", getTable().getType(),
                                  resultGrads[0], getIndices(), getOffsetAttr(),
                                  getWrapAttr());
  return success();
}

/// dr[g, a, k] = sum over t, n of dz[t, n, g, a] * h[t - 1, n, k].
static Value recurrentGradient(GradientBuilder &gradients, OpBuilder &builder,
                               LstmOp op, Value dz) {
  SmallVector<int64_t> shape(shapeOf(dz));
  int64_t steps = shape[0], samples = shape[1], gates = shape[2],
          hidden = shape[3], rows = steps * samples;
  RankedTensorType type = tensorType(dz);
  Value before = op.getH0();
  if (steps > 1) {
    SmallVector<int64_t> sizes{steps - 1, samples, hidden};
    Value earlier = gradients.create<SliceOp>(
        "earlier", {{"d0", "t"}, {"d1", "n"}, {"d2", "a"}}, type.clone(sizes),
        op.getY(), builder.getDenseI64ArrayAttr({0, 0, 0}),
        builder.getDenseI64ArrayAttr(sizes),
        builder.getDenseI64ArrayAttr({1, 1, 1}));
    before = gradients.create<ConcatOp>(
        "before", {{"d0", "t"}, {"d1", "n"}, {"d2", "a"}},
        type.clone({steps, samples, hidden}), ValueRange{op.getH0(), earlier},
        builder.getI64IntegerAttr(0));
  }
  Value hs = gradients.reshape(before, {rows, hidden}, "before_rows");
  Value dzs = gradients.reshape(dz, {rows, gates * hidden}, "gate_rows");
  if (hs != before)
    gradients.matchLoops(hs.getDefiningOp(), 0, {"t", "n", "a"});
  gradients.matchLoops(dzs.getDefiningOp(), 0, {"t", "n", "", "a"});
  Value product = gradients.create<MatmulOp>(
      "recurrent_product", {{"m", "a"}, {"n", ""}, {"k0", "t"}, {"k1", "n"}},
      type.clone({gates * hidden, hidden}), dzs, hs, true, false,
      builder.getDenseI64ArrayAttr({steps, samples}));
  Value dr =
      gradients.reshape(product, {gates, hidden, hidden}, "recurrent_grad");
  gradients.matchLoops(dr.getDefiningOp(), 1, {"", "a", ""});
  return dr;
}

LogicalResult LstmOp::buildGradient(OpBuilder &builder,
                                    ArrayRef<Value> resultGrads,
                                    ArrayRef<bool> wanted,
                                    SmallVectorImpl<Value> &operandGrads) {
  operandGrads.assign(4, Value());
  if (resultGrads[2])
    return emitOpError("has no gradient of its gates, and the loss depends on "
                       "them");
  Value dy = resultGrads[0], dcells = resultGrads[1];
  if ((!dy && !dcells) || !llvm::is_contained(wanted, true))
    return success();
  GradientBuilder gradients(builder, *this);
  if (!dy) {
    dy = gradients.splat(0, tensorType(getY()), "no_grad");
    gradients.matchLoops(dy.getDefiningOp(), 0, {"t", "n", "a"});
  }
  auto grad = gradients.create<LstmGradOp>(
      "grad", TypeRange{getX().getType(), getH0().getType(), getC0().getType()},
      dy, getR(), getGates(), getCells(), getC0(), dcells);
  if (wanted[0])
    operandGrads[0] = grad.getDx();
  if (wanted[1])
    operandGrads[1] =
        recurrentGradient(gradients, builder, *this, grad.getDx());
  if (wanted[2])
    operandGrads[2] = grad.getDh0();
  if (wanted[3])
    operandGrads[3] = grad.getDc0();
  return success();
}
