//===- StreamMemory.h - Memory of a stream's calls --------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory beside the plan, for library calls that need some: the calls on a
// stream use it one after the other.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_RUNTIME_CUDA_STREAMMEMORY_H
#define SOAP_LIB_RUNTIME_CUDA_STREAMMEMORY_H

#include "Runtime/CuDNN/CudaError.h"

#include <map>
#include <vector>

namespace soap::runtime {

/// Of one device, which is current where this is used. It grows when a call
/// needs more, so the first iteration, which is not captured, makes it.
class StreamMemory {
public:
  StreamMemory() = default;
  ~StreamMemory() {
    for (auto &[stream, memory] : places)
      cudaFree(memory.first);
    for (void *memory : outgrown)
      cudaFree(memory);
  }
  StreamMemory(const StreamMemory &) = delete;
  StreamMemory &operator=(const StreamMemory &) = delete;

  /// At least so many bytes, a multiple of 256 in memory.
  Expected<void *> of(cudaStream_t stream, size_t bytes) {
    auto &[memory, size] = places[stream];
    if (bytes > size) {
      if (memory)
        outgrown.push_back(memory);
      memory = nullptr;
      size = 0;
      SOAP_CUDA(cudaMalloc, &memory, bytes);
      size = bytes;
    }
    return memory;
  }

private:
  std::map<cudaStream_t, std::pair<void *, size_t>> places;
  /// Memory that was too small: work may still use it.
  std::vector<void *> outgrown;
};

} // namespace soap::runtime

#endif // SOAP_LIB_RUNTIME_CUDA_STREAMMEMORY_H
