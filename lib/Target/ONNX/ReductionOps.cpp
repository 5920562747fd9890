//===- ReductionOps.cpp - Reductions of ONNX --------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The Reduce family and global pooling: soap.reduce between elementwise ops, a
// reshape for kept dims.
//
//===----------------------------------------------------------------------===//

#include "Importer.h"

using namespace mlir;
using namespace mlir::soap;
using namespace mlir::soap::onnx;

namespace {

/// The function of a node on the elements that it reduces.
enum class Reduction {
  Sum,
  Mean,
  Max,
  Min,
  L1,
  L2,
  LogSum,
  LogSumExp,
  SumSquare
};

/// The ops around a reduction; the last one made gets the node's name.
class Reducer {
public:
  Reducer(NodeContext &node, const Shape &axes, bool keepDims)
      : node(node), axes(axes) {
    const Shape x = node.shape(0);
    for (size_t i = 0; i < x.size(); ++i) {
      bool isReduced = llvm::is_contained(axes, static_cast<int64_t>(i));
      if (isReduced)
        count *= x[i];
      else
        dropped.push_back(x[i]);
      kept.push_back(isReduced ? 1 : x[i]);
    }
    reshapes = keepDims && kept != dropped;
  }

  LogicalResult run(Reduction reduction) {
    Value x = node.tensor(0);
    if (!x)
      return failure();
    const bool isLast = !reshapes;
    switch (reduction) {
    case Reduction::Sum:
      return finish(reduce(name(isLast, "sum"), x, ReduceKind::Sum));
    case Reduction::Max:
      return finish(reduce(name(isLast, "max"), x, ReduceKind::Max));
    case Reduction::Min:
      return finish(reduce(name(isLast, "min"), x, ReduceKind::Min));
    case Reduction::Mean:
      return finish(node.createScale(name(isLast, "mean"),
                                     reduce("sum", x, ReduceKind::Sum),
                                     1.0 / count));
    case Reduction::L1:
      x = unary<AbsOp>("abs", x);
      return finish(reduce(name(isLast, "sum"), x, ReduceKind::Sum));
    case Reduction::SumSquare:
      x = node.createBinary<MulOp>("square", x, x);
      return finish(reduce(name(isLast, "sum"), x, ReduceKind::Sum));
    case Reduction::L2:
      x = reduce("sum", node.createBinary<MulOp>("square", x, x),
                 ReduceKind::Sum);
      return finish(unary<SqrtOp>(name(isLast, "sqrt"), x));
    case Reduction::LogSum:
      return finish(
          unary<LogOp>(name(isLast, "log"), reduce("sum", x, ReduceKind::Sum)));
    case Reduction::LogSumExp:
      return finish(logSumExp(name(isLast, "shifted"), x));
    }
    llvm_unreachable("all reductions are handled");
  }

private:
  static StringRef name(bool isLast, StringRef suffix) {
    return isLast ? "" : suffix;
  }
  Value reduce(StringRef suffix, Value x, ReduceKind kind) {
    if (axes.empty())
      return x;
    return x ? node.create<ReduceOp>(suffix, dropped, x, kind,
                                     ArrayRef<int64_t>(axes))
             : Value();
  }
  template <typename OpTy>
  Value unary(StringRef suffix, Value x) {
    return x ? node.create<OpTy>(suffix, shapeOf(x), x) : Value();
  }
  /// log(sum(exp(x - max))) + max: no exponential overflows.
  Value logSumExp(StringRef suffix, Value x) {
    Value max = reduce("max", x, ReduceKind::Max);
    Value repeated = max ? node.createReshape("max_kept", max, kept) : Value();
    x = unary<ExpOp>("exp", node.createBinary<SubOp>("sub", x, repeated));
    Value log = unary<LogOp>("log", reduce("sum", x, ReduceKind::Sum));
    return node.createBinary<AddOp>(suffix, log, max);
  }
  LogicalResult finish(Value value) {
    if (value && reshapes)
      value = node.createReshape("", value, kept);
    return value ? node.setResult(0, value) : failure();
  }

  NodeContext &node;
  const Shape &axes;
  Shape dropped, kept;
  int64_t count = 1;
  bool reshapes = false;
};

/// Whether a reduction over no axis at all leaves its operand as it is.
bool isIdentityOnElements(Reduction reduction) {
  return reduction == Reduction::Sum || reduction == Reduction::Mean ||
         reduction == Reduction::Max || reduction == Reduction::Min;
}

/// `inputOpset`: where the axes became an operand.
template <Reduction reduction, int64_t inputOpset>
LogicalResult importReduce(NodeContext &node) {
  bool axesAreInput = node.opset() >= inputOpset;
  if (!node.checkCounts(1, axesAreInput ? 2 : 1))
    return failure();
  bool keepDims = node.intAttribute("keepdims", 1) != 0;
  bool noopIfEmpty =
      axesAreInput && node.intAttribute("noop_with_empty_axes", 0) != 0;
  std::optional<Shape> axes;
  if (!axesAreInput)
    axes = node.intsAttribute("axes");
  else if (node.hasInput(1))
    axes = node.constantInts(1);
  if (node.failed())
    return failure();
  int64_t rank = node.shape(0).size();
  if (!axes || axes->empty()) {
    // Opset 18 says that the operand is the result, whatever the reduction.
    if (noopIfEmpty)
      return node.setOperand(0, node.operand(0));
    axes = Shape();
    for (int64_t i = 0; i < rank; ++i)
      axes->push_back(i);
  }
  axes = normalizeAxes(node, *axes, rank);
  if (!axes)
    return failure();
  if (axes->empty() && isIdentityOnElements(reduction))
    return node.setOperand(0, node.operand(0));
  return Reducer(node, *axes, keepDims).run(reduction);
}

template <Reduction reduction>
LogicalResult importGlobalPool(NodeContext &node) {
  if (!node.checkCounts(1, 1))
    return failure();
  if (node.shape(0).size() < 3)
    return node.error("expected an operand of rank 3 or more, got " +
                      shapeString(node.shape(0)));
  Shape axes;
  for (size_t i = 2; i < node.shape(0).size(); ++i)
    axes.push_back(i);
  return Reducer(node, axes, /*keepDims=*/true).run(reduction);
}

} // namespace

void mlir::soap::onnx::addReductionOps(OpTable &table) {
  auto add = [&](const char *name, Handler handler) {
    table[name] = {7, kLastOpset, handler, nullptr};
  };
  add("ReduceSum", importReduce<Reduction::Sum, 13>);
  add("ReduceMean", importReduce<Reduction::Mean, 18>);
  add("ReduceMax", importReduce<Reduction::Max, 18>);
  add("ReduceMin", importReduce<Reduction::Min, 18>);
  add("ReduceL1", importReduce<Reduction::L1, 18>);
  add("ReduceL2", importReduce<Reduction::L2, 18>);
  add("ReduceLogSum", importReduce<Reduction::LogSum, 18>);
  add("ReduceLogSumExp", importReduce<Reduction::LogSumExp, 18>);
  add("ReduceSumSquare", importReduce<Reduction::SumSquare, 18>);
  add("GlobalAveragePool", importGlobalPool<Reduction::Mean>);
  add("GlobalMaxPool", importGlobalPool<Reduction::Max>);
}
