//===- Symbols.h - Addresses of the C ABI by name ---------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowered programs call the functions of Soap/ABI/Runtime.h. Code that the
// compiler library makes in this process finds them in the table of this header
// (`SoapCompileOptions::resolve`), so the executable need not export them to
// the dynamic linker.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_RUNTIME_ARTIFACT_SYMBOLS_H
#define SOAP_RUNTIME_ARTIFACT_SYMBOLS_H

namespace soap::runtime {

/// The address of a `soap_rt_*` function; null if there is none.
void *resolveSymbol(const char *name);

} // namespace soap::runtime

#endif // SOAP_RUNTIME_ARTIFACT_SYMBOLS_H
