//===- DirectKernels.cpp - Plain loops for every shape --------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Right for every shape, without scratch memory. The innermost loop runs along
// a row, so that the compiler vectorizes it; which part of a row is inside of
// the input is computed once per row.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Kernels/Kernels.h"

#include <algorithm>
#include <cstring>
#include <vector>

using namespace soap::runtime;

namespace {

int64_t ceilDiv(int64_t a, int64_t b) {
  return a / b + (a % b != 0 && (a % b > 0));
}

/// Output positions in `[lo, hi)` read `out * stride + offset` inside of
/// `[0, extent)`.
struct Valid {
  int64_t lo, hi;
  Valid(int64_t outs, int64_t stride, int64_t offset, int64_t extent)
      : lo(std::max<int64_t>(0, ceilDiv(-offset, stride))),
        hi(std::min(outs, ceilDiv(extent - offset, stride))) {}
};

/// Calls `row(weight index, input offset, output offset, count)` for every row
/// of multiply-adds: `count` outputs, inputs `sw` apart, one weight.
template <typename Row>
void forEachRow(const ConvShape &s, Row row) {
  for (int64_t n = 0; n < s.n; ++n)
    for (int64_t g = 0; g < s.g; ++g)
      for (int64_t o = 0; o < s.o; ++o)
        for (int64_t c = 0; c < s.c; ++c) {
          int64_t out = ((n * s.g + g) * s.o + o) * s.oh * s.ow;
          int64_t in = ((n * s.g + g) * s.c + c) * s.h * s.w;
          int64_t weight = ((g * s.o + o) * s.c + c) * s.kh * s.kw;
          for (int64_t kh = 0; kh < s.kh; ++kh) {
            Valid rows(s.oh, s.sh, kh * s.dh - s.pt, s.h);
            for (int64_t kw = 0; kw < s.kw; ++kw) {
              int64_t offset = kw * s.dw - s.pl;
              Valid cols(s.ow, s.sw, offset, s.w);
              for (int64_t oh = rows.lo; oh < rows.hi; ++oh)
                if (cols.lo < cols.hi)
                  row(weight + kh * s.kw + kw,
                      in + (oh * s.sh + kh * s.dh - s.pt) * s.w +
                          cols.lo * s.sw + offset,
                      out + oh * s.ow + cols.lo, cols.hi - cols.lo);
            }
          }
        }
}

/// Calls `pair(position in NCHW, position in the layout)` for every element of
/// an image with `hw` positions.
template <typename Pair>
void forEachElement(int64_t n, int64_t c, int64_t hw, int64_t layout,
                    Pair pair) {
  int64_t block = layout > 1 ? layout : c;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < c; ++j)
      for (int64_t at = 0; at < hw; ++at)
        pair((i * c + j) * hw + at,
             (i * c + j / block * block) * hw + at * block + j % block);
}

/// An image as NCHW: the caller's, or a copy.
class PlainImage {
public:
  PlainImage(float *data, int64_t n, int64_t c, int64_t hw, int64_t layout)
      : data(data), n(n), c(c), hw(hw), layout(layout),
        copy(layout ? size_t(n * c * hw) : 0) {}
  float *get() { return layout ? copy.data() : data; }
  void read() {
    if (layout)
      forEachElement(n, c, hw, layout, [&](int64_t plain, int64_t at) {
        copy[size_t(plain)] = data[at];
      });
  }
  void write() {
    if (layout)
      forEachElement(n, c, hw, layout, [&](int64_t plain, int64_t at) {
        data[at] = copy[size_t(plain)];
      });
  }

private:
  float *data;
  int64_t n, c, hw, layout;
  std::vector<float> copy;
};

/// On copies in NCHW.
void convInOtherLayouts(ConvKind kind, const ConvShape &s, const float *a,
                        const float *b, float *result) {
  ConvShape plain = s;
  plain.xLayout = plain.yLayout = 0;
  bool makesX = kind == ConvKind::InputGrad, makesY = kind == ConvKind::Forward;
  PlainImage x(makesX ? result : const_cast<float *>(a), s.n, s.g * s.c,
               s.h * s.w, s.xLayout),
      y(makesY ? result
               : const_cast<float *>(kind == ConvKind::InputGrad ? a : b),
        s.n, s.g * s.o, s.oh * s.ow, s.yLayout);
  switch (kind) {
  case ConvKind::Forward:
    x.read();
    convDirect(kind, plain, x.get(), b, y.get());
    return y.write();
  case ConvKind::InputGrad:
    y.read();
    convDirect(kind, plain, y.get(), b, x.get());
    return x.write();
  case ConvKind::WeightGrad:
    x.read();
    y.read();
    return convDirect(kind, plain, x.get(), y.get(), result);
  }
}

} // namespace

ConvShape ConvShape::fromArray(const int64_t *d) {
  return {d[0],  d[1],  d[2],  d[3],  d[4],  d[5],  d[6],  d[7],  d[8],  d[9],
          d[10], d[11], d[12], d[13], d[14], d[15], d[16], d[17], d[18], d[19]};
}

MatmulShape MatmulShape::fromArray(const int64_t *d) {
  return {d[0], d[1], d[2], d[3], d[4] != 0, d[5] != 0};
}

ProductSizes soap::runtime::sizesOf(ConvKind kind, const ConvShape &s) {
  int64_t x = s.inputVolume(), w = s.weightVolume(), y = s.outputVolume();
  switch (kind) {
  case ConvKind::Forward:
    return {x, w, y};
  case ConvKind::InputGrad:
    return {y, w, x};
  case ConvKind::WeightGrad:
    return {x, y, w};
  }
  return {};
}

ProductSizes soap::runtime::sizesOf(const MatmulShape &s) {
  return {s.batch * s.m * s.k, s.batch * s.k * s.n, s.batch * s.m * s.n};
}

void soap::runtime::convDirect(ConvKind kind, const ConvShape &s,
                               const float *a, const float *b, float *result) {
  if (!s.isPlain())
    return convInOtherLayouts(kind, s, a, b, result);
  switch (kind) {
  case ConvKind::Forward:
    std::fill_n(result, s.outputVolume(), 0.0f);
    forEachRow(s, [&](int64_t weight, int64_t in, int64_t out, int64_t count) {
      float factor = b[weight];
      for (int64_t i = 0; i < count; ++i)
        result[out + i] += factor * a[in + i * s.sw];
    });
    return;
  case ConvKind::InputGrad:
    std::fill_n(result, s.inputVolume(), 0.0f);
    forEachRow(s, [&](int64_t weight, int64_t in, int64_t out, int64_t count) {
      float factor = b[weight];
      for (int64_t i = 0; i < count; ++i)
        result[in + i * s.sw] += factor * a[out + i];
    });
    return;
  case ConvKind::WeightGrad:
    std::fill_n(result, s.weightVolume(), 0.0f);
    forEachRow(s, [&](int64_t weight, int64_t in, int64_t out, int64_t count) {
      float sum = 0;
      for (int64_t i = 0; i < count; ++i)
        sum += a[in + i * s.sw] * b[out + i];
      result[weight] += sum;
    });
    return;
  }
}

/// One row of a product with a transposed second operand: some columns at a
/// time, each with the same order of its sum.
static void rowOfTransposed(const MatmulShape &s, const float *a, int64_t step,
                            const float *b, float *y) {
  constexpr int64_t block = 8;
  for (int64_t first = 0; first < s.n; first += block) {
    float sums[block] = {};
    int64_t columns = std::min(block, s.n - first);
    const float *rows = b + first * s.k;
    if (columns == block)
      for (int64_t k = 0; k < s.k; ++k)
        for (int64_t n = 0; n < block; ++n)
          sums[n] += a[k * step] * rows[n * s.k + k];
    else
      for (int64_t n = 0; n < columns; ++n)
        for (int64_t k = 0; k < s.k; ++k)
          sums[n] += a[k * step] * rows[n * s.k + k];
    std::copy_n(sums, columns, y + first);
  }
}

void soap::runtime::matmulDirect(const MatmulShape &s, const float *a,
                                 const float *b, float *y) {
  if (s.transposeB) {
    for (int64_t i = 0; i < s.batch; ++i)
      for (int64_t m = 0; m < s.m; ++m)
        rowOfTransposed(s, a + i * s.m * s.k + (s.transposeA ? m : m * s.k),
                        s.transposeA ? s.m : 1, b + i * s.k * s.n,
                        y + (i * s.m + m) * s.n);
    return;
  }
  std::fill_n(y, s.batch * s.m * s.n, 0.0f);
  for (int64_t i = 0; i < s.batch; ++i, a += s.m * s.k, b += s.k * s.n)
    for (int64_t m = 0; m < s.m; ++m, y += s.n)
      for (int64_t k = 0; k < s.k; ++k) {
        float factor = s.transposeA ? a[k * s.m + m] : a[m * s.k + k];
        for (int64_t n = 0; n < s.n; ++n)
          y[n] += factor * b[k * s.n + n];
      }
}
