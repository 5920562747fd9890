//===- SumAttribute.h - Sums of narrow floats in a wide type ----*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// On an op that sums floats of 16 bits (matmul, reduce sum, conv2d_weight_grad,
// gather_grad), `soap.sum_type = f32`: the result has this type, and nothing is
// rounded. So partial sums of microbatches and devices are f32, too: a plan
// adds up contributions in the type of their value. It has a header of its own
// because few files outside of the dialect make such ops.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_DIALECT_SOAP_SUMATTRIBUTE_H
#define SOAP_DIALECT_SOAP_SUMATTRIBUTE_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

namespace mlir::soap {

inline constexpr llvm::StringLiteral kSumType = "soap.sum_type";

/// The type of a sum of 16-bit elements by the attributes of its op (null:
/// none), else `element`.
Type sumTypeOf(Type element, DictionaryAttr attributes);
/// Whether the op may have `soap.sum_type`, whatever the types of its operands
/// are.
bool mayHaveSumType(Operation *op);

} // namespace mlir::soap

#endif // SOAP_DIALECT_SOAP_SUMATTRIBUTE_H
