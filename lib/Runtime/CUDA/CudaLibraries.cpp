//===- CudaLibraries.cpp - cuBLAS and cuDNN on one device -----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See CudaLibraries.h.
//
//===----------------------------------------------------------------------===//

#include "CudaLibraries.h"

#include "Soap/ABI/Runtime.h"

#include <algorithm>

using namespace soap;
using namespace soap::runtime;

CudaLibraries::CudaLibraries() = default;

CudaLibraries::~CudaLibraries() {
  if (blas)
    cublasDestroy(blas);
}

MaybeError CudaLibraries::open(const CudaTuning *tuning) {
  if (MaybeError error = convolutions.open(tuning))
    return error;
  if (MaybeError error = products.open(convolutions.handle(), tuning))
    return error;
  images.open(convolutions.handle(), tuning);
  attentions.open(tuning);
  SOAP_CUDA(cublasCreate, &blas);
  return std::nullopt;
}

// 1 * from + to is one fused operation: the sum, rounded once.
MaybeError CudaLibraries::add(int64_t elementType, void *to, const void *from,
                              int64_t count, cudaStream_t stream) {
  SOAP_CUDA(cublasSetStream, blas, stream);
  constexpr int64_t maxCount = int64_t(1) << 30; // cuBLAS counts in int
  for (int64_t begin = 0; begin < count; begin += maxCount) {
    int part = int(std::min(maxCount, count - begin));
    if (elementType == SOAP_F64) {
      double one = 1;
      SOAP_CUDA(cublasDaxpy, blas, part, &one,
                static_cast<const double *>(from) + begin, 1,
                static_cast<double *>(to) + begin, 1);
    } else if (elementType == SOAP_F16 || elementType == SOAP_BF16) {
      // Two bytes an element, summed in f32.
      auto type = elementType == SOAP_F16 ? CUDA_R_16F : CUDA_R_16BF;
      float one = 1;
      SOAP_CUDA(cublasAxpyEx, blas, part, &one, CUDA_R_32F,
                static_cast<const uint16_t *>(from) + begin, type, 1,
                static_cast<uint16_t *>(to) + begin, type, 1, CUDA_R_32F);
    } else {
      float one = 1;
      SOAP_CUDA(cublasSaxpy, blas, part, &one,
                static_cast<const float *>(from) + begin, 1,
                static_cast<float *>(to) + begin, 1);
    }
  }
  return std::nullopt;
}

void CudaLibraries::forget() {
  convolutions.forget();
  attentions.forget();
  images.forget();
  products.forget();
}

MaybeError CudaLibraries::conv(const ConvCall &call, const ConvBuffers &buffers,
                               cudaStream_t stream) {
  if (call.shape.work() != 0)
    return convolutions.run(call, buffers, stream);
  int64_t width = call.precision == Precision::BF16 ? 2 : 4;
  if (int64_t volume = call.volumeOf(2))
    SOAP_CUDA(cudaMemsetAsync, buffers.result, 0, size_t(volume * width),
              stream);
  return std::nullopt;
}
