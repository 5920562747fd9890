//===- GpuTimes.cpp - Loads the clock of GPUs -----------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See GpuTimes.h.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Backend/GpuTimes.h"

#include "Runtime/Backend/CudaBackendLibrary.h"

#include <dlfcn.h>

using namespace soap;
using namespace soap::runtime;

Expected<std::shared_ptr<GpuTimes>> runtime::openGpuTimes() {
  auto library = loadCudaBackend();
  if (!library)
    return Error{"backend cuda is not available: " + library.error()};
  auto *open =
      reinterpret_cast<GpuTimes *(*)()>(dlsym(*library, "soapOpenCudaTimes"));
  if (!open)
    return Error{"backend cuda is not available: the library has no function "
                 "'soapOpenCudaTimes'"};
  return std::shared_ptr<GpuTimes>(open());
}
