//===- QuantizationOps.cpp - Quantized tensors of ONNX ----------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For inference: whole numbers held as float32. Weights that are dequantized
// are constants.
//
//===----------------------------------------------------------------------===//

#include "Folding.h"
#include "Rounding.h"

using namespace mlir;
using namespace mlir::soap;
using namespace mlir::soap::onnx;

namespace {

struct Range {
  double low, high;
};
std::optional<Range> rangeOf(NodeContext &node, int32_t type) {
  switch (type) {
  case kUInt8:
    return Range{0, 255};
  case kInt8:
    return Range{-128, 127};
  case kUInt16:
    return Range{0, 65535};
  case kInt16:
    return Range{-32768, 32767};
  }
  (void)node.error("quantized tensors of type " + dataTypeName(type) +
                   " are not supported");
  return std::nullopt;
}

/// The shape in which a scale or zero point broadcasts to x: one number, or one
/// along `axis`.
std::optional<Shape> alongAxis(NodeContext &node, size_t index) {
  const Shape &x = node.shape(0), &given = node.shape(index);
  int64_t axis = node.intAttribute("axis", 1);
  if (node.intAttribute("block_size", 0) != 0) {
    (void)node.error("attribute 'block_size': only 0 is supported");
    return std::nullopt;
  }
  if (node.failed())
    return std::nullopt;
  if (countElements(given) == 1)
    return Shape();
  auto where = normalizeAxis(node, axis, int64_t(x.size()));
  if (!where)
    return std::nullopt;
  if (given != Shape{x[*where]}) {
    (void)node.error("expected operand " + quote(node.node.inputs[index]) +
                     " of one element or of shape " + Twine(x[*where]) +
                     ", got " + shapeString(given));
    return std::nullopt;
  }
  Shape shape(x.size(), 1);
  shape[*where] = x[*where];
  return shape;
}

Value alignedOperand(NodeContext &node, size_t index, StringRef suffix) {
  auto shape = alongAxis(node, index);
  return shape ? node.createReshape(suffix, node.floats(index), *shape)
               : Value();
}

Value saturated(NodeContext &node, StringRef suffix, Value x, Range range) {
  x = node.createBinary<MaximumOp>("above", x,
                                   node.createScalar("low", range.low));
  return node.createBinary<MinimumOp>(suffix, x,
                                      node.createScalar("high", range.high));
}

LogicalResult importQuantize(NodeContext &node) {
  if (!node.checkCounts(2, 3))
    return failure();
  node.ignoreAttribute("saturate"); // of 8-bit floats
  int64_t asked = node.intAttribute("output_dtype", 0);
  if (node.intAttribute("precision", 0) != 0)
    return node.error("attribute 'precision': only 0 is supported");
  int32_t type = node.hasInput(2) ? node.typeOf(2)
                 : asked != 0     ? static_cast<int32_t>(asked)
                                  : int32_t(kUInt8);
  auto range = node.failed() ? std::nullopt : rangeOf(node, type);
  if (!range)
    return failure();
  Value x = node.tensor(0), scale = alignedOperand(node, 1, "scale");
  if (!x || !scale)
    return failure();
  x = createRounded(node, "rounded",
                    node.createBinary<DivOp>("scaled", x, scale));
  if (node.hasInput(2))
    x = node.createBinary<AddOp>("shifted", x,
                                 alignedOperand(node, 2, "zero_point"));
  return node.setResult(0, saturated(node, "", x, *range), type);
}

LogicalResult importDequantize(NodeContext &node) {
  if (!node.checkCounts(2, 3))
    return failure();
  int64_t asked = node.intAttribute("output_dtype", 0);
  if (asked != 0 && asked != kFloat)
    return node.error("attribute 'output_dtype': only float32 is supported");
  if (!node.isInteger(0))
    return node.error("expected integers");
  Value x = node.floats(0), scale = alignedOperand(node, 1, "scale");
  if (!x || !scale)
    return failure();
  if (node.hasInput(2))
    x = node.createBinary<SubOp>("shifted", x,
                                 alignedOperand(node, 2, "zero_point"));
  return node.setResult(0, node.createBinary<MulOp>("", x, scale));
}

/// Weights: one multiplication each, at import.
LogicalResult foldDequantize(NodeContext &node) {
  if (!node.checkCounts(2, 3))
    return failure();
  if (node.intAttribute("output_dtype", 0) != 0)
    return importDequantize(node);
  const Tensor *x = node.constant(0), *scale = node.constant(1),
               *zero = node.hasInput(2) ? node.constant(2) : nullptr;
  auto scaleShape = x && scale ? alongAxis(node, 1) : std::nullopt;
  auto zeroShape = zero ? alongAxis(node, 2) : Shape();
  if (!scaleShape || !zeroShape || node.failed())
    return failure();
  if (x->isFloat() || !scale->isFloat() || (zero && zero->isFloat()))
    return node.error("expected integers and a float scale");
  auto scales = pickElements(node, withShape(*scale, *scaleShape), x->dims,
                             broadcastIndex(*scaleShape, x->dims));
  auto zeros = zero ? pickElements(node, withShape(*zero, *zeroShape), x->dims,
                                   broadcastIndex(*zeroShape, x->dims))
                    : std::nullopt;
  if (!scales || (zero && !zeros))
    return failure();
  for (int64_t i = 0; i < x->size(); ++i)
    scales->floats[i] *=
        static_cast<float>(x->ints[i] - (zeros ? zeros->ints[i] : 0));
  return node.setConstant(0, std::move(*scales));
}

/// Scale and zero point of the operand's own range, which has 0.
LogicalResult importDynamicQuantize(NodeContext &node) {
  if (!node.checkCounts(1, 1, 3))
    return failure();
  Value x = node.tensor(0);
  if (!x)
    return failure();
  Shape axes;
  for (size_t i = 0; i < shapeOf(x).size(); ++i)
    axes.push_back(int64_t(i));
  Value zero = node.createScalar("zero", 0);
  Value high = node.createBinary<MaximumOp>(
            "high_or_zero", zero,
            node.createReduce("max", x, ReduceKind::Max, axes)),
        low = node.createBinary<MinimumOp>(
            "low_or_zero", zero,
            node.createReduce("min", x, ReduceKind::Min, axes));
  Value scale = node.createScale(
      "scale", node.createBinary<SubOp>("width", high, low), 1.0 / 255);
  Value offset = createRounded(
      node, "offset",
      node.createBinary<DivOp>(
          "offset_scaled", node.createUnary<NegOp>("opposite", low), scale));
  offset = saturated(node, "zero_point", offset, {0, 255});
  Value y = createRounded(node, "rounded",
                          node.createBinary<DivOp>("scaled", x, scale));
  y = node.createBinary<AddOp>("shifted", y, offset);
  if (failed(node.setResult(0, saturated(node, "", y, {0, 255}), kUInt8)) ||
      (node.wantsResult(1) && failed(node.setResult(1, scale))))
    return failure();
  return node.wantsResult(2) ? node.setResult(2, offset, kUInt8) : success();
}

/// A product of integers, exact up to 2^24.
LogicalResult importMatMulInteger(NodeContext &node) {
  if (!node.checkCounts(2, 4))
    return failure();
  Value operands[2];
  for (size_t i = 0; i < 2; ++i) {
    const Shape &x = node.shape(i);
    if (x.size() != 2)
      return node.error("expected matrices, got " + shapeString(x));
    operands[i] = node.floats(i);
    if (!node.hasInput(2 + i))
      continue;
    if (countElements(node.shape(2 + i)) != 1)
      return node.error("zero points of rows and columns are not supported, "
                        "only one number");
    operands[i] = node.createBinary<SubOp>(
        "shifted" + std::to_string(i), operands[i],
        node.createReshape("zero_point" + std::to_string(i), node.floats(2 + i),
                           {}));
  }
  if (node.shape(0)[1] != node.shape(1)[0])
    return node.error("operands " + shapeString(node.shape(0)) + " and " +
                      shapeString(node.shape(1)) + " can not be multiplied");
  if (node.shape(0)[1] > 256)
    return node.error("sums of " + Twine(node.shape(0)[1]) +
                      " products of bytes may exceed 2^24");
  return node.setResult(0, node.createMatmul("", operands[0], operands[1]),
                        kInt32);
}

} // namespace

void mlir::soap::onnx::addQuantizationOps(OpTable &table) {
  table["QuantizeLinear"] = {10, kLastOpset, importQuantize, nullptr};
  table["DequantizeLinear"] = {10, kLastOpset, importDequantize,
                               foldDequantize};
  table["DynamicQuantizeLinear"] = {11, kLastOpset, importDynamicQuantize,
                                    nullptr};
  table["MatMulInteger"] = {10, kLastOpset, importMatMulInteger, nullptr};
}
