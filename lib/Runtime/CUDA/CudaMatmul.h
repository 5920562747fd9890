//===- CudaMatmul.h - Products by cuBLASLt ----------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Row-major products with epilogues, on one device.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_RUNTIME_CUDA_CUDAMATMUL_H
#define SOAP_LIB_RUNTIME_CUDA_CUDAMATMUL_H

#include "CudaTuning.h"
#include "Runtime/Kernels/LibraryCalls.h"
#include "StreamMemory.h"

#include <array>
#include <map>
#include <memory>
#include <vector>

namespace soap::runtime {

/// A handle of one device, which is current where this is made and used. One
/// thread at a time. Products without a workspace of their own use none. Where
/// the library has no algorithm for an epilogue, there is a plain product, and
/// the epilogue is a kernel of cuDNN or a product with ones; a note says so.
class CudaMatmul {
public:
  CudaMatmul();
  ~CudaMatmul();
  CudaMatmul(const CudaMatmul &) = delete;
  CudaMatmul &operator=(const CudaMatmul &) = delete;

  /// As `CudaLibraries::open`, `prepare` and `forget`. `dnn` outlives the
  /// calls.
  MaybeError open(cudnnHandle_t dnn, const CudaTuning *tuning = nullptr);
  MaybeError prepare(const MatmulCall &call, const MatmulBuffers &buffers);
  void forget();
  MaybeError run(const MatmulCall &call, const MatmulBuffers &buffers,
                 cudaStream_t stream);

private:
  struct Plan;
  struct Substitute;
  /// Bytes by which a, b, y, the third operand, the second result and the
  /// workspace are aligned, at most 256: the width of
  /// an algorithm's reads depends on them.
  using Alignment = std::array<uint32_t, 6>;

  Expected<Plan *> find(const MatmulCall &call, const MatmulBuffers &buffers,
                        bool mayMeasure);
  Autotuner::Measure measureOf(Plan &plan, const MatmulCall &call,
                               const Alignment &alignment, CudaTimer &timer);
  MaybeError launch(const Plan &plan, size_t proposal,
                    const MatmulBuffers &buffers, cudaStream_t stream);
  /// `why`: the library has no algorithm for the call.
  Expected<std::unique_ptr<Substitute>> substitute(const MatmulCall &call,
                                                   const MatmulBuffers &buffers,
                                                   bool mayMeasure,
                                                   const Error &why);
  MaybeError runSubstitute(Substitute &how, const MatmulCall &call,
                           const MatmulBuffers &buffers, cudaStream_t stream);

  const CudaTuning *tuning = nullptr;
  cublasLtHandle_t blas = nullptr;
  cudnnHandle_t dnn = nullptr;
  StreamMemory beside; ///< sums and workspaces of substitutes
  std::map<std::pair<MatmulCall, Alignment>, std::unique_ptr<Plan>> plans;
};

} // namespace soap::runtime

#endif // SOAP_LIB_RUNTIME_CUDA_CUDAMATMUL_H
