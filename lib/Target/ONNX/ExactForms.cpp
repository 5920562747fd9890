//===- ExactForms.cpp - One op of the pieces of a logarithm -----*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PyTorch's exporters have no op for log1p, expm1, logsigmoid and atan2. As
// they write them, 1 + x loses a small x, the sigmoid of a number far below 0
// is 0, of which the logarithm is infinite, and y / x has no derivative where x
// is 0.
//
//===----------------------------------------------------------------------===//

#include "ExactForms.h"

#include <cmath>

using namespace mlir;
using namespace mlir::soap;
using namespace mlir::soap::onnx;

namespace {

bool isSplatOf(Value value, double number) {
  auto constant = value.getDefiningOp<ConstantOp>();
  auto elements =
      constant ? dyn_cast<DenseFPElementsAttr>(constant.getValue()) : nullptr;
  return elements && elements.isSplat() &&
         elements.getSplatValue<APFloat>().convertToDouble() == number;
}

/// y and x of an angle of PyTorch's atan2.
struct Angle {
  Value y, x;
};

/// x < 0 ? (y > 0 ? a + pi : a - pi) : a, with a = atan(y / x).
std::optional<Angle> asAngle(WhereOp choice) {
  constexpr double pi = static_cast<float>(M_PI);
  auto curve = choice.getY().getDefiningOp<AtanOp>();
  auto ratio = curve ? curve.getX().getDefiningOp<DivOp>() : DivOp();
  auto turned = choice.getX().getDefiningOp<WhereOp>();
  if (!ratio || !turned)
    return std::nullopt;
  Value y = ratio.getX(), x = ratio.getY();
  auto isLeft = choice.getCondition().getDefiningOp<GreaterOp>();
  auto isAbove = turned.getCondition().getDefiningOp<GreaterOp>();
  auto up = turned.getX().getDefiningOp<AddOp>();
  auto down = turned.getY().getDefiningOp<SubOp>();
  if (!isLeft || !isSplatOf(isLeft.getX(), 0) || isLeft.getY() != x ||
      !isAbove || isAbove.getX() != y || !isSplatOf(isAbove.getY(), 0) || !up ||
      up.getX() != curve.getY() || !isSplatOf(up.getY(), pi) || !down ||
      down.getX() != curve.getY() || !isSplatOf(down.getY(), pi))
    return std::nullopt;
  return Angle{y, x};
}

/// x of `value` = x + 1, null if it is not that.
Value lessOne(Value value) {
  auto sum = value.getDefiningOp<AddOp>();
  if (!sum)
    return Value();
  for (auto [x, one] :
       {std::pair(sum.getX(), sum.getY()), std::pair(sum.getY(), sum.getX())})
    if (x.getType() == value.getType() && isSplatOf(one, 1))
      return x;
  return Value();
}

/// x of `value` = 1 - x, null if it is not that.
Value oneMinus(Value value) {
  if (auto sub = value.getDefiningOp<SubOp>())
    return sub.getY().getType() == value.getType() && isSplatOf(sub.getX(), 1)
               ? sub.getY()
               : Value();
  Value x = lessOne(value);
  auto negated = x ? x.getDefiningOp<NegOp>() : NegOp();
  return negated ? negated.getX() : Value();
}

class ExactForms {
public:
  ExactForms(GraphImporter &importer, Operation *op)
      : importer(importer), op(op), builder(op) {}

  void rewrite() {
    if (auto log = dyn_cast<LogOp>(op))
      rewriteLog(log);
    else if (auto sub = dyn_cast<SubOp>(op))
      rewriteDifference(sub);
    else if (auto choice = dyn_cast<WhereOp>(op))
      if (auto angle = asAngle(choice))
        rewriteAngle(*angle);
  }

private:
  /// In the place of `op`, and with its name.
  template <typename OpTy, typename... Operands>
  void replace(Operands... operands) {
    auto result = OpTy::create(builder, op->getLoc(),
                               op->getResult(0).getType(), operands...);
    result->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    op->getResult(0).replaceAllUsesWith(result->getResult(0));
  }

  template <typename OpTy, typename... Operands>
  Value before(StringRef suffix, Type type, Operands... operands) {
    auto result = OpTy::create(builder, op->getLoc(), type, operands...);
    if (auto name = op->getAttrOfType<StringAttr>(SoapDialect::kName))
      result->setAttr(SoapDialect::kName,
                      builder.getStringAttr(importer.uniqueName(
                          (name.getValue() + "." + suffix).str())));
    return result->getResult(0);
  }

  Value number(StringRef suffix, double value) {
    auto type = cast<RankedTensorType>(op->getResult(0).getType())
                    .clone(ArrayRef<int64_t>());
    return before<ConstantOp>(suffix, type,
                              cast<ElementsAttr>(DenseElementsAttr::get(
                                  type, Attribute(builder.getFloatAttr(
                                            type.getElementType(), value)))));
  }

  /// log(sigmoid(x)) = -softplus(-x), log(1 - sigmoid(x)) = -softplus(x) and
  /// log(e^x + 1) = softplus(x).
  void rewriteLog(LogOp log) {
    if (auto sigmoid = log.getX().getDefiningOp<SigmoidOp>())
      return replace<NegOp>(before<SoftplusOp>(
          "softplus", sigmoid.getType(),
          before<NegOp>("opposite", sigmoid.getType(), sigmoid.getX())));
    Value opposite = oneMinus(log.getX());
    if (auto sigmoid =
            opposite ? opposite.getDefiningOp<SigmoidOp>() : SigmoidOp())
      return replace<NegOp>(
          before<SoftplusOp>("softplus", sigmoid.getType(), sigmoid.getX()));
    Value x = lessOne(log.getX());
    if (!x)
      return;
    if (auto power = x.getDefiningOp<ExpOp>())
      return replace<SoftplusOp>(power.getX());
    replace<Log1pOp>(x);
  }

  /// e^x - 1.
  void rewriteDifference(SubOp sub) {
    auto power = sub.getX().getDefiningOp<ExpOp>();
    if (power && power.getY().getType() == sub.getType() &&
        isSplatOf(sub.getY(), 1))
      replace<Expm1Op>(power.getX());
  }

  /// The arctangent of the ratio that is at most 1, from the axis that is near:
  /// no division by 0. Nothing flows back at the origin.
  void rewriteAngle(Angle angle) {
    auto [y, x] = angle;
    Type type = op->getResult(0).getType(), ofX = x.getType(),
         ofY = y.getType();
    Value zero = number("zero", 0), one = number("one", 1);
    Value isSteep =
        before<GreaterOp>("is_steep", type, before<AbsOp>("height", ofY, y),
                          before<AbsOp>("width", ofX, x));
    Value over = before<WhereOp>("over", type, isSteep,
                                 before<NegOp>("opposite", ofX, x), y);
    Value under = before<WhereOp>("under", type, isSteep, y, x);
    Value isOrigin = before<EqualOp>("is_origin", type, under, zero);
    Value ratio = before<DivOp>(
        "ratio", type, before<WhereOp>("dividend", type, isOrigin, zero, over),
        before<WhereOp>("divisor", type, isOrigin, one, under));
    Value upright =
        before<ScaleOp>("upright", ofY, before<SignOp>("sign", ofY, y),
                        builder.getF64FloatAttr(M_PI / 2));
    Value halfTurn = before<WhereOp>(
        "half_turn", ofY, before<GreaterOp>("is_below", ofY, zero, y),
        number("minus_pi", -M_PI), number("pi", M_PI));
    Value flat = before<WhereOp>("flat", type,
                                 before<GreaterOp>("is_left", ofX, zero, x),
                                 halfTurn, zero);
    replace<AddOp>(before<WhereOp>("axis", type, isSteep, upright, flat),
                   before<AtanOp>("curve", type, ratio));
  }

  GraphImporter &importer;
  Operation *op;
  OpBuilder builder;
};

} // namespace

void mlir::soap::onnx::recognizeExactForms(GraphImporter &importer,
                                           Block &body) {
  for (Operation &op : llvm::make_early_inc_range(body))
    if (!op.use_empty())
      ExactForms(importer, &op).rewrite();
}
