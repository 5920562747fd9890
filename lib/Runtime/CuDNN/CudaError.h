//===- CudaError.h - Errors of CUDA's libraries -----------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each names the call and has the text of the library.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_RUNTIME_CUDNN_CUDAERROR_H
#define SOAP_LIB_RUNTIME_CUDNN_CUDAERROR_H

#include "Soap/Support/Error.h"

#include <cublasLt.h>
#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <cudnn.h>

namespace soap::runtime {

inline MaybeError check(cudaError_t error, const char *call) {
  if (error == cudaSuccess)
    return std::nullopt;
  // It must not appear in a later call.
  cudaGetLastError();
  return Error{std::string(call) + ": " + cudaGetErrorString(error) + " (" +
               cudaGetErrorName(error) + ")"};
}

/// The number of GPUs; without a driver, an error that says so.
inline MaybeError countGpus(int &count) {
  cudaError_t counted = cudaGetDeviceCount(&count);
  MaybeError error = check(counted, "cannot count GPUs");
  if (counted == cudaErrorInsufficientDriver)
    error->message += ": there is no driver of NVIDIA's, or an older one "
                      "than CUDA " +
                      std::to_string(CUDART_VERSION / 1000) + "." +
                      std::to_string(CUDART_VERSION % 1000 / 10) + " needs";
  return error;
}

inline MaybeError check(cublasStatus_t status, const char *call) {
  if (status == CUBLAS_STATUS_SUCCESS)
    return std::nullopt;
  return Error{std::string(call) + ": " + cublasLtGetStatusString(status) +
               " (" + cublasLtGetStatusName(status) + ")"};
}

inline MaybeError check(cudnnStatus_t status, const char *call) {
  if (status == CUDNN_STATUS_SUCCESS)
    return std::nullopt;
  return Error{std::string(call) + ": " + cudnnGetErrorString(status)};
}

} // namespace soap::runtime

/// `SOAP_CUDA(cudaMalloc, &pointer, bytes);` returns the error, if there is
/// one, from a function that returns MaybeError or Expected.
#define SOAP_CUDA(function, ...)                                               \
  do                                                                           \
    if (::soap::MaybeError soapError =                                         \
            ::soap::runtime::check(function(__VA_ARGS__), #function))          \
      return *soapError;                                                       \
  while (false)

#endif // SOAP_LIB_RUNTIME_CUDNN_CUDAERROR_H
