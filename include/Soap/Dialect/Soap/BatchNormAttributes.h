//===- BatchNormAttributes.h - How batch norm trains ------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The attribute of a batch norm that says how its running statistics train.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_DIALECT_SOAP_BATCHNORMATTRIBUTES_H
#define SOAP_DIALECT_SOAP_BATCHNORMATTRIBUTES_H

#include "llvm/ADT/StringRef.h"

namespace mlir::soap {

/// On `soap.batch_norm`, an f64 in [0, 1]: the weight of a batch's statistics
/// in the running statistics, for the training step that is built from it.
/// Absent: the step's default, 0.1.
inline constexpr llvm::StringLiteral kBatchNormMomentum =
    "soap.batch_norm_momentum";

} // namespace mlir::soap

#endif // SOAP_DIALECT_SOAP_BATCHNORMATTRIBUTES_H
