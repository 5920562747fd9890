//===- CompiledModule.h - IR through libSoapCompiler ------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads the compiler library on demand (this side links no LLVM), compiles a
// file with it, and holds the code.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_RUNTIME_ARTIFACT_COMPILEDMODULE_H
#define SOAP_RUNTIME_ARTIFACT_COMPILEDMODULE_H

#include "Soap/Runtime/Artifact/ProgramSource.h"

namespace soap::runtime {

struct CompileRequest {
  std::string path;
  /// Empty: the compiler's default.
  std::string topology, preset, strategy;
  bool reference = false;
  /// Shared objects with dialects that the file uses.
  std::vector<std::string> dialectPlugins;
  int optLevel = 2;
  /// Use compiled code from the cache on disk, and add to it.
  bool cache = true;
  /// Receives each diagnostic.
  std::function<void(const std::string &)> diagnostic;
};

/// Compiles with the library named by the environment variable SOAP_COMPILER,
/// else libSoapCompiler.so in ../lib beside the executable, else on the
/// loader's path. The result keeps the code alive.
Expected<ProgramSource> compileModule(const CompileRequest &request);

} // namespace soap::runtime

#endif // SOAP_RUNTIME_ARTIFACT_COMPILEDMODULE_H
