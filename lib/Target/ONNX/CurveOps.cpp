//===- CurveOps.cpp - Less common functions of ONNX -------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementwise functions as short compositions.
//
//===----------------------------------------------------------------------===//

#include "Folding.h"

#include <cmath>

using namespace mlir;
using namespace mlir::soap;
using namespace mlir::soap::onnx;

namespace {

Value one(NodeContext &node) { return node.createScalar("one", 1); }

/// log(1 + e^x) = max(x, 0) + log(1 + e^-|x|).
Value createSoftplus(NodeContext &node, Value x) {
  Value power = node.createUnary<ExpOp>(
      "exp", node.createUnary<NegOp>("neg", node.createUnary<AbsOp>("abs", x)));
  Value rest = node.createUnary<LogOp>(
      "log", node.createBinary<AddOp>("plus", power, one(node)));
  return node.createBinary<AddOp>("softplus",
                                  node.createUnary<ReluOp>("relu", x), rest);
}

template <Value (*function)(NodeContext &, Value)>
LogicalResult importCurve(NodeContext &node) {
  if (!node.checkCounts(1, 1))
    return failure();
  Value x = node.tensor(0);
  return x ? node.setResult(0, function(node, x)) : failure();
}

Value mish(NodeContext &node, Value x) {
  return node.createBinary<MulOp>(
      "", x, node.createUnary<TanhOp>("tanh", createSoftplus(node, x)));
}

Value tangent(NodeContext &node, Value x) {
  return node.createBinary<DivOp>("", node.createUnary<SinOp>("sin", x),
                                  node.createUnary<CosOp>("cos", x));
}

/// e^x and e^-x.
std::pair<Value, Value> powers(NodeContext &node, Value x) {
  return {
      node.createUnary<ExpOp>("exp", x),
      node.createUnary<ExpOp>("exp_neg", node.createUnary<NegOp>("neg", x))};
}

Value hyperbolicCosine(NodeContext &node, Value x) {
  auto [rising, falling] = powers(node, x);
  return node.createScale("", node.createBinary<AddOp>("sum", rising, falling),
                          0.5);
}

/// sinh = tanh * cosh: no difference of nearly equal powers.
Value hyperbolicSine(NodeContext &node, Value x) {
  auto [rising, falling] = powers(node, x);
  Value cosine = node.createScale(
      "cosh", node.createBinary<AddOp>("sum", rising, falling), 0.5);
  return node.createBinary<MulOp>("", node.createUnary<TanhOp>("tanh", x),
                                  cosine);
}

/// (log(1 + x) - log(1 - x)) / 2.
Value inverseHyperbolicTangent(NodeContext &node, Value x) {
  Value above = node.createUnary<LogOp>(
      "log_above", node.createBinary<AddOp>("above", one(node), x));
  Value below = node.createUnary<LogOp>(
      "log_below", node.createBinary<SubOp>("below", one(node), x));
  return node.createScale(
      "", node.createBinary<SubOp>("difference", above, below), 0.5);
}

/// sign(x) * log(|x| + sqrt(x^2 + 1)).
Value inverseHyperbolicSine(NodeContext &node, Value x) {
  Value size = node.createUnary<AbsOp>("abs", x);
  Value root = node.createUnary<SqrtOp>(
      "root", node.createBinary<AddOp>(
                  "plus", node.createBinary<MulOp>("square", x, x), one(node)));
  Value log = node.createUnary<LogOp>(
      "log", node.createBinary<AddOp>("sum", size, root));
  Value isNegative = node.createBinary<GreaterOp>(
      "is_negative", node.createScalar("zero", 0), x);
  return node.createWhere("", isNegative, node.createUnary<NegOp>("neg", log),
                          log);
}

/// log(x + sqrt((x - 1) * (x + 1))).
Value inverseHyperbolicCosine(NodeContext &node, Value x) {
  Value product = node.createBinary<MulOp>(
      "product", node.createBinary<SubOp>("below", x, one(node)),
      node.createBinary<AddOp>("above", x, one(node)));
  Value root = node.createUnary<SqrtOp>("root", product);
  return node.createUnary<LogOp>("", node.createBinary<AddOp>("sum", x, root));
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
  table["Asinh"] = {9, kLastOpset, importCurve<inverseHyperbolicSine>,
                    foldCurve<foldAsinh>};
  table["Acosh"] = {9, kLastOpset, importCurve<inverseHyperbolicCosine>,
                    foldCurve<foldAcosh>};
  table["Atanh"] = {9, kLastOpset, importCurve<inverseHyperbolicTangent>,
                    foldCurve<foldAtanh>};
  table["Atan"] = {7, kLastOpset, nullptr, foldCurve<foldAtan>};
  table["Asin"] = {7, kLastOpset, nullptr, foldCurve<foldAsin>};
  table["Acos"] = {7, kLastOpset, nullptr, foldCurve<foldAcos>};
}
