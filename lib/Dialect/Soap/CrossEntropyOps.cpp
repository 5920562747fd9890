//===- CrossEntropyOps.cpp - Softmax cross-entropy and its stages ---------===//
//
// Rows n and classes k. The class loop is a stage loop: cut, the op becomes
// softmax_stats, whose partial statistics combine, and cross_entropy_loss.
//
//===----------------------------------------------------------------------===//

#include "OpSupport.h"

using namespace mlir;
using namespace mlir::soap;

/// Logits [N, K] with labels [N].
static LogicalResult checkLogits(EmitError emitError, Value logits,
                                 Value labels) {
  if (failed(checkRank(emitError, "logits [N, K]", logits, 2)))
    return failure();
  return checkShape(emitError, "labels", labels.getType(),
                    {shapeOf(logits)[0]});
}

static LogicalResult checkClassOffset(EmitError emitError, uint64_t offset) {
  auto value = static_cast<int64_t>(offset);
  if (value >= 0 && value <= maxElements)
    return success();
  return emitError() << "'class_offset' must not be negative, got " << value;
}

//===----------------------------------------------------------------------===//
// CrossEntropyOp
//===----------------------------------------------------------------------===//

LogicalResult CrossEntropyOp::inferReturnTypes(MLIRContext *,
                                               std::optional<Location> location,
                                               ValueRange operands,
                                               DictionaryAttr, OpaqueProperties,
                                               RegionRange,
                                               SmallVectorImpl<Type> &types) {
  return inferTypes(getOperationName(), location, operands,
                    [&](EmitError emitError) -> LogicalResult {
                      Value logits = operands[0];
                      if (failed(checkLogits(emitError, logits, operands[1])))
                        return failure();
                      types.push_back(tensorLike(logits, {}));
                      types.push_back(tensorLike(logits, {}));
                      types.push_back(
                          tensorLike(logits, {3, shapeOf(logits)[0]}));
                      return success();
                    });
}

IterationSpace CrossEntropyOp::getIterationSpace() {
  ArrayRef<int64_t> logits = shapeOf(getLogits());
  IterationSpace space;
  space.loops = {{"n", logits[0]},
                 {"k", logits[1], IteratorType::Reduction, /*stage=*/true}};
  space.operands = {{loopMap({0, 1})}, {loopMap({0})}};
  space.results = {{{}}, {{}}, {loopMap({-1, 0}), Combiner::Softmax}};
  space.flopsPerPoint = 12;
  return space;
}

FailureOr<SmallVector<Value>>
CrossEntropyOp::decomposeStages(OpBuilder &builder) {
  Value stats =
      SoftmaxStatsOp::create(builder, getLoc(), getStats().getType(),
                             getLogits(), getLabels(), /*class_offset=*/0);
  auto loss = CrossEntropyLossOp::create(builder, getLoc(), getLoss().getType(),
                                         getCorrect().getType(), stats,
                                         getLabels(), getScaleAttr());
  return SmallVector<Value>{loss.getLoss(), loss.getCorrect(), stats};
}

//===----------------------------------------------------------------------===//
// SoftmaxStatsOp
//===----------------------------------------------------------------------===//

LogicalResult SoftmaxStatsOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, ValueRange operands,
    DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
    SmallVectorImpl<Type> &types) {
  Adaptor op(operands, attributes, properties, regions);
  return inferTypes(
      getOperationName(), location, operands,
      [&](EmitError emitError) -> LogicalResult {
        if (failed(checkLogits(emitError, op.getLogits(), op.getLabels())) ||
            failed(checkClassOffset(emitError, op.getClassOffset())))
          return failure();
        types.push_back(
            tensorLike(op.getLogits(), {3, shapeOf(op.getLogits())[0]}));
        return success();
      });
}

IterationSpace SoftmaxStatsOp::getIterationSpace() {
  ArrayRef<int64_t> logits = shapeOf(getLogits());
  IterationSpace space;
  space.loops = {{"n", logits[0]}, {"k", logits[1], IteratorType::Reduction}};
  space.operands = {{loopMap({0, 1})}, {loopMap({0})}};
  space.results = {{loopMap({-1, 0}), Combiner::Softmax}};
  space.flopsPerPoint = 12;
  return space;
}

Operation *SoftmaxStatsOp::localize(OpBuilder &builder, const LoopBox &box,
                                    ArrayRef<TileRegion>,
                                    ArrayRef<TileRegion> resultRegions,
                                    ValueRange operands) {
  auto local = cast<SoftmaxStatsOp>(
      localizeDefault(*this, builder, resultRegions, operands));
  local.setClassOffset(getClassOffset() + box[1].lo);
  return local;
}

//===----------------------------------------------------------------------===//
// CrossEntropyLossOp
//===----------------------------------------------------------------------===//

LogicalResult CrossEntropyLossOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, ValueRange operands,
    DictionaryAttr, OpaqueProperties, RegionRange,
    SmallVectorImpl<Type> &types) {
  return inferTypes(
      getOperationName(), location, operands,
      [&](EmitError emitError) -> LogicalResult {
        Value stats = operands[0], labels = operands[1];
        if (failed(checkRank(emitError, "labels", labels, 1)) ||
            failed(checkShape(emitError, "statistics", stats.getType(),
                              {3, shapeOf(labels)[0]})))
          return failure();
        types.assign(2, tensorLike(stats, {}));
        return success();
      });
}

IterationSpace CrossEntropyLossOp::getIterationSpace() {
  IterationSpace space;
  space.loops = {{"n", shapeOf(getLabels())[0], IteratorType::Reduction}};
  space.operands = {{loopMap({-1, 0})}, {loopMap({0})}};
  space.results = {{{}}, {{}}};
  space.flopsPerPoint = 12;
  return space;
}

//===----------------------------------------------------------------------===//
// CrossEntropyGradOp
//===----------------------------------------------------------------------===//

LogicalResult CrossEntropyGradOp::verify() {
  auto emitError = [&] { return emitOpError(); };
  if (failed(checkLogits(emitError, getLogits(), getLabels())))
    return failure();
  ArrayRef<int64_t> logits = shapeOf(getLogits());
  return failure(
      failed(checkShape(emitError, "a gradient of the loss",
                        getDloss().getType(), {})) ||
      failed(checkShape(emitError, "statistics", getStats().getType(),
                        {3, logits[0]})) ||
      failed(checkShape(emitError, "a result", getDx().getType(), logits)) ||
      failed(checkClassOffset(emitError, getClassOffset())));
}

IterationSpace CrossEntropyGradOp::getIterationSpace() {
  ArrayRef<int64_t> logits = shapeOf(getLogits());
  IterationSpace space;
  space.loops = {{"n", logits[0]}, {"k", logits[1]}};
  space.operands = {
      {{}}, {loopMap({0, 1})}, {loopMap({0})}, {loopMap({-1, 0})}};
  space.results = {{loopMap({0, 1})}};
  space.flopsPerPoint = 12;
  return space;
}

Operation *CrossEntropyGradOp::localize(OpBuilder &builder, const LoopBox &box,
                                        ArrayRef<TileRegion>,
                                        ArrayRef<TileRegion> resultRegions,
                                        ValueRange operands) {
  auto local = cast<CrossEntropyGradOp>(
      localizeDefault(*this, builder, resultRegions, operands));
  local.setClassOffset(getClassOffset() + box[1].lo);
  return local;
}
