//===- ArtifactModule.h - Programs of an artifact ---------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads the code of an artifact into the process. No compiler and no LLVM
// library is involved.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_RUNTIME_ARTIFACT_ARTIFACTMODULE_H
#define SOAP_RUNTIME_ARTIFACT_ARTIFACTMODULE_H

#include "Soap/Runtime/Artifact/ProgramSource.h"

namespace soap::runtime {

/// The file starts like an artifact.
bool isArtifactFile(const std::string &path);

/// Reads, checks and loads. The executable must export the functions of
/// Runtime.h to its shared objects (linking SoapRuntime with CMake does). The
/// result keeps the code alive.
Expected<ProgramSource> loadArtifact(const std::string &path);

} // namespace soap::runtime

#endif // SOAP_RUNTIME_ARTIFACT_ARTIFACTMODULE_H
