//===- RowForms.h - Normal forms of the values of a function ----*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values that linalg ops compute from a reference tensor, point by point and
// along one of its dims, as polynomials.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_EXTENSIONS_RECOGNIZE_ROWFORMS_H
#define SOAP_LIB_EXTENSIONS_RECOGNIZE_ROWFORMS_H

#include "Polynomial.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::soap::recognize {

ArrayRef<int64_t> shapeOf(Value value);
/// The dims of the value itself.
Labels ownLabels(Value value);

/// Values downstream of some values, in the order of the block, with their
/// dims named after dims of the reference tensor.
using LabelledValues = llvm::MapVector<Value, Labels>;

class RowForms {
public:
  /// `axis` is a dim of the reference, -1 for none.
  RowForms(Value reference, int axis);

  Value reference;
  int axis;
  Algebra algebra;

  /// Values that are atoms whatever makes them. Forgets all forms.
  void cut(Value value);
  /// Forgets all forms, so that they are found with what is assumed now.
  void forget() { known.clear(); }

  /// The value as a function of the points of the reference. A value that is
  /// not understood, or is not in `region`, is an atom; so is `reference`.
  Polynomial form(Value value, const Labels &labels);

  /// The value and those downstream of it within `depth` ops on one point or
  /// along one dim, with the labels of their dims. Tensors whose dims have no
  /// name are left out.
  LabelledValues downstream(Value from, const Labels &labels,
                            unsigned depth) const;
  /// Operands of an op by the labels of its result; none if the op is no
  /// elementwise op and no reduction along the axis.
  std::optional<SmallVector<std::pair<Value, Labels>>>
  operands(Operation *op, const Labels &labels) const;
  /// Whether a value has all dims of the reference.
  bool isFull(const Labels &labels) const;

  /// Ops that are expanded; others make atoms.
  llvm::DenseSet<Operation *> region;

private:
  llvm::DenseSet<Value> cuts;
  std::map<std::pair<void *, std::vector<int>>, Polynomial> known;
  int depth = 0;

  std::optional<Polynomial> expand(Value value, const Labels &labels);
  std::optional<SmallVector<int>> loopLabels(linalg::GenericOp op,
                                             const Labels &labels) const;
  std::optional<Labels> operandLabels(linalg::GenericOp op, unsigned operand,
                                      ArrayRef<int> loops) const;
  std::optional<Polynomial> body(linalg::GenericOp op, Value scalar,
                                 ArrayRef<std::optional<Polynomial>> operands);
};

/// Whether all elements of a value are a known number.
std::optional<double> splatOf(Value value);
/// Whether an op makes another view of its only operand.
bool isCopy(Operation *op);

} // namespace mlir::soap::recognize

#endif // SOAP_LIB_EXTENSIONS_RECOGNIZE_ROWFORMS_H
