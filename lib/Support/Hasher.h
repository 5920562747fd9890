//===- Hasher.h - Hashes for fingerprints -----------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hashes that files keep: fingerprints of models and topologies, and checksums
// of states of searches.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SUPPORT_HASHER_H
#define SOAP_LIB_SUPPORT_HASHER_H

#include <cstdint>
#include <string>

namespace soap {

/// FNV-1a, 64 bits: stable across machines and versions of the library.
class Hasher {
public:
  void add(const std::string &text) {
    for (unsigned char c : text)
      addByte(c);
    addByte(0xff); // not part of any UTF-8 text: ends a string
  }
  void add(int64_t number) {
    for (int i = 0; i < 8; ++i)
      addByte(
          static_cast<unsigned char>(static_cast<uint64_t>(number) >> 8 * i));
  }
  std::string hex() const {
    const char *digits = "0123456789abcdef";
    std::string text;
    for (int shift = 60; shift >= 0; shift -= 4)
      text += digits[state >> shift & 15];
    return text;
  }

private:
  uint64_t state = 0xcbf29ce484222325;
  void addByte(unsigned char byte) { state = (state ^ byte) * 0x100000001b3; }
};

} // namespace soap

#endif // SOAP_LIB_SUPPORT_HASHER_H
