//===- Library.h - Libraries that are loaded on demand ----------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiler and MPI are libraries of their own, found in the same places.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_RUNTIME_LIBRARY_H
#define SOAP_LIB_RUNTIME_LIBRARY_H

#include "Soap/Support/Error.h"

namespace soap::runtime {

/// A handle for `dlsym`. Looks at the path in the environment variable
/// `variable`, else for `file` in ../lib beside the executable, else on the
/// loader's path. The error is the loader's; where the variable is not set it
/// also says `origin`, where such a library comes from: "which the CMake target
/// X builds".
Expected<void *> loadLibrary(const char *file, const char *variable,
                             const char *origin);

/// The library with what runs on GPUs.
Expected<void *> loadCudaBackend();

} // namespace soap::runtime

#endif // SOAP_LIB_RUNTIME_LIBRARY_H
