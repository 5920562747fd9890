//===- PoolingWindows.h - Windows of pooling kernels ------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where windows lie in an image and what counts in an average; and the kernels
// of pooling for GPUs, of which a thread computes neighbours together.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_CONVERSION_REFERENCE_POOLINGWINDOWS_H
#define SOAP_LIB_CONVERSION_REFERENCE_POOLINGWINDOWS_H

#include "KernelBuilder.h"

#include <limits>

namespace mlir::soap {

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

/// The place of the first maximum in its window; none: past the end.
Value firstMaximum(KernelBuilder &k, const Windows &windows, const Tensor &x,
                   const Tensor &y, const Index &n, const Index &c,
                   const Index &h, const Index &w);

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

/// Rows, or columns, of window `h` that count; at least 1, so that a window
/// without any has the average 0. The elements that count are their product.
Scalar countOfRows(KernelBuilder &k, const Windows &windows, const Index &h,
                   Counted rows);
Scalar countOfColumns(KernelBuilder &k, const Windows &windows, const Index &w,
                      Counted columns);
Scalar countOf(KernelBuilder &k, const Windows &windows, const Index &h,
               const Index &w, Counted rows, Counted columns);

/// Kernels for threads. Forward kernels are written for windows without
/// dilation, and not too large; false: nothing was written.
bool emitMaxPoolOfThreads(const Windows &windows, KernelBuilder &k);
bool emitAvgPoolOfThreads(const Windows &windows, Counted rows, Counted columns,
                          KernelBuilder &k);
void emitMaxPoolGradOfThreads(const Windows &windows, int64_t offsetH,
                              int64_t offsetW, KernelBuilder &k);
void emitAvgPoolGradOfThreads(const Windows &windows, Counted rows,
                              Counted columns, KernelBuilder &k);

} // namespace mlir::soap

#endif // SOAP_LIB_CONVERSION_REFERENCE_POOLINGWINDOWS_H
