//===- ProofGate.h - Adaptive filter of bounds ------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides whether a search computes a bound for its next proposal, from how
// often the bound has refused proposals so far.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_BOUNDS_PROOFGATE_H
#define SOAP_BOUNDS_PROOFGATE_H

#include <cassert>
namespace soap {

/// An adaptive filter: a bound is computed as long as it refuses enough
/// proposals, and for one of 32 proposals otherwise. It depends on nothing but
/// the answers, so searches stay deterministic.
class ProofGate {
public:
  /// The bound is worth its price if it refuses one of `maxPerRefusal`
  /// proposals: if simulating a proposal takes that many times as long.
  explicit ProofGate(int maxPerRefusal) : maxPerRefusal(maxPerRefusal) {
    assert(maxPerRefusal > 0 && "it is worth something");
  }

  /// Whether to compute the bound now. Call it once per proposal.
  bool shouldTry() {
    return refused * maxPerRefusal >= tried || ++skipped % retryAfter == 0;
  }
  /// Counts the answer of a bound that was computed.
  void count(bool isRefused) {
    assert(refused <= tried && "no more than were tried");
    ++tried;
    refused += isRefused;
    if (tried < memory)
      return;
    tried /= 2;
    refused /= 2;
  }

private:
  static constexpr int retryAfter = 32, memory = 256;
  int maxPerRefusal;
  int tried = 16, refused = 16, skipped = 0;
};

} // namespace soap

#endif // SOAP_BOUNDS_PROOFGATE_H
