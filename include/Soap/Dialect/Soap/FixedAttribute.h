//===- FixedAttribute.h - Configs that no search changes --------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// On an op, a unit attribute: searches and presets keep its `soap.config`. It
// has a header of its own because only the passes that make strategies, and
// importers of programs with shardings, read it.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_DIALECT_SOAP_FIXEDATTRIBUTE_H
#define SOAP_DIALECT_SOAP_FIXEDATTRIBUTE_H

#include "llvm/ADT/StringRef.h"

namespace mlir::soap {

inline constexpr llvm::StringLiteral kFixed = "soap.fixed";

} // namespace mlir::soap

#endif // SOAP_DIALECT_SOAP_FIXEDATTRIBUTE_H
