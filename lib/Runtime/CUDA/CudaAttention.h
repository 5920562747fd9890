//===- CudaAttention.h - Attention by cuDNN ---------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention and its gradients on one device, by a plan of cuDNN's graph API.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_RUNTIME_CUDA_CUDAATTENTION_H
#define SOAP_LIB_RUNTIME_CUDA_CUDAATTENTION_H

#include "CudaTuning.h"
#include "Runtime/Kernels/AttentionCall.h"

#include <map>
#include <memory>

namespace soap::runtime {

/// A handle of one device, which is current where this is made and used. One
/// thread at a time. The handle is made with the first call.
class CudaAttention {
public:
  CudaAttention();
  ~CudaAttention();
  CudaAttention(const CudaAttention &) = delete;
  CudaAttention &operator=(const CudaAttention &) = delete;

  /// As of `CudaLibraries`.
  void open(const CudaTuning *how) { tuning = how; }
  MaybeError prepare(const AttentionCall &call,
                     const AttentionBuffers &buffers);
  void forget();
  MaybeError run(const AttentionCall &call, const AttentionBuffers &buffers,
                 cudaStream_t stream);

private:
  struct Plan;

  Expected<Plan *> find(const AttentionCall &call,
                        const AttentionBuffers &buffers, bool mayMeasure);
  MaybeError choose(Plan &plan, bool mayMeasure);
  Autotuner::Measure measureOf(Plan &plan, CudaTimer &timer);

  const CudaTuning *tuning = nullptr;
  cudnnHandle_t dnn = nullptr;
  /// By call and by the bytes that all its buffers are multiples of.
  std::map<std::pair<AttentionCall, int64_t>, std::unique_ptr<Plan>> plans;
};

} // namespace soap::runtime

#endif // SOAP_LIB_RUNTIME_CUDA_CUDAATTENTION_H
