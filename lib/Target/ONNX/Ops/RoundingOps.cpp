//===- RoundingOps.cpp - Rounding, remainders and tests of ONNX -*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Floor, Ceil, Round and Mod through whole numbers, exact for every float32;
// IsNaN and IsInf.
//
//===----------------------------------------------------------------------===//

#include "Folding.h"
#include "Rounding.h"

#include <cmath>

using namespace mlir;
using namespace mlir::soap;
using namespace mlir::soap::onnx;

namespace {

enum class Rounding { Floor, Ceil, Even };

/// x rounded towards zero. From 2^23 on all floats are whole, also NaN stays.
Value createTruncated(NodeContext &node, Value x) {
  Value size = node.createUnary<AbsOp>("size", x);
  Value isSmall = node.createBinary<GreaterOp>(
      "is_small", node.createScalar("whole", 0x1p23), size);
  Value zero = node.createScalar("zero", 0);
  // A number that is not small is not cast: the result would be any number.
  Value small = node.createWhere("small", isSmall, x, zero);
  Value whole = node.createFloats("truncated_float",
                                  node.createCast("truncated_int", small));
  return node.createWhere("truncated", isSmall, whole, x);
}

Value createFloor(NodeContext &node, StringRef suffix, Value x) {
  Value whole = createTruncated(node, x);
  Value isAbove = node.createBinary<GreaterOp>("is_above", whole, x);
  return node.createWhere(
      suffix, isAbove,
      node.createBinary<SubOp>("below", whole, node.createScalar("one", 1)),
      whole);
}

} // namespace

Value mlir::soap::onnx::createRounded(NodeContext &node, StringRef suffix,
                                      Value x) {
  // No gradient passes a rounding.
  x = node.createUnary<StopGradientOp>("held", x);
  Value low = createFloor(node, "low", x);
  Value rest = node.createBinary<SubOp>("rest", x, low);
  Value next =
      node.createBinary<AddOp>("next", low, node.createScalar("step", 1));
  Value half = node.createScalar("half", 0.5);
  Value pairs =
      createFloor(node, "pairs", node.createScale("halved", low, 0.5));
  Value isEven = node.createBinary<EqualOp>(
      "is_even", low, node.createScale("doubled", pairs, 2));
  Value tie = node.createWhere("tie", isEven, low, next);
  Value isHalf = node.createBinary<EqualOp>("is_half", rest, half);
  Value isMore = node.createBinary<GreaterOp>("is_more", rest, half);
  return node.createWhere(suffix, isHalf, tie,
                          node.createWhere("near", isMore, next, low));
}

namespace {

template <Rounding rounding>
LogicalResult importRounding(NodeContext &node) {
  if (!node.checkCounts(1, 1))
    return failure();
  Value x = node.tensor(0);
  if (rounding == Rounding::Even)
    return node.setResult(0, createRounded(node, "", x));
  x = node.createUnary<StopGradientOp>("held", x);
  if (rounding == Rounding::Floor)
    return node.setResult(0, createFloor(node, "", x));
  Value opposite = node.createUnary<NegOp>("opposite", x);
  return node.setResult(
      0, node.createUnary<NegOp>("", createFloor(node, "floor", opposite)));
}

template <double (*function)(double)>
LogicalResult foldRounding(NodeContext &node) {
  if (!node.checkCounts(1, 1))
    return failure();
  const Tensor *x = node.constant(0);
  if (!x)
    return failure();
  Tensor result = *x;
  for (float &value : result.floats)
    value = static_cast<float>(function(value));
  return node.setConstant(0, std::move(result));
}

double floorOf(double x) { return std::floor(x); }
double ceilOf(double x) { return std::ceil(x); }
double roundOf(double x) { return std::nearbyint(x); }

//===----------------------------------------------------------------------===//
// Mod
//===----------------------------------------------------------------------===//

/// The remainder with the sign of the divisor, or with `fmod` of the operand.
LogicalResult importMod(NodeContext &node) {
  if (!node.checkCounts(2, 2))
    return failure();
  bool isFmod = node.intAttribute("fmod", 0) != 0;
  if (node.failed())
    return failure();
  if (node.typeOf(0) != node.typeOf(1))
    return node.error("operands of " + dataTypeName(node.typeOf(0)) + " and " +
                      dataTypeName(node.typeOf(1)) + " do not match");
  if (!node.isInteger(0))
    return node.error("the remainder of computed floats is not supported, only "
                      "of integers");
  // Quotients and products of whole numbers below 2^24 are exact enough.
  Value x = node.floats(0), y = node.floats(1);
  Value quotient = node.createBinary<DivOp>("quotient", x, y);
  if (!quotient)
    return failure();
  Value whole = isFmod ? createTruncated(node, quotient)
                       : createFloor(node, "floor", quotient);
  return node.setResult(0,
                        node.createBinary<SubOp>(
                            "", x, node.createBinary<MulOp>("part", whole, y)),
                        node.typeOf(0));
}

LogicalResult foldMod(NodeContext &node) {
  bool isFmod = node.intAttribute("fmod", 0) != 0;
  auto operands = broadcastOperands(node);
  if (!operands || node.failed())
    return failure();
  auto &[a, b] = *operands;
  if (a.dataType != b.dataType || (a.isFloat() && !isFmod))
    return node.error("operands of " + dataTypeName(a.dataType) + " and " +
                      dataTypeName(b.dataType) + " are not supported" +
                      (isFmod ? "" : " without 'fmod'"));
  for (auto [x, y] : llvm::zip(a.floats, b.floats))
    x = std::fmod(x, y);
  for (auto [x, y] : llvm::zip(a.ints, b.ints)) {
    if (y == 0 || (x == INT64_MIN && y == -1))
      return node.error("the remainder of " + Twine(x) + " and " + Twine(y) +
                        " does not exist");
    int64_t rest = x % y;
    x = !isFmod && rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;
  }
  return node.setConstant(0, std::move(a));
}

//===----------------------------------------------------------------------===//
// Tests
//===----------------------------------------------------------------------===//

/// NaN equals nothing.
LogicalResult importIsNaN(NodeContext &node) {
  if (!node.checkCounts(1, 1))
    return failure();
  Value x = node.tensor(0);
  return node.setResult(
      0,
      node.createBinary<SubOp>("", node.createScalar("one", 1),
                               node.createBinary<EqualOp>("is_number", x, x)),
      kBool);
}

struct InfinityTest {
  bool positive, negative;
};
std::optional<InfinityTest> readInfinityTest(NodeContext &node) {
  if (!node.checkCounts(1, 1))
    return std::nullopt;
  InfinityTest test{node.intAttribute("detect_positive", 1) != 0,
                    node.intAttribute("detect_negative", 1) != 0};
  return node.failed() ? std::nullopt : std::optional(test);
}

LogicalResult importIsInf(NodeContext &node) {
  auto test = readInfinityTest(node);
  Value x = test ? node.tensor(0) : Value();
  if (!x)
    return failure();
  if (!test->positive && !test->negative)
    return node.setResult(0, node.createSplat("", shapeOf(x), 0), kBool);
  if (test->positive && test->negative)
    x = node.createUnary<AbsOp>("size", x);
  Value bound =
      node.createScalar("infinity", test->positive ? INFINITY : -INFINITY);
  return node.setResult(0, node.createBinary<EqualOp>("", x, bound), kBool);
}

template <bool isNaN>
LogicalResult foldTest(NodeContext &node) {
  InfinityTest test{true, true};
  if (!isNaN) {
    auto given = readInfinityTest(node);
    if (!given)
      return failure();
    test = *given;
  }
  const Tensor *x = node.checkCounts(1, 1) ? node.constant(0) : nullptr;
  if (!x)
    return failure();
  Tensor result;
  result.dataType = kBool;
  result.dims = x->dims;
  for (float value : x->floats)
    result.ints.push_back(
        isNaN
            ? std::isnan(value)
            : std::isinf(value) && (value > 0 ? test.positive : test.negative));
  return node.setConstant(0, std::move(result));
}

} // namespace

void mlir::soap::onnx::addRoundingOps(OpTable &table) {
  table["Floor"] = {7, kLastOpset, importRounding<Rounding::Floor>,
                    foldRounding<floorOf>};
  table["Ceil"] = {7, kLastOpset, importRounding<Rounding::Ceil>,
                   foldRounding<ceilOf>};
  table["Round"] = {11, kLastOpset, importRounding<Rounding::Even>,
                    foldRounding<roundOf>};
  table["Mod"] = {10, kLastOpset, importMod, foldMod};
  table["IsNaN"] = {9, kLastOpset, importIsNaN, foldTest<true>};
  table["IsInf"] = {10, kLastOpset, importIsInf, foldTest<false>};
}
