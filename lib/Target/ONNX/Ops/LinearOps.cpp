//===- LinearOps.cpp - Gemm and MatMul of ONNX ------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ops with weights.
//
//===----------------------------------------------------------------------===//

#include "Target/ONNX/Importer.h"

using namespace mlir;
using namespace mlir::soap;
using namespace mlir::soap::onnx;

namespace {

LogicalResult importGemm(NodeContext &node) {
  if (!node.checkCounts(node.opset() >= 11 ? 2 : 3, 3))
    return failure();
  float alpha = node.floatAttribute("alpha", 1),
        beta = node.floatAttribute("beta", 1);
  bool transA = node.intAttribute("transA", 0) != 0,
       transB = node.intAttribute("transB", 0) != 0;
  if (node.failed())
    return failure();
  const Shape &a = node.shape(0), &b = node.shape(1);
  if (a.size() != 2 || b.size() != 2 || a[transA ? 0 : 1] != b[transB ? 1 : 0])
    return node.error("operands " + shapeString(a) +
                      (transA ? " (transposed)" : "") + " and " +
                      shapeString(b) + (transB ? " (transposed)" : "") +
                      " can not be multiplied");
  Shape shape = {a[transA ? 1 : 0], b[transB ? 0 : 1]};
  Value left = node.tensor(0),
        right = node.tensor(1, transB ? Role::Weight : Role::InputMajorWeight);
  if (!left || !right)
    return failure();
  Value y = node.create<MatmulOp>("", shape, left, right, transA, transB,
                                  DenseI64ArrayAttr());
  if (y && alpha != 1)
    y = node.createScale("alpha", y, alpha);
  if (!y || !node.hasInput(2) || beta == 0)
    return node.setResult(0, y);

  if (broadcastShapes(node.shape(2), shape) != shape)
    return node.error("operand C of shape " + shapeString(node.shape(2)) +
                      " does not broadcast to " + shapeString(shape));
  Value c = node.tensor(2, node.operand(2).value ? Role::Other : Role::Bias);
  if (c && beta != 1)
    c = node.createScale("beta", c, beta);
  if (!c)
    return failure();
  bool isBias = shapeOf(c) == Shape{shape[1]};
  return node.setResult(
      0, isBias ? node.create<BiasAddOp>("bias_add", shape, y, c, 1)
                : node.create<AddOp>("bias_add", shape, y, c));
}

LogicalResult importMatMul(NodeContext &node) {
  if (!node.checkCounts(2, 2))
    return failure();
  Shape a = node.shape(0), b = node.shape(1);
  // A vector is a row on the left, a column on the right, and its dim is
  // dropped again.
  bool isRow = a.size() == 1, isColumn = b.size() == 1;
  if (isRow)
    a.insert(a.begin(), 1);
  if (isColumn)
    b.push_back(1);
  auto mismatch = [&] {
    return node.error("operands " + shapeString(node.shape(0)) + " and " +
                      shapeString(node.shape(1)) + " can not be multiplied");
  };
  if (a.size() < 2 || b.size() < 2 || a.back() != b[b.size() - 2])
    return mismatch();
  Shape aBatch(a.begin(), a.end() - 2), bBatch(b.begin(), b.end() - 2);
  auto batch = broadcastShapes(aBatch, bBatch);
  if (!batch)
    return mismatch();

  Value left = node.tensor(0),
        right = node.tensor(1, node.operand(1).value ? Role::Other
                                                     : Role::InputMajorWeight);
  if (!left || !right)
    return failure();
  left = node.createReshape("row", left, a);
  right = node.createReshape("column", right, b);
  // A shared right operand of rank 2 needs no batch dims; other batch dims are
  // repeated where they differ.
  auto widen = [&](StringRef suffix, Value value, const Shape &dims) {
    Shape wide = *batch;
    wide.insert(wide.end(), dims.end() - 2, dims.end());
    return node.createBroadcast(suffix, value, wide);
  };
  left = widen("left", left, a);
  if (!bBatch.empty())
    right = widen("right", right, b);
  Shape shape = *batch;
  shape.push_back(a[a.size() - 2]);
  shape.push_back(b.back());
  if (!left || !right)
    return failure();
  Value y = node.create<MatmulOp>("", shape, left, right, false, false,
                                  DenseI64ArrayAttr());
  Shape dropped = *batch;
  if (!isRow)
    dropped.push_back(a[a.size() - 2]);
  if (!isColumn)
    dropped.push_back(b.back());
  return node.setResult(0, node.createReshape("reshape", y, dropped));
}

} // namespace

void mlir::soap::onnx::addLinearOps(OpTable &table) {
  table["Gemm"] = {7, kLastOpset, importGemm, nullptr};
  table["MatMul"] = {7, kLastOpset, importMatMul, nullptr};
}
