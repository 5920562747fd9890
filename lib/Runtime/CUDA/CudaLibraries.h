//===- CudaLibraries.h - cuBLAS and cuDNN on one device ---------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Library calls of programs: products, convolutions, pooling and norms,
// row-major.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_RUNTIME_CUDA_CUDALIBRARIES_H
#define SOAP_LIB_RUNTIME_CUDA_CUDALIBRARIES_H

#include "CudaAttention.h"
#include "CudaConv.h"
#include "CudaImages.h"
#include "CudaMatmul.h"

namespace soap::runtime {

/// Handles of one device, which is current where this is made and used. One
/// thread at a time.
class CudaLibraries {
public:
  CudaLibraries();
  ~CudaLibraries();
  CudaLibraries(const CudaLibraries &) = delete;
  CudaLibraries &operator=(const CudaLibraries &) = delete;

  /// `tuning` outlives this; null: algorithms are the libraries' first
  /// proposals.
  MaybeError open(const CudaTuning *tuning = nullptr);

  /// Chooses the algorithm of a call by measuring the library's proposals.
  /// Without it, a call has its known algorithm, or the first proposal.
  MaybeError prepare(const MatmulCall &call, const MatmulBuffers &buffers) {
    return products.prepare(call, buffers);
  }
  MaybeError prepare(const ConvCall &call, const ConvBuffers &buffers) {
    return convolutions.prepare(call, buffers);
  }
  /// Algorithms are looked up again: others were chosen.
  void forget();

  MaybeError matmul(const MatmulCall &call, const MatmulBuffers &buffers,
                    cudaStream_t stream) {
    return products.run(call, buffers, stream);
  }
  MaybeError conv(const ConvCall &call, const ConvBuffers &buffers,
                  cudaStream_t stream);
  MaybeError pool(const PoolCall &call, const PoolBuffers &buffers,
                  cudaStream_t stream) {
    return images.run(call, buffers, stream);
  }
  MaybeError batchNorm(const NormCall &call, const NormBuffers &buffers,
                       cudaStream_t stream) {
    return images.run(call, buffers, stream);
  }

  MaybeError prepare(const PoolCall &call, const PoolBuffers &buffers) {
    return images.prepare(call, buffers);
  }
  MaybeError prepare(const NormCall &call, const NormBuffers &buffers) {
    return images.prepare(call, buffers);
  }
  MaybeError prepare(const AttentionCall &call,
                     const AttentionBuffers &buffers) {
    return attentions.prepare(call, buffers);
  }
  MaybeError attention(const AttentionCall &call,
                       const AttentionBuffers &buffers, cudaStream_t stream) {
    return attentions.run(call, buffers, stream);
  }

  /// to[i] += from[i], of SOAP_F32, SOAP_F64, SOAP_F16 or SOAP_BF16.
  MaybeError add(int64_t elementType, void *to, const void *from, int64_t count,
                 cudaStream_t stream);

private:
  CudaConv convolutions;
  /// With the handle of convolutions, which they do not outlive.
  CudaMatmul products;
  CudaImages images;
  CudaAttention attentions;
  cublasHandle_t blas = nullptr; ///< sums
};

} // namespace soap::runtime

#endif // SOAP_LIB_RUNTIME_CUDA_CUDALIBRARIES_H
