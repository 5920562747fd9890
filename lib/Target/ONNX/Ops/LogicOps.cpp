//===- LogicOps.cpp - Comparisons, masks and casts of ONNX ------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A bool tensor of the model is a mask of floats, 0 or 1: comparisons give it,
// Where takes it, And, Or, Xor and Not are arithmetic on it.
//
//===----------------------------------------------------------------------===//

#include "Folding.h"

#include <cmath>

using namespace mlir;
using namespace mlir::soap;
using namespace mlir::soap::onnx;

namespace {

//===----------------------------------------------------------------------===//
// Comparisons and logic
//===----------------------------------------------------------------------===//

enum class Logic {
  Equal,
  Greater,
  GreaterOrEqual,
  Less,
  LessOrEqual,
  And,
  Or,
  Xor
};

template <Logic kind>
LogicalResult importLogic(NodeContext &node) {
  if (!node.checkCounts(2, 2))
    return failure();
  Value x = node.floats(0), y = node.floats(1);
  auto binary = [&]<typename OpTy>(OpTy *, Value a, Value b) {
    return node.setResult(0, node.createBinary<OpTy>("", a, b), kBool);
  };
  switch (kind) {
  case Logic::Equal:
    return binary((EqualOp *)nullptr, x, y);
  case Logic::Greater:
    return binary((GreaterOp *)nullptr, x, y);
  case Logic::GreaterOrEqual:
    return binary((GreaterEqualOp *)nullptr, x, y);
  case Logic::Less:
    return binary((GreaterOp *)nullptr, y, x);
  case Logic::LessOrEqual:
    return binary((GreaterEqualOp *)nullptr, y, x);
  case Logic::And:
    return binary((MulOp *)nullptr, x, y);
  case Logic::Or:
    return binary((MaximumOp *)nullptr, x, y);
  case Logic::Xor: {
    Value difference = node.createBinary<SubOp>("difference", x, y);
    return difference
               ? node.setResult(
                     0, node.create<AbsOp>("", shapeOf(difference), difference),
                     kBool)
               : failure();
  }
  }
  return failure();
}

bool compute(Logic kind, double x, double y) {
  switch (kind) {
  case Logic::Equal:
    return x == y;
  case Logic::Greater:
    return x > y;
  case Logic::GreaterOrEqual:
    return x >= y;
  case Logic::Less:
    return x < y;
  case Logic::LessOrEqual:
    return x <= y;
  case Logic::And:
    return x != 0 && y != 0;
  case Logic::Or:
    return x != 0 || y != 0;
  case Logic::Xor:
    return (x != 0) != (y != 0);
  }
  return false;
}

template <Logic kind>
LogicalResult foldLogic(NodeContext &node) {
  auto operands = broadcastOperands(node);
  if (!operands)
    return failure();
  auto &[a, b] = *operands;
  Tensor result;
  result.dataType = kBool;
  result.dims = a.dims;
  for (int64_t i = 0, count = a.size(); i < count; ++i)
    result.ints.push_back(compute(kind, a.number(i), b.number(i)));
  return node.setConstant(0, std::move(result));
}

LogicalResult importNot(NodeContext &node) {
  if (!node.checkCounts(1, 1))
    return failure();
  return node.setResult(
      0,
      node.createBinary<SubOp>("", node.createScalar("one", 1), node.floats(0)),
      kBool);
}

LogicalResult foldNot(NodeContext &node) {
  if (!node.checkCounts(1, 1))
    return failure();
  const Tensor *x = node.constant(0);
  if (!x)
    return failure();
  Tensor result = *x;
  for (int64_t &value : result.ints)
    value = value == 0;
  return node.setConstant(0, std::move(result));
}

//===----------------------------------------------------------------------===//
// Where
//===----------------------------------------------------------------------===//

std::optional<Shape> whereShape(NodeContext &node) {
  auto shape = broadcastShapes(node.shape(0), node.shape(1));
  if (shape)
    shape = broadcastShapes(*shape, node.shape(2));
  if (!shape)
    (void)node.error("operands " + shapeString(node.shape(0)) + ", " +
                     shapeString(node.shape(1)) + " and " +
                     shapeString(node.shape(2)) + " do not broadcast");
  return shape;
}

LogicalResult importWhere(NodeContext &node) {
  if (!node.checkCounts(3, 3))
    return failure();
  auto shape = whereShape(node);
  if (shape && node.typeOf(1) != node.typeOf(2))
    return node.error("operands of " + dataTypeName(node.typeOf(1)) + " and " +
                      dataTypeName(node.typeOf(2)) + " do not match");
  Value condition = node.floats(0), x = node.floats(1), y = node.floats(2);
  if (!shape || !condition || !x || !y)
    return failure();
  return node.setResult(0, node.create<WhereOp>("", *shape, condition, x, y),
                        node.typeOf(1));
}

LogicalResult foldWhere(NodeContext &node) {
  if (!node.checkCounts(3, 3))
    return failure();
  const Tensor *condition = node.constant(0), *x = node.constant(1),
               *y = node.constant(2);
  auto shape = whereShape(node);
  if (!condition || !x || !y || !shape)
    return failure();
  if (condition->isFloat() || x->isFloat() != y->isFloat())
    return node.error("expected a condition of bool and two operands of one "
                      "type");
  auto picks = pickElements(node, *condition, *shape,
                            broadcastIndex(condition->dims, *shape));
  auto a = pickElements(node, *x, *shape, broadcastIndex(x->dims, *shape));
  auto b = pickElements(node, *y, *shape, broadcastIndex(y->dims, *shape));
  if (!picks || !a || !b)
    return failure();
  for (int64_t i = 0, count = a->size(); i < count; ++i) {
    if (picks->ints[i])
      continue;
    if (a->isFloat())
      a->floats[i] = b->floats[i];
    else
      a->ints[i] = b->ints[i];
  }
  return node.setConstant(0, std::move(*a));
}

//===----------------------------------------------------------------------===//
// Trilu
//===----------------------------------------------------------------------===//

/// Which elements of the last two dims stay; nothing after an error.
struct Triangle {
  bool upper;
  int64_t diagonal;
  bool keeps(int64_t row, int64_t column) const {
    return upper ? column - row >= diagonal : column - row <= diagonal;
  }
};
std::optional<Triangle> readTriangle(NodeContext &node) {
  if (!node.checkCounts(1, 2))
    return std::nullopt;
  Triangle result{node.intAttribute("upper", 1) != 0, 0};
  if (node.hasInput(1)) {
    auto diagonal = node.constantInts(1);
    if (!diagonal || diagonal->size() != 1) {
      if (!node.failed())
        (void)node.error("expected one diagonal");
      return std::nullopt;
    }
    result.diagonal =
        std::clamp<int64_t>(diagonal->front(), -kMaxElements, kMaxElements);
  }
  if (node.shape(0).size() < 2) {
    (void)node.error("expected an operand of rank 2 or more, got " +
                     shapeString(node.shape(0)));
    return std::nullopt;
  }
  return node.failed() ? std::nullopt : std::optional(result);
}

LogicalResult importTrilu(NodeContext &node) {
  auto triangle = readTriangle(node);
  Value x = triangle ? node.floats(0) : Value();
  if (!x)
    return failure();
  Shape shape = shapeOf(x), matrix(shape.end() - 2, shape.end());
  if (countElements(matrix) > (1 << 24))
    return node.error("a triangle of shape " + shapeString(matrix) +
                      " is too large");
  SmallVector<float> mask;
  for (int64_t row = 0; row < matrix[0]; ++row)
    for (int64_t column = 0; column < matrix[1]; ++column)
      mask.push_back(triangle->keeps(row, column));
  Value condition = node.create<ConstantOp>(
      "mask", matrix,
      DenseElementsAttr::get(node.importer.tensorType(matrix), ArrayRef(mask)));
  Value zero = node.createScalar("zero", 0);
  return condition && zero
             ? node.setResult(
                   0, node.create<WhereOp>("", shape, condition, x, zero),
                   node.typeOf(0))
             : failure();
}

LogicalResult foldTrilu(NodeContext &node) {
  auto triangle = readTriangle(node);
  const Tensor *x = triangle ? node.constant(0) : nullptr;
  if (!x)
    return failure();
  Tensor result = *x;
  int64_t rows = x->dims[x->dims.size() - 2], columns = x->dims.back();
  for (int64_t i = 0, count = x->size(); i < count; ++i) {
    if (triangle->keeps(i / columns % rows, i % columns))
      continue;
    if (result.isFloat())
      result.floats[i] = 0;
    else
      result.ints[i] = 0;
  }
  return node.setConstant(0, std::move(result));
}

} // namespace

void mlir::soap::onnx::addLogicOps(OpTable &table) {
  table["Equal"] = {7, kLastOpset, importLogic<Logic::Equal>,
                    foldLogic<Logic::Equal>};
  table["Greater"] = {7, kLastOpset, importLogic<Logic::Greater>,
                      foldLogic<Logic::Greater>};
  table["GreaterOrEqual"] = {12, kLastOpset, importLogic<Logic::GreaterOrEqual>,
                             foldLogic<Logic::GreaterOrEqual>};
  table["Less"] = {7, kLastOpset, importLogic<Logic::Less>,
                   foldLogic<Logic::Less>};
  table["LessOrEqual"] = {12, kLastOpset, importLogic<Logic::LessOrEqual>,
                          foldLogic<Logic::LessOrEqual>};
  table["And"] = {7, kLastOpset, importLogic<Logic::And>,
                  foldLogic<Logic::And>};
  table["Or"] = {7, kLastOpset, importLogic<Logic::Or>, foldLogic<Logic::Or>};
  table["Xor"] = {7, kLastOpset, importLogic<Logic::Xor>,
                  foldLogic<Logic::Xor>};
  table["Not"] = {7, kLastOpset, importNot, foldNot};
  table["Where"] = {9, kLastOpset, importWhere, foldWhere};
  table["Trilu"] = {14, kLastOpset, importTrilu, foldTrilu};
}
