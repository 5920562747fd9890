//===- Compiler.c - libSoapCompiler of the wheel --------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A name under which soap-run finds libSoapCAPI.so, which has the functions of
// Soap/ABI/Compiler.h: dlsym looks into what a library is linked to.
//
//===----------------------------------------------------------------------===//

extern const char *soapVersion(void);

__attribute__((visibility("hidden"))) const char *(*const soapUsedLibrary)(
    void) = soapVersion;
