//===- Random.h - Reproducible random numbers -------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The same seed gives the same numbers everywhere, which the distributions of
// the standard library do not promise.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_RUNTIME_DATA_RANDOM_H
#define SOAP_LIB_RUNTIME_DATA_RANDOM_H

#include <cmath>
#include <cstdint>
#include <string_view>

namespace soap::runtime {

/// SplitMix64.
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}
  /// A stream of its own for each name.
  Random(uint64_t seed, std::string_view name) : state(seed) {
    uint64_t hash = 0xcbf29ce484222325;
    for (unsigned char c : name)
      hash = (hash ^ c) * 0x100000001b3;
    state = next() ^ hash;
    next();
  }

  uint64_t next() {
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }
  /// In [0, 1).
  double uniform() { return double(next() >> 11) * 0x1p-53; }
  /// In [0, bound).
  uint64_t below(uint64_t bound) {
    return uint64_t((unsigned __int128)next() * bound >> 64);
  }
  /// Standard normal: Box and Muller, both numbers of a pair used.
  double normal() {
    if (hasSpare) {
      hasSpare = false;
      return spare;
    }
    double radius = std::sqrt(-2 * std::log(1 - uniform()));
    double angle = 6.283185307179586 * uniform();
    spare = radius * std::sin(angle);
    hasSpare = true;
    return radius * std::cos(angle);
  }

private:
  uint64_t state;
  double spare = 0;
  bool hasSpare = false;
};

} // namespace soap::runtime

#endif // SOAP_LIB_RUNTIME_DATA_RANDOM_H
