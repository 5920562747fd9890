//===- RowNormOps.cpp - Softmax, layer norm, RMS norm ---------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops that reduce along dims of a sample and then look at every element again.
// Their loops are the dims of x; those that are reduced are stage loops. Split,
// the op becomes reduce, broadcast and elementwise ops: the same formula with
// communication where a sum or maximum is complete. Statistics of 16-bit floats
// are f32, and so are all stages of their ops but the first and the last.
//
//===----------------------------------------------------------------------===//

#include "Dialect/Soap/OpSupport.h"

using namespace mlir;
using namespace mlir::soap;

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

namespace {
/// Writes the stages of an op; reductions run along `axes` of tensors of shape
/// `full`.
class StageBuilder {
public:
  StageBuilder(OpBuilder &builder, Location loc, Value x,
               ArrayRef<int64_t> axes)
      : builder(builder), loc(loc), full(statisticsLike(x, shapeOf(x))),
        axes(axes.begin(), axes.end()) {}

  /// An operand as the stages read it.
  Value wide(Value x) { return widened(builder, loc, x); }
  /// A result of the op.
  Value result(Value x, Value of) {
    return castLike(builder, loc, x, of.getType());
  }

  Value reduce(ReduceKind kind, Value x, ArrayRef<int64_t> along) {
    return ReduceOp::create(builder, loc, x, kind, along);
  }
  Value sum(Value x) { return reduce(ReduceKind::Sum, x, axes); }
  Value maximum(Value x) { return reduce(ReduceKind::Max, x, axes); }
  Value mean(Value x) {
    int64_t count = 1;
    for (int64_t axis : axes)
      count *= full.getDimSize(axis);
    return scale(sum(x), 1.0 / static_cast<double>(count));
  }
  /// Along the dims that are not normalized: the gradient of a parameter.
  Value sumOfRows(Value x) {
    return reduce(ReduceKind::Sum, x,
                  llvm::to_vector(llvm::seq<int64_t>(0, axes.front())));
  }
  /// One value per row, repeated along the row.
  Value spread(Value x) {
    return BroadcastOp::create(builder, loc, full, x,
                               builder.getDenseI64ArrayAttr(axes));
  }
  Value scale(Value x, double factor) {
    return ScaleOp::create(builder, loc, x.getType(), x,
                           builder.getF64FloatAttr(factor));
  }
  template <typename OpTy>
  Value binary(Value x, Value y) {
    return OpTy::create(builder, loc, x, y);
  }
  Value add(Value x, Value y) { return binary<AddOp>(x, y); }
  Value sub(Value x, Value y) { return binary<SubOp>(x, y); }
  Value mul(Value x, Value y) { return binary<MulOp>(x, y); }
  Value exp(Value x) { return ExpOp::create(builder, loc, x.getType(), x); }
  Value rsqrt(Value x, FloatAttr epsilon) {
    return RsqrtOp::create(builder, loc, x.getType(), x, epsilon);
  }

private:
  OpBuilder &builder;
  Location loc;
  RankedTensorType full;
  SmallVector<int64_t> axes;
};
} // namespace

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

template <typename OpTy>
static IterationSpace softmaxSpace(OpTy op, double flops) {
  IterationSpace space =
      elementwiseSpace(op, shapeOf(op->getResult(0).getType()));
  space.loops[op.getAxis()].stage = true;
  space.flopsPerPoint = flops;
  return space;
}

template <typename OpTy>
static LogicalResult verifySoftmax(OpTy op) {
  return checkAxis([&] { return op.emitOpError(); },
                   static_cast<int64_t>(op.getAxis()),
                   static_cast<int64_t>(shapeOf(op->getResult(0)).size()));
}

LogicalResult SoftmaxOp::verify() { return verifySoftmax(*this); }
LogicalResult SoftmaxGradOp::verify() { return verifySoftmax(*this); }

IterationSpace SoftmaxOp::getIterationSpace() {
  return softmaxSpace(*this, 14);
}
IterationSpace SoftmaxGradOp::getIterationSpace() {
  return softmaxSpace(*this, 4);
}

FailureOr<SmallVector<Value>> SoftmaxOp::decomposeStages(OpBuilder &builder) {
  StageBuilder stages(builder, getLoc(), getY(),
                      {static_cast<int64_t>(getAxis())});
  Value x = stages.wide(getX());
  Value e = stages.exp(stages.sub(x, stages.spread(stages.maximum(x))));
  Value y = stages.binary<DivOp>(e, stages.spread(stages.sum(e)));
  return SmallVector<Value>{stages.result(y, getY())};
}

FailureOr<SmallVector<Value>>
SoftmaxGradOp::decomposeStages(OpBuilder &builder) {
  StageBuilder stages(builder, getLoc(), getDx(),
                      {static_cast<int64_t>(getAxis())});
  Value dy = stages.wide(getDy()), y = stages.wide(getY());
  Value sum = stages.sum(stages.mul(dy, y));
  Value dx = stages.mul(y, stages.sub(dy, stages.spread(sum)));
  return SmallVector<Value>{stages.result(dx, getDx())};
}

//===----------------------------------------------------------------------===//
// Layer norm and RMS norm
//===----------------------------------------------------------------------===//

namespace {
/// Shapes of a norm of x over the dims from `axis` on.
struct NormShapes {
  ArrayRef<int64_t> full, rows, normalized;
  SmallVector<int64_t> axes;

  NormShapes(Value x, uint64_t axis)
      : full(shapeOf(x)), rows(full.take_front(axis)),
        normalized(full.drop_front(axis)),
        axes(llvm::to_vector(llvm::seq<int64_t>(
            static_cast<int64_t>(axis), static_cast<int64_t>(full.size())))) {}
};

/// The shape of an operand or result of a norm: like x, one value per row, or
/// one per position in a row.
enum class NormPart { Full, Rows, Normalized };

AccessMap normMap(const NormShapes &shapes, NormPart part) {
  switch (part) {
  case NormPart::Full:
    return identityMap(shapes.full.size());
  case NormPart::Rows:
    return identityMap(shapes.rows.size());
  case NormPart::Normalized:
    return identityMap(shapes.normalized.size(),
                       static_cast<int>(shapes.rows.size()));
  }
  return {};
}

IterationSpace normSpace(Value x, uint64_t axis, ArrayRef<NormPart> operands,
                         ArrayRef<NormPart> results, double flops) {
  NormShapes shapes(x, axis);
  IterationSpace space;
  space.loops = dimLoops(shapes.full);
  for (int64_t d : shapes.axes)
    space.loops[d].stage = true;
  for (NormPart part : operands)
    space.operands.push_back({normMap(shapes, part)});
  for (NormPart part : results)
    space.results.push_back({normMap(shapes, part)});
  space.flopsPerPoint = flops;
  return space;
}

/// `values` have the shapes that their parts say.
LogicalResult
checkNorm(EmitError emitError, Value x, uint64_t axis,
          ArrayRef<std::tuple<StringRef, Type, NormPart>> values) {
  if (failed(checkAxis(emitError, static_cast<int64_t>(axis),
                       static_cast<int64_t>(shapeOf(x).size()))))
    return failure();
  NormShapes shapes(x, axis);
  for (auto [what, type, part] : values)
    if (failed(checkShape(emitError, what, type,
                          part == NormPart::Full   ? shapes.full
                          : part == NormPart::Rows ? shapes.rows
                                                   : shapes.normalized)))
      return failure();
  return success();
}
} // namespace

constexpr NormPart full = NormPart::Full, rows = NormPart::Rows,
                   normalized = NormPart::Normalized;

LogicalResult
LayerNormOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                              ValueRange operands, DictionaryAttr attributes,
                              OpaqueProperties properties, RegionRange regions,
                              SmallVectorImpl<Type> &types) {
  Adaptor op(operands, attributes, properties, regions);
  return inferTypes(
      getOperationName(), location, operands,
      [&](EmitError emitError) -> LogicalResult {
        if (failed(checkNorm(emitError, op.getX(), op.getAxis(),
                             {{"gamma", op.getGamma().getType(), normalized},
                              {"beta", op.getBeta().getType(), normalized}})))
          return failure();
        NormShapes shapes(op.getX(), op.getAxis());
        types.push_back(tensorLike(op.getX(), shapes.full));
        types.append(2, statisticsLike(op.getX(), shapes.rows));
        return success();
      });
}

IterationSpace LayerNormOp::getIterationSpace() {
  return normSpace(getX(), getAxis(), {full, normalized, normalized},
                   {full, rows, rows}, 8);
}

FailureOr<SmallVector<Value>> LayerNormOp::decomposeStages(OpBuilder &builder) {
  NormShapes shapes(getX(), getAxis());
  StageBuilder stages(builder, getLoc(), getX(), shapes.axes);
  Value x = stages.wide(getX());
  Value mean = stages.mean(x);
  Value centred = stages.sub(x, stages.spread(mean));
  Value variance = stages.mean(stages.mul(centred, centred));
  Value rstd = stages.rsqrt(variance, getEpsilonAttr());
  Value xhat = stages.mul(centred, stages.spread(rstd));
  Value y = stages.add(stages.mul(xhat, stages.wide(getGamma())),
                       stages.wide(getBeta()));
  return SmallVector<Value>{stages.result(y, getY()), mean, rstd};
}

LogicalResult LayerNormGradOp::verify() {
  return checkNorm([&] { return emitOpError(); }, getX(), getAxis(),
                   {{"dy", getDy().getType(), full},
                    {"a mean", getMean().getType(), rows},
                    {"rstd", getRstd().getType(), rows},
                    {"gamma", getGamma().getType(), normalized},
                    {"dx", getDx().getType(), full},
                    {"dgamma", getDgamma().getType(), normalized},
                    {"dbeta", getDbeta().getType(), normalized}});
}

IterationSpace LayerNormGradOp::getIterationSpace() {
  return normSpace(getX(), getAxis(), {full, full, rows, rows, normalized},
                   {full, normalized, normalized}, 14);
}

FailureOr<SmallVector<Value>>
LayerNormGradOp::decomposeStages(OpBuilder &builder) {
  NormShapes shapes(getX(), getAxis());
  StageBuilder stages(builder, getLoc(), getX(), shapes.axes);
  Value x = stages.wide(getX()), dy = stages.wide(getDy());
  Value rstd = stages.spread(stages.wide(getRstd()));
  Value xhat =
      stages.mul(stages.sub(x, stages.spread(stages.wide(getMean()))), rstd);
  Value g = stages.mul(dy, stages.wide(getGamma()));
  Value mean = stages.mean(g), slope = stages.mean(stages.mul(g, xhat));
  Value centred = stages.sub(stages.sub(g, stages.spread(mean)),
                             stages.mul(xhat, stages.spread(slope)));
  return SmallVector<Value>{
      stages.result(stages.mul(rstd, centred), getDx()),
      stages.result(stages.sumOfRows(stages.mul(dy, xhat)), getDgamma()),
      stages.result(stages.sumOfRows(dy), getDbeta())};
}

LogicalResult
RmsNormOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                            ValueRange operands, DictionaryAttr attributes,
                            OpaqueProperties properties, RegionRange regions,
                            SmallVectorImpl<Type> &types) {
  Adaptor op(operands, attributes, properties, regions);
  return inferTypes(
      getOperationName(), location, operands,
      [&](EmitError emitError) -> LogicalResult {
        if (failed(checkNorm(emitError, op.getX(), op.getAxis(),
                             {{"gamma", op.getGamma().getType(), normalized}})))
          return failure();
        NormShapes shapes(op.getX(), op.getAxis());
        types.push_back(tensorLike(op.getX(), shapes.full));
        types.push_back(statisticsLike(op.getX(), shapes.rows));
        return success();
      });
}

IterationSpace RmsNormOp::getIterationSpace() {
  return normSpace(getX(), getAxis(), {full, normalized}, {full, rows}, 5);
}

FailureOr<SmallVector<Value>> RmsNormOp::decomposeStages(OpBuilder &builder) {
  NormShapes shapes(getX(), getAxis());
  StageBuilder stages(builder, getLoc(), getX(), shapes.axes);
  Value x = stages.wide(getX());
  Value square = stages.mean(stages.mul(x, x));
  Value rstd = stages.rsqrt(square, getEpsilonAttr());
  Value y =
      stages.mul(stages.mul(x, stages.spread(rstd)), stages.wide(getGamma()));
  return SmallVector<Value>{stages.result(y, getY()), rstd};
}

LogicalResult RmsNormGradOp::verify() {
  return checkNorm([&] { return emitOpError(); }, getX(), getAxis(),
                   {{"dy", getDy().getType(), full},
                    {"rstd", getRstd().getType(), rows},
                    {"gamma", getGamma().getType(), normalized},
                    {"dx", getDx().getType(), full},
                    {"dgamma", getDgamma().getType(), normalized}});
}

IterationSpace RmsNormGradOp::getIterationSpace() {
  return normSpace(getX(), getAxis(), {full, full, rows, normalized},
                   {full, normalized}, 10);
}

FailureOr<SmallVector<Value>>
RmsNormGradOp::decomposeStages(OpBuilder &builder) {
  NormShapes shapes(getX(), getAxis());
  StageBuilder stages(builder, getLoc(), getX(), shapes.axes);
  Value dy = stages.wide(getDy());
  Value rstd = stages.spread(stages.wide(getRstd()));
  Value xhat = stages.mul(stages.wide(getX()), rstd);
  Value g = stages.mul(dy, stages.wide(getGamma()));
  Value slope = stages.mean(stages.mul(g, xhat));
  Value centred = stages.sub(g, stages.mul(xhat, stages.spread(slope)));
  return SmallVector<Value>{
      stages.result(stages.mul(rstd, centred), getDx()),
      stages.result(stages.sumOfRows(stages.mul(dy, xhat)), getDgamma())};
}
