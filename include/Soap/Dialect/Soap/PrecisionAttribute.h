//===- PrecisionAttribute.h - The precision of a module ---------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// On the module, `#soap.precision<...>`: in which precision products of f32
// tensors are priced and computed. Absent: f32.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_DIALECT_SOAP_PRECISIONATTRIBUTE_H
#define SOAP_DIALECT_SOAP_PRECISIONATTRIBUTE_H

#include "Soap/Model/Precision.h"

#include "mlir/IR/BuiltinOps.h"

namespace mlir::soap {

inline constexpr llvm::StringLiteral kPrecision = "soap.precision";

/// The precision of the module that `op` is, or is in; f32 if it says none.
::soap::ProductPrecision productPrecision(Operation *op);

/// The precision that a pass works in: that of its option `precision=`, or of
/// the module if the option is empty. None, with an error at the module, if the
/// option is no precision, or another one than the module's.
std::optional<::soap::ProductPrecision> resolvePrecision(ModuleOp module,
                                                         StringRef option);

} // namespace mlir::soap

#endif // SOAP_DIALECT_SOAP_PRECISIONATTRIBUTE_H
