//===- GradientCheck.h - Gradients against central differences --*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Differentiates a function of float64 tensors and compares the result with
// finite differences. Both sides run through the reference lowering.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_UNITTESTS_GRADIENTS_GRADIENTCHECK_H
#define SOAP_UNITTESTS_GRADIENTS_GRADIENTCHECK_H

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace soap_test {

/// Where random arguments are drawn from. In every range, any two of all
/// elements of all arguments are far apart compared to the step of the finite
/// difference, and none is near 0: maxima, rectifiers and the like are
/// differentiable there.
enum class Range {
  Signed,   ///< [-2, 2]
  Positive, ///< [0.5, 2.5]
  Unit,     ///< [-0.8, 0.8]
  AboveOne  ///< [1.5, 3.5]
};

/// Checks `func.func @forward` of `text`: all its results must be float64 and
/// differentiable, all its float64 arguments are differentiated, except those
/// with `soap.kind = #soap.kind<state>`. Integer arguments are labels in [-1,
/// classes).
///
/// With L = sum of all results, each element weighted with a random number,
/// dL/dx of every argument is compared: once with all arguments wanted, once
/// with that one alone. Also checks that loop maps name loops that exist.
/// Returns "" or what is wrong.
std::string checkGradients(llvm::StringRef text, Range range = Range::Signed,
                           int classes = 2);

/// Text of a function that applies one op: `op` with attributes, e.g.
/// "soap.reduce sum" and "axes = array<i64: 0>", on arguments of the given
/// shapes ("4x5"; "" is rank 0), to one result.
std::string functionOf(llvm::StringRef op, llvm::StringRef attributes,
                       const std::vector<std::string> &shapes,
                       const std::string &result);

} // namespace soap_test

#endif // SOAP_UNITTESTS_GRADIENTS_GRADIENTCHECK_H
