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

/// `value` without conversions, moves and constant factors.
static Value withoutScales(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<CastOp, ReshapeOp, BroadcastOp, TransposeOp, ScaleOp>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

/// Whether `value` is known before the program runs, as a bound or an exponent.
static bool isKnown(Value value) {
  return withoutScales(value).getDefiningOp<ConstantOp>() != nullptr;
}

/// Whether `value` is a square, or a product or power of |x|. Products of more
/// than a few factors are not looked through.
static bool isPowerOfSize(Value value, int depth = 4) {
  value = withoutScales(value);
  if (depth == 0)
    return false;
  if (auto product = value.getDefiningOp<MulOp>())
    return product.getX() == product.getY() ||
           (isPowerOfSize(product.getX(), depth - 1) &&
            isPowerOfSize(product.getY(), depth - 1));
  if (auto power = value.getDefiningOp<PowOp>())
    return isKnown(power.getY()) && isPowerOfSize(power.getX(), depth - 1);
  return value.getDefiningOp<AbsOp>() != nullptr;
}

/// Of one or several; a sum over dims of extent 1 is none.
static bool isSumOfPowers(Value value) {
  value = withoutScales(value);
  auto sum = value.getDefiningOp<ReduceOp>();
  if (sum && sum.getKind() != ReduceKind::Sum)
    return false;
  return isPowerOfSize(sum ? sum.getX() : value);
}

/// Whether a root of `value` is a norm: of a vector, of its distance from the
/// mean (a standard deviation), or of two vectors (cosine similarity). At a
/// vector of zeros its gradient is 0, which is a subgradient.
static bool isPowerOfNorm(Value value) {
  auto product = withoutScales(value).getDefiningOp<MulOp>();
  return isSumOfPowers(value) || (product && isSumOfPowers(product.getX()) &&
                                  isSumOfPowers(product.getY()));
}

/// `gradient`, or 0 where the norm `y` is 0.
static Value zeroAtZero(GradientBuilder &gradients, Value gradient, Value y,
                        const std::string &side) {
  Value zero = gradients.splat(0, tensorType(y).clone(ArrayRef<int64_t>()),
                               side + "_zero");
  Value isZero =
      gradients.create<EqualOp>(side + "_is_zero", y.getType(), y, zero);
  return gradients.create<WhereOp>(side + "_at_zero", gradient.getType(),
                                   isZero, zero, gradient);
}

LogicalResult SqrtOp::buildGradient(OpBuilder &builder,
                                    ArrayRef<Value> resultGrads,
                                    ArrayRef<bool> wanted,
                                    SmallVectorImpl<Value> &operandGrads) {
  return unaryGradient(*this, builder, resultGrads, wanted, operandGrads,
                       [&](GradientBuilder &gradients, Value dy) -> Value {
                         Value dx = gradients.create<SqrtGradOp>(
                             "input_grad", dy.getType(), dy, getY());
                         return isPowerOfNorm(getX())
                                    ? zeroAtZero(gradients, dx, getY(), "input")
                                    : dx;
                       });
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

/// 1 of rank 0, of the element type of `value`.
static Value oneLike(GradientBuilder &gradients, Value value) {
  return gradients.splat(1, tensorType(value).clone(ArrayRef<int64_t>()),
                         "input_one");
}

/// (1 - x) * (1 + x), which keeps the digits of 1 - x^2 near 1.
static Value oneLessSquare(GradientBuilder &gradients, Value x) {
  Type type = x.getType();
  Value one = oneLike(gradients, x);
  Value below = gradients.create<SubOp>("input_below", type, one, x);
  Value above = gradients.create<AddOp>("input_above", type, x, one);
  return gradients.create<MulOp>("input_product", type, below, above);
}

/// The slope 1 / sqrt(1 - x^2) of inverse functions.
static Value inverseRoot(GradientBuilder &gradients, Value x) {
  return gradients.create<RsqrtOp>("input_slope", x.getType(),
                                   oneLessSquare(gradients, x),
                                   llvm::APFloat(0.0));
}

/// dx = dy / (1 + x).
LogicalResult Log1pOp::buildGradient(OpBuilder &builder,
                                     ArrayRef<Value> resultGrads,
                                     ArrayRef<bool> wanted,
                                     SmallVectorImpl<Value> &operandGrads) {
  return unaryGradient(
      *this, builder, resultGrads, wanted, operandGrads,
      [&](GradientBuilder &gradients, Value dy) -> Value {
        Value below = gradients.create<AddOp>("input_sum", dy.getType(), getX(),
                                              oneLike(gradients, dy));
        return gradients.create<DivOp>("input_grad", dy.getType(), dy, below);
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
        Value slope = gradients.create<AddOp>("input_slope", dy.getType(),
                                              getY(), oneLike(gradients, dy));
        return gradients.create<MulOp>("input_grad", dy.getType(), dy, slope);
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
        Value slope =
            gradients.create<SigmoidOp>("input_slope", dy.getType(), getX());
        return gradients.create<MulOp>("input_grad", dy.getType(), dy, slope);
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
        Value square = gradients.create<MulOp>("input_square", dy.getType(),
                                               getX(), getX());
        Value below = gradients.create<AddOp>("input_sum", dy.getType(), square,
                                              oneLike(gradients, dy));
        return gradients.create<DivOp>("input_grad", dy.getType(), dy, below);
      });
}

/// dx = dy / (1 - x^2).
LogicalResult AtanhOp::buildGradient(OpBuilder &builder,
                                     ArrayRef<Value> resultGrads,
                                     ArrayRef<bool> wanted,
                                     SmallVectorImpl<Value> &operandGrads) {
  return unaryGradient(*this, builder, resultGrads, wanted, operandGrads,
                       [&](GradientBuilder &gradients, Value dy) -> Value {
                         Value below = oneLessSquare(gradients, getX());
                         return gradients.create<DivOp>(
                             "input_grad", dy.getType(), dy, below);
                       });
}

/// dx = dy / sqrt(1 - x^2).
LogicalResult AsinOp::buildGradient(OpBuilder &builder,
                                    ArrayRef<Value> resultGrads,
                                    ArrayRef<bool> wanted,
                                    SmallVectorImpl<Value> &operandGrads) {
  return unaryGradient(*this, builder, resultGrads, wanted, operandGrads,
                       [&](GradientBuilder &gradients, Value dy) -> Value {
                         Value slope = inverseRoot(gradients, getX());
                         return gradients.create<MulOp>(
                             "input_grad", dy.getType(), dy, slope);
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
        Value slope = inverseRoot(gradients, getX());
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
        Value square = gradients.create<MulOp>("input_square", dy.getType(),
                                               getX(), getX());
        Value slope = gradients.create<RsqrtOp>("input_slope", dy.getType(),
                                                square, llvm::APFloat(1.0));
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
        Value product = gradients.create<NegOp>(
            "input_neg", dy.getType(), oneLessSquare(gradients, getX()));
        Value slope = gradients.create<RsqrtOp>("input_slope", dy.getType(),
                                                product, llvm::APFloat(0.0));
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

LogicalResult SwiGLUOp::buildGradient(OpBuilder &builder,
                                      ArrayRef<Value> resultGrads,
                                      ArrayRef<bool> wanted,
                                      SmallVectorImpl<Value> &operandGrads) {
  operandGrads.assign(2, Value());
  Value dy = resultGrads[0];
  if (!dy)
    return success();
  GradientBuilder gradients(builder, *this);
  if (wanted[0])
    operandGrads[0] = gradients.create<SwiGLUGradOp>(
        "gate_grad", dy.getType(), dy, getGate(), getUp(), getBetaAttr());
  if (wanted[1])
    operandGrads[1] = gradients.create<SwiGLUOp>("up_grad", dy.getType(),
                                                 getGate(), dy, getBetaAttr());
  return success();
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

/// Maximum (`first >= second` picks x) and minimum. Of equal operands each gets
/// half of the gradient, as in PyTorch and JAX.
template <typename OpTy>
static LogicalResult
selectGradient(OpTy op, Value first, Value second, OpBuilder &builder,
               ArrayRef<Value> resultGrads, ArrayRef<bool> wanted,
               SmallVectorImpl<Value> &operandGrads) {
  Value picked;
  auto pickX = [&](GradientBuilder &gradients, Value dz) -> Value {
    if (picked)
      return picked;
    Type type = dz.getType();
    Value mask = gradients.create<GreaterEqualOp>("mask", type, first, second);
    Value strict =
        gradients.create<GreaterOp>("strict_mask", type, first, second);
    Value twice = gradients.create<AddOp>("mask_sum", type, mask, strict);
    Value share = gradients.create<ScaleOp>("share", type, twice,
                                            builder.getF64FloatAttr(0.5));
    return picked = gradients.create<MulOp>("lhs_mul", type, dz, share);
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

/// Whether an exponent may be 0 somewhere.
static bool mayBeZero(Value exponent) {
  auto constant = exponent.getDefiningOp<ConstantOp>();
  auto elements =
      constant ? dyn_cast<DenseFPElementsAttr>(constant.getValue()) : nullptr;
  return !elements || llvm::any_of(elements.getValues<APFloat>(),
                                   [](const APFloat &y) { return y.isZero(); });
}

/// d(x^y)/dx = y * x^(y - 1), and 0 where y is 0; d(x^y)/dy = x^y * log(x), and
/// 0 where x is 0.
LogicalResult PowOp::buildGradient(OpBuilder &builder,
                                   ArrayRef<Value> resultGrads,
                                   ArrayRef<bool> wanted,
                                   SmallVectorImpl<Value> &operandGrads) {
  auto scalar = [&](GradientBuilder &gradients, double value, Value like,
                    StringRef suffix) {
    return gradients.splat(value, tensorType(like).clone(ArrayRef<int64_t>()),
                           suffix);
  };
  // On tensors of the operands' shapes as far as possible.
  auto ofX = [&](GradientBuilder &gradients, Value dz) -> Value {
    Type y = getY().getType(), z = dz.getType();
    Value one = scalar(gradients, 1, getY(), "lhs_one");
    Value less = gradients.create<SubOp>("lhs_exponent", y, getY(), one);
    gradients.matchLoops(less.getDefiningOp(), 0, 1);
    Value power = gradients.create<PowOp>("lhs_pow", z, getX(), less);
    Value slope = gradients.create<MulOp>("lhs_slope", z, power, getY());
    if (mayBeZero(getY())) {
      Value zero = scalar(gradients, 0, getY(), "lhs_zero");
      Value isZero = gradients.create<EqualOp>("lhs_is_zero", y, getY(), zero);
      gradients.matchLoops(isZero.getDefiningOp(), 0, 1);
      slope = gradients.create<WhereOp>("lhs_defined", z, isZero, zero, slope);
    }
    Value dx = gradients.create<MulOp>("lhs_mul", z, dz, slope);
    return isKnown(getY()) && isPowerOfNorm(getX())
               ? zeroAtZero(gradients, dx, getZ(), "lhs")
               : dx;
  };
  auto ofY = [&](GradientBuilder &gradients, Value dz) -> Value {
    Type x = getX().getType(), z = dz.getType();
    Value zero = scalar(gradients, 0, getX(), "rhs_zero");
    Value one = scalar(gradients, 1, getX(), "rhs_one");
    Value isZero = gradients.create<EqualOp>("rhs_is_zero", x, getX(), zero);
    Value safe = gradients.create<WhereOp>("rhs_base", x, isZero, one, getX());
    Value log = gradients.create<LogOp>("rhs_log", x, safe);
    for (Value value : {isZero, safe, log})
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
