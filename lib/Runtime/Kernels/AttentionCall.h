//===- AttentionCall.h - Attention as one library call ----------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `soap_rt_attention`: `soap.attention` and its gradient as cuDNN computes
// them, without the matrix of queries by keys in memory. Between both, a row
// has one number: the logarithm of the sum of its exponentials.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_RUNTIME_KERNELS_ATTENTIONCALL_H
#define SOAP_LIB_RUNTIME_KERNELS_ATTENTIONCALL_H

#include "Runtime/Kernels/LibraryCalls.h"

#include <algorithm>
#include <array>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>

namespace soap::runtime {

enum class AttentionKind : int64_t {
  Forward = 0,  ///< reads q, k, v; writes o
  Training = 1, ///< as Forward, and writes the statistics of rows
  Backward = 2, ///< reads q, k, v, o, do, statistics; writes dq, dk, dv
};

/// How a tensor of heads lies in memory, always densely.
enum class HeadLayout : int64_t {
  HeadsFirst = 0,  ///< [batch, heads, rows, width], as in the ops
  TokensFirst = 1, ///< [batch, rows, heads, width]
};

/// The tensors of a call, in the order of its buffers; a call has the tensors
/// of its kind. q, o and their gradients have a row per query, k and v per key.
enum class AttentionTensor : size_t { Q, K, V, O, DO, DQ, DK, DV };

/// The 20 numbers of `soap_rt_attention`. Tensors are bf16, statistics
/// [batch, heads, queries] in f32, sums in f32. Query i sees key j if
/// -left <= j - i <= right.
struct AttentionCall {
  static constexpr size_t numbers = 20;
  static constexpr size_t tensors = 8;
  /// `left` or `right` without a bound.
  static constexpr int64_t unbounded = INT64_MAX;

  AttentionKind kind = AttentionKind::Forward;
  int64_t batch = 1, heads = 1;
  int64_t keyHeads = 1; ///< divides `heads`: as many share one of keys
  int64_t queries = 1, keys = 1;
  int64_t width = 1;      ///< of queries and keys
  int64_t valueWidth = 1; ///< of values and results
  double scale = 1;       ///< in the descriptor the bits of an f64
  int64_t left = unbounded, right = unbounded;
  /// Bytes that the library may use; 0: there is no such buffer.
  int64_t workspace = 0;
  /// By `AttentionTensor`.
  std::array<HeadLayout, tensors> layouts{};

  static AttentionCall fromArray(const int64_t *d) {
    AttentionCall call{
        AttentionKind(d[0]),         d[1], d[2],  d[3], d[4], d[5], d[6], d[7],
        std::bit_cast<double>(d[8]), d[9], d[10], d[11]};
    for (size_t i = 0; i < tensors; ++i)
      call.layouts[i] = HeadLayout(d[12 + i]);
    return call;
  }
  std::array<int64_t, numbers> toArray() const {
    std::array<int64_t, numbers> d{
        int64_t(kind), batch,      heads,
        keyHeads,      queries,    keys,
        width,         valueWidth, std::bit_cast<int64_t>(scale),
        left,          right,      workspace};
    for (size_t i = 0; i < tensors; ++i)
      d[12 + i] = int64_t(layouts[i]);
    return d;
  }
  bool operator==(const AttentionCall &) const = default;
  auto operator<=>(const AttentionCall &) const = default;

  bool isBackward() const { return kind == AttentionKind::Backward; }
  bool hasStatistics() const { return kind != AttentionKind::Forward; }

  bool isBounded() const { return left != unbounded || right != unbounded; }

  static bool isOfKeys(AttentionTensor t) {
    return t == AttentionTensor::K || t == AttentionTensor::V ||
           t == AttentionTensor::DK || t == AttentionTensor::DV;
  }
  int64_t headsOf(AttentionTensor t) const {
    return isOfKeys(t) ? keyHeads : heads;
  }
  int64_t rowsOf(AttentionTensor t) const {
    return isOfKeys(t) ? keys : queries;
  }
  int64_t widthOf(AttentionTensor t) const {
    bool ofProducts = t == AttentionTensor::Q || t == AttentionTensor::K ||
                      t == AttentionTensor::DQ || t == AttentionTensor::DK;
    return ofProducts ? width : valueWidth;
  }
  int64_t volumeOf(AttentionTensor t) const {
    return batch * headsOf(t) * rowsOf(t) * widthOf(t);
  }
  /// Queries and keys that they see, of all heads and batches.
  int64_t pairs() const {
    int64_t visible = 0;
    for (int64_t i = 0; i < queries; ++i) {
      int64_t first = left == unbounded ? 0 : std::max<int64_t>(i - left, 0);
      int64_t end =
          right == unbounded ? keys : std::min<int64_t>(i + right + 1, keys);
      visible += std::max<int64_t>(end - first, 0);
    }
    return batch * heads * visible;
  }
  int64_t statisticsVolume() const { return batch * heads * queries; }
  /// Steps of batch, head, row and column.
  std::array<int64_t, 4> stridesOf(AttentionTensor t) const {
    int64_t count = headsOf(t), rows = rowsOf(t), columns = widthOf(t);
    if (layouts[static_cast<size_t>(t)] == HeadLayout::TokensFirst)
      return {rows * count * columns, columns, count * columns, 1};
    return {count * rows * columns, rows * columns, columns, 1};
  }
};

/// The buffers of a call; null where it has none.
struct AttentionBuffers {
  std::array<void *, AttentionCall::tensors> tensors{};
  float *statistics = nullptr;
  void *workspace = nullptr;

  void *&operator[](AttentionTensor t) {
    return tensors[static_cast<size_t>(t)];
  }
  void *operator[](AttentionTensor t) const {
    return tensors[static_cast<size_t>(t)];
  }
  static AttentionBuffers of(const AttentionCall &call, void *const *buffers);
};

/// The call on the CPU; `kernel` multiplies in f32.
void runHostReference(const AttentionCall &call,
                      const AttentionBuffers &buffers,
                      const MatmulKernel &kernel);

} // namespace soap::runtime

#endif // SOAP_LIB_RUNTIME_KERNELS_ATTENTIONCALL_H
