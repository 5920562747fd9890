//===- GpuDriver.h - Whether there are GPUs ---------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asked of CUDA's driver, which comes with the GPU, without any of CUDA's
// libraries.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_RUNTIME_BACKEND_GPUDRIVER_H
#define SOAP_LIB_RUNTIME_BACKEND_GPUDRIVER_H

#include "Soap/Support/Error.h"

namespace soap::runtime {

/// How many GPUs the driver has, at least 1; the error says why there are
/// none.
Expected<int> countGpus();

} // namespace soap::runtime

#endif // SOAP_LIB_RUNTIME_BACKEND_GPUDRIVER_H
