//===- VectorHash.h - Hashes of lists of numbers ----------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A hash of vectors of numbers, for caches by degrees, devices and resources.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_SUPPORT_VECTORHASH_H
#define SOAP_SUPPORT_VECTORHASH_H

#include <cstddef>
#include <cstdint>

namespace soap {

struct VectorHash {
  /// Vectors and spans of the same numbers have the same hash.
  template <typename List>
  size_t operator()(const List &list) const {
    uint64_t hash = list.size();
    for (auto number : list) {
      hash = (hash ^ static_cast<uint64_t>(number)) * 0x9E3779B97F4A7C15u;
      hash ^= hash >> 29;
    }
    return hash;
  }
};

} // namespace soap

#endif // SOAP_SUPPORT_VECTORHASH_H
