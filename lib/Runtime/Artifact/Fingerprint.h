//===- Fingerprint.h - A hash of 64 bits ------------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hashes manifests and data sets, to tell whether two runs are of the same
// module and data. It is no protection from forgery.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_RUNTIME_ARTIFACT_FINGERPRINT_H
#define SOAP_LIB_RUNTIME_ARTIFACT_FINGERPRINT_H

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace soap::runtime {

/// Mixes 8 bytes at a time: all samples of a data set go through it.
class Hasher {
public:
  void add(uint64_t value) {
    state = (state ^ value) * 0x9e3779b97f4a7c15;
    state ^= state >> 32;
  }
  void add(const void *data, size_t size) {
    add(uint64_t(size));
    const char *bytes = static_cast<const char *>(data);
    for (; size >= 8; bytes += 8, size -= 8) {
      uint64_t word;
      std::memcpy(&word, bytes, 8);
      add(word);
    }
    uint64_t rest = 0;
    if (size)
      std::memcpy(&rest, bytes, size);
    add(rest);
  }
  void add(const std::string &text) { add(text.data(), text.size()); }
  void add(double value) { add(&value, sizeof(value)); }
  void add(const std::vector<int64_t> &list) {
    add(list.data(), list.size() * sizeof(int64_t));
  }

  /// 16 hexadecimal digits.
  std::string digits() const {
    std::string text;
    for (int shift = 60; shift >= 0; shift -= 4)
      text += "0123456789abcdef"[state >> shift & 15];
    return text;
  }

private:
  uint64_t state = 0xcbf29ce484222325;
};

} // namespace soap::runtime

#endif // SOAP_LIB_RUNTIME_ARTIFACT_FINGERPRINT_H
