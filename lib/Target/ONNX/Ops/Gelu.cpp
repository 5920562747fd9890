//===- Gelu.cpp - One op of the pieces of a gelu ----------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PyTorch's exporters take gelu apart. Five ops in a row cost five times the
// memory traffic, and their gradients more.
//
//===----------------------------------------------------------------------===//

#include "Target/ONNX/Importer.h"

#include <cmath>

using namespace mlir;
using namespace mlir::soap;
using namespace mlir::soap::onnx;

namespace {

/// The factor of `value` = factor * x, with x in `operand`.
std::optional<double> asScale(Value value, Value &operand) {
  auto scale = value.getDefiningOp<ScaleOp>();
  if (!scale)
    return std::nullopt;
  operand = scale.getX();
  return scale.getFactor().convertToDouble();
}

bool isAbout(double value, double expected) {
  return std::fabs(value - expected) < 1e-6;
}

/// x of `value` = 1 + erf(x / sqrt(2)), null if it is not that.
Value inputOfCurve(Value value) {
  auto add = value.getDefiningOp<AddOp>();
  if (!add)
    return Value();
  for (auto [curve, constant] :
       {std::pair(add.getX(), add.getY()), std::pair(add.getY(), add.getX())}) {
    auto erf = curve.getDefiningOp<ErfOp>();
    auto one = constant.getDefiningOp<ConstantOp>();
    auto elements =
        one ? dyn_cast<DenseFPElementsAttr>(one.getValue()) : nullptr;
    Value x;
    if (!erf || !elements || !elements.isSplat() ||
        !isAbout(elements.getSplatValue<APFloat>().convertToDouble(), 1))
      continue;
    auto factor = asScale(erf.getX(), x);
    if (factor && isAbout(*factor, M_SQRT1_2))
      return x;
  }
  return Value();
}

/// x of `value` = x * curve with the factor that comes on top.
Value inputOfProduct(Value value, double &factor) {
  auto mul = value.getDefiningOp<MulOp>();
  if (!mul)
    return Value();
  for (auto [x, curve] :
       {std::pair(mul.getX(), mul.getY()), std::pair(mul.getY(), mul.getX())}) {
    Value inner = curve;
    factor = asScale(curve, inner).value_or(1);
    if (Value input = inputOfCurve(inner); input && input == x)
      return x;
    // The factor may be at x as well.
    Value plain = x;
    factor = asScale(x, plain).value_or(1);
    if (Value input = inputOfCurve(curve); input && input == plain)
      return plain;
  }
  return Value();
}

/// x of a whole gelu that `value` ends.
Value inputOfGelu(Value value) {
  double inner = 1, outer = 1;
  Value product = value;
  if (auto factor = asScale(value, product))
    outer = *factor;
  Value x = inputOfProduct(product, inner);
  return x && isAbout(inner * outer, 0.5) && x.getType() == value.getType()
             ? x
             : Value();
}

} // namespace

void mlir::soap::onnx::recognizeGelu(Block &body) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body))) {
    if (!isa<ScaleOp, MulOp>(op) || op.use_empty())
      continue;
    Value x = inputOfGelu(op.getResult(0));
    if (!x)
      continue;
    OpBuilder builder(&op);
    auto gelu = GeluOp::create(builder, op.getLoc(), x.getType(), x,
                               /*approximate=*/false);
    gelu->setDiscardableAttrs(op.getDiscardableAttrDictionary());
    op.getResult(0).replaceAllUsesWith(gelu.getY());
  }
}
