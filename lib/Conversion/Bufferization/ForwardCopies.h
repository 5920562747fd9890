//===- ForwardCopies.h - Parts are made where they belong -------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A buffer that is assembled from parts, each of which is made in a buffer
// of its own and copied: the parts are made in it instead, without copies. So a
// received tile is received where it is needed.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_CONVERSION_BUFFERIZATION_FORWARDCOPIES_H
#define SOAP_LIB_CONVERSION_BUFFERIZATION_FORWARDCOPIES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::soap {

/// In a bufferized program; straight-line code.
void forwardCopies(func::FuncOp program);

} // namespace mlir::soap

#endif // SOAP_LIB_CONVERSION_BUFFERIZATION_FORWARDCOPIES_H
