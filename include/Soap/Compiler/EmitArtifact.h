//===- EmitArtifact.h - Lowered modules as artifacts ------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles a lowered module into one file that runs without a compiler
// (docs/Artifacts.md).
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_COMPILER_EMITARTIFACT_H
#define SOAP_COMPILER_EMITARTIFACT_H

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace mlir::soap {

struct ArtifactOptions {
  /// 0..3, of LLVM's optimizer and code generator.
  int optLevel = 2;
  /// CPU features that the code may use, by LLVM's names.
  std::vector<std::string> features;
  /// The linker; empty: ld.lld of LLVM, of the path, or ld.
  std::string linker;
};

/// The bytes of the artifact. Failures emit diagnostics at the module.
FailureOr<std::string> emitArtifact(ModuleOp loweredModule,
                                    const ArtifactOptions &options);

} // namespace mlir::soap

#endif // SOAP_COMPILER_EMITARTIFACT_H
