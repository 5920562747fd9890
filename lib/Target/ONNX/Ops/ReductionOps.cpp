//===- ReductionOps.cpp - Reductions of ONNX --------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The Reduce family and global pooling: soap.reduce between elementwise ops, a
// reshape for kept dims.
//
//===----------------------------------------------------------------------===//

#include "Folding.h"

#include <cmath>

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
  SumSquare,
  Product
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
    bool takesIntegers =
        reduction == Reduction::Sum || reduction == Reduction::Max ||
        reduction == Reduction::Min || reduction == Reduction::L1 ||
        reduction == Reduction::Product || reduction == Reduction::SumSquare;
    Value x = takesIntegers ? node.floats(0) : node.tensor(0);
    if (!x)
      return failure();
    const bool isLast = !reshapes;
    switch (reduction) {
    case Reduction::Sum:
      return finish(reduce(name(isLast, "sum"), x, ReduceKind::Sum));
    case Reduction::Product:
      return finish(product(name(isLast, "product"), x));
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
  /// log(sum(exp(x - max))) + max: no exponential overflows. The result does
  /// not depend on the maximum, so that nothing flows back through it; if it is
  /// infinite, 0 is as good, and inf - inf would be no number.
  Value logSumExp(StringRef suffix, Value x) {
    Value highest =
        unary<StopGradientOp>("highest", reduce("max", x, ReduceKind::Max));
    Value isInfinite =
        node.createBinary<EqualOp>("is_infinite", unary<AbsOp>("size", highest),
                                   node.createScalar("infinity", INFINITY));
    Value max = node.createWhere("max", isInfinite,
                                 node.createScalar("zero", 0), highest);
    Value repeated = max ? node.createReshape("max_kept", max, kept) : Value();
    x = unary<ExpOp>("exp", node.createBinary<SubOp>("sub", x, repeated));
    Value log = unary<LogOp>("log", reduce("sum", x, ReduceKind::Sum));
    return node.createBinary<AddOp>(suffix, log, max);
  }
  /// The product of both halves, until one element is left.
  Value product(StringRef suffix, Value x) {
    for (int64_t axis : axes) {
      while (x && shapeOf(x)[axis] > 1) {
        Shape all = shapeOf(x), half = all, offsets(all.size(), 0);
        half[axis] = all[axis] / 2;
        Value low = node.createSlice("low", x, offsets, half);
        offsets[axis] = half[axis];
        Value high = node.createSlice("high", x, offsets, half);
        Value both = node.createBinary<MulOp>("pairs", low, high);
        if (all[axis] % 2) {
          offsets[axis] = all[axis] - 1;
          half[axis] = 1;
          both = node.createConcat(
              "rest", {both, node.createSlice("last", x, offsets, half)}, axis);
        }
        x = both;
      }
    }
    return node.createReshape(suffix, x, dropped);
  }
  LogicalResult finish(Value value) {
    if (value && reshapes)
      value = node.createReshape("", value, kept);
    return node.setResult(0, value, node.typeOf(0));
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
         reduction == Reduction::Max || reduction == Reduction::Min ||
         reduction == Reduction::Product;
}

/// The axes of a reduction; no value: the operand is the result. `inputOpset`:
/// where the axes became an operand.
struct Axes {
  std::optional<Shape> axes;
  bool keepDims = true;
};
FailureOr<Axes> readAxes(NodeContext &node, int64_t inputOpset) {
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
      return Axes{std::nullopt, keepDims};
    axes = Shape();
    for (int64_t i = 0; i < rank; ++i)
      axes->push_back(i);
  }
  axes = normalizeAxes(node, *axes, rank);
  if (!axes)
    return failure();
  return Axes{axes, keepDims};
}

template <Reduction reduction, int64_t inputOpset>
LogicalResult importReduce(NodeContext &node) {
  auto axes = readAxes(node, inputOpset);
  if (failed(axes))
    return failure();
  if (!axes->axes || (axes->axes->empty() && isIdentityOnElements(reduction)))
    return node.setOperand(0, node.operand(0));
  return Reducer(node, *axes->axes, axes->keepDims).run(reduction);
}

/// Constants: sums, products and extremes of shapes, of floats in double.
template <Reduction reduction, int64_t inputOpset>
LogicalResult foldReduce(NodeContext &node) {
  auto axes = readAxes(node, inputOpset);
  const Tensor *x = succeeded(axes) ? node.constant(0) : nullptr;
  if (!x)
    return failure();
  if (!axes->axes)
    return node.setOperand(0, node.operand(0));
  Shape kept, dropped;
  for (size_t d = 0; d < x->dims.size(); ++d) {
    bool isReduced = llvm::is_contained(*axes->axes, static_cast<int64_t>(d));
    kept.push_back(isReduced ? 1 : x->dims[d]);
    if (!isReduced)
      dropped.push_back(x->dims[d]);
  }
  int64_t count = countElements(kept);
  if (x->size() <= 0 || count <= 0)
    return node.error("a reduction of no elements is not supported");
  constexpr bool isProduct = reduction == Reduction::Product;
  std::vector<std::optional<double>> floats(count);
  std::vector<std::optional<int64_t>> ints(count);
  IndexMap target = broadcastIndex(kept, x->dims);
  bool overflows = false;
  auto combine = [&](auto &into, auto value) {
    if (!into)
      into = value;
    else if constexpr (reduction == Reduction::Max)
      into = std::max(*into, value);
    else if constexpr (reduction == Reduction::Min)
      into = std::min(*into, value);
    else if constexpr (std::is_same_v<decltype(value), int64_t>)
      overflows |= isProduct ? __builtin_mul_overflow(*into, value, &*into)
                             : __builtin_add_overflow(*into, value, &*into);
    else
      into = isProduct ? *into * value : *into + value;
  };
  auto all = pickElements(node, *x, x->dims, [&](const Shape &index) {
    int64_t position = 0;
    Shape strides = stridesOf(x->dims);
    for (size_t d = 0; d < index.size(); ++d)
      position += index[d] * strides[d];
    if (x->isFloat())
      combine(floats[target(index)], double(x->floats[position]));
    else
      combine(ints[target(index)], x->ints[position]);
    return position;
  });
  if (!all)
    return failure();
  if (overflows)
    return node.error("the result is not a 64-bit integer");
  Tensor result;
  result.dataType = x->dataType;
  result.dims = axes->keepDims ? kept : dropped;
  double divisor =
      reduction == Reduction::Mean ? double(x->size()) / double(count) : 1;
  for (int64_t i = 0; i < count; ++i) {
    if (x->isFloat())
      result.floats.push_back(static_cast<float>(*floats[i] / divisor));
    else
      result.ints.push_back(*ints[i]);
  }
  if (reduction == Reduction::Mean && !x->isFloat())
    return node.error("a mean of integers is not supported");
  return node.setConstant(0, std::move(result));
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
  auto add = [&](const char *name, Handler handler, Handler fold = nullptr) {
    table[name] = {7, kLastOpset, handler, fold};
  };
  add("ReduceSum", importReduce<Reduction::Sum, 13>,
      foldReduce<Reduction::Sum, 13>);
  add("ReduceMean", importReduce<Reduction::Mean, 18>,
      foldReduce<Reduction::Mean, 18>);
  add("ReduceMax", importReduce<Reduction::Max, 18>,
      foldReduce<Reduction::Max, 18>);
  add("ReduceMin", importReduce<Reduction::Min, 18>,
      foldReduce<Reduction::Min, 18>);
  add("ReduceProd", importReduce<Reduction::Product, 18>,
      foldReduce<Reduction::Product, 18>);
  add("ReduceL1", importReduce<Reduction::L1, 18>);
  add("ReduceL2", importReduce<Reduction::L2, 18>);
  add("ReduceLogSum", importReduce<Reduction::LogSum, 18>);
  add("ReduceLogSumExp", importReduce<Reduction::LogSumExp, 18>);
  add("ReduceSumSquare", importReduce<Reduction::SumSquare, 18>);
  add("GlobalAveragePool", importGlobalPool<Reduction::Mean>);
  add("GlobalMaxPool", importGlobalPool<Reduction::Max>);
}
