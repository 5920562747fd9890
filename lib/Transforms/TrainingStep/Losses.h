//===- Losses.h - Losses and metrics of a result ----------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Appends the loss of a result of @forward, and what is measured beside it.
// docs/TrainingStep.md has the formulas.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_TRANSFORMS_TRAININGSTEP_LOSSES_H
#define SOAP_LIB_TRANSFORMS_TRAININGSTEP_LOSSES_H

#include "OpMaker.h"

#include <optional>

namespace mlir::soap {

enum class LossKind {
  SoftmaxCrossEntropy,
  BceWithLogits,
  Mse,
  L1,
  Huber,
  /// The result is a loss, a tensor with one element.
  Output,
  None
};

/// The kind of that name; `auto` is softmax cross-entropy.
std::optional<LossKind> lossNamed(StringRef name);
StringRef nameOf(LossKind kind);
/// "'auto', 'softmax-cross-entropy', ..." for messages.
std::string lossNames();
/// Labels are integers, one for each row of logits.
inline bool hasClasses(LossKind kind) {
  return kind == LossKind::SoftmaxCrossEntropy;
}
/// Labels are numbers, one for each element of the result.
inline bool hasTargets(LossKind kind) {
  return kind == LossKind::BceWithLogits || kind == LossKind::Mse ||
         kind == LossKind::L1 || kind == LossKind::Huber;
}

/// A quantity that is measured beside the loss.
struct Metric {
  enum Kind { Accuracy, TopK, MeanAbsoluteError, Perplexity } kind;
  /// Of TopK.
  int64_t k = 0;
  /// As the option has it.
  std::string name;

  /// Nothing if no metric is called so.
  static std::optional<Metric> parse(StringRef name);
  /// Whether it can be computed where a result has this loss.
  bool fits(LossKind loss) const;
};

struct LossOptions {
  LossKind kind = LossKind::SoftmaxCrossEntropy;
  /// Of softmax cross-entropy.
  std::optional<int64_t> ignoreIndex;
  double labelSmoothing = 0;
  SmallVector<double> classWeights;
  double huberDelta = 1;
  /// The batch may be filled up with rows of a negative label, or elements of
  /// label NaN, which count nothing.
  bool mayHaveFiller = false;
  /// The loss is the mean over what counts, not over all labels.
  bool meanOfCounted = false;
  SmallVector<Metric> metrics;

  /// The loss of softmax cross-entropy is the op `soap.cross_entropy`.
  bool isPlain() const {
    return !ignoreIndex && labelSmoothing == 0 && classWeights.empty() &&
           !meanOfCounted && metrics.empty();
  }
  /// The loss is divided by something that depends on the labels.
  bool hasOwnDivisor() const {
    return ignoreIndex || !classWeights.empty() || meanOfCounted;
  }
};

/// The values of one loss, all of rank 0. Null: there is none.
struct LossValues {
  Value loss;
  /// Labels whose logit is the largest; elements on the right side of 0.
  Value correct;
  /// Labels that count, and what the loss is divided by where that is not their
  /// number; with `hasOwnDivisor` only.
  Value counted, weight;
  /// By metric, sums over the labels that count (over `weight` for Perplexity,
  /// which is the sum of the losses).
  SmallVector<Value> metrics;
};

/// Appends the loss of `result` against `labels` (null for LossKind::Output),
/// which fit (docs/TrainingStep.md).
LossValues buildLoss(OpMaker &ops, Value result, Value labels,
                     const LossOptions &options);

} // namespace mlir::soap

#endif // SOAP_LIB_TRANSFORMS_TRAININGSTEP_LOSSES_H
