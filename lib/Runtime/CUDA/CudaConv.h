//===- CudaConv.h - Convolutions by cuDNN -----------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions with their epilogues, on one device: by a plan of cuDNN's
// graph API, or by an algorithm of its older functions, whichever is chosen.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_RUNTIME_CUDA_CUDACONV_H
#define SOAP_LIB_RUNTIME_CUDA_CUDACONV_H

#include "CudaTuning.h"
#include "Runtime/Kernels/LibraryCalls.h"
#include "StreamMemory.h"

#include <map>
#include <memory>
#include <vector>

namespace soap::runtime {

/// A handle of one device, which is current where this is made and used. One
/// thread at a time.
class CudaConv {
public:
  CudaConv();
  ~CudaConv();
  CudaConv(const CudaConv &) = delete;
  CudaConv &operator=(const CudaConv &) = delete;

  /// As `CudaLibraries::open`, `prepare` and `forget`.
  MaybeError open(const CudaTuning *tuning = nullptr);
  MaybeError prepare(const ConvCall &call, const ConvBuffers &buffers);
  void forget();
  /// Of cuDNN, from `open` on.
  cudnnHandle_t handle() const { return dnn; }
  MaybeError run(const ConvCall &call, const ConvBuffers &buffers,
                 cudaStream_t stream);

private:
  struct Plan;

  Expected<Plan *> find(const ConvCall &call, const ConvBuffers &buffers,
                        bool mayMeasure);
  MaybeError choose(Plan &plan, bool mayMeasure);
  Autotuner::Measure measureOf(Plan &plan, CudaTimer &timer);

  const CudaTuning *tuning = nullptr;
  cudnnHandle_t dnn = nullptr;
  /// By call and by the bytes that all its buffers are multiples of, at most
  /// 16: plans of the graph API may read that much at once.
  std::map<std::pair<ConvCall, int64_t>, std::unique_ptr<Plan>> plans;
  StreamMemory workspaces;
};

} // namespace soap::runtime

#endif // SOAP_LIB_RUNTIME_CUDA_CUDACONV_H
