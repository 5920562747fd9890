//===- CudaTuning.cpp - Algorithms of one device by their times -----------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See CudaTuning.h.
//
//===----------------------------------------------------------------------===//

#include "CudaTuning.h"

#include <algorithm>

using namespace soap;
using namespace soap::runtime;

CudaTimer::~CudaTimer() {
  if (stream) {
    cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
  }
  for (cudaEvent_t event : {begin, end})
    if (event)
      cudaEventDestroy(event);
  for (void *pointer : memory)
    cudaFree(pointer);
}

MaybeError CudaTimer::open() {
  if (!stream)
    SOAP_CUDA(cudaStreamCreateWithFlags, &stream, cudaStreamNonBlocking);
  for (cudaEvent_t *event : {&begin, &end})
    if (!*event)
      SOAP_CUDA(cudaEventCreateWithFlags, event, cudaEventDefault);
  return std::nullopt;
}

Expected<void *> CudaTimer::scratch(int64_t bytes, uint32_t alignment) {
  if (bytes <= 0)
    return static_cast<void *>(nullptr);
  if (MaybeError error = open())
    return *error;
  size_t offset = alignment < 256 ? alignment : 0;
  void *pointer = nullptr;
  SOAP_CUDA(cudaMalloc, &pointer, size_t(bytes) + offset);
  memory.push_back(pointer);
  // 0x3c3c3c3c is 0.0115 in f32, 0x3c3c the same in bf16.
  SOAP_CUDA(cudaMemsetAsync, pointer, 0x3c, size_t(bytes) + offset, stream);
  return static_cast<void *>(static_cast<char *>(pointer) + offset);
}

Expected<double> CudaTimer::round(const Work &work, int count) {
  SOAP_CUDA(cudaEventRecord, begin, stream);
  for (int i = 0; i < count; ++i)
    if (MaybeError error = work(stream))
      return *error;
  SOAP_CUDA(cudaEventRecord, end, stream);
  SOAP_CUDA(cudaEventSynchronize, end);
  float milliseconds = 0;
  SOAP_CUDA(cudaEventElapsedTime, &milliseconds, begin, end);
  return double(milliseconds);
}

Expected<double> CudaTimer::measure(const Work &work) {
  if (MaybeError error = open())
    return *error;
  // Loads kernels, and says how long a round may be.
  auto warm = round(work, 1);
  if (!warm)
    return warm;
  auto once = round(work, 1);
  if (!once)
    return once;
  constexpr double roundMs = 2;
  constexpr int rounds = 3, maxRepeats = 20;
  int count =
      int(std::clamp(roundMs / std::max(*once, 1e-4), 1.0, double(maxRepeats)));
  double best = *once;
  for (int i = 0; i < rounds; ++i) {
    auto time = round(work, count);
    if (!time)
      return time;
    best = std::min(best, *time / count);
  }
  return best;
}

size_t CudaTuning::choose(const std::string &call, const std::string &library,
                          const std::vector<std::string> &names,
                          const Autotuner::Measure &measure) const {
  if (!tuner || names.size() < 2)
    return 0;
  std::string key = call + " | " + library + " | " + device;
  if (!measure)
    return tuner->recall(key, names).value_or(0);
  auto chosen = tuner->choose(key, names, measure);
  if (chosen)
    return *chosen;
  // If it was no lack of memory, the iteration will say the same of its op.
  tuner->remark("the first algorithm is taken, as none could be measured: " +
                chosen.error());
  return 0;
}
