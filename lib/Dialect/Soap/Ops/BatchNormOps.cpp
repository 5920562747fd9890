//===- BatchNormOps.cpp - Batch normalization and its stages --------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All ops share the loops n, c and the spatial dims; those that see the whole
// batch in one kernel mark all loops but c as stage loops. Ops on several
// groups of samples have a last loop g; n counts the samples of a group then.
//
//===----------------------------------------------------------------------===//

#include "Dialect/Soap/OpSupport.h"

using namespace mlir;
using namespace mlir::soap;

static constexpr int channel = 1;

/// Loops n, c, h, w; or n, c, d2, d3, ... if the rank is not 4; before them g
/// if there are several groups.
static std::vector<Loop> normLoops(ArrayRef<int64_t> shape, int64_t groups,
                                   IteratorType type, bool stage) {
  std::vector<Loop> loops = dimLoops(shape, type);
  loops[0].name = "n";
  loops[0].extent /= groups;
  loops[channel].name = "c";
  if (shape.size() == 4) {
    loops[2].name = "h";
    loops[3].name = "w";
  }
  for (Loop &loop : loops)
    loop.stage = stage;
  loops[channel].type = IteratorType::Parallel;
  loops[channel].stage = false;
  if (groups > 1)
    loops.insert(loops.begin(), Loop{"g", groups});
  return loops;
}

namespace {
/// How the operands and results of an op on images are read and written.
class NormSpace {
public:
  /// `x` is the normalized tensor.
  NormSpace(Value x, uint64_t groups, IteratorType type, bool stage)
      : shape(shapeOf(x)), groups(static_cast<int64_t>(groups)) {
    space.loops = normLoops(shape, this->groups, type, stage);
    space.flopsPerPoint = 4;
  }

  NormSpace &reads(std::initializer_list<AccessMap> maps) {
    for (const AccessMap &map : maps)
      space.operands.push_back({map});
    return *this;
  }
  NormSpace &writes(const AccessMap &map, Combiner combiner = Combiner::Sum) {
    space.results.push_back({map, combiner});
    return *this;
  }
  IterationSpace take(int64_t flopsPerPoint = 4) {
    space.flopsPerPoint = flopsPerPoint;
    return std::move(space);
  }

  /// A tensor like x.
  AccessMap image() const {
    AccessMap map;
    for (int d = 0; d < static_cast<int>(shape.size()); ++d)
      map.push_back(DimMap::loop(loopOf(d)));
    if (groups > 1)
      map[0] = DimMap::radix({{0, shape[0] / groups}, {loopOf(0), 1}});
    return map;
  }
  /// One value per channel, of all groups.
  AccessMap perChannel() const { return loopMap({loopOf(channel)}); }
  /// One value per channel of each group.
  AccessMap perGroup() const { return {groupChannel()}; }
  AccessMap statistics() const {
    AccessMap map = loopMap({-1, loopOf(channel)});
    map[1] = groupChannel();
    return map;
  }

private:
  /// The loop of a dim of x; loop 0 counts the groups, if there are several.
  int loopOf(int dim) const { return groups > 1 ? dim + 1 : dim; }
  DimMap groupChannel() const {
    return groups > 1
               ? DimMap::radix({{0, shape[channel]}, {loopOf(channel), 1}})
               : DimMap::loop(channel);
  }

  ArrayRef<int64_t> shape;
  int64_t groups;
  IterationSpace space;
};
} // namespace

/// A shard has the groups that its box has of loop g, the first.
template <typename OpTy>
static Operation *
localizeGroups(OpTy op, OpBuilder &builder, const LoopBox &box,
               ArrayRef<TileRegion> resultRegions, ValueRange operands) {
  Operation *local = localizeDefault(op, builder, resultRegions, operands);
  if (op.getGroups() > 1)
    cast<OpTy>(local).setGroups(box[0].size());
  return local;
}

static LogicalResult checkPerGroup(EmitError emitError, StringRef what,
                                   Value value, int64_t channels,
                                   uint64_t groups) {
  return checkShape(emitError, what, value.getType(),
                    {static_cast<int64_t>(groups) * channels});
}

static RankedTensorType statsType(Value x, int64_t channels, uint64_t groups) {
  return statisticsLike(x, {3, static_cast<int64_t>(groups) * channels});
}

/// Builders infer types before defaults are set.
template <typename AdaptorT>
static uint64_t groupsOf(AdaptorT op) {
  IntegerAttr groups = op.getGroupsAttr();
  return groups ? groups.getValue().getZExtValue() : 1;
}

static LogicalResult checkGroups(EmitError emitError, uint64_t groups,
                                 int64_t samples) {
  auto signedGroups = static_cast<int64_t>(groups);
  if (signedGroups >= 1 && samples % signedGroups == 0)
    return success();
  return emitError() << "expected 'groups' of at least 1 that divide the "
                     << samples << " samples, got " << signedGroups;
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
                                int64_t channels, uint64_t groups) {
  return checkShape(emitError, "statistics", value.getType(),
                    {3, static_cast<int64_t>(groups) * channels});
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
  NormSpace norm(getX(), 1, IteratorType::Parallel, /*stage=*/false);
  AccessMap each = norm.perChannel();
  IterationSpace space = norm.reads({norm.image(), each, each, each, each})
                             .writes(norm.image())
                             .take();
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
            failed(
                checkPerChannel(emitError, "beta", op.getBeta(), *channels)) ||
            failed(checkGroups(emitError, groupsOf(op), shapeOf(op.getX())[0])))
          return failure();
        types.push_back(tensorLike(op.getX(), shapeOf(op.getX())));
        types.push_back(statsType(op.getX(), *channels, groupsOf(op)));
        return success();
      });
}

IterationSpace BatchNormTrainOp::getIterationSpace() {
  NormSpace norm(getX(), getGroups(), IteratorType::Parallel, /*stage=*/true);
  AccessMap each = norm.perChannel();
  return norm.reads({norm.image(), each, each})
      .writes(norm.image())
      .writes(norm.statistics(), Combiner::Moments)
      .take(8);
}

FailureOr<SmallVector<Value>>
BatchNormTrainOp::decomposeStages(OpBuilder &builder) {
  Value stats = BatchNormStatsOp::create(
      builder, getLoc(), getStats().getType(), getX(), getGroupsAttr());
  Value y = BatchNormApplyOp::create(builder, getLoc(), getY().getType(),
                                     getX(), stats, getGamma(), getBeta(),
                                     getEpsilonAttr(), getGroupsAttr());
  return SmallVector<Value>{y, stats};
}

LogicalResult BatchNormStatsOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, ValueRange operands,
    DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
    SmallVectorImpl<Type> &types) {
  Adaptor op(operands, attributes, properties, regions);
  return inferTypes(
      getOperationName(), location, operands,
      [&](EmitError emitError) -> LogicalResult {
        FailureOr<int64_t> channels = checkImage(emitError, op.getX());
        if (failed(channels) ||
            failed(checkGroups(emitError, groupsOf(op), shapeOf(op.getX())[0])))
          return failure();
        types.push_back(statsType(op.getX(), *channels, groupsOf(op)));
        return success();
      });
}

IterationSpace BatchNormStatsOp::getIterationSpace() {
  NormSpace norm(getX(), getGroups(), IteratorType::Reduction, /*stage=*/false);
  return norm.reads({norm.image()})
      .writes(norm.statistics(), Combiner::Moments)
      .take();
}

LogicalResult BatchNormApplyOp::verify() {
  auto emitError = [&] { return emitOpError(); };
  FailureOr<int64_t> channels = checkImage(emitError, getX());
  return failure(
      failed(channels) ||
      failed(checkGroups(emitError, getGroups(), shapeOf(getX())[0])) ||
      failed(checkStats(emitError, getStats(), *channels, getGroups())) ||
      failed(checkPerChannel(emitError, "gamma", getGamma(), *channels)) ||
      failed(checkPerChannel(emitError, "beta", getBeta(), *channels)));
}

IterationSpace BatchNormApplyOp::getIterationSpace() {
  NormSpace norm(getX(), getGroups(), IteratorType::Parallel, /*stage=*/false);
  AccessMap each = norm.perChannel();
  return norm.reads({norm.image(), norm.statistics(), each, each})
      .writes(norm.image())
      .take();
}

//===----------------------------------------------------------------------===//
// Gradients: one kernel, or two stages
//===----------------------------------------------------------------------===//

LogicalResult BatchNormGradOp::verify() {
  auto emitError = [&] { return emitOpError(); };
  FailureOr<int64_t> channels = checkImage(emitError, getX());
  return failure(
      failed(channels) || failed(checkLike(emitError, "dy", getDy(), getX())) ||
      failed(checkGroups(emitError, getGroups(), shapeOf(getX())[0])) ||
      failed(checkStats(emitError, getStats(), *channels, getGroups())) ||
      failed(checkPerChannel(emitError, "gamma", getGamma(), *channels)) ||
      failed(checkLike(emitError, "dx", getDx(), getX())) ||
      failed(checkPerGroup(emitError, "dgamma", getDgamma(), *channels,
                           getGroups())) ||
      failed(checkPerGroup(emitError, "dbeta", getDbeta(), *channels,
                           getGroups())));
}

IterationSpace BatchNormGradOp::getIterationSpace() {
  NormSpace norm(getX(), getGroups(), IteratorType::Parallel, /*stage=*/true);
  return norm
      .reads({norm.image(), norm.image(), norm.statistics(), norm.perChannel()})
      .writes(norm.image())
      .writes(norm.perGroup())
      .writes(norm.perGroup())
      .take(10);
}

FailureOr<SmallVector<Value>>
BatchNormGradOp::decomposeStages(OpBuilder &builder) {
  auto reduce = BatchNormGradReduceOp::create(
      builder, getLoc(), getDgamma().getType(), getDbeta().getType(), getDy(),
      getX(), getStats(), getEpsilonAttr(), getGroupsAttr());
  Value dx = BatchNormGradApplyOp::create(
      builder, getLoc(), getDx().getType(), getDy(), getX(), getStats(),
      getGamma(), reduce.getDgamma(), reduce.getDbeta(), getEpsilonAttr(),
      getGroupsAttr());
  return SmallVector<Value>{dx, reduce.getDgamma(), reduce.getDbeta()};
}

LogicalResult BatchNormGradReduceOp::verify() {
  auto emitError = [&] { return emitOpError(); };
  FailureOr<int64_t> channels = checkImage(emitError, getX());
  return failure(
      failed(channels) || failed(checkLike(emitError, "dy", getDy(), getX())) ||
      failed(checkGroups(emitError, getGroups(), shapeOf(getX())[0])) ||
      failed(checkStats(emitError, getStats(), *channels, getGroups())) ||
      failed(checkPerGroup(emitError, "dgamma", getDgamma(), *channels,
                           getGroups())) ||
      failed(checkPerGroup(emitError, "dbeta", getDbeta(), *channels,
                           getGroups())));
}

IterationSpace BatchNormGradReduceOp::getIterationSpace() {
  NormSpace norm(getX(), getGroups(), IteratorType::Reduction, /*stage=*/false);
  return norm.reads({norm.image(), norm.image(), norm.statistics()})
      .writes(norm.perGroup())
      .writes(norm.perGroup())
      .take();
}

LogicalResult BatchNormGradApplyOp::verify() {
  auto emitError = [&] { return emitOpError(); };
  FailureOr<int64_t> channels = checkImage(emitError, getX());
  return failure(
      failed(channels) || failed(checkLike(emitError, "dy", getDy(), getX())) ||
      failed(checkGroups(emitError, getGroups(), shapeOf(getX())[0])) ||
      failed(checkStats(emitError, getStats(), *channels, getGroups())) ||
      failed(checkPerChannel(emitError, "gamma", getGamma(), *channels)) ||
      failed(checkPerGroup(emitError, "dgamma", getDgamma(), *channels,
                           getGroups())) ||
      failed(checkPerGroup(emitError, "dbeta", getDbeta(), *channels,
                           getGroups())) ||
      failed(checkLike(emitError, "dx", getDx(), getX())));
}

IterationSpace BatchNormGradApplyOp::getIterationSpace() {
  NormSpace norm(getX(), getGroups(), IteratorType::Parallel, /*stage=*/false);
  return norm
      .reads({norm.image(), norm.image(), norm.statistics(), norm.perChannel(),
              norm.perGroup(), norm.perGroup()})
      .writes(norm.image())
      .take(6);
}

//===----------------------------------------------------------------------===//
// RunningStatsUpdateOp
//===----------------------------------------------------------------------===//

LogicalResult RunningStatsUpdateOp::verify() {
  auto emitError = [&] { return emitOpError(); };
  if (failed(checkRank(emitError, "a mean", getMean(), 1)))
    return failure();
  if (static_cast<int64_t>(getGroups()) < 1)
    return emitOpError() << "expected 'groups' of at least 1, got "
                         << static_cast<int64_t>(getGroups());
  int64_t channels = shapeOf(getMean())[0];
  return failure(
      failed(checkPerChannel(emitError, "a variance", getVar(), channels)) ||
      failed(checkStats(emitError, getStats(), channels, getGroups())) ||
      failed(
          checkPerChannel(emitError, "a new mean", getNewMean(), channels)) ||
      failed(
          checkPerChannel(emitError, "a new variance", getNewVar(), channels)));
}

IterationSpace RunningStatsUpdateOp::getIterationSpace() {
  int64_t channels = shapeOf(getMean())[0];
  auto groups = static_cast<int64_t>(getGroups());
  IterationSpace space;
  space.loops = {{"c", channels}};
  AccessMap statistics = loopMap({-1, 0});
  if (groups > 1) {
    space.loops.push_back({"g", groups, IteratorType::Serial});
    statistics[1] = DimMap::radix({{1, channels}, {0, 1}});
  }
  space.operands = {{loopMap({0})}, {loopMap({0})}, {statistics}};
  space.results = {{loopMap({0})}, {loopMap({0})}};
  space.flopsPerPoint = 6;
  return space;
}

//===----------------------------------------------------------------------===//
// Shards
//===----------------------------------------------------------------------===//

Operation *BatchNormTrainOp::localize(OpBuilder &builder, const LoopBox &box,
                                      ArrayRef<TileRegion>,
                                      ArrayRef<TileRegion> resultRegions,
                                      ValueRange operands) {
  return localizeGroups(*this, builder, box, resultRegions, operands);
}

Operation *BatchNormStatsOp::localize(OpBuilder &builder, const LoopBox &box,
                                      ArrayRef<TileRegion>,
                                      ArrayRef<TileRegion> resultRegions,
                                      ValueRange operands) {
  return localizeGroups(*this, builder, box, resultRegions, operands);
}

Operation *BatchNormApplyOp::localize(OpBuilder &builder, const LoopBox &box,
                                      ArrayRef<TileRegion>,
                                      ArrayRef<TileRegion> resultRegions,
                                      ValueRange operands) {
  return localizeGroups(*this, builder, box, resultRegions, operands);
}

Operation *BatchNormGradOp::localize(OpBuilder &builder, const LoopBox &box,
                                     ArrayRef<TileRegion>,
                                     ArrayRef<TileRegion> resultRegions,
                                     ValueRange operands) {
  return localizeGroups(*this, builder, box, resultRegions, operands);
}

Operation *BatchNormGradReduceOp::localize(OpBuilder &builder,
                                           const LoopBox &box,
                                           ArrayRef<TileRegion>,
                                           ArrayRef<TileRegion> resultRegions,
                                           ValueRange operands) {
  return localizeGroups(*this, builder, box, resultRegions, operands);
}

Operation *BatchNormGradApplyOp::localize(OpBuilder &builder,
                                          const LoopBox &box,
                                          ArrayRef<TileRegion>,
                                          ArrayRef<TileRegion> resultRegions,
                                          ValueRange operands) {
  return localizeGroups(*this, builder, box, resultRegions, operands);
}
