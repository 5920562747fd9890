//===- BFloat16.h - Numbers of bf16 as their bits ---------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions between bf16 and f32, inline, so that loops over them vectorize;
// and kernels of f32 on operands of bf16.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_RUNTIME_KERNELS_BFLOAT16_H
#define SOAP_LIB_RUNTIME_KERNELS_BFLOAT16_H

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace soap::runtime {

/// Nearest bf16, ties to even; a NaN stays one.
inline uint16_t toBFloat16(float value) {
  auto bits = std::bit_cast<uint32_t>(value);
  uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  uint32_t quiet = bits >> 16 | 0x40;
  return static_cast<uint16_t>(value != value ? quiet : rounded);
}

inline float fromBFloat16(uint16_t bits) {
  return std::bit_cast<float>(uint32_t(bits) << 16);
}

/// Elements of the operands and of the result of a product.
struct ProductSizes {
  int64_t a, b, result;
};

/// Calls `kernel(a, b, result)`, a product of f32, on copies of operands of
/// bf16. `storage` holds the copies; it grows.
template <typename Kernel>
void runInF32(const ProductSizes &sizes, const uint16_t *a, const uint16_t *b,
              float *result, std::vector<float> &storage, Kernel kernel) {
  auto count = static_cast<size_t>(sizes.a + sizes.b);
  if (storage.size() < count)
    storage.resize(count);
  float *wideA = storage.data(), *wideB = wideA + sizes.a;
  for (int64_t i = 0; i < sizes.a; ++i)
    wideA[i] = fromBFloat16(a[i]);
  for (int64_t i = 0; i < sizes.b; ++i)
    wideB[i] = fromBFloat16(b[i]);
  kernel(wideA, wideB, result);
}

/// The same, and rounds the result once.
template <typename Kernel>
void runInF32(const ProductSizes &sizes, const uint16_t *a, const uint16_t *b,
              uint16_t *result, std::vector<float> &storage, Kernel kernel) {
  auto count = static_cast<size_t>(sizes.a + sizes.b + sizes.result);
  if (storage.size() < count)
    storage.resize(count);
  float *wideResult = storage.data() + sizes.a + sizes.b;
  runInF32(sizes, a, b, wideResult, storage, kernel);
  for (int64_t i = 0; i < sizes.result; ++i)
    result[i] = toBFloat16(wideResult[i]);
}

} // namespace soap::runtime

#endif // SOAP_LIB_RUNTIME_KERNELS_BFLOAT16_H
