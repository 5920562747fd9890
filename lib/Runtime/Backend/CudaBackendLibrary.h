//===- CudaBackendLibrary.h - Loads the CUDA backend ------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libSoapCudaBackend.so holds the backend `cuda` and the clock of its GPUs.
// Both are found by `dlsym`, so the runtime links nothing of CUDA.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_RUNTIME_BACKEND_CUDABACKENDLIBRARY_H
#define SOAP_LIB_RUNTIME_BACKEND_CUDABACKENDLIBRARY_H

#include "Soap/Support/Error.h"

namespace soap::runtime {

/// Loads the library and returns its handle for `dlsym`; the process keeps it.
Expected<void *> loadCudaBackend();

} // namespace soap::runtime

#endif // SOAP_LIB_RUNTIME_BACKEND_CUDABACKENDLIBRARY_H
