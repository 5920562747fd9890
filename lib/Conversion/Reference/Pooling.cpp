//===- Pooling.cpp - Kernels of pooling and its gradients -----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The formulas of SoapPoolingOps.td as loop nests.
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"
#include "PoolingWindows.h"

#include "Soap/Dialect/Soap/SoapOps.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::soap;

namespace {

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
  if (k.forThreads && emitMaxPoolOfThreads(windows, k))
    return;
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

/// Every window looks for its first maximum and adds there. Windows go in
/// row-major order, so that every element has one order of sums.
void emitMaxPoolGrad(MaxPool2DGradOp op, KernelBuilder &k) {
  Windows windows(op);
  int64_t offsetH = op.getXOffset()[0], offsetW = op.getXOffset()[1];
  if (k.forThreads)
    return emitMaxPoolGradOfThreads(windows, offsetH, offsetW, k);
  Tensor dy = k.in(0), x = k.in(1), y = k.in(2), dx = k.out();
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

void emitAvgPool(AvgPool2DOp op, KernelBuilder &k) {
  Windows windows(op);
  Tensor x = k.in(0), y = k.out();
  Counted rows = countedRows(op, x.dim(2), 0);
  Counted columns = countedRows(op, x.dim(3), 1);
  if (k.forThreads && emitAvgPoolOfThreads(windows, rows, columns, k))
    return;
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
  if (k.forThreads)
    return emitAvgPoolGradOfThreads(windows, rows, columns, k);
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
