//===- TensorErrors.h - Tensors of two computations -------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How far a tensor of a device is from the host's, and how far it may be. Two
// tolerances are added: one relative to the size of the tensor, by its type and
// the length of sums, and one that is measured: how much the host's result
// changes where operands are rounded. A sum that cancels has a small result and
// a large change.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_RUNTIME_EXECUTION_TENSORERRORS_H
#define SOAP_LIB_RUNTIME_EXECUTION_TENSORERRORS_H

#include "Soap/Runtime/Data/HostTensor.h"

#include <string>

namespace soap::runtime {

/// A tensor as a device and as the host has computed it.
struct TensorPair {
  std::string name;
  ElementType type = ElementType::F32;
  int64_t count = 0;
  const void *device = nullptr, *host = nullptr;
  /// Errors are relative to the largest number of the host, or to this if it is
  /// larger.
  double scale = 0;
  /// The tolerance: relative to the same, and beside it.
  double relative = 0, absolute = 0;
};

struct TensorError {
  /// Relative to the scale; infinite where one of both is a number and the
  /// other is none.
  double error = 0, tolerance = 0;
  int64_t element = -1; ///< where it is; -1: the tensors are equal
  bool isBeyond() const { return !(error <= tolerance); }
};

TensorError errorOf(const TensorPair &pair);

/// Whether some element is a number, as all integers are.
bool hasNumber(ElementType type, const void *data, int64_t count);
/// The largest finite number, without its sign, and the root of the mean of
/// squares.
double maxAbs(ElementType type, const void *data, int64_t count);
double rootMeanSquare(ElementType type, const void *data, int64_t count);

/// A rounding of an operand, as `perturb` makes it: a change of a number by one
/// part in so many, up or down. 16 bits can hold it.
constexpr double perturbation = 1.0 / 128;
/// Changes numbers so, in place; other elements stay.
void perturb(ElementType type, void *data, int64_t count);
/// The largest difference of two tensors, of elements that are numbers in both.
double maxDifference(ElementType type, const void *a, const void *b,
                     int64_t count);

} // namespace soap::runtime

#endif // SOAP_LIB_RUNTIME_EXECUTION_TENSORERRORS_H
