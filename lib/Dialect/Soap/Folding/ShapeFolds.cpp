//===- ShapeFolds.cpp - Folders of ops that move elements -----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An op that moves nothing is its operand; two that follow each other are one.
//
//===----------------------------------------------------------------------===//

#include "FoldSupport.h"

using namespace mlir;
using namespace mlir::soap;

/// The operand in the place of the result of an op that moves nothing.
template <typename OpTy>
static OpFoldResult foldToOperand(OpTy op, bool isIdentity) {
  if (isIdentity && op.getX().getType() == op.getY().getType() &&
      mayReplace(op))
    return op.getX();
  return {};
}

static bool isAll(ArrayRef<int64_t> values, int64_t expected) {
  return llvm::all_of(values, [&](int64_t v) { return v == expected; });
}

/// The op whose result is the operand of `op`, if it is of the same kind and
/// both may be replaced.
template <typename OpTy>
static OpTy mergeableProducer(OpTy op) {
  auto inner = op.getX().template getDefiningOp<OpTy>();
  return inner && mayReplace(inner) && mayReplace(op) ? inner : OpTy();
}

//===----------------------------------------------------------------------===//
// ReshapeOp
//===----------------------------------------------------------------------===//

OpFoldResult ReshapeOp::fold(FoldAdaptor) {
  return foldToOperand(*this, /*isIdentity=*/true);
}

/// Into how many shards an op can be split at most.
static int64_t parallelismOf(IterationSpaceOpInterface op) {
  int64_t shards = 1;
  for (const Loop &loop : op.getIterationSpace().loops)
    if (loop.type != IteratorType::Serial)
      shards *= loop.extent;
  return shards;
}

namespace {
/// Not if the shapes on both sides share so few factors that one reshape could
/// be split less than each of the two.
struct MergeReshapes : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    ReshapeOp inner = mergeableProducer(op);
    if (!inner)
      return failure();
    auto merged = ReshapeOp::create(rewriter, op.getLoc(), inner.getX(),
                                    op.getY().getType().getShape());
    if (parallelismOf(merged) <
        std::min(parallelismOf(inner), parallelismOf(op))) {
      rewriter.eraseOp(merged);
      return failure();
    }
    replaceNamed(rewriter, op, merged);
    return success();
  }
};
} // namespace

void ReshapeOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                            MLIRContext *context) {
  patterns.add<MergeReshapes>(context);
  addMovePattern(patterns, getOperationName());
}

//===----------------------------------------------------------------------===//
// TransposeOp
//===----------------------------------------------------------------------===//

OpFoldResult TransposeOp::fold(FoldAdaptor) {
  bool isIdentity = true;
  for (auto [i, dim] : llvm::enumerate(getPermutation()))
    isIdentity &= dim == static_cast<int64_t>(i);
  return foldToOperand(*this, isIdentity);
}

namespace {
struct MergeTransposes : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TransposeOp op,
                                PatternRewriter &rewriter) const override {
    TransposeOp inner = mergeableProducer(op);
    if (!inner)
      return failure();
    SmallVector<int64_t> permutation;
    for (int64_t dim : op.getPermutation())
      permutation.push_back(inner.getPermutation()[dim]);
    replaceNamed(rewriter, op,
                 TransposeOp::create(rewriter, op.getLoc(), inner.getX(),
                                     ArrayRef<int64_t>(permutation)));
    return success();
  }
};
} // namespace

void TransposeOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                              MLIRContext *context) {
  patterns.add<MergeTransposes>(context);
  addMovePattern(patterns, getOperationName());
}

//===----------------------------------------------------------------------===//
// ConcatOp
//===----------------------------------------------------------------------===//

OpFoldResult ConcatOp::fold(FoldAdaptor) {
  if (getXs().size() == 1 && mayReplace(*this))
    return getXs()[0];
  return {};
}

namespace {
/// An operand that is a concatenation along the same dim, and is not read
/// elsewhere, gives its operands.
struct FlattenConcats : OpRewritePattern<ConcatOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ConcatOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<Value> operands;
    bool isChanged = false;
    for (Value operand : op.getXs()) {
      auto inner = operand.getDefiningOp<ConcatOp>();
      if (!inner || inner.getAxis() != op.getAxis() || !operand.hasOneUse() ||
          !mayReplace(inner)) {
        operands.push_back(operand);
        continue;
      }
      llvm::append_range(operands, inner.getXs());
      isChanged = true;
    }
    if (!isChanged || !mayReplace(op))
      return failure();
    replaceNamed(
        rewriter, op,
        ConcatOp::create(rewriter, op.getLoc(), operands, op.getAxis()));
    return success();
  }
};
} // namespace

void ConcatOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                           MLIRContext *context) {
  patterns.add<FlattenConcats>(context);
}

//===----------------------------------------------------------------------===//
// SliceOp
//===----------------------------------------------------------------------===//

/// A slice that has the shape of its operand has all of it.
OpFoldResult SliceOp::fold(FoldAdaptor) {
  return foldToOperand(*this, isAll(getOffsets(), 0));
}

namespace {
struct MergeSlices : OpRewritePattern<SliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SliceOp op,
                                PatternRewriter &rewriter) const override {
    SliceOp inner = mergeableProducer(op);
    if (!inner)
      return failure();
    SmallVector<int64_t> offsets, strides;
    for (auto [offset, stride, innerOffset, innerStride] :
         llvm::zip_equal(op.getOffsets(), op.getStrides(), inner.getOffsets(),
                         inner.getStrides())) {
      offsets.push_back(innerOffset + offset * innerStride);
      strides.push_back(stride * innerStride);
      if (strides.back() > maxStride)
        return failure();
    }
    replaceNamed(rewriter, op,
                 SliceOp::create(rewriter, op.getLoc(), inner.getX(),
                                 ArrayRef<int64_t>(offsets), op.getSizes(),
                                 ArrayRef<int64_t>(strides)));
    return success();
  }
};

/// A slice of a concatenation that touches one operand is a slice of that.
struct SliceOneOperand : OpRewritePattern<SliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SliceOp op,
                                PatternRewriter &rewriter) const override {
    auto concat = op.getX().getDefiningOp<ConcatOp>();
    if (!concat)
      return failure();
    auto axis = static_cast<size_t>(concat.getAxis());
    int64_t first = op.getOffsets()[axis],
            last = first + (op.getSizes()[axis] - 1) * op.getStrides()[axis];
    int64_t begin = 0;
    for (Value operand : concat.getXs()) {
      int64_t end = begin + shapeOf(operand)[axis];
      if (first >= begin && last < end) {
        if (!mayReplace(concat) || !mayReplace(op))
          return failure();
        SmallVector<int64_t> offsets(op.getOffsets());
        offsets[axis] -= begin;
        replaceNamed(rewriter, op,
                     SliceOp::create(rewriter, op.getLoc(), operand,
                                     ArrayRef<int64_t>(offsets), op.getSizes(),
                                     op.getStrides()));
        return success();
      }
      begin = end;
    }
    return failure();
  }
};
} // namespace

void SliceOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                          MLIRContext *context) {
  patterns.add<MergeSlices, SliceOneOperand>(context);
  addMovePattern(patterns, getOperationName());
}

//===----------------------------------------------------------------------===//
// PadOp
//===----------------------------------------------------------------------===//

OpFoldResult PadOp::fold(FoldAdaptor) {
  return foldToOperand(*this, isAll(getLow(), 0) && isAll(getInterior(), 0));
}

namespace {
/// With the same value, nothing between elements, and an inner one that cuts
/// nothing off: what it cut off would come back.
struct MergePads : OpRewritePattern<PadOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(PadOp op,
                                PatternRewriter &rewriter) const override {
    PadOp inner = mergeableProducer(op);
    if (!inner || !inner.getValue().bitwiseIsEqual(op.getValue()) ||
        !isAll(inner.getInterior(), 0) || !isAll(op.getInterior(), 0))
      return failure();
    SmallVector<int64_t> low;
    for (auto [d, innerLow] : llvm::enumerate(inner.getLow())) {
      int64_t innerHigh =
          shapeOf(inner.getY())[d] - shapeOf(inner.getX())[d] - innerLow;
      if (innerLow < 0 || innerHigh < 0)
        return failure();
      low.push_back(innerLow + op.getLow()[d]);
      if (std::abs(low.back()) > 4 * maxExtent)
        return failure();
    }
    replaceNamed(rewriter, op,
                 PadOp::create(rewriter, op.getLoc(), op.getY().getType(),
                               inner.getX(), ArrayRef<int64_t>(low),
                               op.getInterior(), op.getValue()));
    return success();
  }
};
} // namespace

void PadOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                        MLIRContext *context) {
  patterns.add<MergePads>(context);
}

//===----------------------------------------------------------------------===//
// BroadcastOp
//===----------------------------------------------------------------------===//

OpFoldResult BroadcastOp::fold(FoldAdaptor) {
  return foldToOperand(*this, getAxes().empty());
}

namespace {
struct MergeBroadcasts : OpRewritePattern<BroadcastOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BroadcastOp op,
                                PatternRewriter &rewriter) const override {
    BroadcastOp inner = mergeableProducer(op);
    if (!inner)
      return failure();
    SmallVector<int64_t> axes;
    int64_t innerDim = 0;
    for (int64_t dim = 0, rank = op.getY().getType().getRank(); dim < rank;
         ++dim)
      if (llvm::is_contained(op.getAxes(), dim) ||
          llvm::is_contained(inner.getAxes(), innerDim++))
        axes.push_back(dim);
    replaceNamed(rewriter, op,
                 BroadcastOp::create(rewriter, op.getLoc(), op.getY().getType(),
                                     inner.getX(), ArrayRef<int64_t>(axes)));
    return success();
  }
};
} // namespace

void BroadcastOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                              MLIRContext *context) {
  patterns.add<MergeBroadcasts>(context);
  addMovePattern(patterns, getOperationName());
}
