//===- Sha256.cpp - SHA-256 and HMAC --------------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Sha256.h. Names are as in FIPS 180-4.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Processes/Sha256.h"

#include <bit>
#include <cstddef>

using namespace soap;
using namespace soap::runtime;

namespace {

constexpr size_t blockBytes = 64;

constexpr uint32_t K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
    0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
    0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
    0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
    0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
    0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
    0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

using State = std::array<uint32_t, 8>;

void compress(State &H, const uint8_t *block) {
  uint32_t W[64];
  for (size_t t = 0; t < 16; ++t)
    W[t] = uint32_t(block[4 * t]) << 24 | uint32_t(block[4 * t + 1]) << 16 |
           uint32_t(block[4 * t + 2]) << 8 | uint32_t(block[4 * t + 3]);
  for (size_t t = 16; t < 64; ++t) {
    uint32_t x = W[t - 15], y = W[t - 2];
    uint32_t sigma0 = std::rotr(x, 7) ^ std::rotr(x, 18) ^ (x >> 3);
    uint32_t sigma1 = std::rotr(y, 17) ^ std::rotr(y, 19) ^ (y >> 10);
    W[t] = sigma1 + W[t - 7] + sigma0 + W[t - 16];
  }
  auto [a, b, c, d, e, f, g, h] = H;
  for (size_t t = 0; t < 64; ++t) {
    uint32_t Sigma1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    uint32_t T1 = h + Sigma1 + ((e & f) ^ (~e & g)) + K[t] + W[t];
    uint32_t Sigma0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    uint32_t T2 = Sigma0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + T1;
    d = c;
    c = b;
    b = a;
    a = T1 + T2;
  }
  State sum = {a, b, c, d, e, f, g, h};
  for (size_t i = 0; i < H.size(); ++i)
    H[i] += sum[i];
}

std::string_view bytesOf(const Digest &digest) {
  return {reinterpret_cast<const char *>(digest.data()), digest.size()};
}

} // namespace

Digest runtime::sha256(std::string_view message) {
  State H = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
             0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  const auto *data = reinterpret_cast<const uint8_t *>(message.data());
  size_t whole = message.size() / blockBytes * blockBytes;
  for (size_t at = 0; at < whole; at += blockBytes)
    compress(H, data + at);
  // The rest, a bit that is 1, zeros, and the length in bits.
  std::string rest(message.substr(whole));
  rest += char(0x80);
  while (rest.size() % blockBytes != blockBytes - 8)
    rest += '\0';
  uint64_t bits = uint64_t(message.size()) * 8;
  for (int shift = 56; shift >= 0; shift -= 8)
    rest += char(bits >> shift & 255);
  for (size_t at = 0; at < rest.size(); at += blockBytes)
    compress(H, reinterpret_cast<const uint8_t *>(rest.data()) + at);
  Digest digest;
  for (size_t i = 0; i < digest.size(); ++i)
    digest[i] = uint8_t(H[i / 4] >> (24 - 8 * (i % 4)));
  return digest;
}

Digest runtime::hmacSha256(std::string_view key, std::string_view message) {
  std::string inner(blockBytes, '\0'), outer;
  Digest shortened;
  if (key.size() > blockBytes) {
    shortened = sha256(key);
    key = bytesOf(shortened);
  }
  key.copy(inner.data(), key.size());
  outer = inner;
  for (size_t i = 0; i < blockBytes; ++i) {
    inner[i] = char(inner[i] ^ 0x36);
    outer[i] = char(outer[i] ^ 0x5c);
  }
  Digest digest = sha256(inner.append(message));
  return sha256(outer.append(bytesOf(digest)));
}

std::string runtime::toHex(const Digest &digest) {
  std::string text;
  for (uint8_t byte : digest) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

bool runtime::equalInConstantTime(std::string_view a, std::string_view b) {
  if (a.size() != b.size())
    return false;
  unsigned difference = 0;
  for (size_t i = 0; i < a.size(); ++i)
    difference |= unsigned(uint8_t(a[i]) ^ uint8_t(b[i]));
  return difference == 0;
}
