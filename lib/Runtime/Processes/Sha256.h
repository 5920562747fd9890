//===- Sha256.h - SHA-256 and HMAC ------------------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SHA-256 (FIPS 180-4) and HMAC-SHA256 (RFC 2104) for the handshake of ranks.
//
// Own code and no library: the runtime is also built and copied to machines
// without development packages, and libcrypto's library name changes between
// distributions. It would tie every run to a library that only a join with a
// secret uses. The unit test holds the vectors of NIST and RFC 4231.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_RUNTIME_PROCESSES_SHA256_H
#define SOAP_LIB_RUNTIME_PROCESSES_SHA256_H

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace soap::runtime {

using Digest = std::array<uint8_t, 32>;

Digest sha256(std::string_view message);
Digest hmacSha256(std::string_view key, std::string_view message);

/// 64 hexadecimal digits, lower case.
std::string toHex(const Digest &digest);

/// Compares in a time that depends on the lengths only.
bool equalInConstantTime(std::string_view a, std::string_view b);

} // namespace soap::runtime

#endif // SOAP_LIB_RUNTIME_PROCESSES_SHA256_H
