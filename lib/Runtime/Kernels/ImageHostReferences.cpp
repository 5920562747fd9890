//===- ImageHostReferences.cpp - Pooling and norms on the CPU -------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The formulas of the dialect's ops, one element after the other.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Kernels/ImageCalls.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

using namespace soap::runtime;

PoolCall PoolCall::fromArray(const int64_t *d) {
  return {{d[0], d[1], d[2], d[3]},
          d[4],
          d[5],
          d[6],
          d[7],
          d[8],
          d[9],
          d[10],
          d[11],
          d[12] != 0,
          PoolKind(d[13]),
          d[14] != 0};
}

NormCall NormCall::fromArray(const int64_t *d) {
  return {{d[0], d[1], d[2], d[3]},
          d[4] != 0,
          d[5] != 0,
          std::bit_cast<double>(d[6]),
          d[7]};
}

PoolBuffers PoolBuffers::of(const PoolCall &call, void *const *buffers) {
  auto next = [&] { return static_cast<float *>(*buffers++); };
  PoolBuffers of{};
  if (call.isGradient)
    of.dy = next();
  if (!call.isGradient || call.kind == PoolKind::Max)
    of.x = next();
  if (call.isGradient && call.kind == PoolKind::Max)
    of.y = next();
  of.result = next();
  return of;
}

NormBuffers NormBuffers::of(const NormCall &call, void *const *buffers) {
  auto next = [&] { return static_cast<float *>(*buffers++); };
  NormBuffers of{};
  if (call.isGradient) {
    of.dy = next();
    of.x = next();
    of.mean = next();
    of.inverse = next();
    of.gamma = next();
    of.result = next();
    of.dgamma = next();
    of.dbeta = next();
  } else {
    of.x = next();
    of.gamma = next();
    of.beta = next();
    of.result = next();
    of.mean = next();
    of.inverse = next();
  }
  of.workspace = call.workspace > 0 ? next() : nullptr;
  return of;
}

namespace {

/// The rows, or columns, of the image that a window has: [begin, end).
struct Span {
  int64_t begin, end;

  Span(int64_t window, int64_t stride, int64_t padding, int64_t kernel,
       int64_t extent)
      : begin(std::max<int64_t>(0, window * stride - padding)),
        end(std::min(extent, window * stride - padding + kernel)) {}
  int64_t size() const { return end - begin; }
};

/// Calls `body(place in y, n, c, rows, columns)` for each window, image by
/// image in row-major order.
template <typename Body>
void forEachWindow(const PoolCall &call, Body body) {
  ImageShape y = call.y();
  for (int64_t n = 0; n < y.n; ++n)
    for (int64_t c = 0; c < y.c; ++c)
      for (int64_t h = 0; h < y.h; ++h)
        for (int64_t w = 0; w < y.w; ++w)
          body(y.at(call.channelsLast, n, c, h, w), n, c,
               Span(h, call.sh, call.pt, call.kh, call.x.h),
               Span(w, call.sw, call.pl, call.kw, call.x.w));
}

} // namespace

void soap::runtime::runHostReference(const PoolCall &call,
                                     const PoolBuffers &buffers) {
  const bool isMax = call.kind == PoolKind::Max;
  if (call.isGradient)
    std::fill_n(buffers.result, call.x.volume(), 0.0f);
  forEachWindow(
      call, [&](int64_t window, int64_t n, int64_t c, Span rows, Span columns) {
        auto forEach = [&](auto body) {
          for (int64_t h = rows.begin; h < rows.end; ++h)
            for (int64_t w = columns.begin; w < columns.end; ++w)
              if (body(call.x.at(call.channelsLast, n, c, h, w)))
                return;
        };
        auto count =
            static_cast<float>(call.kind == PoolKind::AverageOfAll
                                   ? call.kh * call.kw
                                   : std::max<int64_t>(1, rows.size()) *
                                         std::max<int64_t>(1, columns.size()));
        if (call.isGradient) {
          float share = isMax ? buffers.dy[window] : buffers.dy[window] / count;
          forEach([&](int64_t place) {
            if (isMax && buffers.x[place] != buffers.y[window])
              return false;
            buffers.result[place] += share;
            return isMax;
          });
          return;
        }
        float value = isMax ? -std::numeric_limits<float>::infinity() : 0;
        forEach([&](int64_t place) {
          float element = buffers.x[place];
          if (!isMax)
            value += element;
          else if (element > value || std::isnan(element))
            value = element;
          return isMax && std::isnan(value);
        });
        buffers.result[window] = isMax ? value : value / count;
      });
}

namespace {

/// Calls `body(place)` for each element of a channel.
template <typename Body>
void forEachOf(const NormCall &call, int64_t c, Body body) {
  for (int64_t n = 0; n < call.x.n; ++n)
    for (int64_t h = 0; h < call.x.h; ++h)
      for (int64_t w = 0; w < call.x.w; ++w)
        body(call.x.at(call.channelsLast, n, c, h, w));
}

void normalize(const NormCall &call, const NormBuffers &b, int64_t c) {
  auto count = static_cast<float>(call.count());
  float sum = 0, m2 = 0;
  forEachOf(call, c, [&](int64_t i) { sum += b.x[i]; });
  float mean = sum / count;
  forEachOf(call, c,
            [&](int64_t i) { m2 += (b.x[i] - mean) * (b.x[i] - mean); });
  float inverse = 1 / std::sqrt(m2 / count + static_cast<float>(call.epsilon));
  forEachOf(call, c, [&](int64_t i) {
    b.result[i] = (b.x[i] - mean) * inverse * b.gamma[c] + b.beta[c];
  });
  b.mean[c] = mean;
  b.inverse[c] = inverse;
}

void differentiate(const NormCall &call, const NormBuffers &b, int64_t c) {
  auto count = static_cast<float>(call.count());
  float mean = b.mean[c], inverse = b.inverse[c];
  float dbeta = 0, dgamma = 0;
  forEachOf(call, c, [&](int64_t i) {
    dbeta += b.dy[i];
    dgamma += b.dy[i] * ((b.x[i] - mean) * inverse);
  });
  float scale = b.gamma[c] * inverse;
  forEachOf(call, c, [&](int64_t i) {
    float normalized = (b.x[i] - mean) * inverse;
    b.result[i] =
        scale * (b.dy[i] - dbeta / count - normalized * (dgamma / count));
  });
  b.dgamma[c] = dgamma;
  b.dbeta[c] = dbeta;
}

} // namespace

void soap::runtime::runHostReference(const NormCall &call,
                                     const NormBuffers &buffers) {
  for (int64_t c = 0; c < call.x.c; ++c)
    if (call.isGradient)
      differentiate(call, buffers, c);
    else
      normalize(call, buffers, c);
}
