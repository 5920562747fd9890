//===- LossScaling.h - Dynamic scale of the loss ----------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gradients of f16 vanish below 6e-8, so the loss is multiplied before the
// backward pass, and gradients are divided behind it. The factor is a state: it
// grows while gradients are finite, and an iteration whose gradients are not
// changes nothing but the factor (docs/TrainingStep.md#loss-scale).
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_TRANSFORMS_TRAININGSTEP_LOSSSCALING_H
#define SOAP_LIB_TRANSFORMS_TRAININGSTEP_LOSSSCALING_H

#include "OpMaker.h"

namespace mlir::soap {

struct LossScale {
  double initial = 65536;
  /// Finite iterations until the scale doubles.
  int64_t window = 2000;

  /// What is wrong with it, empty if nothing.
  std::string check() const;
};

/// 1 if `squares`, a sum of squares of f32, is finite, else 0.
Value buildIsFinite(OpMaker &ops, Value squares);

/// The next values of scale and of the number of finite iterations since it
/// changed, all of rank 0 and f32. `finite` is 1 or 0.
std::pair<Value, Value> buildNextScale(OpMaker &ops, Value scale, Value good,
                                       Value finite, const LossScale &options);

/// `updated` if `finite` is 1, else `old`; floats of any shape, or an i32.
Value buildKeep(OpMaker &ops, Value finite, Value updated, Value old,
                StringRef name);

} // namespace mlir::soap

#endif // SOAP_LIB_TRANSFORMS_TRAININGSTEP_LOSSSCALING_H
