//===- FakeCublas.cpp - Sums of a stand-in for CUDA's libraries -----------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Part of the stand-in for CUDA (FakeCuda.cpp): the sums that collectives of
// one process make. Products and convolutions are in FakeCublasLt.cpp and
// FakeCudnn.cpp.
//
//===----------------------------------------------------------------------===//

#include "FakeStreams.h"

#include "Soap/Support/NarrowFloats.h"

#include <cublas_v2.h>

using namespace soap::fake;

namespace {

struct Handle {
  cudaStream_t stream = nullptr;
};

Handle *of(cublasHandle_t handle) { return reinterpret_cast<Handle *>(handle); }

template <typename Factor, typename T>
cublasStatus_t axpy(cublasHandle_t handle, int n, const Factor *alpha,
                    const T *x, int stepX, T *y, int stepY) {
  Factor factor = *alpha; // read at once, as from the host
  cudaError_t error = give(of(handle)->stream, [=] {
    for (long i = 0; i < n; ++i)
      y[i * stepY] = T(y[i * stepY] + factor * x[i * stepX]);
    if (n && isWrong("cublasSaxpy"))
      y[(n - 1) * stepY] = T(y[(n - 1) * stepY] + 1);
  });
  return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS
                              : CUBLAS_STATUS_EXECUTION_FAILED;
}

} // namespace

extern "C" {

cublasStatus_t cublasCreate_v2(cublasHandle_t *handle) {
  *handle = reinterpret_cast<cublasHandle_t>(new Handle);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
  delete of(handle);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream) {
  of(handle)->stream = stream;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSaxpy_v2(cublasHandle_t handle, int n, const float *alpha,
                              const float *x, int stepX, float *y, int stepY) {
  return axpy(handle, n, alpha, x, stepX, y, stepY);
}
cublasStatus_t cublasDaxpy_v2(cublasHandle_t handle, int n, const double *alpha,
                              const double *x, int stepX, double *y,
                              int stepY) {
  return axpy(handle, n, alpha, x, stepX, y, stepY);
}
/// Of f16 and bf16 alone, summed in f32.
cublasStatus_t cublasAxpyEx(cublasHandle_t handle, int n, const void *alpha,
                            cudaDataType, const void *x, cudaDataType type,
                            int stepX, void *y, cudaDataType, int stepY,
                            cudaDataType) {
  auto *factor = static_cast<const float *>(alpha);
  return type == CUDA_R_16F
             ? axpy(handle, n, factor, static_cast<const soap::Float16 *>(x),
                    stepX, static_cast<soap::Float16 *>(y), stepY)
             : axpy(handle, n, factor, static_cast<const soap::BFloat16 *>(x),
                    stepX, static_cast<soap::BFloat16 *>(y), stepY);
}

} // extern "C"
