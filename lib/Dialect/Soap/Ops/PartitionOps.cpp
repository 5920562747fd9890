//===- PartitionOps.cpp - Verifiers of device program ops -----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Regions of assemble, combine and send lie within the tiles they speak of.
//
//===----------------------------------------------------------------------===//

#include "Dialect/Soap/OpSupport.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::soap;

/// `region` has the rank of `tile` and lies within it.
static LogicalResult checkWithin(Operation *op, StringRef what,
                                 const TileRegion &region, Type tile) {
  ArrayRef<int64_t> shape = shapeOf(tile);
  if (region.rank() == shape.size() &&
      TileRegion::whole(toVector(shape)).contains(region))
    return success();
  return op->emitOpError() << what << " '" << region.str()
                           << "' does not lie within " << tile;
}

static TileRegion regionAt(ArrayAttr regions, size_t i) {
  return cast<RegionAttr>(regions[i]).getRegion();
}

LogicalResult FillOp::verify() {
  return checkTensorType([&] { return emitOpError(); }, getTile().getType());
}

LogicalResult AssembleOp::verify() {
  if (failed(
          checkTensorType([&] { return emitOpError(); }, getTile().getType())))
    return failure();
  size_t count = getTiles().size();
  if (getSources().size() != count || getTargets().size() != count)
    return emitOpError() << "expected a source and a target per tile, got "
                         << getSources().size() << " and "
                         << getTargets().size() << " for " << count << " tiles";
  int64_t covered = 0;
  for (size_t i = 0; i < count; ++i) {
    TileRegion source = regionAt(getSources(), i),
               target = regionAt(getTargets(), i);
    if (failed(checkWithin(*this, "source", source, getTiles()[i].getType())) ||
        failed(checkWithin(*this, "target", target, getTile().getType())))
      return failure();
    if (source.shape() != target.shape())
      return emitOpError() << "source '" << source.str() << "' and target '"
                           << target.str() << "' differ in shape";
    if (getElementTypeOrSelf(getTiles()[i]) !=
        getTile().getType().getElementType())
      return emitOpError() << "tiles must have the result's element type";
    covered += target.volume();
  }
  // Targets may overlap, so this only finds what is surely missing.
  if (covered < getTile().getType().getNumElements())
    return emitOpError() << "targets cover at most " << covered << " of "
                         << getTile().getType().getNumElements() << " elements";
  return success();
}

LogicalResult CombineOp::verify() {
  if (failed(
          checkTensorType([&] { return emitOpError(); }, getTile().getType())))
    return failure();
  if (getTiles().empty())
    return emitOpError() << "needs at least one tile";
  if (getSources().size() != getTiles().size())
    return emitOpError() << "expected a source per tile, got "
                         << getSources().size() << " for " << getTiles().size()
                         << " tiles";
  ArrayRef<int64_t> shape = getTile().getType().getShape();
  for (size_t i = 0; i < getTiles().size(); ++i) {
    TileRegion source = regionAt(getSources(), i);
    if (failed(checkWithin(*this, "source", source, getTiles()[i].getType())))
      return failure();
    if (ArrayRef<int64_t>(source.shape()) != shape)
      return emitOpError() << "source '" << source.str()
                           << "' does not have the result's shape "
                           << shapeString(shape);
    if (getElementTypeOrSelf(getTiles()[i]) !=
        getTile().getType().getElementType())
      return emitOpError() << "tiles must have the result's element type";
  }
  bool statistics = getCombiner() == CombinerKind::Moments ||
                    getCombiner() == CombinerKind::Softmax;
  if (statistics && (shape.empty() || shape[0] != 3))
    return emitOpError() << "combiner '" << stringifyCombinerKind(getCombiner())
                         << "' needs tiles [3, ...], got "
                         << getTile().getType();
  if (getCombiner() == CombinerKind::LogSumExp &&
      (shape.empty() || shape[0] < 2))
    return emitOpError() << "combiner 'log_sum_exp' needs tiles [2 or more, "
                            "...], got "
                         << getTile().getType();
  return success();
}

LogicalResult SendOp::verify() {
  return checkWithin(*this, "source", getSource().getRegion(),
                     getTile().getType());
}

LogicalResult RecvOp::verify() {
  return checkTensorType([&] { return emitOpError(); }, getTile().getType());
}
