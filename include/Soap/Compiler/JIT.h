//===- JIT.h - Runs lowered modules in this process -------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a module in the LLVM dialect, as `--soap-lower-to-cpu` leaves it, to
// addresses of device programs.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_COMPILER_JIT_H
#define SOAP_COMPILER_JIT_H

#include "mlir/IR/BuiltinOps.h"

#include <memory>
#include <string>

namespace llvm::orc {
class LLJIT;
} // namespace llvm::orc

namespace mlir::soap {

class ObjectCache;

/// Compiled device programs. Code lives as long as the object.
class JITModule {
public:
  /// Finds a runtime function by name; null if there is none.
  using Resolver = void *(*)(const char *name);

  /// Compiles for this machine. `optLevel` is 0..3, of LLVM's optimizer and
  /// code generator. Code comes from `cache` if there is one and it has it.
  /// Failures emit diagnostics at the module.
  static FailureOr<std::unique_ptr<JITModule>>
  create(ModuleOp loweredModule, Resolver resolver, int optLevel,
         const ObjectCache *cache = nullptr);
  ~JITModule();

  /// Address of a device program, null if there is none of that name.
  void *lookup(StringRef name);
  /// JSON of docs/Runtime.md.
  StringRef manifest() const { return manifestText; }

private:
  JITModule();
  std::unique_ptr<llvm::orc::LLJIT> jit;
  std::string manifestText;
};

} // namespace mlir::soap

#endif // SOAP_COMPILER_JIT_H
