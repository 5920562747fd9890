//===- ModuleContents.h - What a module holds, for messages -----*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes that find nothing to work on say what they have found instead: the
// functions of the module, and the dialects of their ops.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_TRANSFORMS_SUPPORT_MODULECONTENTS_H
#define SOAP_LIB_TRANSFORMS_SUPPORT_MODULECONTENTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::soap {

/// The functions of a module with the number of their ops by dialect:
/// `'@main' (12 linalg ops, 1 tensor op), '@f' (no body)`; `no function`.
/// The first five of more.
std::string describeFunctions(ModuleOp module);

/// An error if a function has ops, and none that a strategy can distribute: it
/// says of which dialects they are. A function without ops is no error.
LogicalResult checkModelOps(func::FuncOp function);

} // namespace mlir::soap

#endif // SOAP_LIB_TRANSFORMS_SUPPORT_MODULECONTENTS_H
