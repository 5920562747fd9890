//===- PoolingOps.cpp - Pooling and its gradients -------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Windows over NCHW images. Taps are serial loops: a window is never split, so
// the tap ranges of a shard are always whole.
//
//===----------------------------------------------------------------------===//

#include "WindowSupport.h"

#include <limits>

using namespace mlir;
using namespace mlir::soap;

/// Positions of the loops, the same in all four ops.
namespace {
enum { n, c, h, w, kh, kw };
} // namespace

template <typename PoolOp>
static Window2D poolWindow(PoolOp op) {
  return Window2D::get(op.getKernel(), op.getStrides(), op.getDilations(),
                       op.getPadding());
}

/// Loops over `shape` = [N, C, H, W] and the taps.
static std::vector<Loop> poolLoops(ArrayRef<int64_t> shape,
                                   const Window2D &window) {
  constexpr auto serial = IteratorType::Serial;
  return {{"n", shape[0]},
          {"c", shape[1]},
          {"h", shape[2]},
          {"w", shape[3]},
          {"kh", window[0].kernel, serial},
          {"kw", window[1].kernel, serial}};
}

static AccessMap imageMap(const Window2D &window) {
  return {DimMap::loop(n), DimMap::loop(c), window[0].imageMap(h, kh),
          window[1].imageMap(w, kw)};
}
static AccessMap outputMap(const Window2D &window) {
  return {DimMap::loop(n), DimMap::loop(c), window[0].outputMap(h, kh),
          window[1].outputMap(w, kw)};
}

/// Shape of the result of pooling an image.
template <typename PoolOp>
static FailureOr<SmallVector<int64_t>>
pooledShape(EmitError emitError, PoolOp op, ArrayRef<int64_t> image) {
  if (image.size() != 4) {
    emitError() << "expected images [N, C, H, W], got shape "
                << shapeString(image);
    return failure();
  }
  if (failed(checkWindow(emitError, op.getKernel(), op.getStrides(),
                         op.getDilations(), op.getPadding())))
    return failure();
  FailureOr<std::array<int64_t, 2>> outputs =
      inferOutputs(emitError, poolWindow(op), image.drop_front(2));
  if (failed(outputs))
    return failure();
  return SmallVector<int64_t>{image[0], image[1], (*outputs)[0], (*outputs)[1]};
}

/// `count_low` and `count_size` come together and are sane.
template <typename PoolOp>
static LogicalResult checkCount(EmitError emitError, PoolOp op) {
  std::optional<ArrayRef<int64_t>> low = op.getCountLow(),
                                   size = op.getCountSize();
  if (low.has_value() != size.has_value())
    return emitError() << "'count_low' and 'count_size' come together";
  if (!low)
    return success();
  return failure(
      failed(checkArray(emitError, "count_low", *low, 2, -4 * maxExtent,
                        4 * maxExtent)) ||
      failed(checkArray(emitError, "count_size", *size, 2, 1, 4 * maxExtent)));
}

/// The counted image of an average pool whose image has `extents`, made
/// explicit in the coordinates of a tile that begins at `tileLow`.
template <typename PoolOp>
static void setLocalCount(Operation *local, PoolOp op,
                          ArrayRef<int64_t> extents,
                          ArrayRef<int64_t> tileLow) {
  Window2D window = poolWindow(op);
  int64_t low[2], size[2];
  for (size_t d = 0; d < 2; ++d) {
    bool padded = op.getCountIncludePad();
    low[d] = padded ? -window[d].padLow : 0;
    size[d] = extents[d] + (padded ? window[d].padLow + window[d].padHigh : 0);
    if (op.getCountLow()) {
      low[d] = (*op.getCountLow())[d];
      size[d] = (*op.getCountSize())[d];
    }
    low[d] -= tileLow[d];
  }
  auto pool = cast<PoolOp>(local);
  pool.setCountLow(ArrayRef<int64_t>(low));
  pool.setCountSize(ArrayRef<int64_t>(size));
}

/// Padding of a forward shard: windows from the box, the image's tile from the
/// operand's region.
template <typename PoolOp>
static Operation *localizeForward(PoolOp op, OpBuilder &builder,
                                  const LoopBox &box, const TileRegion &x,
                                  ArrayRef<TileRegion> resultRegions,
                                  ValueRange operands) {
  Window2D window = poolWindow(op);
  for (int d = 0; d < 2; ++d)
    window[d] =
        window[d].localize(box[h + d].lo, box[h + d].size(), x[2 + d].lo(),
                           x[2 + d].size(), 0, window[d].kernel);
  Operation *local = localizeDefault(op, builder, resultRegions, operands);
  cast<PoolOp>(local).setPadding(window.padding());
  return local;
}

//===----------------------------------------------------------------------===//
// MaxPool2DOp
//===----------------------------------------------------------------------===//

LogicalResult
MaxPool2DOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                              ValueRange operands, DictionaryAttr attributes,
                              OpaqueProperties properties, RegionRange regions,
                              SmallVectorImpl<Type> &types) {
  Adaptor op(operands, attributes, properties, regions);
  return inferTypes(getOperationName(), location, operands,
                    [&](EmitError emitError) -> LogicalResult {
                      auto shape =
                          pooledShape(emitError, op, shapeOf(op.getX()));
                      if (failed(shape))
                        return failure();
                      types.push_back(tensorLike(op.getX(), *shape));
                      return success();
                    });
}

IterationSpace MaxPool2DOp::getIterationSpace() {
  Window2D window = poolWindow(*this);
  IterationSpace space;
  space.loops = poolLoops(shapeOf(getY()), window);
  space.operands = {{imageMap(window)}};
  space.results = {{identityMap(4)}};
  return space;
}

Operation *MaxPool2DOp::localize(OpBuilder &builder, const LoopBox &box,
                                 ArrayRef<TileRegion> operandRegions,
                                 ArrayRef<TileRegion> resultRegions,
                                 ValueRange operands) {
  return localizeForward(*this, builder, box, operandRegions[0], resultRegions,
                         operands);
}

double MaxPool2DOp::getNeutralValue() {
  return -std::numeric_limits<double>::infinity();
}

//===----------------------------------------------------------------------===//
// MaxPool2DGradOp
//===----------------------------------------------------------------------===//

LogicalResult MaxPool2DGradOp::verify() {
  auto emitError = [&] { return emitOpError(); };
  for (Type type : getOperation()->getOperandTypes())
    if (failed(checkTensorType(emitError, type)))
      return failure();
  auto expected = pooledShape(emitError, *this, shapeOf(getX()));
  if (failed(expected) ||
      failed(checkShape(emitError, "a gradient of the forward result",
                        getDy().getType(), *expected)) ||
      failed(checkShape(emitError, "a forward result", getY().getType(),
                        *expected)) ||
      failed(checkArray(emitError, "x_offset", getXOffset(), 2, -4 * maxExtent,
                        4 * maxExtent)))
    return failure();
  ArrayRef<int64_t> x = shapeOf(getX()), dx = shapeOf(getDx());
  if (dx.size() != 4 || dx.take_front(2) != x.take_front(2))
    return emitOpError() << "result of shape " << shapeString(dx)
                         << " does not fit an image of shape "
                         << shapeString(x);
  return success();
}

IterationSpace MaxPool2DGradOp::getIterationSpace() {
  Window2D window = poolWindow(*this);
  ArrayRef<int64_t> dx = shapeOf(getDx()), y = shapeOf(getY());
  IterationSpace space;
  space.loops = poolLoops(dx, window);
  space.operands = {{outputMap(window)},
                    {{DimMap::loop(n), DimMap::loop(c),
                      window[0].touchedImageMap(h, kh, y[2]),
                      window[1].touchedImageMap(w, kw, y[3])}},
                    {outputMap(window)}};
  space.results = {{identityMap(4)}};
  return space;
}

Operation *MaxPool2DGradOp::localize(OpBuilder &builder, const LoopBox &box,
                                     ArrayRef<TileRegion> operandRegions,
                                     ArrayRef<TileRegion> resultRegions,
                                     ValueRange operands) {
  Window2D window = poolWindow(*this);
  const TileRegion &dy = operandRegions[0], &x = operandRegions[1];
  int64_t offset[2];
  for (int d = 0; d < 2; ++d) {
    // Windows are placed on the tile of x; the tile of dx is placed by offset.
    window[d] =
        window[d].localize(dy[2 + d].lo(), dy[2 + d].size(), x[2 + d].lo(),
                           x[2 + d].size(), 0, window[d].kernel);
    offset[d] = getXOffset()[d] + box[h + d].lo - x[2 + d].lo();
  }
  auto local = cast<MaxPool2DGradOp>(
      localizeDefault(*this, builder, resultRegions, operands));
  local.setPadding(window.padding());
  local.setXOffset(ArrayRef<int64_t>(offset));
  return local;
}

//===----------------------------------------------------------------------===//
// AvgPool2DOp
//===----------------------------------------------------------------------===//

LogicalResult
AvgPool2DOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                              ValueRange operands, DictionaryAttr attributes,
                              OpaqueProperties properties, RegionRange regions,
                              SmallVectorImpl<Type> &types) {
  Adaptor op(operands, attributes, properties, regions);
  return inferTypes(getOperationName(), location, operands,
                    [&](EmitError emitError) -> LogicalResult {
                      auto shape =
                          pooledShape(emitError, op, shapeOf(op.getX()));
                      if (failed(shape) || failed(checkCount(emitError, op)))
                        return failure();
                      types.push_back(tensorLike(op.getX(), *shape));
                      return success();
                    });
}

IterationSpace AvgPool2DOp::getIterationSpace() {
  Window2D window = poolWindow(*this);
  IterationSpace space;
  space.loops = poolLoops(shapeOf(getY()), window);
  space.operands = {{imageMap(window)}};
  space.results = {{identityMap(4)}};
  space.linear = true;
  return space;
}

Operation *AvgPool2DOp::localize(OpBuilder &builder, const LoopBox &box,
                                 ArrayRef<TileRegion> operandRegions,
                                 ArrayRef<TileRegion> resultRegions,
                                 ValueRange operands) {
  const TileRegion &x = operandRegions[0];
  Operation *local =
      localizeForward(*this, builder, box, x, resultRegions, operands);
  setLocalCount(local, *this, shapeOf(getX()).drop_front(2),
                {x[2].lo(), x[3].lo()});
  return local;
}

//===----------------------------------------------------------------------===//
// AvgPool2DGradOp
//===----------------------------------------------------------------------===//

LogicalResult AvgPool2DGradOp::verify() {
  auto emitError = [&] { return emitOpError(); };
  if (failed(checkTensorType(emitError, getDx().getType())))
    return failure();
  auto expected = pooledShape(emitError, *this, shapeOf(getDx()));
  if (failed(expected) || failed(checkCount(emitError, *this)))
    return failure();
  return checkShape(emitError, "a gradient of the forward result",
                    getDy().getType(), *expected);
}

IterationSpace AvgPool2DGradOp::getIterationSpace() {
  Window2D window = poolWindow(*this);
  IterationSpace space;
  space.loops = poolLoops(shapeOf(getDx()), window);
  space.operands = {{outputMap(window)}};
  space.results = {{identityMap(4)}};
  space.linear = true;
  return space;
}

Operation *AvgPool2DGradOp::localize(OpBuilder &builder, const LoopBox &box,
                                     ArrayRef<TileRegion> operandRegions,
                                     ArrayRef<TileRegion> resultRegions,
                                     ValueRange operands) {
  Window2D window = poolWindow(*this);
  const TileRegion &dy = operandRegions[0];
  for (int d = 0; d < 2; ++d)
    window[d] =
        window[d].localize(dy[2 + d].lo(), dy[2 + d].size(), box[h + d].lo,
                           box[h + d].size(), 0, window[d].kernel);
  auto local = cast<AvgPool2DGradOp>(
      localizeDefault(*this, builder, resultRegions, operands));
  local.setPadding(window.padding());
  setLocalCount(local.getOperation(), *this, shapeOf(getDx()).drop_front(2),
                {box[h].lo, box[w].lo});
  return local;
}
