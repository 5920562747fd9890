//===- GpuTimes.h - The clock and the list of GPUs --------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calibration measures a machine through a backend (Backend.h); this interface
// adds the list of GPUs, and how long the work of a stream takes by the GPU's
// own clock. The library of backend cuda implements it.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_RUNTIME_BACKEND_GPUTIMES_H
#define SOAP_LIB_RUNTIME_BACKEND_GPUTIMES_H

#include "Soap/Support/Error.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace soap::runtime {

class GpuTimes {
public:
  virtual ~GpuTimes() = default;

  struct Gpu {
    std::string name;        ///< "NVIDIA H200"
    int chip = 0;            ///< 90 of sm_90
    int64_t memoryBytes = 0; ///< free, before anything is loaded
  };
  /// At least one; an error where there is none, or no driver.
  virtual Expected<std::vector<Gpu>> gpus() = 0;

  /// Milliseconds that the work given by `work` takes on a native stream of
  /// the current device (`BackendDevice::nativeStream`). Waits for it.
  virtual Expected<double>
  milliseconds(void *stream, const std::function<MaybeError()> &work) = 0;
};

/// Loads libSoapCudaBackend.so as `openBackend("cuda")` does.
Expected<std::shared_ptr<GpuTimes>> openGpuTimes();

} // namespace soap::runtime

#endif // SOAP_LIB_RUNTIME_BACKEND_GPUTIMES_H
