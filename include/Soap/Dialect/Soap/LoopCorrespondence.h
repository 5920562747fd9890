//===- LoopCorrespondence.h - Which loops are the same split ----*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops that share a decision (a forward op, its gradients, the updates of its
// weights) record which of their loops are the same. Where both access one
// tensor in the same shape and meaning, the access maps tell.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_DIALECT_SOAP_LOOPCORRESPONDENCE_H
#define SOAP_DIALECT_SOAP_LOOPCORRESPONDENCE_H

#include "mlir/IR/Operation.h"

#include <string>
#include <utility>

namespace mlir::soap {

/// Pairs (loop of `own`, loop of `forward`) that index the same dims of a
/// tensor which both access. Tensors are numbered operands first, then results.
/// A transpose and its gradient, by the forward op's operand: (d0, d1), (d1,
/// d0). The update of a matmul's weight: (d0, k), (d1, n).
SmallVector<std::pair<std::string, std::string>>
correspondingLoops(Operation *own, unsigned ownTensor, Operation *forward,
                   unsigned forwardTensor);

} // namespace mlir::soap

#endif // SOAP_DIALECT_SOAP_LOOPCORRESPONDENCE_H
