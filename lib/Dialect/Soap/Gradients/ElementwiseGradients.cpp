//===- ElementwiseGradients.cpp - Gradients of elementwise ops ------------===//
//
// Unary and binary ops and bias. The loops of all gradient ops are the dims of
// the forward result, so they have the forward op's names.
//
//===----------------------------------------------------------------------===//

#include "GradientUtils.h"

using namespace mlir;
using namespace mlir::soap;

//===----------------------------------------------------------------------===//
// Unary ops
//===----------------------------------------------------------------------===//

/// The gradient of a unary op: `build(builder, dy)` gives dx.
template <typename OpTy, typename Build>
static LogicalResult
unaryGradient(OpTy op, OpBuilder &builder, ArrayRef<Value> resultGrads,
              ArrayRef<bool> wanted, SmallVectorImpl<Value> &operandGrads,
              Build build) {
  operandGrads.assign(1, Value());
  if (!wanted[0] || !resultGrads[0])
    return success();
  GradientBuilder gradients(builder, op);
  operandGrads[0] = build(gradients, resultGrads[0]);
  return success();
}

/// dx = GradOp(dy, y).
template <typename GradOp, typename OpTy>
static LogicalResult
gradientOfResult(OpTy op, OpBuilder &builder, ArrayRef<Value> resultGrads,
                 ArrayRef<bool> wanted, SmallVectorImpl<Value> &operandGrads) {
  return unaryGradient(op, builder, resultGrads, wanted, operandGrads,
                       [&](GradientBuilder &gradients, Value dy) -> Value {
                         return gradients.create<GradOp>(
                             "input_grad", dy.getType(), dy, op.getY());
                       });
}

LogicalResult ReluOp::buildGradient(OpBuilder &builder,
                                    ArrayRef<Value> resultGrads,
                                    ArrayRef<bool> wanted,
                                    SmallVectorImpl<Value> &operandGrads) {
  return gradientOfResult<ReluGradOp>(*this, builder, resultGrads, wanted,
                                      operandGrads);
}

LogicalResult TanhOp::buildGradient(OpBuilder &builder,
                                    ArrayRef<Value> resultGrads,
                                    ArrayRef<bool> wanted,
                                    SmallVectorImpl<Value> &operandGrads) {
  return gradientOfResult<TanhGradOp>(*this, builder, resultGrads, wanted,
                                      operandGrads);
}

LogicalResult SigmoidOp::buildGradient(OpBuilder &builder,
                                       ArrayRef<Value> resultGrads,
                                       ArrayRef<bool> wanted,
                                       SmallVectorImpl<Value> &operandGrads) {
  return gradientOfResult<SigmoidGradOp>(*this, builder, resultGrads, wanted,
                                         operandGrads);
}

LogicalResult SqrtOp::buildGradient(OpBuilder &builder,
                                    ArrayRef<Value> resultGrads,
                                    ArrayRef<bool> wanted,
                                    SmallVectorImpl<Value> &operandGrads) {
  return gradientOfResult<SqrtGradOp>(*this, builder, resultGrads, wanted,
                                      operandGrads);
}

LogicalResult ExpOp::buildGradient(OpBuilder &builder,
                                   ArrayRef<Value> resultGrads,
                                   ArrayRef<bool> wanted,
                                   SmallVectorImpl<Value> &operandGrads) {
  return gradientOfResult<MulOp>(*this, builder, resultGrads, wanted,
                                 operandGrads);
}

LogicalResult NegOp::buildGradient(OpBuilder &builder,
                                   ArrayRef<Value> resultGrads,
                                   ArrayRef<bool> wanted,
                                   SmallVectorImpl<Value> &operandGrads) {
  return unaryGradient(*this, builder, resultGrads, wanted, operandGrads,
                       [&](GradientBuilder &gradients, Value dy) -> Value {
                         return gradients.create<NegOp>("input_grad",
                                                        dy.getType(), dy);
                       });
}

LogicalResult AbsOp::buildGradient(OpBuilder &builder,
                                   ArrayRef<Value> resultGrads,
                                   ArrayRef<bool> wanted,
                                   SmallVectorImpl<Value> &operandGrads) {
  return unaryGradient(
      *this, builder, resultGrads, wanted, operandGrads,
      [&](GradientBuilder &gradients, Value dy) -> Value {
        Value sign =
            gradients.create<SignOp>("input_sign", dy.getType(), getX());
        return gradients.create<MulOp>("input_grad", dy.getType(), dy, sign);
      });
}

LogicalResult LogOp::buildGradient(OpBuilder &builder,
                                   ArrayRef<Value> resultGrads,
                                   ArrayRef<bool> wanted,
                                   SmallVectorImpl<Value> &operandGrads) {
  return unaryGradient(*this, builder, resultGrads, wanted, operandGrads,
                       [&](GradientBuilder &gradients, Value dy) -> Value {
                         return gradients.create<DivOp>(
                             "input_grad", dy.getType(), dy, getX());
                       });
}

LogicalResult ScaleOp::buildGradient(OpBuilder &builder,
                                     ArrayRef<Value> resultGrads,
                                     ArrayRef<bool> wanted,
                                     SmallVectorImpl<Value> &operandGrads) {
  return unaryGradient(*this, builder, resultGrads, wanted, operandGrads,
                       [&](GradientBuilder &gradients, Value dy) -> Value {
                         return gradients.create<ScaleOp>(
                             "input_grad", dy.getType(), dy, getFactorAttr());
                       });
}

//===----------------------------------------------------------------------===//
// Binary ops
//===----------------------------------------------------------------------===//

/// The gradient of a binary op: `build[i](builder, dz)` gives the gradient of
/// operand i in the shape of the result, before the sum over broadcast dims.
template <typename OpTy, typename BuildX, typename BuildY>
static LogicalResult
binaryGradient(OpTy op, OpBuilder &builder, ArrayRef<Value> resultGrads,
               ArrayRef<bool> wanted, SmallVectorImpl<Value> &operandGrads,
               BuildX buildX, BuildY buildY) {
  operandGrads.assign(2, Value());
  if (!resultGrads[0])
    return success();
  GradientBuilder gradients(builder, op);
  if (wanted[0])
    operandGrads[0] = gradients.unbroadcast(buildX(gradients, resultGrads[0]),
                                            shapeOf(op.getX()), 0, "lhs_grad");
  if (wanted[1])
    operandGrads[1] = gradients.unbroadcast(buildY(gradients, resultGrads[0]),
                                            shapeOf(op.getY()), 1, "rhs_grad");
  return success();
}

/// dz itself: the gradient of a summand.
static Value passOn(GradientBuilder &, Value dz) { return dz; }

LogicalResult AddOp::buildGradient(OpBuilder &builder,
                                   ArrayRef<Value> resultGrads,
                                   ArrayRef<bool> wanted,
                                   SmallVectorImpl<Value> &operandGrads) {
  return binaryGradient(*this, builder, resultGrads, wanted, operandGrads,
                        passOn, passOn);
}

LogicalResult SubOp::buildGradient(OpBuilder &builder,
                                   ArrayRef<Value> resultGrads,
                                   ArrayRef<bool> wanted,
                                   SmallVectorImpl<Value> &operandGrads) {
  return binaryGradient(
      *this, builder, resultGrads, wanted, operandGrads, passOn,
      [](GradientBuilder &gradients, Value dz) -> Value {
        return gradients.create<NegOp>("rhs_neg", dz.getType(), dz);
      });
}

LogicalResult MulOp::buildGradient(OpBuilder &builder,
                                   ArrayRef<Value> resultGrads,
                                   ArrayRef<bool> wanted,
                                   SmallVectorImpl<Value> &operandGrads) {
  return binaryGradient(
      *this, builder, resultGrads, wanted, operandGrads,
      [&](GradientBuilder &gradients, Value dz) -> Value {
        return gradients.create<MulOp>("lhs_mul", dz.getType(), dz, getY());
      },
      [&](GradientBuilder &gradients, Value dz) -> Value {
        return gradients.create<MulOp>("rhs_mul", dz.getType(), dz, getX());
      });
}

LogicalResult DivOp::buildGradient(OpBuilder &builder,
                                   ArrayRef<Value> resultGrads,
                                   ArrayRef<bool> wanted,
                                   SmallVectorImpl<Value> &operandGrads) {
  // d(x / y)/dx = 1 / y, d(x / y)/dy = -z / y.
  return binaryGradient(
      *this, builder, resultGrads, wanted, operandGrads,
      [&](GradientBuilder &gradients, Value dz) -> Value {
        return gradients.create<DivOp>("lhs_div", dz.getType(), dz, getY());
      },
      [&](GradientBuilder &gradients, Value dz) -> Value {
        Value product =
            gradients.create<MulOp>("rhs_mul", dz.getType(), dz, getZ());
        Value quotient =
            gradients.create<DivOp>("rhs_div", dz.getType(), product, getY());
        return gradients.create<NegOp>("rhs_neg", dz.getType(), quotient);
      });
}

/// Maximum (`first >= second` picks x) and minimum: the whole gradient goes to
/// the operand that won, of equal ones to x.
template <typename OpTy>
static LogicalResult
selectGradient(OpTy op, Value first, Value second, OpBuilder &builder,
               ArrayRef<Value> resultGrads, ArrayRef<bool> wanted,
               SmallVectorImpl<Value> &operandGrads) {
  Value picked;
  auto pickX = [&](GradientBuilder &gradients, Value dz) -> Value {
    if (!picked) {
      Value mask =
          gradients.create<GreaterEqualOp>("mask", dz.getType(), first, second);
      picked = gradients.create<MulOp>("lhs_mul", dz.getType(), dz, mask);
    }
    return picked;
  };
  return binaryGradient(op, builder, resultGrads, wanted, operandGrads, pickX,
                        [&](GradientBuilder &gradients, Value dz) -> Value {
                          return gradients.create<SubOp>("rhs_sub",
                                                         dz.getType(), dz,
                                                         pickX(gradients, dz));
                        });
}

LogicalResult MaximumOp::buildGradient(OpBuilder &builder,
                                       ArrayRef<Value> resultGrads,
                                       ArrayRef<bool> wanted,
                                       SmallVectorImpl<Value> &operandGrads) {
  return selectGradient(*this, getX(), getY(), builder, resultGrads, wanted,
                        operandGrads);
}

LogicalResult MinimumOp::buildGradient(OpBuilder &builder,
                                       ArrayRef<Value> resultGrads,
                                       ArrayRef<bool> wanted,
                                       SmallVectorImpl<Value> &operandGrads) {
  return selectGradient(*this, getY(), getX(), builder, resultGrads, wanted,
                        operandGrads);
}

//===----------------------------------------------------------------------===//
// Bias
//===----------------------------------------------------------------------===//

LogicalResult BiasAddOp::buildGradient(OpBuilder &builder,
                                       ArrayRef<Value> resultGrads,
                                       ArrayRef<bool> wanted,
                                       SmallVectorImpl<Value> &operandGrads) {
  operandGrads.assign(2, Value());
  Value dy = resultGrads[0];
  if (!dy)
    return success();
  if (wanted[0])
    operandGrads[0] = dy;
  if (wanted[1])
    operandGrads[1] =
        GradientBuilder(builder, *this).sumAllBut(dy, getAxis(), "bias_grad");
  return success();
}
