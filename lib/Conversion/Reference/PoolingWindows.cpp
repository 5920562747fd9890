//===- PoolingWindows.cpp - Windows of pooling kernels --------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See PoolingWindows.h.
//
//===----------------------------------------------------------------------===//

#include "PoolingWindows.h"

using namespace mlir;
using namespace mlir::soap;

Value mlir::soap::firstMaximum(KernelBuilder &k, const Windows &windows,
                               const Tensor &x, const Tensor &y, const Index &n,
                               const Index &c, const Index &h, const Index &w) {
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

/// How many of the positions base, base + step, ... (`count` of them) lie in
/// the counted image.
static Index positionsInside(KernelBuilder &k, const Index &base, int64_t count,
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

/// Of the positions base, base + step, ... those in the counted image, and 1 if
/// there are none.
static Scalar countAlong(KernelBuilder &k, const Index &base, int64_t count,
                         int64_t step, Counted image) {
  return k.toScalar(
      max(positionsInside(k, base, count, step, image), k.constant(1)));
}

Scalar mlir::soap::countOfRows(KernelBuilder &k, const Windows &windows,
                               const Index &h, Counted rows) {
  return countAlong(k, windows.row(h, k.constant(0)), windows.kh, windows.dh,
                    rows);
}

Scalar mlir::soap::countOfColumns(KernelBuilder &k, const Windows &windows,
                                  const Index &w, Counted columns) {
  return countAlong(k, windows.column(w, k.constant(0)), windows.kw, windows.dw,
                    columns);
}

Scalar mlir::soap::countOf(KernelBuilder &k, const Windows &windows,
                           const Index &h, const Index &w, Counted rows,
                           Counted columns) {
  Scalar inRows = countOfRows(k, windows, h, rows);
  return inRows * countOfColumns(k, windows, w, columns);
}
