//===- Differentiation.h - Reverse-mode differentiation ---------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Differentiates a straight line of ops over DifferentiableOpInterface. The
// training step is built with it, and so are the gradient checks.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_TRANSFORMS_TRAININGSTEP_DIFFERENTIATION_H
#define SOAP_LIB_TRANSFORMS_TRAININGSTEP_DIFFERENTIATION_H

#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::soap {

/// Appends to `block` (at the insertion point of `builder`, which is behind all
/// ops that matter) the ops that compute the gradients of the values `wanted`.
///
/// `gradients` holds on entry the gradient of each root (for a loss: 1), on
/// exit also that of each wanted value that a root depends on. Nothing is
/// computed that no wanted value needs. Contributions of several uses are
/// summed by `soap.accumulate`. An op on the way that has no gradient is an
/// error at that op.
LogicalResult buildBackward(OpBuilder &builder, Block &block,
                            ArrayRef<Value> wanted,
                            llvm::DenseMap<Value, Value> &gradients);

} // namespace mlir::soap

#endif // SOAP_LIB_TRANSFORMS_TRAININGSTEP_DIFFERENTIATION_H
