//===- Embed.h - What a program that runs modules includes ------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime for programs that train or run a module in their own process.
// Such a program links Soap::Runtime, gets device programs from
// libSoapCompiler (Soap/ABI/Compiler.h, target Soap::Compiler) or from an
// artifact (`loadArtifact`), binds them to devices and memory (`Session`),
// gives parameters their first values (`initialize`), and runs entries.
// docs/tutorials/Embedder.md has a program. No part of it needs LLVM's headers.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_EMBED_H
#define SOAP_EMBED_H

#include "Soap/Runtime/Artifact/ArtifactModule.h"
#include "Soap/Runtime/Artifact/CompiledModule.h"
#include "Soap/Runtime/Artifact/Manifest.h"
#include "Soap/Runtime/Artifact/ProgramSource.h"
#include "Soap/Runtime/Artifact/Symbols.h"
#include "Soap/Runtime/Data/HostTensor.h"
#include "Soap/Runtime/Execution/Initialize.h"
#include "Soap/Runtime/Execution/Session.h"
#include "Soap/Runtime/Execution/TensorStore.h"

#endif // SOAP_EMBED_H
