//===- ElementwiseGradients.cpp - Gradients of elementwise ops ------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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

/// dx = GradOp(dy, arguments...).
template <typename GradOp, typename OpTy, typename... Arguments>
static LogicalResult
gradientIs(OpTy op, OpBuilder &builder, ArrayRef<Value> resultGrads,
           ArrayRef<bool> wanted, SmallVectorImpl<Value> &operandGrads,
           Arguments... arguments) {
  return unaryGradient(op, builder, resultGrads, wanted, operandGrads,
                       [&](GradientBuilder &gradients, Value dy) -> Value {
                         return gradients.create<GradOp>(
                             "input_grad", dy.getType(), dy, arguments...);
                       });
}

LogicalResult ReluOp::buildGradient(OpBuilder &builder,
                                    ArrayRef<Value> resultGrads,
                                    ArrayRef<bool> wanted,
                                    SmallVectorImpl<Value> &operandGrads) {
  return gradientIs<ReluGradOp>(*this, builder, resultGrads, wanted,
                                operandGrads, getY());
}

LogicalResult TanhOp::buildGradient(OpBuilder &builder,
                                    ArrayRef<Value> resultGrads,
                                    ArrayRef<bool> wanted,
                                    SmallVectorImpl<Value> &operandGrads) {
  return gradientIs<TanhGradOp>(*this, builder, resultGrads, wanted,
                                operandGrads, getY());
}

LogicalResult SigmoidOp::buildGradient(OpBuilder &builder,
                                       ArrayRef<Value> resultGrads,
                                       ArrayRef<bool> wanted,
                                       SmallVectorImpl<Value> &operandGrads) {
  return gradientIs<SigmoidGradOp>(*this, builder, resultGrads, wanted,
                                   operandGrads, getY());
}

LogicalResult SqrtOp::buildGradient(OpBuilder &builder,
                                    ArrayRef<Value> resultGrads,
                                    ArrayRef<bool> wanted,
                                    SmallVectorImpl<Value> &operandGrads) {
  return gradientIs<SqrtGradOp>(*this, builder, resultGrads, wanted,
                                operandGrads, getY());
}

LogicalResult ExpOp::buildGradient(OpBuilder &builder,
                                   ArrayRef<Value> resultGrads,
                                   ArrayRef<bool> wanted,
                                   SmallVectorImpl<Value> &operandGrads) {
  return gradientIs<MulOp>(*this, builder, resultGrads, wanted, operandGrads,
                           getY());
}

LogicalResult NegOp::buildGradient(OpBuilder &builder,
                                   ArrayRef<Value> resultGrads,
                                   ArrayRef<bool> wanted,
                                   SmallVectorImpl<Value> &operandGrads) {
  return gradientIs<NegOp>(*this, builder, resultGrads, wanted, operandGrads);
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
  return gradientIs<DivOp>(*this, builder, resultGrads, wanted, operandGrads,
                           getX());
}

LogicalResult ScaleOp::buildGradient(OpBuilder &builder,
                                     ArrayRef<Value> resultGrads,
                                     ArrayRef<bool> wanted,
                                     SmallVectorImpl<Value> &operandGrads) {
  return gradientIs<ScaleOp>(*this, builder, resultGrads, wanted, operandGrads,
                             getFactorAttr());
}

LogicalResult ErfOp::buildGradient(OpBuilder &builder,
                                   ArrayRef<Value> resultGrads,
                                   ArrayRef<bool> wanted,
                                   SmallVectorImpl<Value> &operandGrads) {
  return gradientIs<ErfGradOp>(*this, builder, resultGrads, wanted,
                               operandGrads, getX());
}

/// dx = dy / (1 + x).
LogicalResult Log1pOp::buildGradient(OpBuilder &builder,
                                    ArrayRef<Value> resultGrads,
                                    ArrayRef<bool> wanted,
                                    SmallVectorImpl<Value> &operandGrads) {
  return unaryGradient(
      *this, builder, resultGrads, wanted, operandGrads,
      [&](GradientBuilder &gradients, Value dy) -> Value {
        Type type = dy.getType();
        Value one = gradients.splat(1, tensorType(dy).clone(ArrayRef<int64_t>()), "input_one");
        Value below = gradients.create<AddOp>("input_sum", type, getX(), one);
        gradients.matchLoops(below.getDefiningOp(), 0, 0u);
        return gradients.create<DivOp>("input_grad", type, dy, below);
      });
}

/// dx = dy * (1 + y).
LogicalResult Expm1Op::buildGradient(OpBuilder &builder,
                                    ArrayRef<Value> resultGrads,
                                    ArrayRef<bool> wanted,
                                    SmallVectorImpl<Value> &operandGrads) {
  return unaryGradient(
      *this, builder, resultGrads, wanted, operandGrads,
      [&](GradientBuilder &gradients, Value dy) -> Value {
        Type type = dy.getType();
        Value one = gradients.splat(1, tensorType(dy).clone(ArrayRef<int64_t>()), "input_one");
        Value slope = gradients.create<AddOp>("input_slope", type, getY(), one);
        return gradients.create<MulOp>("input_grad", type, dy, slope);
      });
}

/// dx = dy * sigmoid(x).
LogicalResult SoftplusOp::buildGradient(OpBuilder &builder,
                                    ArrayRef<Value> resultGrads,
                                    ArrayRef<bool> wanted,
                                    SmallVectorImpl<Value> &operandGrads) {
  return unaryGradient(
      *this, builder, resultGrads, wanted, operandGrads,
      [&](GradientBuilder &gradients, Value dy) -> Value {
        Type type = dy.getType();
        Value slope = gradients.create<SigmoidOp>("input_slope", type, getX());
        return gradients.create<MulOp>("input_grad", type, dy, slope);
      });
}

/// dx = dy / (1 + x^2).
LogicalResult AtanOp::buildGradient(OpBuilder &builder,
                                    ArrayRef<Value> resultGrads,
                                    ArrayRef<bool> wanted,
                                    SmallVectorImpl<Value> &operandGrads) {
  return unaryGradient(
      *this, builder, resultGrads, wanted, operandGrads,
      [&](GradientBuilder &gradients, Value dy) -> Value {
        Type type = dy.getType();
        Value square =
            gradients.create<MulOp>("input_square", type, getX(), getX());
        Value one = gradients.splat(1, tensorType(dy).clone(ArrayRef<int64_t>()), "input_one");
        Value below = gradients.create<AddOp>("input_sum", type, square, one);
        return gradients.create<DivOp>("input_grad", type, dy, below);
      });
}

/// dx = dy / (1 - x^2).
LogicalResult AtanhOp::buildGradient(OpBuilder &builder,
                                    ArrayRef<Value> resultGrads,
                                    ArrayRef<bool> wanted,
                                    SmallVectorImpl<Value> &operandGrads) {
  return unaryGradient(
      *this, builder, resultGrads, wanted, operandGrads,
      [&](GradientBuilder &gradients, Value dy) -> Value {
        Type type = dy.getType();
        Value square =
            gradients.create<MulOp>("input_square", type, getX(), getX());
        Value one = gradients.splat(1, tensorType(dy).clone(ArrayRef<int64_t>()), "input_one");
        Value below = gradients.create<SubOp>("input_sub", type, one, square);
        return gradients.create<DivOp>("input_grad", type, dy, below);
      });
}

/// The slope 1 / sqrt(sign * x^2 + constant) of inverse functions.
static Value inverseRootSlope(GradientBuilder &gradients, Value x, Type type,
                              double sign, double constant) {
  Value square = gradients.create<MulOp>("input_square", type, x, x);
  if (sign < 0)
    square = gradients.create<NegOp>("input_neg_square", type, square);
  return gradients.create<RsqrtOp>("input_slope", type, square,
                                   llvm::APFloat(constant));
}

/// dx = dy / sqrt(1 - x^2).
LogicalResult AsinOp::buildGradient(OpBuilder &builder,
                                    ArrayRef<Value> resultGrads,
                                    ArrayRef<bool> wanted,
                                    SmallVectorImpl<Value> &operandGrads) {
  return unaryGradient(
      *this, builder, resultGrads, wanted, operandGrads,
      [&](GradientBuilder &gradients, Value dy) -> Value {
        Value slope = inverseRootSlope(gradients, getX(), dy.getType(),
                                       /*sign=*/-1, /*constant=*/1);
        return gradients.create<MulOp>("input_grad", dy.getType(), dy, slope);
      });
}

/// dx = -dy / sqrt(1 - x^2).
LogicalResult AcosOp::buildGradient(OpBuilder &builder,
                                    ArrayRef<Value> resultGrads,
                                    ArrayRef<bool> wanted,
                                    SmallVectorImpl<Value> &operandGrads) {
  return unaryGradient(
      *this, builder, resultGrads, wanted, operandGrads,
      [&](GradientBuilder &gradients, Value dy) -> Value {
        Value slope = inverseRootSlope(gradients, getX(), dy.getType(),
                                       /*sign=*/-1, /*constant=*/1);
        Value product =
            gradients.create<MulOp>("input_mul", dy.getType(), dy, slope);
        return gradients.create<NegOp>("input_grad", dy.getType(), product);
      });
}

/// dx = dy / sqrt(x^2 + 1).
LogicalResult AsinhOp::buildGradient(OpBuilder &builder,
                                    ArrayRef<Value> resultGrads,
                                    ArrayRef<bool> wanted,
                                    SmallVectorImpl<Value> &operandGrads) {
  return unaryGradient(
      *this, builder, resultGrads, wanted, operandGrads,
      [&](GradientBuilder &gradients, Value dy) -> Value {
        Value slope = inverseRootSlope(gradients, getX(), dy.getType(),
                                       /*sign=*/1, /*constant=*/1);
        return gradients.create<MulOp>("input_grad", dy.getType(), dy, slope);
      });
}

/// dx = dy / sqrt(x^2 - 1).
LogicalResult AcoshOp::buildGradient(OpBuilder &builder,
                                    ArrayRef<Value> resultGrads,
                                    ArrayRef<bool> wanted,
                                    SmallVectorImpl<Value> &operandGrads) {
  return unaryGradient(
      *this, builder, resultGrads, wanted, operandGrads,
      [&](GradientBuilder &gradients, Value dy) -> Value {
        Value slope = inverseRootSlope(gradients, getX(), dy.getType(),
                                       /*sign=*/1, /*constant=*/-1);
        return gradients.create<MulOp>("input_grad", dy.getType(), dy, slope);
      });
}

LogicalResult SinOp::buildGradient(OpBuilder &builder,
                                   ArrayRef<Value> resultGrads,
                                   ArrayRef<bool> wanted,
                                   SmallVectorImpl<Value> &operandGrads) {
  return unaryGradient(
      *this, builder, resultGrads, wanted, operandGrads,
      [&](GradientBuilder &gradients, Value dy) -> Value {
        Value slope =
            gradients.create<CosOp>("input_slope", dy.getType(), getX());
        return gradients.create<MulOp>("input_grad", dy.getType(), dy, slope);
      });
}

/// dx = -dy * sin(x).
LogicalResult CosOp::buildGradient(OpBuilder &builder,
                                   ArrayRef<Value> resultGrads,
                                   ArrayRef<bool> wanted,
                                   SmallVectorImpl<Value> &operandGrads) {
  return unaryGradient(
      *this, builder, resultGrads, wanted, operandGrads,
      [&](GradientBuilder &gradients, Value dy) -> Value {
        Type type = dy.getType();
        Value sine = gradients.create<SinOp>("input_sine", type, getX());
        Value product = gradients.create<MulOp>("input_mul", type, dy, sine);
        return gradients.create<NegOp>("input_grad", type, product);
      });
}

LogicalResult GeluOp::buildGradient(OpBuilder &builder,
                                    ArrayRef<Value> resultGrads,
                                    ArrayRef<bool> wanted,
                                    SmallVectorImpl<Value> &operandGrads) {
  return gradientIs<GeluGradOp>(*this, builder, resultGrads, wanted,
                                operandGrads, getX(), getApproximateAttr());
}

/// dx = -dy * y^2.
LogicalResult
ReciprocalOp::buildGradient(OpBuilder &builder, ArrayRef<Value> resultGrads,
                            ArrayRef<bool> wanted,
                            SmallVectorImpl<Value> &operandGrads) {
  return unaryGradient(
      *this, builder, resultGrads, wanted, operandGrads,
      [&](GradientBuilder &gradients, Value dy) -> Value {
        Type type = dy.getType();
        Value once = gradients.create<MulOp>("input_mul", type, dy, getY());
        Value twice =
            gradients.create<MulOp>("input_square", type, once, getY());
        return gradients.create<NegOp>("input_grad", type, twice);
      });
}

/// dx = -dy * y^3 / 2.
LogicalResult RsqrtOp::buildGradient(OpBuilder &builder,
                                     ArrayRef<Value> resultGrads,
                                     ArrayRef<bool> wanted,
                                     SmallVectorImpl<Value> &operandGrads) {
  return unaryGradient(
      *this, builder, resultGrads, wanted, operandGrads,
      [&](GradientBuilder &gradients, Value dy) -> Value {
        Type type = dy.getType();
        Value once = gradients.create<MulOp>("input_mul", type, dy, getY());
        Value twice =
            gradients.create<MulOp>("input_square", type, once, getY());
        Value cube = gradients.create<MulOp>("input_cube", type, twice, getY());
        return gradients.create<ScaleOp>("input_grad", type, cube,
                                         builder.getF64FloatAttr(-0.5));
      });
}

LogicalResult CastOp::buildGradient(OpBuilder &builder,
                                    ArrayRef<Value> resultGrads,
                                    ArrayRef<bool> wanted,
                                    SmallVectorImpl<Value> &operandGrads) {
  return unaryGradient(*this, builder, resultGrads, wanted, operandGrads,
                       [&](GradientBuilder &gradients, Value dy) -> Value {
                         return gradients.create<CastOp>("input_grad",
                                                         getX().getType(), dy);
                       });
}

/// The same elements are dropped again.
LogicalResult DropoutOp::buildGradient(OpBuilder &builder,
                                       ArrayRef<Value> resultGrads,
                                       ArrayRef<bool> wanted,
                                       SmallVectorImpl<Value> &operandGrads) {
  operandGrads.assign(getNumOperands(), Value());
  if (!wanted[0] || !resultGrads[0])
    return success();
  operandGrads[0] =
      GradientBuilder(builder, *this)
          .create<DropoutOp>("input_grad", getX().getType(), resultGrads[0],
                             getStep(), getRateAttr(), getSeedAttr(),
                             getOffsetsAttr(), getExtentsAttr());
  return success();
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

/// d(x^y)/dx = y * x^(y - 1), d(x^y)/dy = x^y * log(x); the latter is 0 where x
/// is not positive.
LogicalResult PowOp::buildGradient(OpBuilder &builder,
                                   ArrayRef<Value> resultGrads,
                                   ArrayRef<bool> wanted,
                                   SmallVectorImpl<Value> &operandGrads) {
  auto ofX = [&](GradientBuilder &gradients, Value dz) -> Value {
    // On tensors of the operands' shapes as far as possible.
    Type y = getY().getType(), z = dz.getType();
    Value one = gradients.splat(
        1, tensorType(getY()).clone(ArrayRef<int64_t>()), "lhs_one");
    Value less = gradients.create<SubOp>("lhs_exponent", y, getY(), one);
    gradients.matchLoops(less.getDefiningOp(), 0, 1);
    Value power = gradients.create<PowOp>("lhs_pow", z, getX(), less);
    Value slope = gradients.create<MulOp>("lhs_slope", z, power, getY());
    return gradients.create<MulOp>("lhs_mul", z, dz, slope);
  };
  auto ofY = [&](GradientBuilder &gradients, Value dz) -> Value {
    Type x = getX().getType(), z = dz.getType();
    RankedTensorType scalar = tensorType(getX()).clone(ArrayRef<int64_t>());
    Value zero = gradients.splat(0, scalar, "rhs_zero");
    Value one = gradients.splat(1, scalar, "rhs_one");
    Value positive = gradients.create<GreaterOp>("rhs_mask", x, getX(), zero);
    Value safe =
        gradients.create<WhereOp>("rhs_base", x, positive, getX(), one);
    Value log = gradients.create<LogOp>("rhs_log", x, safe);
    for (Value value : {positive, safe, log})
      gradients.matchLoops(value.getDefiningOp(), 0, 0u);
    Value slope = gradients.create<MulOp>("rhs_slope", z, getZ(), log);
    return gradients.create<MulOp>("rhs_mul", z, dz, slope);
  };
  return binaryGradient(*this, builder, resultGrads, wanted, operandGrads, ofX,
                        ofY);
}

/// Each operand gets the gradient where it was picked. Not by a product with
/// the mask: what was not picked may be infinite.
LogicalResult WhereOp::buildGradient(OpBuilder &builder,
                                     ArrayRef<Value> resultGrads,
                                     ArrayRef<bool> wanted,
                                     SmallVectorImpl<Value> &operandGrads) {
  operandGrads.assign(3, Value());
  Value dz = resultGrads[0];
  if (!dz)
    return success();
  GradientBuilder gradients(builder, *this);
  auto pick = [&](unsigned operand, StringRef suffix) {
    Value zero = gradients.splat(0, tensorType(dz).clone(ArrayRef<int64_t>()),
                                 (suffix + "_zero").str());
    Value picked = gradients.create<WhereOp>(
        (suffix + "_picked").str(), dz.getType(), getCondition(),
        operand == 1 ? dz : zero, operand == 1 ? zero : dz);
    return gradients.unbroadcast(picked, shapeOf(getOperand(operand)), operand,
                                 (suffix + "_grad").str());
  };
  if (wanted[1])
    operandGrads[1] = pick(1, "lhs");
  if (wanted[2])
    operandGrads[2] = pick(2, "rhs");
  return success();
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
