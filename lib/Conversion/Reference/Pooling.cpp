//===- Pooling.cpp - Kernels of pooling and its gradients -----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The formulas of SoapPoolingOps.td as loop nests.
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"

#include "Soap/Dialect/Soap/SoapOps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

#include <limits>

using namespace mlir;
using namespace mlir::soap;

namespace {

constexpr double minusInfinity = -std::numeric_limits<double>::infinity();

/// The windows of a pooling op; element (kh, kw) of window (h, w) is at
/// row `h * sh + kh * dh - top` of the image, and likewise for columns.
struct Windows {
  int64_t kh, kw, sh, sw, dh, dw, top, left, bottom, right;

  template <typename Op>
  explicit Windows(Op op)
      : kh(op.getKernel()[0]), kw(op.getKernel()[1]), sh(op.getStrides()[0]),
        sw(op.getStrides()[1]), dh(op.getDilations()[0]),
        dw(op.getDilations()[1]), top(op.getPadding()[0]),
        left(op.getPadding()[1]), bottom(op.getPadding()[2]),
        right(op.getPadding()[3]) {}

  Index row(const Index &h, const Index &i) const {
    return h * sh + i * dh - top;
  }
  Index column(const Index &w, const Index &j) const {
    return w * sw + j * dw - left;
  }
};

/// Where images have channels inside, windows are outside of channels: rows of
/// numbers that do not depend on each other.
void emitMaxPoolRows(const Windows &windows, KernelBuilder &k) {
  Tensor x = k.in(0), y = k.out();
  k.forEachRow(y, [&](Index n, Index h, Index w, auto channels) {
    channels([&](Index c) { y.set({n, c, h, w}, k.number(minusInfinity)); });
    k.forEach({windows.kh, windows.kw}, [&](Index i, Index j) {
      Index row = windows.row(h, i), column = windows.column(w, j);
      k.ifThen(within(row, 0, x.dim(2)) && within(column, 0, x.dim(3)), [&] {
        channels([&](Index c) {
          y.set({n, c, h, w}, max(y({n, c, h, w}), x({n, c, row, column})));
        });
      });
    });
  });
}

void emitMaxPool(MaxPool2DOp op, KernelBuilder &k) {
  Windows windows(op);
  if (k.walksRows())
    return emitMaxPoolRows(windows, k);
  Tensor x = k.in(0), y = k.out();
  k.forEach({y.dim(0), y.dim(1), y.dim(2), y.dim(3)}, [&](Index n, Index c,
                                                          Index h, Index w) {
    y.set({n, c, h, w},
          k.reduce({windows.kh, windows.kw}, minusInfinity,
                   [&](const Scalar &acc, Index i, Index j) {
                     return max(acc, x.guarded({n, c, windows.row(h, i),
                                                windows.column(w, j)},
                                               minusInfinity));
                   }));
  });
}

/// One channel of a window: adds its gradient at its first maximum. Straight
/// code, each element of the window once, so that channels vectorize.
void emitFirstMaximum(KernelBuilder &k, const Windows &windows,
                      const Tensor &dy, const Tensor &x, const Tensor &y,
                      const Tensor &dx, const Index &n, const Index &c,
                      const Index &h, const Index &w, int64_t offsetH,
                      int64_t offsetW) {
  Scalar maximum = y({n, c, h, w}), gradient = dy({n, c, h, w}),
         zero = k.number(0);
  Condition found{&k, nullptr, false};
  for (int64_t i = 0; i < windows.kh; ++i)
    for (int64_t j = 0; j < windows.kw; ++j) {
      Index row = windows.row(h, k.constant(i));
      Index column = windows.column(w, k.constant(j));
      Condition equal =
          compare(arith::CmpFPredicate::OEQ, x({n, c, row, column}), maximum);
      Condition isFirst = !found && equal;
      found = !(!found && !equal);
      SmallVector<Index> place{n, c, row - offsetH, column - offsetW};
      dx.set(place, dx(place) + select(isFirst, gradient, zero));
    }
}

/// Along one dim: a window that an element may be in, and the element's place
/// in it.
struct PlaceInWindow {
  Index window, place;
  Condition inside; ///< there is such a window, and the element is in it
};

/// Of the windows that `offset`, counted from where the first window begins, is
/// in, the one that begins `back` windows before the last.
PlaceInWindow placeInWindow(KernelBuilder &k, const Index &offset,
                            const Index &back, int64_t stride, int64_t dilation,
                            int64_t kernel, int64_t windows) {
  Index zero = k.constant(0), last = max(offset, zero) / stride;
  PlaceInWindow at{last - back, {}, {&k, nullptr, true}};
  // With a remainder the distance is known not to be negative.
  Index distance = offset.lo >= 0 ? offset % stride + back * stride
                                  : offset - at.window * stride;
  at.place = dilation == 1 ? distance : max(distance, zero) / dilation;
  at.inside = within(at.window, 0, windows) && within(at.place, 0, kernel);
  if (dilation != 1)
    at.inside = at.inside && at.place * dilation == distance;
  return at;
}

/// The sum over the windows that element (row, column) of an image is in, in
/// their order: `add(window, i, j, sum)`, where (i, j) is its place in the
/// window. `indices` are the element's, `windowed` has an element per
/// window.
Scalar sumOverWindows(
    KernelBuilder &k, const Windows &windows, const Tensor &windowed,
    ArrayRef<Index> indices, const Index &row, const Index &column,
    function_ref<Scalar(ArrayRef<Index>, Index, Index, Scalar)> add) {
  // Along a dim an element is in so many windows at most, of which the last one
  // begins at it or before.
  int64_t down = (windows.kh - 1) * windows.dh / windows.sh + 1;
  int64_t right = (windows.kw - 1) * windows.dw / windows.sw + 1;
  using Sums = SmallVector<Value>;
  auto sumOfRow = [&](ArrayRef<Index> y, ArrayRef<Value> sum) -> Sums {
    PlaceInWindow h =
        placeInWindow(k, row + windows.top, k.constant(down - 1) - y[0],
                      windows.sh, windows.dh, windows.kh, windowed.dim(2));
    return k.foldOf({right}, sum, [&](ArrayRef<Index> x, ArrayRef<Value> sum) {
      PlaceInWindow w =
          placeInWindow(k, column + windows.left, k.constant(right - 1) - x[0],
                        windows.sw, windows.dw, windows.kw, windowed.dim(3));
      auto added = [&] {
        return add({indices[0], indices[1], h.window, w.window}, h.place,
                   w.place, {&k, sum[0]})
            .value;
      };
      Condition inside = h.inside && w.inside;
      if (inside.isKnown())
        return Sums{inside.known ? added() : sum[0]};
      auto choice = scf::IfOp::create(
          k.builder, k.loc, inside.value,
          [&](OpBuilder &, Location loc) {
            scf::YieldOp::create(k.builder, loc, added());
          },
          [&](OpBuilder &, Location loc) {
            scf::YieldOp::create(k.builder, loc, sum[0]);
          });
      return Sums{choice.getResult(0)};
    });
  };
  return {&k, k.foldOf({down}, {k.number(0).value}, sumOfRow)[0]};
}

/// The place of the first maximum in its window; none: past the end.
Value firstMaximum(KernelBuilder &k, const Windows &windows, const Tensor &x,
                   const Tensor &y, const Index &n, const Index &c,
                   const Index &h, const Index &w) {
  Scalar maximum = y({n, c, h, w});
  int64_t none = windows.kh * windows.kw;
  return k.foldOf(
      {windows.kh, windows.kw}, {k.materialize(k.constant(none))},
      [&](ArrayRef<Index> i, ArrayRef<Value> found) {
        Scalar candidate =
            x.guarded({n, c, windows.row(h, i[0]), windows.column(w, i[1])},
                      minusInfinity);
        Condition inside = within(windows.row(h, i[0]), 0, x.dim(2)) &&
                           within(windows.column(w, i[1]), 0, x.dim(3));
        Condition isFirst =
            inside && compare(arith::CmpFPredicate::OEQ, candidate, maximum) &&
            Index{&k, found[0], 0, none} == k.constant(none);
        Index here = i[0] * windows.kw + i[1];
        return SmallVector<Value>{select(isFirst,
                                         Scalar{&k, k.materialize(here)},
                                         Scalar{&k, found[0]})
                                      .value};
      })[0];
}

/// Threads of windows keep where their maximum is; threads of elements sum over
/// the windows that they are in.
void emitMaxPoolGradOfThreads(MaxPool2DGradOp op, KernelBuilder &k) {
  Windows windows(op);
  Tensor dy = k.in(0), x = k.in(1), y = k.in(2), dx = k.out();
  int64_t offsetH = op.getXOffset()[0], offsetW = op.getXOffset()[1];
  Tensor places =
      k.allocate(cast<MemRefType>(dy.getBuffer().getType()).getShape(),
                 k.builder.getI32Type(), dy.getLayout());
  k.forEach({dy.dim(0), dy.dim(1), dy.dim(2), dy.dim(3)},
            [&](Index n, Index c, Index h, Index w) {
              Value place = firstMaximum(k, windows, x, y, n, c, h, w);
              places.storeRaw({n, c, h, w}, arith::IndexCastOp::create(
                                                k.builder, k.loc,
                                                k.builder.getI32Type(), place));
            });
  k.forEach({dx.dim(0), dx.dim(1), dx.dim(2), dx.dim(3)}, [&](Index n, Index c,
                                                              Index h,
                                                              Index w) {
    SmallVector<Index> at{n, c, h, w};
    dx.set(at, sumOverWindows(
                   k, windows, dy, at, h + offsetH, w + offsetW,
                   [&](ArrayRef<Index> window, Index i, Index j, Scalar sum) {
                     Condition isHere =
                         places.loadIndex(window) == i * windows.kw + j;
                     return sum + select(isHere, dy(window), k.number(0));
                   }));
  });
}

/// Every window looks for its first maximum and adds there. Windows go in
/// row-major order, so that every element has one order of sums.
void emitMaxPoolGrad(MaxPool2DGradOp op, KernelBuilder &k) {
  if (k.forThreads)
    return emitMaxPoolGradOfThreads(op, k);
  Windows windows(op);
  Tensor dy = k.in(0), x = k.in(1), y = k.in(2), dx = k.out();
  int64_t offsetH = op.getXOffset()[0], offsetW = op.getXOffset()[1];
  k.forEachOf(dx.shape(), [&](ArrayRef<Index> i) { dx.set(i, k.number(0)); });
  auto emitOne = [&](Index n, Index c, Index h, Index w) {
    int64_t none = windows.kh * windows.kw;
    Value first = firstMaximum(k, windows, x, y, n, c, h, w);
    Index position{&k, first, 0, none};
    Index row = windows.row(h, position / windows.kw) - offsetH;
    Index column = windows.column(w, position % windows.kw) - offsetW;
    k.ifThen(within(position, 0, none) && within(row, 0, dx.dim(2)) &&
                 within(column, 0, dx.dim(3)),
             [&] {
               dx.set({n, c, row, column},
                      dx({n, c, row, column}) + dy({n, c, h, w}));
             });
  };
  if (!k.walksRows() || windows.kh * windows.kw > 25) {
    k.forEach({dy.dim(0), dy.dim(1), dy.dim(2), dy.dim(3)}, emitOne);
    return;
  }
  k.forEachRow(dy, [&](Index n, Index h, Index w, auto channels) {
    Condition inside{&k, nullptr, true};
    for (int64_t i : {int64_t(0), windows.kh - 1}) {
      Index row = windows.row(h, k.constant(i));
      inside = inside && within(row, 0, x.dim(2)) &&
               within(row - offsetH, 0, dx.dim(2));
    }
    for (int64_t j : {int64_t(0), windows.kw - 1}) {
      Index column = windows.column(w, k.constant(j));
      inside = inside && within(column, 0, x.dim(3)) &&
               within(column - offsetW, 0, dx.dim(3));
    }
    // Windows at the border are few.
    k.ifThenElse(
        inside,
        [&] {
          channels([&](Index c) {
            emitFirstMaximum(k, windows, dy, x, y, dx, n, c, h, w, offsetH,
                             offsetW);
          });
        },
        [&] { channels([&](Index c) { emitOne(n, c, h, w); }); });
  });
}

/// The image whose elements count in an average, along one dim.
struct Counted {
  int64_t low, size;
};

template <typename Op>
Counted countedRows(Op op, int64_t extent, unsigned dim) {
  if (op.getCountLow() && op.getCountSize())
    return {(*op.getCountLow())[dim], (*op.getCountSize())[dim]};
  if (!op.getCountIncludePad())
    return {0, extent};
  int64_t before = op.getPadding()[dim], after = op.getPadding()[dim + 2];
  return {-before, extent + before + after};
}

/// How many of the positions base, base + step, ... (`count` of them) lie in
/// the counted image.
Index positionsInside(KernelBuilder &k, const Index &base, int64_t count,
                      int64_t step, Counted image) {
  Index zero = k.constant(0);
  // First position not before `limit`; rounding up needs no negative numbers.
  auto firstNotBefore = [&](int64_t limit) {
    Index distance = max(k.constant(limit) - base, zero);
    return min((distance + (step - 1)) / step, k.constant(count));
  };
  return max(firstNotBefore(image.low + image.size) - firstNotBefore(image.low),
             zero);
}

/// Elements of window (h, w) that count; at least 1, so that a window without
/// any has the average 0.
Scalar countOf(KernelBuilder &k, const Windows &windows, const Index &h,
               const Index &w, Counted rows, Counted columns) {
  Index zero = k.constant(0), one = k.constant(1);
  Index inRows =
      positionsInside(k, windows.row(h, zero), windows.kh, windows.dh, rows);
  Index inColumns = positionsInside(k, windows.column(w, zero), windows.kw,
                                    windows.dw, columns);
  return k.toScalar(max(inRows, one)) * k.toScalar(max(inColumns, one));
}

void emitAvgPool(AvgPool2DOp op, KernelBuilder &k) {
  Windows windows(op);
  Tensor x = k.in(0), y = k.out();
  Counted rows = countedRows(op, x.dim(2), 0);
  Counted columns = countedRows(op, x.dim(3), 1);
  if (k.walksRows() && y.elementType() == k.computeType()) {
    k.forEachRow(y, [&](Index n, Index h, Index w, auto channels) {
      channels([&](Index c) { y.set({n, c, h, w}, k.number(0)); });
      k.forEach({windows.kh, windows.kw}, [&](Index i, Index j) {
        Index row = windows.row(h, i), column = windows.column(w, j);
        k.ifThen(within(row, 0, x.dim(2)) && within(column, 0, x.dim(3)), [&] {
          channels([&](Index c) {
            y.set({n, c, h, w}, y({n, c, h, w}) + x({n, c, row, column}));
          });
        });
      });
      Scalar count = countOf(k, windows, h, w, rows, columns);
      channels([&](Index c) { y.set({n, c, h, w}, y({n, c, h, w}) / count); });
    });
    return;
  }
  k.forEach({y.dim(0), y.dim(1), y.dim(2), y.dim(3)}, [&](Index n, Index c,
                                                          Index h, Index w) {
    Scalar sum = k.sum({windows.kh, windows.kw}, [&](Index i, Index j) {
      return x.guarded({n, c, windows.row(h, i), windows.column(w, j)}, 0);
    });
    y.set({n, c, h, w}, sum / countOf(k, windows, h, w, rows, columns));
  });
}

void emitAvgPoolGrad(AvgPool2DGradOp op, KernelBuilder &k) {
  Windows windows(op);
  Tensor dy = k.in(0), dx = k.out();
  Counted rows = countedRows(op, dx.dim(2), 0);
  Counted columns = countedRows(op, dx.dim(3), 1);
  if (k.forThreads) {
    // Threads of windows divide, threads of elements sum.
    Tensor shares =
        k.allocate(cast<MemRefType>(dy.getBuffer().getType()).getShape(),
                   k.computeType(), dy.getLayout());
    k.forEach({dy.dim(0), dy.dim(1), dy.dim(2), dy.dim(3)},
              [&](Index n, Index c, Index h, Index w) {
                shares.set({n, c, h, w},
                           dy({n, c, h, w}) /
                               countOf(k, windows, h, w, rows, columns));
              });
    k.forEach({dx.dim(0), dx.dim(1), dx.dim(2), dx.dim(3)},
              [&](Index n, Index c, Index h, Index w) {
                SmallVector<Index> at{n, c, h, w};
                dx.set(at, sumOverWindows(k, windows, dy, at, h, w,
                                          [&](ArrayRef<Index> window, Index,
                                              Index, Scalar sum) {
                                            return sum + shares(window);
                                          }));
              });
    return;
  }
  k.forEachOf(dx.shape(), [&](ArrayRef<Index> i) { dx.set(i, k.number(0)); });
  if (k.walksRows()) {
    k.forEachRow(dy, [&](Index n, Index h, Index w, auto channels) {
      Scalar count = countOf(k, windows, h, w, rows, columns);
      k.forEach({windows.kh, windows.kw}, [&](Index i, Index j) {
        Index row = windows.row(h, i), column = windows.column(w, j);
        k.ifThen(within(row, 0, dx.dim(2)) && within(column, 0, dx.dim(3)),
                 [&] {
                   channels([&](Index c) {
                     dx.set({n, c, row, column},
                            dx({n, c, row, column}) + dy({n, c, h, w}) / count);
                   });
                 });
      });
    });
    return;
  }
  k.forEach({dy.dim(0), dy.dim(1), dy.dim(2), dy.dim(3)}, [&](Index n, Index c,
                                                              Index h,
                                                              Index w) {
    Scalar share = dy({n, c, h, w}) / countOf(k, windows, h, w, rows, columns);
    k.forEach({windows.kh, windows.kw}, [&](Index i, Index j) {
      Index row = windows.row(h, i), column = windows.column(w, j);
      k.ifThen(within(row, 0, dx.dim(2)) && within(column, 0, dx.dim(3)), [&] {
        dx.set({n, c, row, column}, dx({n, c, row, column}) + share);
      });
    });
  });
}

} // namespace

bool mlir::soap::emitPoolingKernel(Operation *op, KernelBuilder &k) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](MaxPool2DOp pool) { return emitMaxPool(pool, k), true; })
      .Case(
          [&](MaxPool2DGradOp pool) { return emitMaxPoolGrad(pool, k), true; })
      .Case([&](AvgPool2DOp pool) { return emitAvgPool(pool, k), true; })
      .Case(
          [&](AvgPool2DGradOp pool) { return emitAvgPoolGrad(pool, k), true; })
      .Default(false);
}
