//===- RuntimeSymbols.h - What programs call and read -----------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of the runtime and constants of a module, as LLVM symbols.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_CONVERSION_LLVM_RUNTIMESYMBOLS_H
#define SOAP_LIB_CONVERSION_LLVM_RUNTIMESYMBOLS_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"

namespace mlir::soap {

/// Declarations of the runtime's functions, and constants, made on demand.
class RuntimeSymbols {
public:
  explicit RuntimeSymbols(ModuleOp module);

  /// `NAME(types...)`, without result unless its type is given.
  LLVM::LLVMFuncOp function(StringRef name, ArrayRef<Type> types,
                            Type result = {});
  /// A constant array of numbers; equal ones are one. A new one is called
  /// `name`, or the like.
  LLVM::GlobalOp array(ArrayRef<int64_t> values, StringRef name = "shape");
  /// A constant array with the elements of a tensor.
  LLVM::GlobalOp elements(StringRef name, ElementsAttr values);

  /// A constant array of numbers that the runtime finds by its name.
  void exportArray(StringRef name, ArrayRef<int64_t> values);

  SymbolTable &table() { return symbols; }
  ModuleOp getModule() const { return module; }

private:
  ModuleOp module;
  SymbolTable symbols;
  DenseMap<Attribute, LLVM::GlobalOp> arrays;

  LLVM::GlobalOp create(StringRef name, Type type, Attribute value,
                        LLVM::Linkage linkage = LLVM::Linkage::Private);
};

} // namespace mlir::soap

#endif // SOAP_LIB_CONVERSION_LLVM_RUNTIMESYMBOLS_H
