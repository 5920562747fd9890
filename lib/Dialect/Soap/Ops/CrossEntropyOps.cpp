//===- CrossEntropyOps.cpp - Softmax cross-entropy and its stages ---------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows and classes k. A row is a sample n, or with more dims a position n0, n1,
// ... of a sequence, so that samples are split wherever they are. The class
// loop is a stage loop: split, the op becomes softmax_stats, whose partial
// statistics combine, and cross_entropy_loss.
//
//===----------------------------------------------------------------------===//

#include "Dialect/Soap/OpSupport.h"

using namespace mlir;
using namespace mlir::soap;

/// Logits [N.., K] with labels [N..].
static LogicalResult checkLogits(EmitError emitError, Value logits,
                                 Value labels) {
  ArrayRef<int64_t> shape = shapeOf(logits);
  if (shape.size() < 2)
    return emitError() << "expected logits [N, K] of rank 2 or more, got "
                       << logits.getType();
  return checkShape(emitError, "labels", labels.getType(), shape.drop_back());
}

/// Statistics [3, N..] of rows [N..].
static SmallVector<int64_t> statsShape(ArrayRef<int64_t> rows) {
  SmallVector<int64_t> shape{3};
  llvm::append_range(shape, rows);
  return shape;
}

/// Loops over rows and where they are; classes are the loop behind them.
namespace {
struct RowLoops {
  std::vector<Loop> loops;
  AccessMap labels, logits, stats;
  int classes;

  RowLoops(ArrayRef<int64_t> rows, IteratorType type = IteratorType::Parallel)
      : labels(identityMap(rows.size())), logits(labels),
        classes(static_cast<int>(rows.size())) {
    for (auto [d, extent] : llvm::enumerate(rows))
      loops.push_back(
          {rows.size() == 1 ? "n" : "n" + std::to_string(d), extent, type});
    logits.push_back(DimMap::loop(classes));
    stats.push_back(DimMap::whole());
    llvm::append_range(stats, labels);
  }
};
} // namespace

static LogicalResult checkClassOffset(EmitError emitError, uint64_t offset) {
  auto value = static_cast<int64_t>(offset);
  if (value >= 0 && value <= maxExtent)
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
                      types.push_back(statisticsLike(logits, {}));
                      types.push_back(statisticsLike(logits, {}));
                      types.push_back(statisticsLike(
                          logits, statsShape(shapeOf(logits).drop_back())));
                      return success();
                    });
}

IterationSpace CrossEntropyOp::getIterationSpace() {
  ArrayRef<int64_t> logits = shapeOf(getLogits());
  RowLoops rows(logits.drop_back());
  IterationSpace space;
  space.loops = rows.loops;
  space.loops.push_back(
      {"k", logits.back(), IteratorType::Reduction, /*stage=*/true});
  space.operands = {{rows.logits}, {rows.labels}};
  space.results = {{{}}, {{}}, {rows.stats, Combiner::Softmax}};
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
        types.push_back(statisticsLike(
            op.getLogits(), statsShape(shapeOf(op.getLogits()).drop_back())));
        return success();
      });
}

IterationSpace SoftmaxStatsOp::getIterationSpace() {
  ArrayRef<int64_t> logits = shapeOf(getLogits());
  RowLoops rows(logits.drop_back());
  IterationSpace space;
  space.loops = rows.loops;
  space.loops.push_back({"k", logits.back(), IteratorType::Reduction});
  space.operands = {{rows.logits}, {rows.labels}};
  space.results = {{rows.stats, Combiner::Softmax}};
  space.flopsPerPoint = 12;
  return space;
}

Operation *SoftmaxStatsOp::localize(OpBuilder &builder, const LoopBox &box,
                                    ArrayRef<TileRegion>,
                                    ArrayRef<TileRegion> resultRegions,
                                    ValueRange operands) {
  auto local = cast<SoftmaxStatsOp>(
      localizeDefault(*this, builder, resultRegions, operands));
  local.setClassOffset(getClassOffset() + box.back().lo);
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
        if (shapeOf(labels).empty())
          return emitError() << "expected labels of rank 1 or more, got a "
                                "scalar";
        if (failed(checkShape(emitError, "statistics", stats.getType(),
                              statsShape(shapeOf(labels)))))
          return failure();
        types.assign(2, statisticsLike(stats, {}));
        return success();
      });
}

IterationSpace CrossEntropyLossOp::getIterationSpace() {
  RowLoops rows(shapeOf(getLabels()), IteratorType::Reduction);
  IterationSpace space;
  space.loops = rows.loops;
  space.operands = {{rows.stats}, {rows.labels}};
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
                        statsShape(logits.drop_back()))) ||
      failed(checkShape(emitError, "a result", getDx().getType(), logits)) ||
      failed(checkClassOffset(emitError, getClassOffset())));
}

IterationSpace CrossEntropyGradOp::getIterationSpace() {
  ArrayRef<int64_t> logits = shapeOf(getLogits());
  RowLoops rows(logits.drop_back());
  IterationSpace space;
  space.loops = rows.loops;
  space.loops.push_back({"k", logits.back()});
  space.operands = {{{}}, {rows.logits}, {rows.labels}, {rows.stats}};
  space.results = {{rows.logits}};
  space.flopsPerPoint = 12;
  return space;
}

Operation *CrossEntropyGradOp::localize(OpBuilder &builder, const LoopBox &box,
                                        ArrayRef<TileRegion>,
                                        ArrayRef<TileRegion> resultRegions,
                                        ValueRange operands) {
  auto local = cast<CrossEntropyGradOp>(
      localizeDefault(*this, builder, resultRegions, operands));
  local.setClassOffset(getClassOffset() + box.back().lo);
  return local;
}
