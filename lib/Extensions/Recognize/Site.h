//===- Site.h - A group of ops that may be one op ---------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The values that one op computes, those that its gradient computes, and their
// replacement.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_EXTENSIONS_RECOGNIZE_SITE_H
#define SOAP_LIB_EXTENSIONS_RECOGNIZE_SITE_H

#include "RowForms.h"

#include "Soap/Extensions/RecognizeOps.h"

#include "mlir/IR/Builders.h"

namespace mlir::soap::recognize {

using LabelledValue = std::pair<Value, Labels>;

/// Ops that a program needs between a value and what depends on it.
constexpr unsigned reach = 24;

/// Of the value `rest` + dx of a program; `rest` may be null.
struct InputGradient {
  LabelledValue value;
  LabelledValue rest;
};

/// The values that may become ops. Labels name dims of the operand `x`.
struct Site {
  Value x;
  int axis = -1;
  /// Values that are the result of the op.
  std::vector<LabelledValue> results;
  /// The gradient of the result, if the program has one, and the values that
  /// are gradients of the operands.
  LabelledValue dy;
  std::vector<InputGradient> dx;
  std::vector<LabelledValue> dgamma, dbeta;

  bool hasGradient() const { return !dx.empty(); }
  /// Whether nothing needs an op when the values above come from elsewhere.
  bool isDead(Operation *op) const;
  void replaceResults(Value y) const;
  /// Replaces values by sums of `rest` and the gradient of x.
  void replaceInputGradients(Value gradient) const;
  /// Replaces values that have the axis only.
  void replaceAlongAxis(ArrayRef<LabelledValue> values, Value by) const;
  /// A point after the definitions of values.
  static void setAfter(OpBuilder &builder, ValueRange values);
  /// `value`, whose dims have labels, with the dims of x.
  Value asX(OpBuilder &builder, const LabelledValue &value) const;
  /// `value`, whose dims have labels, with the axis only.
  Value asAxis(OpBuilder &builder, const LabelledValue &value) const;
  /// The location of an op that computes a value, or the gradient in it, with
  /// the dims of x. It is that of the value only where the op computes all of
  /// it and in the order of its dims: exports find the ops of a program by
  /// their locations.
  Location locationOf(const LabelledValue &value) const;
  Location locationOf(const InputGradient &gradient) const;
};

/// Whether a value is a tensor of f32 or f64 of known shape.
bool isFloatTensor(Value value);
/// Full tensors that ops of `inside` read, and that are not there: what may be
/// the gradient of a result.
std::vector<LabelledValue> outerOperands(const RowForms &forms,
                                         const LabelledValues &inside);
/// Adds the ops that make values to the region of `forms`.
void addRegion(RowForms &forms, const LabelledValues &values);
/// The other operand of a product, and the labels of both; none if the value is
/// no product of a full tensor and one along the axis.
std::optional<LabelledValue> scaledOperand(const RowForms &forms,
                                           const LabelledValue &value);
/// The rest of `a` - `b`: nothing, or one full tensor that is added.
std::optional<LabelledValue> remainderOf(RowForms &forms, const Polynomial &a,
                                         const Polynomial &b);

/// The values of `fromDy` that are `gradient`, or `gradient` and a rest that is
/// added; none that is `dy` itself or a view of another one.
std::vector<InputGradient> findInputGradients(RowForms &forms,
                                              const LabelledValues &fromDy,
                                              Value dy,
                                              const Polynomial &gradient);

/// Replaces the op of a group that the exponential, or the root, is in.
bool recognizeSoftmax(linalg::GenericOp exponential, RecognizedOps &found);
bool recognizeNorm(linalg::GenericOp root, RecognizedOps &found);
/// `inner` has the hyperbolic tangent of the approximate form, else the error
/// function.
bool recognizeGelu(linalg::GenericOp inner, bool approximate,
                   RecognizedOps &found);

} // namespace mlir::soap::recognize

#endif // SOAP_LIB_EXTENSIONS_RECOGNIZE_SITE_H
