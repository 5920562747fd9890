//===- CudaTimes.cpp - The GPUs of this machine, and times there ----------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See GpuTimes.h.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Backend/GpuTimes.h"
#include "Runtime/CuDNN/CudaError.h"

using namespace soap;
using namespace soap::runtime;

namespace {

class CudaTimes : public GpuTimes {
public:
  Expected<std::vector<Gpu>> gpus() override {
    int count = 0;
    if (MaybeError error = countGpus(count))
      return *error;
    std::vector<Gpu> result;
    for (int number = 0; number < count; ++number) {
      cudaDeviceProp properties{};
      SOAP_CUDA(cudaGetDeviceProperties, &properties, number);
      SOAP_CUDA(cudaSetDevice, number);
      size_t available = 0, all = 0;
      SOAP_CUDA(cudaMemGetInfo, &available, &all);
      result.push_back({properties.name,
                        properties.major * 10 + properties.minor,
                        int64_t(available)});
    }
    if (result.empty())
      return Error{"there is no GPU on this machine"};
    return result;
  }

  Expected<double>
  milliseconds(void *stream, const std::function<MaybeError()> &work) override {
    Events events;
    SOAP_CUDA(cudaEventCreateWithFlags, &events.begin, cudaEventDefault);
    SOAP_CUDA(cudaEventCreateWithFlags, &events.end, cudaEventDefault);
    auto native = static_cast<cudaStream_t>(stream);
    SOAP_CUDA(cudaEventRecord, events.begin, native);
    if (MaybeError error = work())
      return *error;
    SOAP_CUDA(cudaEventRecord, events.end, native);
    SOAP_CUDA(cudaEventSynchronize, events.end);
    float result = 0;
    SOAP_CUDA(cudaEventElapsedTime, &result, events.begin, events.end);
    return double(result);
  }

private:
  struct Events {
    cudaEvent_t begin = nullptr, end = nullptr;

    Events() = default;
    Events(const Events &) = delete;
    Events &operator=(const Events &) = delete;
    ~Events() {
      for (cudaEvent_t event : {begin, end})
        if (event)
          cudaEventDestroy(event);
    }
  };
};

} // namespace

/// The function that `openGpuTimes` calls.
extern "C" GpuTimes *soapOpenCudaTimes() { return new CudaTimes; }
