//===- NarrowFloats.h - f16 and bf16 on the host ----------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements of tensors in memory, which compute as floats. Conversions round to
// nearest, ties to even, from f64 by way of f32, as `soap.cast` does; a NaN
// stays one. Compilers that Soap builds with have no common types for these.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_SUPPORT_NARROWFLOATS_H
#define SOAP_SUPPORT_NARROWFLOATS_H

#include <bit>
#include <cstdint>

namespace soap {

/// 8 bits of exponent, 7 of fraction.
struct BFloat16 {
  uint16_t bits = 0;

  BFloat16() = default;
  explicit BFloat16(float value) {
    auto wide = std::bit_cast<uint32_t>(value);
    bool isNaN = (wide & 0x7fffffff) > 0x7f800000;
    bits = uint16_t(isNaN ? wide >> 16 | 0x40
                          : (wide + 0x7fff + (wide >> 16 & 1)) >> 16);
  }
  operator float() const { return std::bit_cast<float>(uint32_t(bits) << 16); }
};

/// 5 bits of exponent, 10 of fraction.
struct Float16 {
  uint16_t bits = 0;

  Float16() = default;
  explicit Float16(float value) {
    auto wide = std::bit_cast<uint32_t>(value);
    uint32_t sign = wide >> 16 & 0x8000, size = wide & 0x7fffffff;
    if (size > 0x7f800000) { // NaN
      bits = uint16_t(sign | 0x7e00 | (size >> 13 & 0x3ff));
    } else if (size >= 0x477ff000) { // 65520 and above
      bits = uint16_t(sign | 0x7c00);
    } else if (size >= 0x38800000) { // normal numbers, from 2^-14 on
      uint32_t rounded = size + 0xfff + (size >> 13 & 1);
      bits = uint16_t(sign | (rounded - 0x38000000) >> 13);
    } else {
      // The sum has a unit of 2^-24 in its last place, as subnormal numbers.
      float shifted = std::bit_cast<float>(size) + 0.5f;
      bits = uint16_t(sign | (std::bit_cast<uint32_t>(shifted) - 0x3f000000));
    }
  }
  operator float() const {
    uint32_t sign = uint32_t(bits & 0x8000) << 16, size = bits & 0x7fff;
    uint32_t wide;
    if (size >= 0x7c00)
      wide = 0x7f800000 | (size & 0x3ff) << 13;
    else if (size >= 0x400)
      wide = (size << 13) + 0x38000000;
    else
      wide = std::bit_cast<uint32_t>(float(size) * 0x1p-24f);
    return std::bit_cast<float>(sign | wide);
  }
};

} // namespace soap

#endif // SOAP_SUPPORT_NARROWFLOATS_H
