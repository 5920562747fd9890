//===- RoleAttributes.h - Which arguments are trained -----------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The attribute that says what import does not know about the arguments of a
// function, for the pass that trains it.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_DIALECT_SOAP_ROLEATTRIBUTES_H
#define SOAP_DIALECT_SOAP_ROLEATTRIBUTES_H

#include "llvm/ADT/StringRef.h"

namespace mlir::soap {

/// On an imported function, an array of strings: each names a tensor whose role
/// (trained or constant) is a guess, and says why. Such a function is for
/// inference: no training step is built of it.
inline constexpr llvm::StringLiteral kUncertainRoles = "soap.uncertain_roles";

} // namespace mlir::soap

#endif // SOAP_DIALECT_SOAP_ROLEATTRIBUTES_H
