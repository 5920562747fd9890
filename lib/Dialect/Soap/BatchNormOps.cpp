//===- BatchNormOps.cpp - Batch normalization and its stages --------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All ops share the loops n, c and the spatial dims; those that see the whole
// batch in one kernel mark all loops but c as stage loops.
//
//===----------------------------------------------------------------------===//

#include "OpSupport.h"

using namespace mlir;
using namespace mlir::soap;

static constexpr int channel = 1;

/// Loops n, c, h, w; or n, c, d2, d3, ... if the rank is not 4.
static std::vector<Loop> normLoops(ArrayRef<int64_t> shape, IteratorType type,
                                   bool stage) {
  std::vector<Loop> loops = dimLoops(shape, type);
  loops[0].name = "n";
  loops[channel].name = "c";
  if (shape.size() == 4) {
    loops[2].name = "h";
    loops[3].name = "w";
  }
  for (Loop &loop : loops)
    loop.stage = stage;
  loops[channel].type = IteratorType::Parallel;
  loops[channel].stage = false;
  return loops;
}

/// Access of an operand or result of role: a tensor like x, one value per
/// channel, or statistics.
static AccessMap normMap(Type type, size_t rank) {
  size_t own = shapeOf(type).size();
  if (own == rank)
    return identityMap(rank);
  return own == 1 ? loopMap({channel}) : loopMap({-1, channel});
}

/// Space of an op whose operand at `x` is the normalized tensor.
/// Types tell roles apart except for rank 2, where statistics look like x.
static IterationSpace normSpace(Operation *op, unsigned x, int statsOperand,
                                int statsResult, IteratorType type,
                                bool stage) {
  ArrayRef<int64_t> shape = shapeOf(op->getOperand(x));
  IterationSpace space;
  space.loops = normLoops(shape, type, stage);
  AccessMap statistics = loopMap({-1, channel});
  for (auto [i, operand] : llvm::enumerate(op->getOperandTypes()))
    space.operands.push_back({static_cast<int>(i) == statsOperand
                                  ? statistics
                                  : normMap(operand, shape.size())});
  for (auto [i, result] : llvm::enumerate(op->getResultTypes())) {
    if (static_cast<int>(i) == statsResult)
      space.results.push_back({statistics, Combiner::Moments});
    else
      space.results.push_back({normMap(result, shape.size())});
  }
  space.flopsPerPoint = 4;
  return space;
}

/// The channels of x, which must have rank 2 or more.
static FailureOr<int64_t> checkImage(EmitError emitError, Value x) {
  ArrayRef<int64_t> shape = shapeOf(x);
  if (shape.size() < 2) {
    emitError() << "expected a tensor [N, C, ...], got " << x.getType();
    return failure();
  }
  return shape[channel];
}

static LogicalResult checkPerChannel(EmitError emitError, StringRef what,
                                     Value value, int64_t channels) {
  return checkShape(emitError, what, value.getType(), {channels});
}

static LogicalResult checkStats(EmitError emitError, Value value,
                                int64_t channels) {
  return checkShape(emitError, "statistics", value.getType(), {3, channels});
}

/// A tensor of the shape of x.
static LogicalResult checkLike(EmitError emitError, StringRef what, Value value,
                               Value x) {
  return checkShape(emitError, what, value.getType(), shapeOf(x));
}

//===----------------------------------------------------------------------===//
// Inference
//===----------------------------------------------------------------------===//

LogicalResult BatchNormOp::verify() {
  auto emitError = [&] { return emitOpError(); };
  FailureOr<int64_t> channels = checkImage(emitError, getX());
  return failure(
      failed(channels) ||
      failed(checkPerChannel(emitError, "gamma", getGamma(), *channels)) ||
      failed(checkPerChannel(emitError, "beta", getBeta(), *channels)) ||
      failed(checkPerChannel(emitError, "a mean", getMean(), *channels)) ||
      failed(checkPerChannel(emitError, "a variance", getVar(), *channels)));
}

IterationSpace BatchNormOp::getIterationSpace() {
  IterationSpace space = normSpace(*this, 0, -1, -1, IteratorType::Parallel,
                                   /*stage=*/false);
  for (size_t i = 0; i < space.loops.size(); ++i)
    if (i != channel)
      space.loops[i].name = "d" + std::to_string(i);
  return space;
}

//===----------------------------------------------------------------------===//
// Training: one kernel, or two stages
//===----------------------------------------------------------------------===//

LogicalResult BatchNormTrainOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, ValueRange operands,
    DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
    SmallVectorImpl<Type> &types) {
  Adaptor op(operands, attributes, properties, regions);
  return inferTypes(
      getOperationName(), location, operands,
      [&](EmitError emitError) -> LogicalResult {
        FailureOr<int64_t> channels = checkImage(emitError, op.getX());
        if (failed(channels) ||
            failed(checkPerChannel(emitError, "gamma", op.getGamma(),
                                   *channels)) ||
            failed(checkPerChannel(emitError, "beta", op.getBeta(), *channels)))
          return failure();
        types.push_back(tensorLike(op.getX(), shapeOf(op.getX())));
        types.push_back(statisticsLike(op.getX(), {3, *channels}));
        return success();
      });
}

IterationSpace BatchNormTrainOp::getIterationSpace() {
  IterationSpace space = normSpace(*this, 0, -1, 1, IteratorType::Parallel,
                                   /*stage=*/true);
  space.flopsPerPoint = 8;
  return space;
}

FailureOr<SmallVector<Value>>
BatchNormTrainOp::decomposeStages(OpBuilder &builder) {
  Value stats =
      BatchNormStatsOp::create(builder, getLoc(), getStats().getType(), getX());
  Value y =
      BatchNormApplyOp::create(builder, getLoc(), getY().getType(), getX(),
                               stats, getGamma(), getBeta(), getEpsilonAttr());
  return SmallVector<Value>{y, stats};
}

LogicalResult BatchNormStatsOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, ValueRange operands,
    DictionaryAttr, OpaqueProperties, RegionRange,
    SmallVectorImpl<Type> &types) {
  return inferTypes(
      getOperationName(), location, operands,
      [&](EmitError emitError) -> LogicalResult {
        FailureOr<int64_t> channels = checkImage(emitError, operands[0]);
        if (failed(channels))
          return failure();
        types.push_back(statisticsLike(operands[0], {3, *channels}));
        return success();
      });
}

IterationSpace BatchNormStatsOp::getIterationSpace() {
  return normSpace(*this, 0, -1, 0, IteratorType::Reduction, /*stage=*/false);
}

LogicalResult BatchNormApplyOp::verify() {
  auto emitError = [&] { return emitOpError(); };
  FailureOr<int64_t> channels = checkImage(emitError, getX());
  return failure(
      failed(channels) ||
      failed(checkStats(emitError, getStats(), *channels)) ||
      failed(checkPerChannel(emitError, "gamma", getGamma(), *channels)) ||
      failed(checkPerChannel(emitError, "beta", getBeta(), *channels)));
}

IterationSpace BatchNormApplyOp::getIterationSpace() {
  return normSpace(*this, 0, 1, -1, IteratorType::Parallel, /*stage=*/false);
}

//===----------------------------------------------------------------------===//
// Gradients: one kernel, or two stages
//===----------------------------------------------------------------------===//

LogicalResult BatchNormGradOp::verify() {
  auto emitError = [&] { return emitOpError(); };
  FailureOr<int64_t> channels = checkImage(emitError, getX());
  return failure(
      failed(channels) || failed(checkLike(emitError, "dy", getDy(), getX())) ||
      failed(checkStats(emitError, getStats(), *channels)) ||
      failed(checkPerChannel(emitError, "gamma", getGamma(), *channels)) ||
      failed(checkLike(emitError, "dx", getDx(), getX())) ||
      failed(checkPerChannel(emitError, "dgamma", getDgamma(), *channels)) ||
      failed(checkPerChannel(emitError, "dbeta", getDbeta(), *channels)));
}

IterationSpace BatchNormGradOp::getIterationSpace() {
  IterationSpace space = normSpace(*this, 1, 2, -1, IteratorType::Parallel,
                                   /*stage=*/true);
  space.flopsPerPoint = 10;
  return space;
}

FailureOr<SmallVector<Value>>
BatchNormGradOp::decomposeStages(OpBuilder &builder) {
  auto reduce = BatchNormGradReduceOp::create(
      builder, getLoc(), getDgamma().getType(), getDbeta().getType(), getDy(),
      getX(), getStats(), getEpsilonAttr());
  Value dx = BatchNormGradApplyOp::create(
      builder, getLoc(), getDx().getType(), getDy(), getX(), getStats(),
      getGamma(), reduce.getDgamma(), reduce.getDbeta(), getEpsilonAttr());
  return SmallVector<Value>{dx, reduce.getDgamma(), reduce.getDbeta()};
}

LogicalResult BatchNormGradReduceOp::verify() {
  auto emitError = [&] { return emitOpError(); };
  FailureOr<int64_t> channels = checkImage(emitError, getX());
  return failure(
      failed(channels) || failed(checkLike(emitError, "dy", getDy(), getX())) ||
      failed(checkStats(emitError, getStats(), *channels)) ||
      failed(checkPerChannel(emitError, "dgamma", getDgamma(), *channels)) ||
      failed(checkPerChannel(emitError, "dbeta", getDbeta(), *channels)));
}

IterationSpace BatchNormGradReduceOp::getIterationSpace() {
  return normSpace(*this, 1, 2, -1, IteratorType::Reduction, /*stage=*/false);
}

LogicalResult BatchNormGradApplyOp::verify() {
  auto emitError = [&] { return emitOpError(); };
  FailureOr<int64_t> channels = checkImage(emitError, getX());
  return failure(
      failed(channels) || failed(checkLike(emitError, "dy", getDy(), getX())) ||
      failed(checkStats(emitError, getStats(), *channels)) ||
      failed(checkPerChannel(emitError, "gamma", getGamma(), *channels)) ||
      failed(checkPerChannel(emitError, "dgamma", getDgamma(), *channels)) ||
      failed(checkPerChannel(emitError, "dbeta", getDbeta(), *channels)) ||
      failed(checkLike(emitError, "dx", getDx(), getX())));
}

IterationSpace BatchNormGradApplyOp::getIterationSpace() {
  IterationSpace space = normSpace(*this, 1, 2, -1, IteratorType::Parallel,
                                   /*stage=*/false);
  space.flopsPerPoint = 6;
  return space;
}

//===----------------------------------------------------------------------===//
// RunningStatsUpdateOp
//===----------------------------------------------------------------------===//

LogicalResult RunningStatsUpdateOp::verify() {
  auto emitError = [&] { return emitOpError(); };
  if (failed(checkRank(emitError, "a mean", getMean(), 1)))
    return failure();
  int64_t channels = shapeOf(getMean())[0];
  return failure(
      failed(checkPerChannel(emitError, "a variance", getVar(), channels)) ||
      failed(checkStats(emitError, getStats(), channels)) ||
      failed(
          checkPerChannel(emitError, "a new mean", getNewMean(), channels)) ||
      failed(
          checkPerChannel(emitError, "a new variance", getNewVar(), channels)));
}

IterationSpace RunningStatsUpdateOp::getIterationSpace() {
  IterationSpace space;
  space.loops = {{"c", shapeOf(getMean())[0]}};
  space.operands = {{loopMap({0})}, {loopMap({0})}, {loopMap({-1, 0})}};
  space.results = {{loopMap({0})}, {loopMap({0})}};
  space.flopsPerPoint = 6;
  return space;
}
