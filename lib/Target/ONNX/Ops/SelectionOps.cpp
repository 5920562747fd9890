//===- SelectionOps.cpp - Largest elements and running sums -----*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// TopK, ArgMax, ArgMin, Hardmax; CumSum by a triangular matrix; NonZero and
// Compress of what is known.
//
//===----------------------------------------------------------------------===//

#include "Folding.h"

#include <cmath>
#include <numeric>

using namespace mlir;
using namespace mlir::soap;
using namespace mlir::soap::onnx;

namespace {

/// Rows of a triangular matrix.
constexpr int64_t kLargestTriangle = 4096;
/// Positions are float32.
constexpr int64_t kLargestAxis = int64_t(1) << 24;

bool checkAxis(NodeContext &node, int64_t extent) {
  if (extent >= 1 && extent < kLargestAxis)
    return true;
  (void)node.error("an axis of " + Twine(extent) +
                   " elements is not supported, expected 1 to 2^24 - 1");
  return false;
}

/// The largest element along an axis of x.
struct Extreme {
  Value position; ///< of the first of equal ones, or the last; the axis is 1
  Value mask;     ///< 1 there, else 0
};

/// Null members after an error.
Extreme findLargest(NodeContext &node, Value x, int64_t axis,
                    bool takesLast = false) {
  Shape shape = shapeOf(x);
  int64_t extent = shape[axis];
  Value places = node.createPositions("positions", extent, axis,
                                      static_cast<int64_t>(shape.size()));
  Value most = node.createReduce("max", x, ReduceKind::Max, {axis}, true);
  Value isMost = node.createBinary<EqualOp>("is_max", x, most);
  Value candidates = node.createWhere(
      "candidates", isMost, places,
      node.createScalar("none",
                        takesLast ? -1.0 : static_cast<double>(extent)));
  Value position = node.createReduce(
      "position", candidates, takesLast ? ReduceKind::Max : ReduceKind::Min,
      {axis}, true);
  return {position, node.createBinary<EqualOp>("mask", places, position)};
}

LogicalResult importTopK(NodeContext &node) {
  bool isAttribute = node.opset() < 10;
  if (!node.checkCounts(isAttribute ? 1 : 2, isAttribute ? 1 : 2, 2))
    return failure();
  const Shape &x = node.shape(0);
  auto axis = normalizeAxis(node, node.intAttribute("axis", -1), x.size());
  bool largest = node.opset() < 11 || node.intAttribute("largest", 1) != 0;
  node.ignoreAttribute(
      "sorted"); // sorted is one of the orders that are allowed
  std::optional<Shape> counts;
  if (isAttribute)
    counts = Shape{node.intAttribute("k", -1)};
  else
    counts = node.constantInts(1);
  if (!axis || !counts || node.failed())
    return failure();
  int64_t extent = x[*axis], count = counts->size() == 1 ? counts->front() : -1;
  if (!checkAxis(node, extent))
    return failure();
  if (count < 1 || count > extent)
    return node.error("expected a number of elements from 1 to " +
                      Twine(extent) + ", got " + Twine(count));
  // Smallest elements are the largest ones of -x.
  auto negate = [&](StringRef suffix, Value value) {
    return largest || !value ? value : node.createUnary<NegOp>(suffix, value);
  };
  auto rank = static_cast<int64_t>(x.size());
  Shape order = swappedDims(rank, *axis, rank - 1);
  Value rows =
      node.createTranspose("rows", negate("negated", node.floats(0)), order);
  if (!rows)
    return failure();
  Shape shape = shapeOf(rows);
  shape.back() = count;
  Value values = node.create<TopKOp>(
      "found", shape,
      RankedTensorType::get(shape, IntegerType::get(rows.getContext(), 32)),
      rows, static_cast<uint64_t>(count));
  if (!values)
    return failure();
  if (node.wantsResult(0) &&
      failed(
          node.setResult(0,
                         node.createTranspose(
                             "values", negate("values_negated", values), order),
                         node.typeOf(0))))
    return failure();
  if (!node.wantsResult(1))
    return success();
  // Tensors of integers are not transposed; float32 holds all positions.
  Value indices = values.getDefiningOp<TopKOp>().getIndices();
  if (!llvm::is_sorted(order))
    indices = node.createCast(
        "indices",
        node.createTranspose(
            "positions", node.createFloats("indices_float", indices), order));
  return node.setResult(1, indices, kInt64);
}

template <bool isMax>
LogicalResult importArg(NodeContext &node) {
  if (!node.checkCounts(1, 1))
    return failure();
  const Shape x = node.shape(0);
  auto axis = normalizeAxis(node, node.intAttribute("axis", 0), x.size());
  bool keepDims = node.intAttribute("keepdims", 1) != 0;
  bool takesLast =
      node.opset() >= 12 && node.intAttribute("select_last_index", 0) != 0;
  if (!axis || node.failed() || !checkAxis(node, x[*axis]))
    return failure();
  Value input = node.floats(0);
  if (!isMax)
    input = node.createUnary<NegOp>("negated", input);
  if (!input)
    return failure();
  Value position = findLargest(node, input, *axis, takesLast).position;
  Shape shape = x;
  shape[*axis] = 1;
  if (!keepDims)
    shape.erase(shape.begin() + *axis);
  position = node.createReshape("index", position, shape);
  return node.setResult(0, node.createCast("", position), kInt64);
}

LogicalResult importHardmax(NodeContext &node) {
  if (!node.checkCounts(1, 1))
    return failure();
  const Shape x = node.shape(0);
  bool flattens = node.opset() < 13;
  auto axis = normalizeAxis(node, node.intAttribute("axis", flattens ? 1 : -1),
                            x.size());
  if (!axis || node.failed())
    return failure();
  Value input = node.tensor(0);
  if (flattens && *axis + 1 != int64_t(x.size())) {
    auto middle = x.begin() + *axis;
    Shape matrix{countElements(Shape(x.begin(), middle)),
                 countElements(Shape(middle, x.end()))};
    input = node.createReshape("rows", input, matrix);
    axis = 1;
  }
  if (!input || !checkAxis(node, shapeOf(input)[*axis]))
    return failure();
  Value mask = findLargest(node, input, *axis).mask;
  return node.setResult(0, node.createReshape("", mask, x));
}

//===----------------------------------------------------------------------===//
// CumSum
//===----------------------------------------------------------------------===//

struct RunningSum {
  int64_t axis;
  bool exclusive, reverse;
  /// Whether element `from` is part of sum `to`.
  bool has(int64_t from, int64_t to) const {
    if (reverse)
      std::swap(from, to);
    return exclusive ? from < to : from <= to;
  }
};

std::optional<RunningSum> readRunningSum(NodeContext &node) {
  if (!node.checkCounts(2, 2))
    return std::nullopt;
  auto given = node.constantInts(1);
  if (!given || given->size() != 1) {
    if (!node.failed())
      (void)node.error("expected one axis");
    return std::nullopt;
  }
  auto axis = normalizeAxis(node, given->front(), node.shape(0).size());
  if (!axis)
    return std::nullopt;
  RunningSum sum{*axis, node.intAttribute("exclusive", 0) != 0,
                 node.intAttribute("reverse", 0) != 0};
  return node.failed() ? std::nullopt : std::optional(sum);
}

LogicalResult importCumSum(NodeContext &node) {
  auto sum = readRunningSum(node);
  if (!sum)
    return failure();
  int64_t extent = node.shape(0)[sum->axis],
          rank = int64_t(node.shape(0).size());
  if (extent > kLargestTriangle)
    return node.error("an axis of " + Twine(extent) +
                      " elements is not supported, expected at most " +
                      Twine(kLargestTriangle));
  SmallVector<float> triangle;
  for (int64_t from = 0; from < extent; ++from)
    for (int64_t to = 0; to < extent; ++to)
      triangle.push_back(sum->has(from, to));
  Value matrix = node.createConstant("triangle", {extent, extent}, triangle);
  Value x = node.floats(0);
  if (rank == 1)
    x = node.createReshape("row", x, {1, extent});
  Shape order =
      swappedDims(std::max<int64_t>(rank, 2), rank == 1 ? 1 : sum->axis,
                  std::max<int64_t>(rank, 2) - 1);
  x = node.createTranspose("last", x, order);
  x = node.createMatmul("sum", x, matrix);
  x = node.createTranspose("", x, order);
  return node.setResult(0, node.createReshape("", x, node.shape(0)),
                        node.typeOf(0));
}

LogicalResult foldCumSum(NodeContext &node) {
  auto sum = readRunningSum(node);
  const Tensor *x = sum ? node.constant(0) : nullptr;
  if (!x)
    return failure();
  if (x->dims[sum->axis] > kLargestTriangle)
    return node.error("an axis of " + Twine(x->dims[sum->axis]) +
                      " elements is too large");
  Tensor result = *x;
  Shape strides = stridesOf(x->dims);
  int64_t stride = strides[sum->axis], extent = x->dims[sum->axis];
  for (int64_t at = 0; at < x->size(); ++at) {
    int64_t to = at / stride % extent;
    double total = 0;
    int64_t whole = 0;
    for (int64_t from = 0; from < extent; ++from) {
      if (!sum->has(from, to))
        continue;
      int64_t source = at + (from - to) * stride;
      if (x->isFloat())
        total += x->floats[source];
      else if (__builtin_add_overflow(whole, x->ints[source], &whole))
        return node.error("the sum is not a 64-bit integer");
    }
    if (x->isFloat())
      result.floats[at] = static_cast<float>(total);
    else
      result.ints[at] = whole;
  }
  return node.setConstant(0, std::move(result));
}

//===----------------------------------------------------------------------===//
// Numbers of elements that depend on values
//===----------------------------------------------------------------------===//

LogicalResult foldNonZero(NodeContext &node) {
  if (!node.checkCounts(1, 1))
    return failure();
  const Tensor *x = node.constant(0);
  if (!x)
    return failure();
  Shape strides = stridesOf(x->dims), found;
  for (int64_t i = 0; i < x->size(); ++i)
    if (x->number(i) != 0)
      found.push_back(i);
  Tensor result;
  result.dataType = kInt64;
  // A scalar is a vector of one element.
  int64_t rank = int64_t(x->dims.size());
  result.dims = {rank, int64_t(found.size())};
  for (int64_t d = 0; d < rank; ++d)
    for (int64_t at : found)
      result.ints.push_back(at / strides[d] % x->dims[d]);
  return node.setConstant(0, std::move(result));
}

/// Positions along an axis where a condition that is known holds.
LogicalResult importCompress(NodeContext &node) {
  if (!node.checkCounts(2, 2))
    return failure();
  const Tensor *condition = node.constant(1);
  if (!condition)
    return failure();
  Shape x = node.shape(0);
  Value input = node.floats(0);
  int64_t axis = 0;
  if (node.hasAttribute("axis")) {
    auto given = normalizeAxis(node, node.intAttribute("axis", 0), x.size());
    if (!given || node.failed())
      return failure();
    axis = *given;
  } else {
    x = {countElements(x)};
    input = node.createReshape("flat", input, x);
  }
  SmallVector<int32_t> positions;
  for (int64_t i = 0; i < condition->size(); ++i)
    if (condition->number(i) != 0)
      positions.push_back(static_cast<int32_t>(i));
  if (positions.empty() || positions.back() >= x[axis])
    return node.error("the condition selects nothing, or beyond " +
                      Twine(x[axis]) + " elements");
  return node.setResult(0, node.createPick("", input, axis, positions),
                        node.typeOf(0));
}

} // namespace

void mlir::soap::onnx::addSelectionOps(OpTable &table) {
  table["TopK"] = {7, kLastOpset, importTopK, nullptr};
  table["ArgMax"] = {7, kLastOpset, importArg<true>, nullptr};
  table["ArgMin"] = {7, kLastOpset, importArg<false>, nullptr};
  table["Hardmax"] = {7, kLastOpset, importHardmax, nullptr};
  table["CumSum"] = {11, kLastOpset, importCumSum, foldCumSum};
  table["NonZero"] = {9, kLastOpset, nullptr, foldNonZero};
  table["Compress"] = {9, kLastOpset, importCompress, nullptr};
}
