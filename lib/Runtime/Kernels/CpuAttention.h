//===- CpuAttention.h - Attention on the CPU --------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `soap_rt_attention_f32` and `soap_rt_attention_bf16`: `soap.attention`, its
// partial form and its gradient, tile by tile, without a matrix of queries by
// keys in memory (Dao et al., 2022).
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_RUNTIME_KERNELS_CPUATTENTION_H
#define SOAP_LIB_RUNTIME_KERNELS_CPUATTENTION_H

#include "Runtime/Kernels/LibraryCalls.h"

#include <array>
#include <cstdint>

namespace soap::runtime {

/// The computation, with the operands and the results of the op of that name,
/// in their order.
enum class CpuAttentionKind : int64_t {
  Forward = 0,  ///< soap.attention
  Partial = 1,  ///< soap.attention_partial
  Gradient = 2, ///< soap.attention_grad
};

/// The 20 numbers of the calls. Tensors lie as in the ops: [batch, heads,
/// rows, width]; statistics and states are f32, sums in f32.
struct CpuAttentionCall {
  static constexpr size_t numbers = 20;
  /// `left` or `right` without a bound.
  static constexpr int64_t unbounded = INT64_MAX;

  CpuAttentionKind kind = CpuAttentionKind::Forward;
  int64_t batch = 1, heads = 1, keyHeads = 1, queries = 1, keys = 1;
  int64_t width = 1, valueWidth = 1;
  double scale = 1, softcap = 0; ///< in the descriptor the bits of an f64
  int64_t left = unbounded, right = unbounded, offset = 0;
  std::array<int64_t, 4> biasShape{}; ///< of zeros: there is none
  bool hasSegments = false, hasDlse = false, hasDbias = false;

  static CpuAttentionCall fromArray(const int64_t *d);
  bool hasBias() const { return biasShape[0] > 0; }
};

/// `Number`: float, or uint16_t for bf16. `product` multiplies in f32.
template <typename Number>
void runAttention(const CpuAttentionCall &call, void *const *buffers,
                  const MatmulKernel &product);
extern template void runAttention<float>(const CpuAttentionCall &,
                                         void *const *, const MatmulKernel &);
extern template void runAttention<uint16_t>(const CpuAttentionCall &,
                                            void *const *,
                                            const MatmulKernel &);

} // namespace soap::runtime

#endif // SOAP_LIB_RUNTIME_KERNELS_CPUATTENTION_H
