//===- LossCheck.h - Does the loss fit the model's result? ------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Softmax cross-entropy expects logits. A model that ends in a sigmoid, a
// softmax or one class was made for another loss, and would train without a
// word to something else.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_TRANSFORMS_TRAININGSTEP_LOSSCHECK_H
#define SOAP_LIB_TRANSFORMS_TRAININGSTEP_LOSSCHECK_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::soap {

/// How sure the user is of softmax cross-entropy.
enum class LossChoice {
  /// The user named no loss: a result that does not look like logits is an
  /// error.
  Assumed,
  /// The user named the loss: such a result is a warning that says what is
  /// computed.
  Named,
  /// No training step is built: a warning as well.
  InferenceOnly
};

/// Checks that a result of `forward`, a tensor [.., classes], can be the logits
/// of softmax cross-entropy. Fails after an error; one class is an error for
/// every choice.
LogicalResult checkSoftmaxCrossEntropy(func::FuncOp forward, unsigned result,
                                       LossChoice choice);

/// Warns if a result whose loss is binary cross-entropy with logits is computed
/// by a sigmoid or the like, which the loss has itself.
void warnOfActivation(func::FuncOp forward, unsigned result);

} // namespace mlir::soap

#endif // SOAP_LIB_TRANSFORMS_TRAININGSTEP_LOSSCHECK_H
