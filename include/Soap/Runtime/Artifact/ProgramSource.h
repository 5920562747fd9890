//===- ProgramSource.h - Code of a module in this process -------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A `ProgramSource` is what a session runs: a manifest, and functions of this
// process for its device programs. `loadArtifact` (ArtifactModule.h) and
// `compileModule` (CompiledModule.h) make one; a program may also make its own
// from functions that it has compiled by other means.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_RUNTIME_ARTIFACT_PROGRAMSOURCE_H
#define SOAP_RUNTIME_ARTIFACT_PROGRAMSOURCE_H

#include "Soap/ABI/Runtime.h"
#include "Soap/Runtime/Artifact/Manifest.h"

#include <functional>
#include <memory>
#include <string>

namespace soap::runtime {

/// The manifest of a module and its device programs by name. Copies of
/// `program` and `data` keep the code alive.
struct ProgramSource {
  std::shared_ptr<const Manifest> manifest;
  /// The program of a name; null if there is none.
  std::function<SoapProgram(const std::string &)> program;
  /// The address of a constant of the module by its name; null if there is
  /// none. May be empty.
  std::function<const void *(const std::string &)> data = {};
};

} // namespace soap::runtime

#endif // SOAP_RUNTIME_ARTIFACT_PROGRAMSOURCE_H
