//===- SizeLattice.h - Logarithms of times over sizes -----------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values at the nodes of a grid over the logarithms of sizes, linear between
// them, and in proportion to the sizes beyond. Values that do not fall along an
// axis do not fall between nodes, either.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_PROFILE_SIZELATTICE_H
#define SOAP_LIB_PROFILE_SIZELATTICE_H

#include <cstddef>
#include <span>
#include <vector>

namespace soap {

struct SizeLattice {
  std::vector<std::vector<double>> axes; ///< log2 of sizes, rising; 8 at most
  std::vector<double> values;            ///< last axis fastest

  /// Half way between the largest value below and the smallest above each node.
  void makeMonotone();
  /// The value at sizes, at least 1 each, one an axis.
  double at(std::span<const double> sizes) const;
};

} // namespace soap

#endif // SOAP_LIB_PROFILE_SIZELATTICE_H
