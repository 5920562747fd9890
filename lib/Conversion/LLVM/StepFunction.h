//===- StepFunction.h - Programs as LLVM functions --------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program is straight-line code on buffers at known places, so it becomes
// calls with raw pointers directly: no dialect conversion, no descriptors.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_CONVERSION_LLVM_STEPFUNCTION_H
#define SOAP_LIB_CONVERSION_LLVM_STEPFUNCTION_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/SymbolTable.h"

namespace mlir::soap {

/// Declarations of the runtime's functions, and constants, made on demand.
class RuntimeSymbols {
public:
  explicit RuntimeSymbols(ModuleOp module);

  /// `NAME(types...)`, without result unless its type is given.
  LLVM::LLVMFuncOp function(StringRef name, ArrayRef<Type> types,
                            Type result = {});
  /// A constant array of numbers; equal ones are one.
  LLVM::GlobalOp array(ArrayRef<int64_t> values);
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

/// Replaces a planned program (`--soap-plan-memory`) by
/// `llvm.func @NAME(!llvm.ptr ctx, !llvm.ptr args, !llvm.ptr arena)`. Programs
/// on streams (`--soap-order-streams`) launch kernels instead of calling them.
/// The constant `soap_interface_NAME` says what the program needs of its caller
/// (Soap/ABI/Runtime.h).
LogicalResult lowerProgram(func::FuncOp program, RuntimeSymbols &runtime);

} // namespace mlir::soap

#endif // SOAP_LIB_CONVERSION_LLVM_STEPFUNCTION_H
