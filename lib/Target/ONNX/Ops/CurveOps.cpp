//===- CurveOps.cpp - Less common functions of ONNX -------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementwise functions as ops or short compositions, exact in value and
// derivative also at 0, far out and where a power overflows.
//
//===----------------------------------------------------------------------===//

#include "Folding.h"

#include <cmath>

using namespace mlir;
using namespace mlir::soap;
using namespace mlir::soap::onnx;

namespace {

template <Value (*function)(NodeContext &, Value)>
LogicalResult importCurve(NodeContext &node) {
  if (!node.checkCounts(1, 1))
    return failure();
  Value x = node.tensor(0);
  return x ? node.setResult(0, function(node, x)) : failure();
}

template <typename OpTy>
Value unary(NodeContext &node, Value x) {
  return node.createUnary<OpTy>("", x);
}

Value mish(NodeContext &node, Value x) {
  return node.createBinary<MulOp>(
      "", x,
      node.createUnary<TanhOp>("tanh",
                               node.createUnary<SoftplusOp>("softplus", x)));
}

Value tangent(NodeContext &node, Value x) {
  return node.createBinary<DivOp>("", node.createUnary<SinOp>("sin", x),
                                  node.createUnary<CosOp>("cos", x));
}

/// e^x / 2, also where e^x overflows and e^x / 2 does not. The exponent less
/// 11 / 16 is exact from 1 on, so that no digits are lost.
Value halfPower(NodeContext &node, const std::string &name, Value x) {
  constexpr double shift = 0.6875;
  Value shifted = node.createBinary<SubOp>(
      name + "_shifted", x, node.createScalar(name + "_shift", shift));
  return node.createScale(name, node.createUnary<ExpOp>(name + "_exp", shifted),
                          std::exp(shift) / 2);
}

Value hyperbolicCosine(NodeContext &node, Value x) {
  return node.createBinary<AddOp>(
      "", halfPower(node, "rising", x),
      halfPower(node, "falling", node.createUnary<NegOp>("neg", x)));
}

/// (e^x - e^-x) / 2; near 0, where that is a difference of nearly equal
/// numbers, with 1 taken from both.
Value hyperbolicSine(NodeContext &node, Value x) {
  Value opposite = node.createUnary<NegOp>("neg", x);
  Value far = node.createBinary<SubOp>("far", halfPower(node, "rising", x),
                                       halfPower(node, "falling", opposite));
  Value isNear =
      node.createBinary<GreaterOp>("is_near", node.createScalar("one", 1),
                                   node.createUnary<AbsOp>("size", x));
  // No infinity where the other form is picked.
  Value small =
      node.createWhere("small", isNear, x, node.createScalar("zero", 0));
  Value above = node.createUnary<Expm1Op>("above", small);
  Value below = node.createUnary<Expm1Op>(
      "below", node.createUnary<NegOp>("small_neg", small));
  Value near = node.createScale(
      "near", node.createBinary<SubOp>("difference", above, below), 0.5);
  return node.createWhere("", isNear, near, far);
}

/// x * sigmoid(alpha * x).
LogicalResult importSwish(NodeContext &node) {
  float alpha = node.floatAttribute("alpha", 1);
  if (node.failed() || !node.checkCounts(1, 1))
    return failure();
  Value x = node.tensor(0);
  Value scaled = alpha == 1 ? x : node.createScale("scaled", x, alpha);
  return node.setResult(
      0, node.createBinary<MulOp>(
             "", x, node.createUnary<SigmoidOp>("sigmoid", scaled)));
}

/// Towards zero by `bias` beyond `lambd`, else 0.
LogicalResult importShrink(NodeContext &node) {
  float bias = node.floatAttribute("bias", 0),
        lambda = node.floatAttribute("lambd", 0.5f);
  if (node.failed() || !node.checkCounts(1, 1))
    return failure();
  Value x = node.tensor(0);
  Value isHigh = node.createBinary<GreaterOp>(
      "is_high", x, node.createScalar("high", lambda));
  Value isLow = node.createBinary<GreaterOp>(
      "is_low", node.createScalar("low", -lambda), x);
  Value offset = node.createScalar("bias", bias);
  Value below = node.createWhere("below", isLow,
                                 node.createBinary<AddOp>("raised", x, offset),
                                 node.createScalar("zero", 0));
  return node.setResult(
      0,
      node.createWhere("", isHigh,
                       node.createBinary<SubOp>("lowered", x, offset), below));
}

template <double (*function)(double)>
LogicalResult foldCurve(NodeContext &node) {
  if (!node.checkCounts(1, 1))
    return failure();
  const Tensor *x = node.constant(0);
  if (!x)
    return failure();
  if (!x->isFloat())
    return node.error("expected floats");
  Tensor result = *x;
  for (float &value : result.floats)
    value = static_cast<float>(function(value));
  return node.setConstant(0, std::move(result));
}

double foldTan(double x) { return std::tan(x); }
double foldSinh(double x) { return std::sinh(x); }
double foldCosh(double x) { return std::cosh(x); }
double foldAsinh(double x) { return std::asinh(x); }
double foldAcosh(double x) { return std::acosh(x); }
double foldAtanh(double x) { return std::atanh(x); }
double foldAtan(double x) { return std::atan(x); }
double foldAsin(double x) { return std::asin(x); }
double foldAcos(double x) { return std::acos(x); }

} // namespace

void mlir::soap::onnx::addCurveOps(OpTable &table) {
  table["Mish"] = {18, kLastOpset, importCurve<mish>, nullptr};
  table["Swish"] = {7, kLastOpset, importSwish, nullptr};
  table["Shrink"] = {9, kLastOpset, importShrink, nullptr};
  table["Tan"] = {7, kLastOpset, importCurve<tangent>, foldCurve<foldTan>};
  table["Sinh"] = {9, kLastOpset, importCurve<hyperbolicSine>,
                   foldCurve<foldSinh>};
  table["Cosh"] = {9, kLastOpset, importCurve<hyperbolicCosine>,
                   foldCurve<foldCosh>};
  table["Asinh"] = {9, kLastOpset, importCurve<unary<AsinhOp>>,
                    foldCurve<foldAsinh>};
  table["Acosh"] = {9, kLastOpset, importCurve<unary<AcoshOp>>,
                    foldCurve<foldAcosh>};
  table["Atanh"] = {9, kLastOpset, importCurve<unary<AtanhOp>>,
                    foldCurve<foldAtanh>};
  table["Atan"] = {7, kLastOpset, importCurve<unary<AtanOp>>,
                   foldCurve<foldAtan>};
  table["Asin"] = {7, kLastOpset, importCurve<unary<AsinOp>>,
                   foldCurve<foldAsin>};
  table["Acos"] = {7, kLastOpset, importCurve<unary<AcosOp>>,
                   foldCurve<foldAcos>};
}
