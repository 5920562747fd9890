//===- TrainingAttributes.h - What a training step was built with *- C++ -*-==//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A header of its own: few files build or read training steps.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_DIALECT_SOAP_TRAININGATTRIBUTES_H
#define SOAP_DIALECT_SOAP_TRAININGATTRIBUTES_H

#include "llvm/ADT/StringRef.h"

namespace mlir::soap {

/// On a module, a string: the options of its training step, as "name=value
/// name=value". A training goes on from a checkpoint of the same options only.
inline constexpr llvm::StringLiteral kTraining = "soap.training";

} // namespace mlir::soap

#endif // SOAP_DIALECT_SOAP_TRAININGATTRIBUTES_H
