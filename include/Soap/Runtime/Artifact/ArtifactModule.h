//===- ArtifactModule.h - Loads artifacts -----------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An artifact is a file with a manifest and the compiled programs of a module
// (docs/Artifacts.md). `loadArtifact` loads its code into this process, without
// a compiler and without LLVM.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_RUNTIME_ARTIFACT_ARTIFACTMODULE_H
#define SOAP_RUNTIME_ARTIFACT_ARTIFACTMODULE_H

#include "Soap/Runtime/Artifact/ProgramSource.h"

namespace soap::runtime {

/// Whether a regular file begins with the magic bytes of an artifact. False for
/// files that cannot be opened.
bool isArtifactFile(const std::string &path);

/// Reads an artifact, checks that this machine can run it and that its manifest
/// fits its programs, and loads the code. The executable must export the
/// functions of Soap/ABI/Runtime.h to its shared objects, as executables do
/// that link SoapRuntime with CMake. The result keeps the code alive.
Expected<ProgramSource> loadArtifact(const std::string &path);

} // namespace soap::runtime

#endif // SOAP_RUNTIME_ARTIFACT_ARTIFACTMODULE_H
