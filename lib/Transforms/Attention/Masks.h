//===- Masks.h - Which keys constant masks show to queries ------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Causal masks and sliding windows, as models write them: comparisons of
// positions, and matrices of zeros and numbers that hide.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_TRANSFORMS_ATTENTION_MASKS_H
#define SOAP_LIB_TRANSFORMS_ATTENTION_MASKS_H

#include "Soap/Dialect/Soap/SoapOps.h"

#include <optional>

namespace mlir::soap {

/// Query i sees key j if low <= j - i <= high; an absent bound is none.
struct VisibleKeys {
  std::optional<int64_t> low, high;

  /// The keys that both show.
  VisibleKeys meet(const VisibleKeys &other) const;
  /// Each of so many queries sees one of so many keys.
  bool showsEveryQuery(int64_t queries, int64_t keys) const;
};

/// The elements of a constant of floats, through conversions of types.
std::optional<DenseElementsAttr> constantOf(Value value);
/// The value of every element of a constant.
std::optional<double> splatOf(Value value);

/// A number that hides a score to which it is added, or that it replaces, from
/// a softmax that other scores take part in.
bool hides(double number);

/// The keys for which a condition that broadcasts to [.., queries, keys] is
/// true, if they are known and the same for all rows of other dims.
std::optional<VisibleKeys> keysOfCondition(Value condition, int64_t queries,
                                           int64_t keys);
/// The same of a constant of zeros and numbers that hide.
std::optional<VisibleKeys> keysOfMask(Value mask, int64_t queries,
                                      int64_t keys);

} // namespace mlir::soap

#endif // SOAP_LIB_TRANSFORMS_ATTENTION_MASKS_H
