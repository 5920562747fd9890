//===- CudaImages.h - Pooling and norms by cuDNN ----------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Windows over images and batch normalization, on one device: by one of cuDNN's
// older functions, or by a plan of its graph API where that was measured to be
// faster. Older functions need no memory of their own.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_RUNTIME_CUDA_CUDAIMAGES_H
#define SOAP_LIB_RUNTIME_CUDA_CUDAIMAGES_H

#include "CudaTuning.h"
#include "Runtime/Kernels/ImageCalls.h"

#include <map>
#include <memory>

namespace soap::runtime {

/// Plans of calls. One thread at a time, on the device of the handle.
class CudaImages {
public:
  CudaImages();
  ~CudaImages();
  CudaImages(const CudaImages &) = delete;
  CudaImages &operator=(const CudaImages &) = delete;

  /// `handle` outlives the calls, which are given to its library; `tuning` as
  /// of `CudaLibraries::open`.
  void open(cudnnHandle_t handle, const CudaTuning *how = nullptr) {
    dnn = handle;
    tuning = how;
  }
  /// As `CudaLibraries::prepare` and `forget`.
  MaybeError prepare(const PoolCall &call, const PoolBuffers &buffers);
  MaybeError prepare(const NormCall &call, const NormBuffers &buffers);
  void forget();

  MaybeError run(const PoolCall &call, const PoolBuffers &buffers,
                 cudaStream_t stream);
  MaybeError run(const NormCall &call, const NormBuffers &buffers,
                 cudaStream_t stream);

private:
  struct Pooling;
  struct Norm;
  template <typename Kind>
  struct Plan;
  /// By call and by the bytes that all its buffers are multiples of, at most
  /// 16.
  template <typename Kind, typename Call>
  using Plans = std::map<std::pair<Call, int64_t>, std::unique_ptr<Plan<Kind>>>;

  template <typename Kind, typename Call, typename Buffers>
  Expected<Plan<Kind> *> find(Plans<Kind, Call> &plans, const Call &call,
                              const Buffers &buffers, bool mayMeasure);
  template <typename Kind>
  void choose(Plan<Kind> &plan, bool mayMeasure);

  cudnnHandle_t dnn = nullptr;
  const CudaTuning *tuning = nullptr;
  Plans<Pooling, PoolCall> poolings;
  Plans<Norm, NormCall> norms;
};

} // namespace soap::runtime

#endif // SOAP_LIB_RUNTIME_CUDA_CUDAIMAGES_H
