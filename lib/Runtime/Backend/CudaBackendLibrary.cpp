//===- CudaBackendLibrary.cpp - Loads the CUDA backend --------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See CudaBackendLibrary.h.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Backend/CudaBackendLibrary.h"

#include "Support/SharedLibrary.h"

using namespace soap;

Expected<void *> runtime::loadCudaBackend() {
  return loadLibrary("libSoapCudaBackend.so", "SOAP_CUDA_BACKEND",
                     "which the CMake target SoapCudaBackend builds where "
                     "there are CUDA from 12.8 on and cuDNN 9");
}
