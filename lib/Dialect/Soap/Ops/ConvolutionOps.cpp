//===- ConvolutionOps.cpp - Convolution and its gradients -----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Iteration spaces, shapes and shards of conv2d, conv2d_input_grad and
// conv2d_weight_grad. The three share one relation between x [n, g*I + i, ..],
// w [g*O + o, i, kh, kw] and y [n, g*O + o, h, w]; they differ in which of the
// three is the result, and so in their loops.
//
//===----------------------------------------------------------------------===//

#include "WindowSupport.h"

using namespace mlir;
using namespace mlir::soap;

namespace {
/// Extents of a convolution, named as in the op descriptions.
struct ConvShape {
  int64_t n, g, o, i, kh, kw;
  Window2D window;
  ArrayRef<int64_t> image, outputs; // [H, W] of x and of y
};
} // namespace

template <typename ConvOp>
static ConvShape convShape(ConvOp op, Value x, Value w, Value y) {
  ArrayRef<int64_t> xs = shapeOf(x), ws = shapeOf(w), ys = shapeOf(y);
  auto groups = static_cast<int64_t>(op.getGroups());
  return {xs[0],
          groups,
          ws[0] / groups,
          ws[1],
          ws[2],
          ws[3],
          Window2D::get(ws.drop_front(2), op.getStrides(), op.getDilations(),
                        op.getPadding()),
          xs.drop_front(2),
          ys.drop_front(2)};
}

/// Ranks, attributes and channels fit; gives the shape of y.
static FailureOr<SmallVector<int64_t>>
checkConv(EmitError emitError, ArrayRef<int64_t> x, ArrayRef<int64_t> w,
          ArrayRef<int64_t> strides, ArrayRef<int64_t> padding,
          ArrayRef<int64_t> dilations, int64_t groups) {
  if (x.size() != 4 || w.size() != 4) {
    emitError() << "expected images [N, C, H, W] and weights [O, I, KH, KW], "
                   "got shapes "
                << shapeString(x) << " and " << shapeString(w);
    return failure();
  }
  if (failed(
          checkWindow(emitError, w.drop_front(2), strides, dilations, padding)))
    return failure();
  if (groups < 1) {
    emitError() << "'groups' must be at least 1, got " << groups;
    return failure();
  }
  if (w[0] % groups != 0) {
    emitError() << w[0] << " output channels do not divide into " << groups
                << " groups";
    return failure();
  }
  if (x[1] % groups != 0 || x[1] / groups != w[1]) {
    emitError() << "weights of " << w[1] << " input channels in " << groups
                << " groups do not fit " << x[1] << " image channels";
    return failure();
  }
  FailureOr<std::array<int64_t, 2>> outputs = inferOutputs(
      emitError, Window2D::get(w.drop_front(2), strides, dilations, padding),
      x.drop_front(2));
  if (failed(outputs))
    return failure();
  return SmallVector<int64_t>{x[0], w[0], (*outputs)[0], (*outputs)[1]};
}

/// Checks that x, w and y have the shapes of a forward op.
template <typename ConvOp>
static LogicalResult verifyConv(ConvOp op, Value x, Value w, Value y) {
  auto emitError = [&] { return op->emitOpError(); };
  for (Value value : {x, w, y})
    if (failed(checkTensorType(emitError, value.getType())))
      return failure();
  FailureOr<SmallVector<int64_t>> expected = checkConv(
      emitError, shapeOf(x), shapeOf(w), op.getStrides(), op.getPadding(),
      op.getDilations(), static_cast<int64_t>(op.getGroups()));
  if (failed(expected))
    return failure();
  return checkShape(emitError, "a gradient of the forward result", y.getType(),
                    *expected);
}

/// Attributes of a shard, from the window arithmetic and the range of groups.
template <typename ConvOp>
static void setLocal(Operation *local, const ::soap::Interval &groups,
                     const Window2D &window) {
  auto op = cast<ConvOp>(local);
  op.setPadding(window.padding());
  op.setGroups(groups.size());
}

//===----------------------------------------------------------------------===//
// Conv2DOp
//===----------------------------------------------------------------------===//

LogicalResult Conv2DOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, ValueRange operands,
    DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
    SmallVectorImpl<Type> &types) {
  Adaptor op(operands, attributes, properties, regions);
  return inferTypes(getOperationName(), location, operands,
                    [&](EmitError emitError) -> LogicalResult {
                      FailureOr<SmallVector<int64_t>> y = checkConv(
                          emitError, shapeOf(op.getX()), shapeOf(op.getW()),
                          op.getStrides(), op.getPadding(), op.getDilations(),
                          static_cast<int64_t>(op.getGroups()));
                      if (failed(y))
                        return failure();
                      types.push_back(tensorLike(op.getX(), *y));
                      return success();
                    });
}

IterationSpace Conv2DOp::getIterationSpace() {
  ConvShape s = convShape(*this, getX(), getW(), getY());
  enum { n, g, o, h, w, i, kh, kw };
  constexpr auto red = IteratorType::Reduction;
  IterationSpace space;
  space.loops = {{"n", s.n},          {"g", s.g},          {"o", s.o},
                 {"h", s.outputs[0]}, {"w", s.outputs[1]}, {"i", s.i, red},
                 {"kh", s.kh, red},   {"kw", s.kw, red}};
  DimMap outChannel = DimMap::radix({{g, s.o}, {o, 1}});
  space.operands = {
      {{DimMap::loop(n), DimMap::radix({{g, s.i}, {i, 1}}),
        s.window[0].imageMap(h, kh), s.window[1].imageMap(w, kw)}},
      {{outChannel, DimMap::loop(i), DimMap::loop(kh), DimMap::loop(kw)}}};
  space.results = {
      {{DimMap::loop(n), outChannel, DimMap::loop(h), DimMap::loop(w)}}};
  space.flopsPerPoint = 2;
  return space;
}

Operation *Conv2DOp::localize(OpBuilder &builder, const LoopBox &box,
                              ArrayRef<TileRegion> operandRegions,
                              ArrayRef<TileRegion> resultRegions,
                              ValueRange operands) {
  ConvShape s = convShape(*this, getX(), getW(), getY());
  enum { n, g, o, h, w, i, kh, kw };
  const TileRegion &x = operandRegions[0];
  for (int d = 0; d < 2; ++d)
    s.window[d] = s.window[d].localize(box[h + d].lo, box[h + d].size(),
                                       x[2 + d].lo(), x[2 + d].size(),
                                       box[kh + d].lo, box[kh + d].size());
  Operation *local = localizeDefault(*this, builder, resultRegions, operands);
  setLocal<Conv2DOp>(local, box[g], s.window);
  return local;
}

//===----------------------------------------------------------------------===//
// Conv2DInputGradOp
//===----------------------------------------------------------------------===//

LogicalResult Conv2DInputGradOp::verify() {
  return verifyConv(*this, getDx(), getW(), getDy());
}

IterationSpace Conv2DInputGradOp::getIterationSpace() {
  ConvShape s = convShape(*this, getDx(), getW(), getDy());
  enum { n, g, i, h, w, o, kh, kw };
  constexpr auto red = IteratorType::Reduction;
  IterationSpace space;
  space.loops = {{"n", s.n},        {"g", s.g},        {"i", s.i},
                 {"h", s.image[0]}, {"w", s.image[1]}, {"o", s.o, red},
                 {"kh", s.kh, red}, {"kw", s.kw, red}};
  DimMap outChannel = DimMap::radix({{g, s.o}, {o, 1}});
  space.operands = {
      {{DimMap::loop(n), outChannel, s.window[0].outputMap(h, kh),
        s.window[1].outputMap(w, kw)}},
      {{outChannel, DimMap::loop(i), DimMap::loop(kh), DimMap::loop(kw)}}};
  space.results = {{{DimMap::loop(n), DimMap::radix({{g, s.i}, {i, 1}}),
                     DimMap::loop(h), DimMap::loop(w)}}};
  // Of the points, only every stride-th has a term.
  space.flopsPerPoint =
      2.0 / static_cast<double>(s.window[0].stride * s.window[1].stride);
  return space;
}

Operation *Conv2DInputGradOp::localize(OpBuilder &builder, const LoopBox &box,
                                       ArrayRef<TileRegion> operandRegions,
                                       ArrayRef<TileRegion> resultRegions,
                                       ValueRange operands) {
  ConvShape s = convShape(*this, getDx(), getW(), getDy());
  enum { n, g, i, h, w, o, kh, kw };
  const TileRegion &dy = operandRegions[0];
  for (int d = 0; d < 2; ++d)
    s.window[d] = s.window[d].localize(dy[2 + d].lo(), dy[2 + d].size(),
                                       box[h + d].lo, box[h + d].size(),
                                       box[kh + d].lo, box[kh + d].size());
  Operation *local = localizeDefault(*this, builder, resultRegions, operands);
  setLocal<Conv2DInputGradOp>(local, box[g], s.window);
  return local;
}

//===----------------------------------------------------------------------===//
// Conv2DWeightGradOp
//===----------------------------------------------------------------------===//

LogicalResult Conv2DWeightGradOp::verify() {
  return verifyConv(*this, getX(), getDw(), getDy());
}

IterationSpace Conv2DWeightGradOp::getIterationSpace() {
  ConvShape s = convShape(*this, getX(), getDw(), getDy());
  enum { g, o, i, kh, kw, n, h, w };
  constexpr auto red = IteratorType::Reduction;
  IterationSpace space;
  space.loops = {{"g", s.g},
                 {"o", s.o},
                 {"i", s.i},
                 {"kh", s.kh},
                 {"kw", s.kw},
                 {"n", s.n, red},
                 {"h", s.outputs[0], red},
                 {"w", s.outputs[1], red}};
  DimMap outChannel = DimMap::radix({{g, s.o}, {o, 1}});
  space.operands = {
      {{DimMap::loop(n), DimMap::radix({{g, s.i}, {i, 1}}),
        s.window[0].imageMap(h, kh), s.window[1].imageMap(w, kw)}},
      {{DimMap::loop(n), outChannel, DimMap::loop(h), DimMap::loop(w)}}};
  space.results = {
      {{outChannel, DimMap::loop(i), DimMap::loop(kh), DimMap::loop(kw)}}};
  space.flopsPerPoint = 2;
  return space;
}

Operation *Conv2DWeightGradOp::localize(OpBuilder &builder, const LoopBox &box,
                                        ArrayRef<TileRegion> operandRegions,
                                        ArrayRef<TileRegion> resultRegions,
                                        ValueRange operands) {
  ConvShape s = convShape(*this, getX(), getDw(), getDy());
  enum { g, o, i, kh, kw, n, h, w };
  const TileRegion &x = operandRegions[0];
  for (int d = 0; d < 2; ++d)
    s.window[d] = s.window[d].localize(box[h + d].lo, box[h + d].size(),
                                       x[2 + d].lo(), x[2 + d].size(),
                                       box[kh + d].lo, box[kh + d].size());
  Operation *local = localizeDefault(*this, builder, resultRegions, operands);
  setLocal<Conv2DWeightGradOp>(local, box[g], s.window);
  return local;
}
