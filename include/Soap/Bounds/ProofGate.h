//===- ProofGate.h - Whether to look for a proof ----------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_BOUNDS_PROOFGATE_H
#define SOAP_BOUNDS_PROOFGATE_H

namespace soap {

/// Whether a proof that a proposal is hopeless is worth looking for: it is
/// tried as long as it refuses enough of what is asked, else now and then.
/// Depends on nothing but the answers, so that searches stay deterministic.
class ProofGate {
public:
  /// Worth it if one of `fewestOf` questions refuses, that is, if what follows
  /// without the proof takes so many times as long.
  explicit ProofGate(int fewestOf) : fewestOf(fewestOf) {}

  /// Call before each question.
  bool shouldTry() {
    return refused * fewestOf >= tried || ++skipped % retryAfter == 0;
  }
  void count(bool isRefused) {
    ++tried;
    refused += isRefused;
    if (tried < memory)
      return;
    tried /= 2;
    refused /= 2;
  }

private:
  static constexpr int retryAfter = 32, memory = 256;
  int fewestOf;
  int tried = 16, refused = 16, skipped = 0;
};

} // namespace soap

#endif // SOAP_BOUNDS_PROOFGATE_H
