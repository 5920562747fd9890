//===- CudaTuning.h - Algorithms of one device by their times ---*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How long the proposals of a library take on the device at hand, and which of
// them is taken (Autotune.h). Measured on memory of its own, before iterations:
// nothing here may be called while a stream is captured.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_RUNTIME_CUDA_CUDATUNING_H
#define SOAP_LIB_RUNTIME_CUDA_CUDATUNING_H

#include "Autotune.h"
#include "Runtime/CuDNN/CudaError.h"

namespace soap::runtime {

/// Times of calls on the device that is current where this is made and used, on
/// a stream of its own. It frees its memory when it ends.
class CudaTimer {
public:
  CudaTimer() = default;
  ~CudaTimer();
  CudaTimer(const CudaTimer &) = delete;
  CudaTimer &operator=(const CudaTimer &) = delete;

  /// Memory of the device, filled with numbers near 0.01 (in f32 and in bf16):
  /// a call on zeros or NaNs would take another time. `alignment`: a power of
  /// two by which it is aligned, and by no larger one up to 256. Null for 0
  /// bytes.
  Expected<void *> scratch(int64_t bytes, uint32_t alignment = 256);

  /// Milliseconds of the work that `work` gives to the stream: the shortest of
  /// some rounds, after one that is not counted. Waits for the device.
  using Work = std::function<MaybeError(cudaStream_t)>;
  Expected<double> measure(const Work &work);

private:
  MaybeError open();
  /// Milliseconds of `count` times `work`.
  Expected<double> round(const Work &work, int count);

  cudaStream_t stream = nullptr;
  cudaEvent_t begin = nullptr, end = nullptr;
  std::vector<void *> memory;
};

/// The libraries of one device choose their algorithms with this.
struct CudaTuning {
  /// Null: the first proposal is taken. Outlives the libraries.
  Autotuner *tuner = nullptr;
  /// "NVIDIA H200, sm_90": part of every key.
  std::string device;
  /// For people; may be empty.
  std::function<void(const std::string &)> note = {};

  /// The number of one of `names`: the known choice for the call; or with
  /// `measure`, which is not called for a single proposal, the fastest; else,
  /// and where nothing can be measured, the first.
  size_t choose(const std::string &call, const std::string &library,
                const std::vector<std::string> &names,
                const Autotuner::Measure &measure) const;
};

} // namespace soap::runtime

#endif // SOAP_LIB_RUNTIME_CUDA_CUDATUNING_H
