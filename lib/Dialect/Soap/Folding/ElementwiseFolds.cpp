//===- ElementwiseFolds.cpp - Folders of elementwise ops ------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Only identities that are exact: x + 0.0 is not x where x is -0.0, but
// x + -0.0 and x - 0.0 are.
//
//===----------------------------------------------------------------------===//

#include "FoldSupport.h"

using namespace mlir;
using namespace mlir::soap;

/// `value` in the place of the result of `op`, if types agree.
static OpFoldResult foldTo(Operation *op, Value value) {
  if (value.getType() == op->getResult(0).getType() && mayReplace(op))
    return value;
  return {};
}

//===----------------------------------------------------------------------===//
// One operand
//===----------------------------------------------------------------------===//

/// f(f(x)) is f(x).
template <typename OpTy>
static OpFoldResult foldIdempotent(OpTy op) {
  return op.getX().template getDefiningOp<OpTy>() ? foldTo(op, op.getX())
                                                  : OpFoldResult();
}

OpFoldResult ReluOp::fold(FoldAdaptor) { return foldIdempotent(*this); }

OpFoldResult AbsOp::fold(FoldAdaptor) { return foldIdempotent(*this); }

OpFoldResult NegOp::fold(FoldAdaptor) {
  auto inner = getX().getDefiningOp<NegOp>();
  return inner ? foldTo(*this, inner.getX()) : OpFoldResult();
}

OpFoldResult ScaleOp::fold(FoldAdaptor) {
  return getFactor().isExactlyValue(1.0) ? foldTo(*this, getX())
                                         : OpFoldResult();
}

/// Without a step a dropout still drops: a training step adds the step.
OpFoldResult DropoutOp::fold(FoldAdaptor) {
  return getRate().isZero() ? foldTo(*this, getX()) : OpFoldResult();
}

OpFoldResult AccumulateOp::fold(FoldAdaptor) {
  return getXs().size() == 1 ? foldTo(*this, getXs()[0]) : OpFoldResult();
}

OpFoldResult CastOp::fold(FoldAdaptor) { return foldTo(*this, getX()); }

//===----------------------------------------------------------------------===//
// Several operands
//===----------------------------------------------------------------------===//

OpFoldResult AddOp::fold(FoldAdaptor) {
  if (isConstantOf(getY(), -0.0))
    return foldTo(*this, getX());
  if (isConstantOf(getX(), -0.0))
    return foldTo(*this, getY());
  return {};
}

OpFoldResult SubOp::fold(FoldAdaptor) {
  return isConstantOf(getY(), 0.0) ? foldTo(*this, getX()) : OpFoldResult();
}

OpFoldResult MulOp::fold(FoldAdaptor) {
  if (isConstantOf(getY(), 1.0))
    return foldTo(*this, getX());
  if (isConstantOf(getX(), 1.0))
    return foldTo(*this, getY());
  return {};
}

OpFoldResult DivOp::fold(FoldAdaptor) {
  return isConstantOf(getY(), 1.0) ? foldTo(*this, getX()) : OpFoldResult();
}

OpFoldResult MaximumOp::fold(FoldAdaptor) {
  return getX() == getY() ? foldTo(*this, getX()) : OpFoldResult();
}

OpFoldResult MinimumOp::fold(FoldAdaptor) {
  return getX() == getY() ? foldTo(*this, getX()) : OpFoldResult();
}

OpFoldResult BiasAddOp::fold(FoldAdaptor) {
  return isConstantOf(getB(), -0.0) ? foldTo(*this, getX()) : OpFoldResult();
}

OpFoldResult WhereOp::fold(FoldAdaptor) {
  if (getX() == getY())
    return foldTo(*this, getX());
  DenseElementsAttr condition = constantElements(getCondition());
  if (!condition || condition.getNumElements() > maxFoldedElements)
    return {};
  // A NaN is not zero.
  auto isZero = [](const APFloat &value) { return value.isZero(); };
  if (llvm::none_of(condition.getValues<APFloat>(), isZero))
    return foldTo(*this, getX());
  if (llvm::all_of(condition.getValues<APFloat>(), isZero))
    return foldTo(*this, getY());
  return {};
}

//===----------------------------------------------------------------------===//
// Casts
//===----------------------------------------------------------------------===//

/// Whether `wide` has every number of `narrow`, of the same kind.
static bool holdsAll(Type narrow, Type wide) {
  if (auto from = dyn_cast<FloatType>(narrow))
    if (auto to = dyn_cast<FloatType>(wide))
      return APFloat::isRepresentableBy(from.getFloatSemantics(),
                                        to.getFloatSemantics());
  return isa<IntegerType>(narrow) && isa<IntegerType>(wide) &&
         narrow.getIntOrFloatBitWidth() <= wide.getIntOrFloatBitWidth();
}

namespace {
/// A cast of a cast that loses nothing is one cast, or none.
struct MergeCasts : OpRewritePattern<CastOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(CastOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getX().getDefiningOp<CastOp>();
    if (!inner)
      return failure();
    Type from = inner.getX().getType().getElementType(),
         between = op.getX().getType().getElementType(),
         to = op.getY().getType().getElementType();
    // No instruction converts between floats of one width, such as f16 and
    // bf16.
    bool isDirect = from == to || !isa<FloatType>(from) ||
                    !isa<FloatType>(to) ||
                    from.getIntOrFloatBitWidth() != to.getIntOrFloatBitWidth();
    if (!holdsAll(from, between) || !isDirect || !mayReplace(inner) ||
        !mayReplace(op))
      return failure();
    if (from == to)
      rewriter.replaceOp(op, inner.getX());
    else
      replaceNamed(rewriter, op,
                   CastOp::create(rewriter, op.getLoc(), inner.getX(), to));
    return success();
  }
};
} // namespace

void CastOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                         MLIRContext *context) {
  patterns.add<MergeCasts>(context);
}
