//===- SharedLibrary.h - Libraries that are loaded on demand ----*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiler, MPI, NCCL and the CUDA backend are shared libraries that a
// program loads only when it needs them. All of them are looked for in the same
// places.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SUPPORT_SHAREDLIBRARY_H
#define SOAP_LIB_SUPPORT_SHAREDLIBRARY_H

#include "Soap/Support/Error.h"

namespace soap {

/// Loads a library and returns its handle for `dlsym`. Looks at the path in the
/// environment variable `variable`, else for `file` in ../lib beside the
/// executable, else on the loader's path. The error is the loader's; where the
/// variable is not set, it also says `origin`, where such a library comes from:
/// "which the CMake target X builds".
Expected<void *> loadLibrary(const char *file, const char *variable,
                             const char *origin);

} // namespace soap

#endif // SOAP_LIB_SUPPORT_SHAREDLIBRARY_H
