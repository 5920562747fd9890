//===- ReferenceProgram.h - Runs functions by their reference lowering ----===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles a module of soap functions through the reference lowering (no
// library, no fusion) and calls them on tensors in memory.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_UNITTESTS_GRADIENTS_REFERENCEPROGRAM_H
#define SOAP_UNITTESTS_GRADIENTS_REFERENCEPROGRAM_H

#include "Soap/Compiler/JIT.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <map>

namespace soap_test {

/// Elements in row-major order; elements of i32 tensors are doubles, too.
using Values = std::vector<double>;

/// A context that knows the dialects of soap functions and of their lowering.
class Context {
public:
  Context();
  /// Parses a module; null and `messages` if that fails.
  mlir::OwningOpRef<mlir::ModuleOp> parse(llvm::StringRef text);

  mlir::MLIRContext context;
  /// Diagnostics so far.
  std::string messages;

private:
  std::unique_ptr<mlir::ScopedDiagnosticHandler> handler;
};

/// The compiled functions of a module. Element types are f64, f32 and i32.
class ReferenceProgram {
public:
  /// Compiles a copy of `module`. Null if that fails; the context has the
  /// messages.
  static std::unique_ptr<ReferenceProgram> compile(mlir::ModuleOp module);

  /// Runs a function. Results in the order of the function; those that replace
  /// an argument as well.
  std::vector<Values> run(llvm::StringRef function,
                          const std::vector<Values> &arguments) const;

private:
  struct Tensor {
    int64_t elements;
    enum { F64, F32, I32 } type;
    /// Of a result: the argument that it replaces, or -1.
    int64_t updates = -1;
  };
  struct Function {
    void *address;
    int64_t arenaBytes;
    std::vector<Tensor> arguments, results;
  };
  static Tensor describe(mlir::Type type);

  std::unique_ptr<mlir::soap::JITModule> code;
  std::map<std::string, Function> functions;
};

} // namespace soap_test

#endif // SOAP_UNITTESTS_GRADIENTS_REFERENCEPROGRAM_H
