//===- CompiledModule.h - Compiles IR in this process -----------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `compileModule` turns a file of IR into programs that a session can run. It
// loads the compiler library libSoapCompiler.so for that, so that a program
// which only runs artifacts needs no LLVM.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_RUNTIME_ARTIFACT_COMPILEDMODULE_H
#define SOAP_RUNTIME_ARTIFACT_COMPILEDMODULE_H

#include "Soap/Runtime/Artifact/ProgramSource.h"

namespace soap::runtime {

struct CompileRequest {
  /// A file of IR: text or MLIR bytecode.
  std::string path;
  /// Empty: the compiler's default.
  std::string topology, preset, strategy;
  /// Compile the reference lowering, which nothing parallelizes.
  bool reference = false;
  /// Shared objects with dialects that the file uses.
  std::vector<std::string> dialectPlugins;
  /// LLVM's level of optimization, 0 to 3.
  int optLevel = 2;
  /// Use compiled code from the cache on disk, and add to it.
  bool cache = true;
  /// Receives each diagnostic.
  std::function<void(const std::string &)> diagnostic;
};

/// Compiles with the library named by the environment variable SOAP_COMPILER,
/// else libSoapCompiler.so in ../lib beside the executable, else on the
/// loader's path. Checks that the manifest fits the programs. The result keeps
/// the code alive.
Expected<ProgramSource> compileModule(const CompileRequest &request);

} // namespace soap::runtime

#endif // SOAP_RUNTIME_ARTIFACT_COMPILEDMODULE_H
