//===- GradientUtils.h - Helpers of gradient builders -----------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that the buildGradient methods share: creating ops that are marked
// as part of the backward pass of a forward op, finding which loops of a
// gradient op are which loops of its forward op, and undoing broadcasts.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_DIALECT_SOAP_GRADIENTS_GRADIENTUTILS_H
#define SOAP_LIB_DIALECT_SOAP_GRADIENTS_GRADIENTUTILS_H

#include "../OpSupport.h"
#include "Soap/Dialect/Soap/LoopCorrespondence.h"
#include "Soap/Dialect/Soap/SoapOps.h"

namespace mlir::soap {

inline RankedTensorType tensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// Creates the gradient ops of one forward op. Each gets `soap.grad_of` and, if
/// the forward op has a name, the name
/// `<forward>.<suffix>`.
class GradientBuilder {
public:
  GradientBuilder(OpBuilder &builder, Operation *forward)
      : builder(builder), forward(forward) {}

  /// `loopMap` pairs (own loop, forward loop).
  template <typename OpTy, typename... Args>
  OpTy create(StringRef suffix,
              ArrayRef<std::pair<StringRef, StringRef>> loopMap,
              Args &&...args) {
    OpTy op =
        OpTy::create(builder, forward->getLoc(), std::forward<Args>(args)...);
    mark(op, suffix, loopMap);
    return op;
  }
  /// For ops whose loops have the names of the forward op's.
  template <typename OpTy, typename... Args>
  OpTy create(StringRef suffix, Args &&...args) {
    return create<OpTy>(suffix, ArrayRef<std::pair<StringRef, StringRef>>(),
                        std::forward<Args>(args)...);
  }
  /// Records the loop correspondence of `op` from a tensor of `op` that is
  /// split like a tensor of the forward op.
  void matchLoops(Operation *op, unsigned ownTensor, unsigned forwardTensor);
  /// The same with the forward op's loop of each dim of the tensor; empty:
  /// none.
  void matchLoops(Operation *op, unsigned ownTensor,
                  ArrayRef<std::string> forwardLoops);

  /// Sums `gradient` over the dims in which `shape` was broadcast (NumPy
  /// rules), giving a tensor of `shape`; `forwardOperand` is the operand of the
  /// forward op that has this shape.
  Value unbroadcast(Value gradient, ArrayRef<int64_t> shape,
                    unsigned forwardOperand, StringRef suffix);
  /// Sums over all dims but one.
  Value sumAllBut(Value value, int64_t axis, StringRef suffix);
  Value reshape(Value value, ArrayRef<int64_t> shape, StringRef suffix);
  /// The gradient of a sum that may have a type of its own (SumAttribute.h), in
  /// that of what it sums, as `operand`. `result` is the number of the sum
  /// among the tensors of the forward op.
  Value likeOperands(Value gradient, Value operand, unsigned result);
  Value transpose(Value value, ArrayRef<int64_t> permutation, StringRef suffix);
  Value splat(double value, RankedTensorType type, StringRef suffix);

private:
  void mark(Operation *op, StringRef suffix,
            ArrayRef<std::pair<StringRef, StringRef>> loopMap);

  OpBuilder &builder;
  Operation *forward;
};

} // namespace mlir::soap

#endif // SOAP_LIB_DIALECT_SOAP_GRADIENTS_GRADIENTUTILS_H
