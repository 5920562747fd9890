//===- Version.h - The version of Soap --------------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The version of Soap. Its number is in one place: `project(Soap VERSION ...)`
// in CMakeLists.txt.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_SUPPORT_VERSION_H
#define SOAP_SUPPORT_VERSION_H

namespace soap {

/// Major, minor and patch number: `0.2.0`.
const char *version();

/// The text that `--version` of every tool prints, without a newline: the
/// version, and the LLVM that Soap is built with: `Soap 0.2.0 (LLVM 22.1.8)`. A
/// build of the runtime alone has no LLVM: `Soap 0.2.0 (runtime only)`.
const char *versionLine();

} // namespace soap

#endif // SOAP_SUPPORT_VERSION_H
