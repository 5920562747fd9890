//===- ProgramInterface.h - Manifest and programs agree ---------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The manifest says how large the memory is that programs are given, and which
// messages they exchange; the programs say what they need. A module whose two
// sides differ would write beside its memory, or compute something else.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_RUNTIME_ARTIFACT_PROGRAMINTERFACE_H
#define SOAP_LIB_RUNTIME_ARTIFACT_PROGRAMINTERFACE_H

#include "Soap/Runtime/Artifact/ProgramSource.h"

namespace soap::runtime {

/// An error if a number of the manifest differs from the needs of the programs,
/// or if it is not the manifest that they were compiled with. For modules that
/// were loaded from files.
MaybeError verifyPrograms(const ProgramSource &source);

} // namespace soap::runtime

#endif // SOAP_LIB_RUNTIME_ARTIFACT_PROGRAMINTERFACE_H
