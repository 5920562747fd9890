//===- ConstantFolds.cpp - Ops on constants -------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Patterns and not folders: `soap.constant` is not ConstantLike, because MLIR
// then merges equal constants, of which each may have a config of its own.
//
//===----------------------------------------------------------------------===//

#include "FoldSupport.h"

using namespace mlir;
using namespace mlir::soap;

/// Replaces `op` by a constant.
static void replaceByConstant(PatternRewriter &rewriter, Operation *op,
                              DenseElementsAttr elements) {
  replaceNamed(
      rewriter, op,
      ConstantOp::create(rewriter, op->getLoc(), cast<ElementsAttr>(elements)));
}

//===----------------------------------------------------------------------===//
// Ops that move elements
//===----------------------------------------------------------------------===//

/// Row-major position in the operand of the element at `index` of the result.
static int64_t sourceOf(Operation *op, ArrayRef<int64_t> index) {
  SmallVector<int64_t> source(shapeOf(op->getOperand(0)).size());
  if (auto transpose = dyn_cast<TransposeOp>(op))
    for (auto [i, dim] : llvm::enumerate(transpose.getPermutation()))
      source[dim] = index[i];
  else if (auto slice = dyn_cast<SliceOp>(op))
    for (size_t d = 0; d < source.size(); ++d)
      source[d] = slice.getOffsets()[d] + index[d] * slice.getStrides()[d];
  int64_t position = 0;
  for (auto [extent, i] : llvm::zip(shapeOf(op->getOperand(0)), source))
    position = position * extent + i;
  return position;
}

/// The elements of a transpose or a slice.
static DenseElementsAttr movedElements(Operation *op, DenseElementsAttr from,
                                       RankedTensorType type) {
  auto values = from.getValues<Attribute>();
  SmallVector<Attribute> moved;
  SmallVector<int64_t> index(type.getRank(), 0);
  for (int64_t n = 0, count = type.getNumElements(); n < count; ++n) {
    moved.push_back(values[sourceOf(op, index)]);
    for (size_t d = index.size(); d-- > 0;) {
      if (++index[d] < type.getDimSize(d))
        break;
      index[d] = 0;
    }
  }
  return DenseElementsAttr::get(type, moved);
}

namespace {
struct MoveConstant : RewritePattern {
  MoveConstant(StringRef op, MLIRContext *context)
      : RewritePattern(op, /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    DenseElementsAttr from = constantElements(op->getOperand(0));
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    if (!from || !mayReplace(op->getOperand(0).getDefiningOp()) ||
        !mayReplace(op))
      return failure();
    if (from.isSplat())
      return replaceByConstant(rewriter, op, from.resizeSplat(type)), success();
    if (isa<ReshapeOp>(op))
      return replaceByConstant(rewriter, op, from.reshape(type)), success();
    // A broadcast of other elements would repeat them in the IR.
    if (isa<BroadcastOp>(op) || type.getNumElements() > maxFoldedElements)
      return failure();
    replaceByConstant(rewriter, op, movedElements(op, from, type));
    return success();
  }
};
} // namespace

void mlir::soap::addMovePattern(RewritePatternSet &patterns, StringRef op) {
  patterns.add<MoveConstant>(op, patterns.getContext());
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

static APFloat compute(NegOp, ArrayRef<APFloat> x) { return neg(x[0]); }
static APFloat compute(AddOp, ArrayRef<APFloat> x) { return x[0] + x[1]; }
static APFloat compute(SubOp, ArrayRef<APFloat> x) { return x[0] - x[1]; }
static APFloat compute(MulOp, ArrayRef<APFloat> x) { return x[0] * x[1]; }
static APFloat compute(DivOp, ArrayRef<APFloat> x) { return x[0] / x[1]; }

namespace {
/// In f32 and f64, which kernels compute in as they are, rounded to nearest. A
/// NaN or a denormal number is left to them: its bits depend on the device.
template <typename OpTy>
struct ComputeConstant : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    if (!type.getElementType().isF32() && !type.getElementType().isF64())
      return failure();
    bool areSplats = true;
    SmallVector<DenseElementsAttr> operands;
    for (Value operand : op->getOperands()) {
      DenseElementsAttr elements = constantElements(operand);
      if (!elements || (!elements.isSplat() && elements.getType() != type) ||
          !mayReplace(operand.getDefiningOp()))
        return failure();
      areSplats &= elements.isSplat();
      operands.push_back(elements);
    }
    int64_t count = areSplats ? 1 : type.getNumElements();
    if (count > maxFoldedElements || !mayReplace(op))
      return failure();
    SmallVector<APFloat> results;
    for (int64_t i = 0; i < count; ++i) {
      SmallVector<APFloat> x;
      for (DenseElementsAttr elements : operands)
        x.push_back(elements.isSplat()
                        ? elements.template getSplatValue<APFloat>()
                        : elements.template getValues<APFloat>()[i]);
      results.push_back(compute(op, x));
      x.push_back(results.back());
      if (llvm::any_of(x, [](const APFloat &value) {
            return value.isNaN() || value.isDenormal();
          }))
        return failure();
    }
    replaceByConstant(rewriter, op, DenseElementsAttr::get(type, results));
    return success();
  }
};
} // namespace

void NegOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                        MLIRContext *context) {
  patterns.add<ComputeConstant<NegOp>>(context);
}

void AddOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                        MLIRContext *context) {
  patterns.add<ComputeConstant<AddOp>>(context);
}

void SubOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                        MLIRContext *context) {
  patterns.add<ComputeConstant<SubOp>>(context);
}

void MulOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                        MLIRContext *context) {
  patterns.add<ComputeConstant<MulOp>>(context);
}

void DivOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                        MLIRContext *context) {
  patterns.add<ComputeConstant<DivOp>>(context);
}
