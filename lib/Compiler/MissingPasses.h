//===- MissingPasses.h - The rest of the pipeline ---------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A module may come at any stage: without a strategy, with one, partitioned, or
// lowered. The C ABI of the compiler and the C API run what is missing.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_COMPILER_MISSINGPASSES_H
#define SOAP_LIB_COMPILER_MISSINGPASSES_H

#include "Soap/ABI/Compiler.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace mlir::soap {

/// The passes that are missing on the way from the module's stage to a lowered
/// module; empty if there are none. Of `options`, strategy, preset, topology
/// and reference count.
std::string missingPasses(ModuleOp module, const SoapCompileOptions &options);

} // namespace mlir::soap

#endif // SOAP_LIB_COMPILER_MISSINGPASSES_H
