//===- Linalg.h - linalg programs as Soap models ----------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attaches Soap's interfaces to ops of linalg, tensor, arith and math
// (docs/Linalg.md), so that functions of them are searched, partitioned and
// run as functions of soap ops are.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_EXTENSIONS_LINALG_H
#define SOAP_EXTENSIONS_LINALG_H

#include "mlir/IR/DialectRegistry.h"

namespace mlir::soap {

/// Inserts the dialects linalg, tensor, arith and math, and attaches
/// `IterationSpaceOpInterface` and `KernelOpInterface` to their ops when a
/// context loads them.
void registerLinalgExtension(DialectRegistry &registry);

} // namespace mlir::soap

#endif // SOAP_EXTENSIONS_LINALG_H
