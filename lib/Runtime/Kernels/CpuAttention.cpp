//===- CpuAttention.cpp - Attention on the CPU ----------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For the queries of a sample, some rows at a time, tiles of keys one after the
// other: products of all heads by the library, and between them the online
// softmax (Milakov and Gimelshein, 2018), row by row on all threads.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Kernels/CpuAttention.h"

#include "Soap/ABI/Runtime.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define SOAP_HAS_SANITIZER 1
#endif
#endif
#ifndef SOAP_HAS_SANITIZER
#define SOAP_HAS_SANITIZER 0
#endif

using namespace soap::runtime;

CpuAttentionCall CpuAttentionCall::fromArray(const int64_t *d) {
  CpuAttentionCall call;
  call.kind = CpuAttentionKind(d[0]);
  call.batch = d[1];
  call.heads = d[2];
  call.keyHeads = d[3];
  call.queries = d[4];
  call.keys = d[5];
  call.width = d[6];
  call.valueWidth = d[7];
  call.scale = std::bit_cast<double>(d[8]);
  call.softcap = std::bit_cast<double>(d[9]);
  call.left = d[10];
  call.right = d[11];
  call.offset = d[12];
  std::copy_n(d + 13, 4, call.biasShape.begin());
  call.hasSegments = d[17] != 0;
  call.hasDlse = d[18] != 0;
  call.hasDbias = d[19] != 0;
  return call;
}

namespace {

constexpr float minusInfinity = -std::numeric_limits<float>::infinity();

/// Calls `body(begin, end)` for ranges of [0, extent) on the threads of the
/// device.
template <typename Body>
void parallel(int64_t extent, const Body &body) {
  void *arguments[] = {const_cast<Body *>(&body)};
  soap_rt_parallel(
      [](void *const *args, int64_t begin, int64_t end) {
        (*static_cast<const Body *>(args[0]))(begin, end);
      },
      arguments, extent, 1);
}

/// exp(x) for x that is at most about 0: 2^n exp(r) with |r| <= log(2) / 2, and
/// exp(r) by its series up to r^7, within two units in the last place. Below
/// -87 it is 0; NaN stays.
inline float exponential(float x) {
  constexpr float least = -87.0f, roundsToInteger = 12582912.0f;
  float clamped = x < least ? least : x;
  float n = clamped * 1.44269504f + roundsToInteger - roundsToInteger;
  float r = clamped - n * 0.693359375f + n * 2.12194440e-4f;
  float p = 1.0f / 5040;
  p = p * r + 1.0f / 720;
  p = p * r + 1.0f / 120;
  p = p * r + 1.0f / 24;
  p = p * r + 1.0f / 6;
  p = p * r + 0.5f;
  p = p * r + 1.0f;
  p = p * r + 1.0f;
  // NaN is no integer; it is in p, too.
  auto exponent = static_cast<int32_t>(n == n ? n : 0.0f);
  float power = std::bit_cast<float>((exponent + 127) << 23);
  return x < least ? 0.0f : p * power;
}

// One clone for each width of vectors; sanitizers do not follow the choice.
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) &&                   \
    !defined(__SANITIZE_THREAD__) && !SOAP_HAS_SANITIZER
#define SOAP_VECTOR_CLONES                                                     \
  __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define SOAP_VECTOR_CLONES
#endif

/// exp(x - maximum) in place; returns their sum. In lanes, which vectorize.
SOAP_VECTOR_CLONES float exponentials(float *x, int64_t count, float maximum) {
  constexpr int64_t lanes = 16;
  std::array<float, lanes> partial{};
  int64_t whole = count / lanes * lanes;
  for (int64_t i = 0; i < whole; i += lanes)
    for (int64_t l = 0; l < lanes; ++l) {
      float value = exponential(x[i + l] - maximum);
      x[i + l] = value;
      partial[static_cast<size_t>(l)] += value;
    }
  float sum = 0;
  for (int64_t i = whole; i < count; ++i)
    sum += x[i] = exponential(x[i] - maximum);
  for (float part : partial)
    sum += part;
  return sum;
}

float wide(float value) { return value; }
float wide(uint16_t value) { return fromBFloat16(value); }
void store(float &to, float value) { to = value; }
void store(uint16_t &to, float value) { to = toBFloat16(value); }

template <typename Number>
class CpuAttention {
public:
  CpuAttention(const CpuAttentionCall &call, void *const *buffers,
               const MatmulKernel &product)
      : call(call), product(product), groups(call.heads / call.keyHeads) {
    bool isGradient = call.kind == CpuAttentionKind::Gradient;
    auto number = [&] { return static_cast<Number *>(*buffers++); };
    auto sums = [&] { return static_cast<float *>(*buffers++); };
    if (isGradient)
      dout = number();
    q = number();
    k = number();
    v = number();
    if (isGradient) {
      out = number();
      lse = sums();
    }
    if (call.hasBias())
      bias = number();
    if (call.hasSegments) {
      querySegments = static_cast<const int32_t *>(*buffers++);
      keySegments = static_cast<const int32_t *>(*buffers++);
    }
    if (isGradient) {
      if (call.hasDlse)
        dlse = sums();
      dq = number();
      dk = number();
      dv = number();
      if (call.hasDbias)
        dbias = number();
      return;
    }
    if (call.kind == CpuAttentionKind::Partial) {
      state = sums();
      return;
    }
    out = number();
    lse = sums();
  }

  void run() {
    if (call.kind == CpuAttentionKind::Gradient)
      return gradient();
    for (sample = 0; sample < call.batch; ++sample)
      forEachRows([&] { forward(); });
  }

private:
  const CpuAttentionCall &call;
  const MatmulKernel &product;
  int64_t groups;
  const Number *q = nullptr, *k = nullptr, *v = nullptr, *bias = nullptr;
  Number *out = nullptr, *dq = nullptr, *dk = nullptr, *dv = nullptr,
         *dbias = nullptr;
  const Number *dout = nullptr;
  const int32_t *querySegments = nullptr, *keySegments = nullptr;
  float *lse = nullptr, *state = nullptr;
  const float *dlse = nullptr;

  /// The sample, rows [first, first + rows) of its queries, and the keys of a
  /// tile.
  int64_t sample = 0, first = 0, rows = 0, firstKey = 0, tile = 0;
  // Of all heads of keys, [keyHeads, groups * rows or tile, width].
  std::vector<float> queries, keys, values, scores, products, sums;
  std::vector<float> maxima, totals; ///< by head and row
  // Of the gradient.
  std::vector<float> gradients, shares, excess, queryGrads, keyGrads,
      valueGrads, biasGrads;

  static constexpr int64_t rowsOfTile = 128, keysOfTile = 256;

  /// Calls `body` for some rows at a time; heads that share keys are rows, too.
  template <typename Body>
  void forEachRows(Body body) {
    int64_t step = std::max<int64_t>(rowsOfTile / groups, 8);
    for (first = 0; first < call.queries; first += step) {
      rows = std::min(step, call.queries - first);
      body();
    }
  }

  /// Calls `body` for the tiles of keys that some of the rows see.
  template <typename Body>
  void forEachKeys(Body body) {
    auto [lo, hi] = seenBy(first);
    lo = std::min(lo, seenBy(first + rows - 1).first);
    hi = std::max(hi, seenBy(first + rows - 1).second);
    for (firstKey = lo / keysOfTile * keysOfTile; firstKey < hi;
         firstKey += keysOfTile) {
      tile = std::min(keysOfTile, call.keys - firstKey);
      body();
    }
  }

  /// The keys within the bounds of a query.
  std::pair<int64_t, int64_t> seenBy(int64_t query) const {
    int64_t at = query + call.offset, lo = 0, hi = call.keys;
    if (call.left != CpuAttentionCall::unbounded)
      lo = std::clamp<int64_t>(at - call.left, 0, call.keys);
    if (call.right != CpuAttentionCall::unbounded)
      hi = std::clamp<int64_t>(at + call.right + 1, 0, call.keys);
    return {lo, std::max(lo, hi)};
  }

  int64_t allRows() const { return call.heads * rows; }
  /// Row r of the tile of `allRows()`: its head and query.
  std::pair<int64_t, int64_t> placeOf(int64_t r) const {
    return {r / rows, first + r % rows};
  }
  int64_t rowIndex(int64_t r) const {
    auto [head, query] = placeOf(r);
    return (sample * call.heads + head) * call.queries + query;
  }

  /// Rows of queries of all heads, in f32.
  void packRows(const Number *from, int64_t width, std::vector<float> &to) {
    to.resize(static_cast<size_t>(allRows() * width));
    parallel(allRows(), [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r)
        for (int64_t d = 0; d < width; ++d)
          to[static_cast<size_t>(r * width + d)] =
              wide(from[rowIndex(r) * width + d]);
    });
  }
  void packKeys(const Number *from, int64_t width, std::vector<float> &to) {
    to.resize(static_cast<size_t>(call.keyHeads * tile * width));
    parallel(call.keyHeads, [&](int64_t begin, int64_t end) {
      for (int64_t h = begin; h < end; ++h) {
        const Number *source =
            from +
            ((sample * call.keyHeads + h) * call.keys + firstKey) * width;
        float *target = to.data() + h * tile * width;
        for (int64_t i = 0; i < tile * width; ++i)
          target[i] = wide(source[i]);
      }
    });
  }

  /// a [keyHeads, m, k] times b, into `y`.
  void multiply(const std::vector<float> &a, const std::vector<float> &b,
                int64_t m, int64_t n, int64_t depth, bool transposeA,
                bool transposeB, std::vector<float> &y) {
    y.resize(static_cast<size_t>(call.keyHeads * m * n));
    product({call.keyHeads, m, n, depth, transposeA, transposeB}, a.data(),
            b.data(), y.data());
  }

  float biasAt(int64_t head, int64_t query, int64_t key) const {
    return wide(bias[biasIndex(head, query, key)]);
  }
  int64_t biasIndex(int64_t head, int64_t query, int64_t key) const {
    const auto &shape = call.biasShape;
    auto at = [&](size_t d, int64_t i) { return shape[d] == 1 ? 0 : i; };
    return ((at(0, sample) * shape[1] + at(1, head)) * shape[2] +
            at(2, query)) *
               shape[3] +
           at(3, key);
  }

  /// Products of a row as scores: -inf for hidden keys. `slopes`, if not null,
  /// becomes the derivatives of scores by products.
  void makeScores(int64_t r, float *row, float *slopes) const {
    auto [head, query] = placeOf(r);
    auto scale = static_cast<float>(call.scale);
    if (call.softcap == 0) {
      for (int64_t j = 0; j < tile; ++j)
        row[j] *= scale;
    } else {
      auto cap = static_cast<float>(call.softcap);
      for (int64_t j = 0; j < tile; ++j) {
        float t = std::tanh(row[j] * scale / cap);
        row[j] = cap * t;
        if (slopes)
          slopes[j] = scale * (1 - t * t);
      }
    }
    if (bias)
      for (int64_t j = 0; j < tile; ++j)
        row[j] += biasAt(head, query, firstKey + j);
    auto [lo, hi] = seenBy(query);
    lo = std::clamp<int64_t>(lo - firstKey, 0, tile);
    hi = std::clamp<int64_t>(hi - firstKey, lo, tile);
    std::fill(row, row + lo, minusInfinity);
    std::fill(row + hi, row + tile, minusInfinity);
    if (querySegments) {
      int32_t own = querySegments[sample * call.queries + query];
      const int32_t *others = keySegments + sample * call.keys + firstKey;
      for (int64_t j = lo; j < hi; ++j)
        if (others[j] != own)
          row[j] = minusInfinity;
    }
  }

  void forward() {
    packRows(q, call.width, queries);
    auto count = static_cast<size_t>(allRows());
    maxima.assign(count, minusInfinity);
    totals.assign(count, 0);
    int64_t width = call.valueWidth;
    sums.assign(count * static_cast<size_t>(width), 0);
    forEachKeys([&] {
      packKeys(k, call.width, keys);
      packKeys(v, width, values);
      multiply(queries, keys, groups * rows, tile, call.width, false, true,
               scores);
      parallel(allRows(), [&](int64_t begin, int64_t end) {
        for (int64_t r = begin; r < end; ++r)
          softenRow(r);
      });
      multiply(scores, values, groups * rows, width, tile, false, false,
               products);
      parallel(allRows(), [&](int64_t begin, int64_t end) {
        for (int64_t i = begin * width; i < end * width; ++i)
          sums[static_cast<size_t>(i)] += products[static_cast<size_t>(i)];
      });
    });
    parallel(allRows(), [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r)
        writeRow(r);
    });
  }

  /// The scores of a row become shares relative to its maximum so far.
  void softenRow(int64_t r) {
    float *row = scores.data() + r * tile;
    makeScores(r, row, nullptr);
    float &maximum = maxima[static_cast<size_t>(r)],
          &total = totals[static_cast<size_t>(r)];
    float next = maximum;
    bool isNan = false;
    for (int64_t j = 0; j < tile; ++j) {
      next = row[j] > next ? row[j] : next;
      isNan |= row[j] != row[j];
    }
    if (isNan)
      next = std::numeric_limits<float>::quiet_NaN();
    if (next == minusInfinity) {
      std::fill(row, row + tile, 0.0f);
      return;
    }
    float factor = maximum == minusInfinity ? 0 : std::exp(maximum - next);
    total = total * factor + exponentials(row, tile, next);
    maximum = next;
    float *sum = sums.data() + r * call.valueWidth;
    for (int64_t e = 0; e < call.valueWidth; ++e)
      sum[e] *= factor;
  }

  void writeRow(int64_t r) {
    float total = totals[static_cast<size_t>(r)];
    bool isEmpty =
        total == 0 && maxima[static_cast<size_t>(r)] == minusInfinity;
    float inverse = isEmpty ? 0 : 1 / total;
    float logarithm = isEmpty
                          ? minusInfinity
                          : maxima[static_cast<size_t>(r)] + std::log(total);
    const float *sum = sums.data() + r * call.valueWidth;
    int64_t at = rowIndex(r);
    if (state) {
      int64_t stride = call.batch * call.heads * call.queries;
      state[at] = logarithm;
      for (int64_t e = 0; e < call.valueWidth; ++e)
        state[(1 + e) * stride + at] = sum[e] * inverse;
      return;
    }
    lse[at] = logarithm;
    for (int64_t e = 0; e < call.valueWidth; ++e)
      store(out[at * call.valueWidth + e], sum[e] * inverse);
  }

  //===--- gradient -------------------------------------------------------===//

  void gradient() {
    size_t biasCount = 1;
    for (int64_t extent : call.biasShape)
      biasCount *= static_cast<size_t>(extent);
    if (dbias)
      biasGrads.assign(biasCount, 0);
    for (sample = 0; sample < call.batch; ++sample) {
      keyGrads.assign(
          static_cast<size_t>(call.keyHeads * call.keys * call.width), 0);
      valueGrads.assign(
          static_cast<size_t>(call.keyHeads * call.keys * call.valueWidth), 0);
      forEachRows([&] { backward(); });
      writeKeys(keyGrads, dk, call.width);
      writeKeys(valueGrads, dv, call.valueWidth);
    }
    for (size_t i = 0; dbias && i < biasCount; ++i)
      store(dbias[i], biasGrads[i]);
  }

  void writeKeys(const std::vector<float> &from, Number *to, int64_t width) {
    int64_t count = call.keyHeads * call.keys * width;
    to += sample * count;
    parallel(call.keyHeads * call.keys, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin * width; i < end * width; ++i)
        store(to[i], from[static_cast<size_t>(i)]);
    });
  }

  void backward() {
    packRows(q, call.width, queries);
    packRows(dout, call.valueWidth, gradients);
    packRows(out, call.valueWidth, sums);
    auto count = static_cast<size_t>(allRows());
    excess.assign(count, 0);
    for (size_t r = 0; r < count; ++r) {
      float sum = 0;
      auto width = static_cast<size_t>(call.valueWidth);
      for (size_t e = 0; e < width; ++e)
        sum += gradients[r * width + e] * sums[r * width + e];
      excess[r] = sum;
      if (dlse)
        excess[r] -= dlse[rowIndex(static_cast<int64_t>(r))];
    }
    queryGrads.assign(count * static_cast<size_t>(call.width), 0);
    int64_t all = groups * rows;
    std::vector<float> slopes;
    forEachKeys([&] {
      packKeys(k, call.width, keys);
      packKeys(v, call.valueWidth, values);
      multiply(queries, keys, all, tile, call.width, false, true, scores);
      multiply(gradients, values, all, tile, call.valueWidth, false, true,
               shares);
      if (call.softcap != 0)
        slopes.resize(scores.size());
      parallel(allRows(), [&](int64_t begin, int64_t end) {
        for (int64_t r = begin; r < end; ++r)
          gradeRow(r, slopes.empty() ? nullptr : slopes.data() + r * tile);
      });
      if (dbias)
        addBiasGrads();
      if (!slopes.empty())
        for (size_t i = 0; i < shares.size(); ++i)
          shares[i] *= slopes[i];
      else
        for (float &value : shares)
          value *= static_cast<float>(call.scale);
      // `scores` are shares now, `shares` the gradients of products.
      multiply(shares, keys, all, call.width, tile, false, false, products);
      for (size_t i = 0; i < queryGrads.size(); ++i)
        queryGrads[i] += products[i];
      multiply(shares, queries, tile, call.width, all, true, false, products);
      addKeys(call.width, keyGrads);
      multiply(scores, gradients, tile, call.valueWidth, all, true, false,
               products);
      addKeys(call.valueWidth, valueGrads);
    });
    for (int64_t r = 0; r < allRows(); ++r)
      for (int64_t d = 0; d < call.width; ++d)
        store(dq[rowIndex(r) * call.width + d],
              queryGrads[static_cast<size_t>(r * call.width + d)]);
  }

  /// Of a row: scores become shares, and their gradients gradients of scores.
  void gradeRow(int64_t r, float *slopes) {
    float *row = scores.data() + r * tile, *grads = shares.data() + r * tile;
    makeScores(r, row, slopes);
    float logarithm = lse[rowIndex(r)];
    if (logarithm == minusInfinity)
      std::fill(row, row + tile, 0.0f);
    else
      exponentials(row, tile, logarithm);
    float less = excess[static_cast<size_t>(r)];
    for (int64_t j = 0; j < tile; ++j)
      grads[j] = row[j] == 0 ? 0 : row[j] * (grads[j] - less);
  }

  void addBiasGrads() {
    for (int64_t r = 0; r < allRows(); ++r) {
      auto [head, query] = placeOf(r);
      for (int64_t j = 0; j < tile; ++j)
        biasGrads[static_cast<size_t>(biasIndex(head, query, firstKey + j))] +=
            shares[static_cast<size_t>(r * tile + j)];
    }
  }

  /// `products` [keyHeads, tile, width] to the keys of the tile.
  void addKeys(int64_t width, std::vector<float> &to) {
    parallel(call.keyHeads, [&](int64_t begin, int64_t end) {
      for (int64_t h = begin; h < end; ++h) {
        const float *from = products.data() + h * tile * width;
        float *target = to.data() + (h * call.keys + firstKey) * width;
        for (int64_t i = 0; i < tile * width; ++i)
          target[i] += from[i];
      }
    });
  }
};

} // namespace

template <typename Number>
void soap::runtime::runAttention(const CpuAttentionCall &call,
                                 void *const *buffers,
                                 const MatmulKernel &product) {
  CpuAttention<Number>(call, buffers, product).run();
}

template void soap::runtime::runAttention<float>(const CpuAttentionCall &,
                                                 void *const *,
                                                 const MatmulKernel &);
template void soap::runtime::runAttention<uint16_t>(const CpuAttentionCall &,
                                                    void *const *,
                                                    const MatmulKernel &);
