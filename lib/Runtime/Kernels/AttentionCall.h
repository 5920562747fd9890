//===- AttentionCall.h - Attention as one library call ----------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `soap_rt_attention`: softmax(scale * q k^T, masked) v over batches and heads,
// or its gradients, without the matrix of queries by keys in memory. Between
// both, a row has one number: the logarithm of the sum of its exponentials.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_RUNTIME_KERNELS_ATTENTIONCALL_H
#define SOAP_LIB_RUNTIME_KERNELS_ATTENTIONCALL_H

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>

namespace soap::runtime {

enum class AttentionKind : int64_t {
  Forward = 0,  ///< reads q, k, v; writes o
  Training = 1, ///< as Forward, and writes the statistics of rows
  Backward = 2, ///< reads q, k, v, o, do, statistics; writes dq, dk, dv
};

enum class AttentionMask : int64_t {
  None = 0,
  Causal = 1, ///< query i sees the keys 0 to i
};

/// How a tensor of heads lies in memory, always densely.
enum class HeadLayout : int64_t {
  HeadsFirst = 0,  ///< [batch, heads, rows, width]
  TokensFirst = 1, ///< [batch, rows, heads, width]
};

/// The tensors of a call, in the order of its buffers; a call has the tensors
/// of its kind. q, o and their gradients have a row per query, k and v per key.
enum class AttentionTensor : size_t { Q, K, V, O, DO, DQ, DK, DV };

/// The 18 numbers of `soap_rt_attention`. Tensors are bf16, statistics
/// [batch, heads, queries] in f32, sums in f32.
struct AttentionCall {
  static constexpr size_t numbers = 18;
  static constexpr size_t tensors = 8;

  AttentionKind kind = AttentionKind::Forward;
  int64_t batch = 1, heads = 1, queries = 1, keys = 1;
  int64_t width = 1;      ///< of queries and keys
  int64_t valueWidth = 1; ///< of values and results
  AttentionMask mask = AttentionMask::None;
  double scale = 1; ///< in the descriptor the bits of an f64
  /// Bytes that the library may use; 0: there is no such buffer.
  int64_t workspace = 0;
  /// By `AttentionTensor`.
  std::array<HeadLayout, tensors> layouts{};

  static AttentionCall fromArray(const int64_t *d);
  bool operator==(const AttentionCall &) const = default;
  auto operator<=>(const AttentionCall &) const = default;

  bool isBackward() const { return kind == AttentionKind::Backward; }
  bool hasStatistics() const { return kind != AttentionKind::Forward; }

  int64_t rowsOf(AttentionTensor t) const {
    bool ofKeys = t == AttentionTensor::K || t == AttentionTensor::V ||
                  t == AttentionTensor::DK || t == AttentionTensor::DV;
    return ofKeys ? keys : queries;
  }
  int64_t widthOf(AttentionTensor t) const {
    bool ofProducts = t == AttentionTensor::Q || t == AttentionTensor::K ||
                      t == AttentionTensor::DQ || t == AttentionTensor::DK;
    return ofProducts ? width : valueWidth;
  }
  int64_t volumeOf(AttentionTensor t) const {
    return batch * heads * rowsOf(t) * widthOf(t);
  }
  int64_t statisticsVolume() const { return batch * heads * queries; }
  /// Steps of batch, head, row and column.
  std::array<int64_t, 4> stridesOf(AttentionTensor t) const {
    int64_t rows = rowsOf(t), columns = widthOf(t);
    if (layouts[static_cast<size_t>(t)] == HeadLayout::TokensFirst)
      return {rows * heads * columns, columns, heads * columns, 1};
    return {heads * rows * columns, rows * columns, columns, 1};
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

/// The call on the CPU.
void runHostReference(const AttentionCall &call,
                      const AttentionBuffers &buffers);

} // namespace soap::runtime

#endif // SOAP_LIB_RUNTIME_KERNELS_ATTENTIONCALL_H
