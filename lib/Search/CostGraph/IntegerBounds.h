//===- IntegerBounds.h - Proven bounds as integers --------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Costs are integers of up to 4 * 10^18, of which a double holds no more than
// the first 53 bits. Bounds are computed in doubles that are rounded down, and
// are compared with costs as integers, so that a proof holds at any scale.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SEARCH_COSTGRAPH_INTEGERBOUNDS_H
#define SOAP_LIB_SEARCH_COSTGRAPH_INTEGERBOUNDS_H

#include "Kernel.h"

#include <cmath>

namespace soap::costgraph {

/// The least cost that is not below a bound: from 0, the least cost there is,
/// to `infinite`. A bound that is not a number proves nothing.
inline int64_t integerBound(double bound) {
  if (!(bound > 0))
    return 0;
  // A double of 2^53 or more is an integer.
  return bound >= static_cast<double>(infinite)
             ? infinite
             : static_cast<int64_t>(std::ceil(bound));
}

/// Whether what costs at least `bound` is not cheaper than `incumbent`;
/// `infinite`: there is no incumbent.
inline bool excludes(int64_t bound, int64_t incumbent) {
  return incumbent < infinite && bound >= incumbent;
}

/// The least double that is at least `incumbent - 1`: what has a bound above it
/// is not cheaper than `incumbent`.
inline double exclusionLimit(int64_t incumbent) {
  auto limit = static_cast<double>(incumbent - 1);
  // Below 2^63, so the double is an int64_t, too.
  return static_cast<int64_t>(limit) < incumbent - 1
             ? std::nextafter(limit, static_cast<double>(INT64_MAX))
             : limit;
}

} // namespace soap::costgraph

#endif // SOAP_LIB_SEARCH_COSTGRAPH_INTEGERBOUNDS_H
