//===- Backend.cpp - Loading backends -------------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Backend.h.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Backend/Backend.h"

#include "Runtime/Backend/CudaBackendLibrary.h"

#include <dlfcn.h>

using namespace soap;
using namespace soap::runtime;

Expected<std::shared_ptr<Backend>>
runtime::openBackend(const std::string &name, const BackendOptions &options) {
  if (name != "cuda")
    return Error{"unknown backend '" + name + "': expected cpu or cuda"};
  auto library = loadCudaBackend();
  if (!library)
    return Error{"backend cuda is not available: " + library.error()};
  auto *open =
      reinterpret_cast<Backend *(*)(const BackendOptions &, std::string *)>(
          dlsym(*library, "soapOpenCudaBackend"));
  if (!open)
    return Error{"backend cuda is not available: the library has no function "
                 "'soapOpenCudaBackend'"};
  std::string error;
  Backend *backend = open(options, &error);
  if (!backend)
    return Error{"backend cuda: " + error};
  return std::shared_ptr<Backend>(backend);
}
