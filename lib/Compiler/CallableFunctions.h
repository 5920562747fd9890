//===- CallableFunctions.h - What compiled code may call --------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device programs call the runtime, mathematical functions, and what LLVM puts
// in for instructions. A module may name any other function of the process, on
// purpose or by mistake, so names are checked before the code is linked. That
// keeps IR from calling the system; it is no sandbox for code that computes
// addresses (docs/Security.md).
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_COMPILER_CALLABLEFUNCTIONS_H
#define SOAP_LIB_COMPILER_CALLABLEFUNCTIONS_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace llvm {
class Module;
}

namespace mlir::soap {

/// Whether code may use the symbol of another library than the runtime: libm,
/// `memcpy` and its like, and the helpers of compilers.
bool isCompilerFunction(StringRef name);

/// A diagnostic at the module for code that no symbol table shows: assembly,
/// and functions that run when the code is loaded.
LogicalResult checkCode(ModuleOp module, const llvm::Module &code);

/// A diagnostic at the declaration of the first symbol that the object needs
/// and may not use. `isProvided`: further ones that it may.
LogicalResult checkSymbols(ModuleOp module, ArrayRef<char> object,
                           llvm::function_ref<bool(StringRef)> isProvided);

} // namespace mlir::soap

#endif // SOAP_LIB_COMPILER_CALLABLEFUNCTIONS_H
