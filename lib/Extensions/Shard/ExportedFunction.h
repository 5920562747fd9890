//===- ExportedFunction.h - The function that has the strategy --*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_EXTENSIONS_SHARD_EXPORTEDFUNCTION_H
#define SOAP_LIB_EXTENSIONS_SHARD_EXPORTEDFUNCTION_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::soap {

/// The function called `name`; empty: the only one with a body. Failure, with a
/// diagnostic, if there is none or several.
inline FailureOr<func::FuncOp> exportedFunction(ModuleOp module,
                                                StringRef name) {
  SmallVector<func::FuncOp> candidates;
  for (auto one : module.getOps<func::FuncOp>())
    if (!one.isExternal() && (name.empty() || one.getName() == name))
      candidates.push_back(one);
  if (candidates.size() == 1)
    return candidates.front();
  return module.emitError()
         << "has " << candidates.size() << " functions with a body"
         << (name.empty()
                 ? std::string(", expected one or the option 'function=NAME'")
                 : (" called '@" + name + "'").str());
}

} // namespace mlir::soap

#endif // SOAP_LIB_EXTENSIONS_SHARD_EXPORTEDFUNCTION_H
