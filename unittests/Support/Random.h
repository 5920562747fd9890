//===- Random.h - Seeds of randomized tests ---------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Randomized tests take their seed from SOAP_TEST_SEED, or a fixed one, and
// print it on failure, so that every failure repeats.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_UNITTESTS_SUPPORT_RANDOM_H
#define SOAP_UNITTESTS_SUPPORT_RANDOM_H

#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>

namespace soap::test {

class Random {
public:
  explicit Random(uint64_t salt) {
    const char *text = std::getenv("SOAP_TEST_SEED");
    seed = text ? std::strtoull(text, nullptr, 10) : 20180713;
    engine.seed(seed * 1000003 + salt);
  }
  /// Uniform in [low, high].
  int64_t operator()(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(engine() %
                                      static_cast<uint64_t>(high - low + 1));
  }
  bool chance(int percent) { return (*this)(0, 99) < percent; }
  std::string trace(int64_t round) const {
    return "SOAP_TEST_SEED=" + std::to_string(seed) + ", round " +
           std::to_string(round);
  }
  std::mt19937_64 engine;

private:
  uint64_t seed;
};

} // namespace soap::test

#endif // SOAP_UNITTESTS_SUPPORT_RANDOM_H
