//===- RandomGenerator.h - Random numbers of searches -----------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mappings of our own, because the standard's distributions differ between
// libraries: a seed means the same search everywhere. The state can be written
// down, so that a search goes on where it was stopped.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SUPPORT_RANDOMGENERATOR_H
#define SOAP_LIB_SUPPORT_RANDOMGENERATOR_H

#include <cstdint>

namespace soap {

/// xoshiro256** (Blackman and Vigna, 2018), seeded by splitmix64.
class RandomGenerator {
public:
  explicit RandomGenerator(uint64_t seed) {
    for (uint64_t &word : words) {
      uint64_t z = seed += 0x9E3779B97F4A7C15u;
      z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
      z = (z ^ z >> 27) * 0x94D049BB133111EBu;
      word = z ^ z >> 31;
    }
  }
  uint64_t next() {
    auto rotate = [](uint64_t x, int k) { return x << k | x >> (64 - k); };
    uint64_t result = rotate(words[1] * 5, 7) * 9, shifted = words[1] << 17;
    words[2] ^= words[0];
    words[3] ^= words[1];
    words[1] ^= words[2];
    words[0] ^= words[3];
    words[2] ^= shifted;
    words[3] = rotate(words[3], 45);
    return result;
  }
  /// Uniform in [0, n).
  int64_t below(int64_t n) {
    uint64_t range = static_cast<uint64_t>(n);
    uint64_t limit = UINT64_MAX - UINT64_MAX % range; // no remainder favoured
    uint64_t draw = next();
    while (draw >= limit)
      draw = next();
    return static_cast<int64_t>(draw % range);
  }
  /// Uniform in (0, 1].
  double unit() { return static_cast<double>((next() >> 11) + 1) * 0x1p-53; }

  /// The state.
  uint64_t words[4];
};

} // namespace soap

#endif // SOAP_LIB_SUPPORT_RANDOMGENERATOR_H
