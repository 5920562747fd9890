//===- LinearGradients.cpp - Gradients of convolution and matmul ----------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The gradients of a convolution are ops of their own with the forward op's
// loop names; gradients of a matmul are matmuls whose loops change places.
//
//===----------------------------------------------------------------------===//

#include "GradientUtils.h"

using namespace mlir;
using namespace mlir::soap;

//===----------------------------------------------------------------------===//
// Convolution
//===----------------------------------------------------------------------===//

LogicalResult Conv2DOp::buildGradient(OpBuilder &builder,
                                      ArrayRef<Value> resultGrads,
                                      ArrayRef<bool> wanted,
                                      SmallVectorImpl<Value> &operandGrads) {
  operandGrads.assign(2, Value());
  Value dy = resultGrads[0];
  if (!dy)
    return success();
  GradientBuilder gradients(builder, *this);
  if (wanted[0])
    operandGrads[0] = gradients.create<Conv2DInputGradOp>(
        "input_grad", getX().getType(), dy, getW(), getStridesAttr(),
        getPaddingAttr(), getDilationsAttr(), getGroupsAttr());
  if (wanted[1])
    operandGrads[1] = gradients.create<Conv2DWeightGradOp>(
        "weight_grad", getW().getType(), getX(), dy, getStridesAttr(),
        getPaddingAttr(), getDilationsAttr(), getGroupsAttr());
  return success();
}

//===----------------------------------------------------------------------===//
// Matmul
//===----------------------------------------------------------------------===//

namespace {
/// The gradients of one matmul y = a * b with forward loops m, n, k.
class MatmulGradients {
public:
  MatmulGradients(MatmulOp op, OpBuilder &builder, Value dy)
      : gradients(builder, op), op(op),
        dy(gradients.likeOperands(dy, op.getA(), 2)) {
    rank = shapeOf(dy).size();
    own = static_cast<int64_t>(shapeOf(op.getB()).size()) - 2;
    shared = own + 2 < rank;
  }

  /// da[m, k] = dy[m, n] * b^T, or stored transposed.
  Value ofA() {
    RankedTensorType type = tensorType(op.getA());
    if (!op.getTransposeA())
      return product("input_grad", {{"n", "k"}, {"k", "n"}}, type, dy,
                     op.getB(), false, !op.getTransposeB());
    if (!shared)
      return product("input_grad", {{"m", "k"}, {"n", "m"}, {"k", "n"}}, type,
                     op.getB(), dy, op.getTransposeB(), true);
    // A shared operand has to be the second one: transpose the result instead.
    SmallVector<int64_t> shape(type.getShape());
    std::swap(shape[rank - 1], shape[rank - 2]);
    Value straight =
        product("input_grad_transposed", {{"n", "k"}, {"k", "n"}},
                type.clone(shape), dy, op.getB(), false, !op.getTransposeB());
    return swapLastDims(straight, "input_grad", 1, 0);
  }

  /// db[k, n] = a^T * dy, or stored transposed; summed over the batch dims that
  /// share b.
  Value ofB() {
    RankedTensorType type = tensorType(op.getB());
    Value a = op.getA(), grad = dy;
    bool aIsTransposed = op.getTransposeA();
    SmallVector<std::string> rows{"m"}, sums{"k"};
    DenseI64ArrayAttr factors;
    if (shared) {
      if (aIsTransposed)
        a = swapLastDims(a, "input_transposed", 0, 0);
      aIsTransposed = false;
      // The rows of all batches are summed: a loop for each of their dims.
      factors = DenseI64ArrayAttr::get(op.getContext(),
                                       shapeOf(dy).drop_front(own).drop_back());
      rows = llvm::to_vector(llvm::drop_begin(batchLoops(), own));
      rows.push_back("m");
      sums.clear();
      for (size_t i = 0; i < rows.size(); ++i)
        sums.push_back("k" + std::to_string(i));
      a = flatten(a, "input_rows", aLoops());
      grad = flatten(grad, "grad_rows", yLoops());
    }
    SmallVector<std::pair<StringRef, StringRef>> loopMap;
    if (op.getTransposeB())
      loopMap = {{"m", "n"}, {"n", "k"}};
    else
      loopMap = {{"m", "k"}};
    for (auto [mine, forwards] : llvm::zip_equal(sums, rows))
      loopMap.emplace_back(mine, forwards);
    return op.getTransposeB() ? product("weight_grad", loopMap, type, grad, a,
                                        true, aIsTransposed, factors)
                              : product("weight_grad", loopMap, type, a, grad,
                                        !aIsTransposed, false, factors);
  }

private:
  using LoopMap = ArrayRef<std::pair<StringRef, StringRef>>;

  Value product(StringRef suffix, LoopMap loopMap, RankedTensorType type,
                Value a, Value b, bool transposeA, bool transposeB,
                DenseI64ArrayAttr factors = {}) {
    return gradients.create<MatmulOp>(suffix, loopMap, type, a, b, transposeA,
                                      transposeB, factors);
  }
  /// `ownTensor` of the transpose is split like `forwardTensor`.
  Value swapLastDims(Value value, StringRef suffix, unsigned ownTensor,
                     unsigned forwardTensor) {
    SmallVector<int64_t> permutation =
        llvm::to_vector(llvm::seq<int64_t>(0, rank));
    std::swap(permutation[rank - 1], permutation[rank - 2]);
    Value result = gradients.transpose(value, permutation, suffix);
    gradients.matchLoops(result.getDefiningOp(), ownTensor, forwardTensor);
    return result;
  }
  /// [own.., b.., m, x] to [own.., b..*m, x]; `loops` are the forward loops of
  /// the dims.
  Value flatten(Value value, StringRef suffix, ArrayRef<std::string> loops) {
    ArrayRef<int64_t> shape = shapeOf(value);
    SmallVector<int64_t> flat(shape.take_front(own));
    flat.push_back(llvm::product_of(shape.drop_front(own).drop_back()));
    flat.push_back(shape.back());
    Value result = gradients.reshape(value, flat, suffix);
    gradients.matchLoops(result.getDefiningOp(), 0, loops);
    return result;
  }
  SmallVector<std::string> batchLoops() {
    SmallVector<std::string> loops;
    for (int64_t dim = 0; dim + 2 < rank; ++dim)
      loops.push_back("b" + std::to_string(dim));
    return loops;
  }
  SmallVector<std::string> aLoops() {
    SmallVector<std::string> loops = batchLoops();
    loops.append({"m", "k"});
    return loops;
  }
  SmallVector<std::string> yLoops() {
    SmallVector<std::string> loops = batchLoops();
    loops.append({"m", "n"});
    return loops;
  }

  GradientBuilder gradients;
  MatmulOp op;
  Value dy;
  int64_t rank;
  /// Batch dims of b; batch dims of a behind them share it, if there are any.
  int64_t own;
  bool shared;
};
} // namespace

LogicalResult MatmulOp::buildGradient(OpBuilder &builder,
                                      ArrayRef<Value> resultGrads,
                                      ArrayRef<bool> wanted,
                                      SmallVectorImpl<Value> &operandGrads) {
  operandGrads.assign(2, Value());
  if (!resultGrads[0])
    return success();
  MatmulGradients gradients(*this, builder, resultGrads[0]);
  if (wanted[0])
    operandGrads[0] = gradients.ofA();
  if (wanted[1])
    operandGrads[1] = gradients.ofB();
  return success();
}

//===----------------------------------------------------------------------===//
// Reduce and broadcast
//===----------------------------------------------------------------------===//

LogicalResult ReduceOp::buildGradient(OpBuilder &builder,
                                      ArrayRef<Value> resultGrads,
                                      ArrayRef<bool> wanted,
                                      SmallVectorImpl<Value> &operandGrads) {
  operandGrads.assign(1, Value());
  if (!wanted[0] || !resultGrads[0])
    return success();
  GradientBuilder gradients(builder, *this);
  Type full = getX().getType();
  Value dy = resultGrads[0];
  if (getKind() == ReduceKind::Sum) {
    dy = gradients.likeOperands(dy, getX(), 1);
    operandGrads[0] =
        gradients.create<BroadcastOp>("input_grad", full, dy, getAxesAttr());
    return success();
  }
  // Elements that are equal to the extremum share its gradient evenly.
  Value y =
      gradients.create<BroadcastOp>("extremum", full, getY(), getAxesAttr());
  Value mask = gradients.create<EqualOp>("mask", full, getX(), y);
  Value ties = gradients.create<ReduceOp>("ties", dy.getType(), mask,
                                          ReduceKind::Sum, getAxesAttr());
  Value share = gradients.create<DivOp>("share", dy.getType(), dy, ties);
  gradients.matchLoops(share.getDefiningOp(), 2, 1);
  Value spread =
      gradients.create<BroadcastOp>("share_spread", full, share, getAxesAttr());
  operandGrads[0] = gradients.create<MulOp>("input_grad", full, spread, mask);
  return success();
}

LogicalResult BroadcastOp::buildGradient(OpBuilder &builder,
                                         ArrayRef<Value> resultGrads,
                                         ArrayRef<bool> wanted,
                                         SmallVectorImpl<Value> &operandGrads) {
  operandGrads.assign(1, Value());
  if (wanted[0] && resultGrads[0])
    operandGrads[0] =
        GradientBuilder(builder, *this)
            .create<ReduceOp>("input_grad", getX().getType(), resultGrads[0],
                              ReduceKind::Sum, getAxesAttr());
  return success();
}
