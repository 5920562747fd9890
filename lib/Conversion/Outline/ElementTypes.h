//===- ElementTypes.h - Types that programs compute with --------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks of element types: which have a lowering, and which a launcher can
// hold. They run before anything is lowered.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_CONVERSION_OUTLINE_ELEMENTTYPES_H
#define SOAP_LIB_CONVERSION_OUTLINE_ELEMENTTYPES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::soap {

/// Fails, with an error, if an op of a program has elements that no kernel
/// computes with.
LogicalResult checkComputedTypes(func::FuncOp program);

/// Fails, with an error, if a tensor of `soap.programs` (an argument or a
/// result of an entry) has elements that the runtime has no type for
/// (Soap/Runtime/Artifact/Manifest.h). Modules without that table have no
/// launcher.
LogicalResult checkTensorTypes(ModuleOp module);

} // namespace mlir::soap

#endif // SOAP_LIB_CONVERSION_OUTLINE_ELEMENTTYPES_H
