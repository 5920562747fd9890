//===- Symbols.h - Functions of the C ABI by name ---------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled code finds the runtime through this table, not through the dynamic
// linker: the executable need not export anything.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_RUNTIME_ARTIFACT_SYMBOLS_H
#define SOAP_RUNTIME_ARTIFACT_SYMBOLS_H

namespace soap::runtime {

/// The address of a `soap_rt_*` function; null if there is none.
void *resolveSymbol(const char *name);

} // namespace soap::runtime

#endif // SOAP_RUNTIME_ARTIFACT_SYMBOLS_H
