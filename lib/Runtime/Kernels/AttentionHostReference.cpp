//===- AttentionHostReference.cpp - Attention of GPU programs on the CPU --===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Row by row, as the formula says. Products and sums of the bf16 operands are
// in f32; an operand of the second product is rounded to bf16, as the library
// does. There is no matrix of queries by keys here, either.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Kernels/AttentionCall.h"
#include "Runtime/Kernels/LibraryCalls.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

using namespace soap::runtime;
using enum AttentionTensor;

AttentionCall AttentionCall::fromArray(const int64_t *d) {
  AttentionCall call{AttentionKind(d[0]),
                     d[1],
                     d[2],
                     d[3],
                     d[4],
                     d[5],
                     d[6],
                     AttentionMask(d[7]),
                     std::bit_cast<double>(d[8]),
                     d[9]};
  for (size_t i = 0; i < tensors; ++i)
    call.layouts[i] = HeadLayout(d[10 + i]);
  return call;
}

AttentionBuffers AttentionBuffers::of(const AttentionCall &call,
                                      void *const *buffers) {
  AttentionBuffers of;
  for (AttentionTensor t : {Q, K, V})
    of[t] = *buffers++;
  if (call.isBackward())
    for (AttentionTensor t : {O, DO})
      of[t] = *buffers++;
  if (call.isBackward())
    of.statistics = static_cast<float *>(*buffers++);
  if (call.isBackward())
    for (AttentionTensor t : {DQ, DK, DV})
      of[t] = *buffers++;
  else
    of[O] = *buffers++;
  if (call.kind == AttentionKind::Training)
    of.statistics = static_cast<float *>(*buffers++);
  if (call.workspace > 0)
    of.workspace = *buffers;
  return of;
}

namespace {

/// The rows of one head, in f32.
class Head {
public:
  Head(const AttentionCall &call, const AttentionBuffers &buffers,
       AttentionTensor t, int64_t batch, int64_t head)
      : bits(static_cast<uint16_t *>(buffers[t])), strides(call.stridesOf(t)),
        rows(call.rowsOf(t)), width(call.widthOf(t)),
        numbers(static_cast<size_t>(rows * width)) {
    bits += batch * strides[0] + head * strides[1];
  }

  Head &read() {
    forEach([&](size_t i, uint16_t &held) { numbers[i] = fromBFloat16(held); });
    return *this;
  }
  void write() {
    forEach([&](size_t i, uint16_t &held) { held = toBFloat16(numbers[i]); });
  }
  float *row(int64_t i) { return numbers.data() + i * width; }
  const float *row(int64_t i) const { return numbers.data() + i * width; }

private:
  uint16_t *bits;
  std::array<int64_t, 4> strides;
  int64_t rows, width;
  std::vector<float> numbers;

  template <typename Body>
  void forEach(Body body) {
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t c = 0; c < width; ++c)
        body(static_cast<size_t>(r * width + c),
             bits[r * strides[2] + c * strides[3]]);
  }
};

float rounded(float value) { return fromBFloat16(toBFloat16(value)); }

float dot(const float *a, const float *b, int64_t n) {
  float sum = 0;
  for (int64_t i = 0; i < n; ++i)
    sum += a[i] * b[i];
  return sum;
}

/// y += factor * x
void add(float *y, float factor, const float *x, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] += factor * x[i];
}

class HostAttention {
public:
  HostAttention(const AttentionCall &call, const AttentionBuffers &buffers)
      : call(call), buffers(buffers), scores(static_cast<size_t>(call.keys)) {}

  void run() {
    for (batch = 0; batch < call.batch; ++batch)
      for (head = 0; head < call.heads; ++head)
        call.isBackward() ? backward() : forward();
  }

private:
  const AttentionCall &call;
  const AttentionBuffers &buffers;
  std::vector<float> scores; ///< of one query
  int64_t batch = 0, head = 0;

  Head read(AttentionTensor t) {
    return std::move(Head(call, buffers, t, batch, head).read());
  }
  Head made(AttentionTensor t) { return Head(call, buffers, t, batch, head); }
  float *statistics() const {
    return buffers.statistics + (batch * call.heads + head) * call.queries;
  }
  /// The keys that a query sees are the first ones.
  int64_t seen(int64_t query) const {
    return call.mask == AttentionMask::Causal ? std::min(query + 1, call.keys)
                                              : call.keys;
  }
  void score(const Head &q, const Head &k, int64_t query) {
    auto scale = static_cast<float>(call.scale);
    for (int64_t j = 0, n = seen(query); j < n; ++j)
      scores[size_t(j)] = dot(q.row(query), k.row(j), call.width) * scale;
  }

  void forward() {
    Head q = read(Q), k = read(K), v = read(V), o = made(O);
    for (int64_t i = 0; i < call.queries; ++i) {
      score(q, k, i);
      int64_t n = seen(i);
      float maximum = -std::numeric_limits<float>::infinity(), sum = 0;
      // A NaN stays one.
      for (int64_t j = 0; j < n; ++j)
        maximum = scores[size_t(j)] > maximum || std::isnan(scores[size_t(j)])
                      ? scores[size_t(j)]
                      : maximum;
      for (int64_t j = 0; j < n; ++j)
        sum += scores[size_t(j)] = std::exp(scores[size_t(j)] - maximum);
      for (int64_t j = 0; j < n; ++j)
        add(o.row(i), rounded(scores[size_t(j)] / sum), v.row(j),
            call.valueWidth);
      if (call.hasStatistics())
        statistics()[i] = maximum + std::log(sum);
    }
    o.write();
  }

  void backward() {
    Head q = read(Q), k = read(K), v = read(V), o = read(O), dO = read(DO);
    Head dq = made(DQ), dk = made(DK), dv = made(DV);
    auto scale = static_cast<float>(call.scale);
    for (int64_t i = 0; i < call.queries; ++i) {
      score(q, k, i);
      // Subtracted from every element of the row: the mean of its gradient.
      float excess = dot(dO.row(i), o.row(i), call.valueWidth);
      for (int64_t j = 0, n = seen(i); j < n; ++j) {
        float share = std::exp(scores[size_t(j)] - statistics()[i]);
        add(dv.row(j), rounded(share), dO.row(i), call.valueWidth);
        float ofShare = dot(dO.row(i), v.row(j), call.valueWidth);
        float ofScore = rounded((ofShare - excess) * share * scale);
        add(dk.row(j), ofScore, q.row(i), call.width);
        add(dq.row(i), ofScore, k.row(j), call.width);
      }
    }
    dq.write();
    dk.write();
    dv.write();
  }
};

} // namespace

void soap::runtime::runHostReference(const AttentionCall &call,
                                     const AttentionBuffers &buffers) {
  HostAttention(call, buffers).run();
}
