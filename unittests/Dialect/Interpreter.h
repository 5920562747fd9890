//===- Interpreter.h - Naive evaluation of soap ops -------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates one op by the formula of its description, element by element, in
// double. Written from the descriptions alone: it shares no code with the
// dialect's index arithmetic or with any lowering.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_UNITTESTS_DIALECT_INTERPRETER_H
#define SOAP_UNITTESTS_DIALECT_INTERPRETER_H

#include "Soap/Dialect/Soap/SoapOps.h"

namespace soap_test {

/// A dense row-major tensor. Labels are doubles too.
struct Tensor {
  std::vector<int64_t> shape;
  std::vector<double> data;

  Tensor() = default;
  explicit Tensor(llvm::ArrayRef<int64_t> shape, double value = 0);
  bool inside(llvm::ArrayRef<int64_t> index) const;
  double &at(llvm::ArrayRef<int64_t> index);
  double at(llvm::ArrayRef<int64_t> index) const;
  /// The value, or `outside` where the index is out of range.
  double read(llvm::ArrayRef<int64_t> index, double outside) const;
};

/// Calls `visit` for every index of a shape, in row-major order.
void forEachIndex(llvm::ArrayRef<int64_t> shape,
                  llvm::function_ref<void(llvm::ArrayRef<int64_t>)> visit);

/// Results of `op` on `operands`; their shapes come from the op's types.
std::vector<Tensor> evaluate(mlir::Operation *op,
                             const std::vector<Tensor> &operands);

} // namespace soap_test

#endif // SOAP_UNITTESTS_DIALECT_INTERPRETER_H
