//===- CudaLibraries.h - cuBLAS and cuDNN on one device ---------*- C++ -*-===//
//
// Library calls of programs: products and convolutions, row-major.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_RUNTIME_CUDA_CUDALIBRARIES_H
#define SOAP_LIB_RUNTIME_CUDA_CUDALIBRARIES_H

#include "CudaMatmul.h"

#include <map>
#include <memory>
#include <vector>

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

  /// Chooses the algorithm of a call by measuring what the library proposes.
  /// Calls without that have what is known of them, or the first proposal.
  MaybeError prepare(const MatmulCall &call, const MatmulBuffers &buffers) {
    return products.prepare(call, buffers);
  }
  MaybeError prepare(const ConvCall &call);
  /// Algorithms are looked up again: others were chosen.
  void forget();

  MaybeError matmul(const MatmulCall &call, const MatmulBuffers &buffers,
                    cudaStream_t stream) {
    return products.run(call, buffers, stream);
  }
  MaybeError conv(const ConvCall &call, const ConvBuffers &buffers,
                  cudaStream_t stream);

  /// to[i] += from[i], of SOAP_F32 or SOAP_F64.
  MaybeError add(int64_t elementType, void *to, const void *from, int64_t count,
                 cudaStream_t stream);

private:
  struct Conv;

  Expected<Conv *> find(const ConvCall &call, bool mayMeasure);
  Autotuner::Measure measureOf(const Conv &conv, const ConvCall &call,
                               CudaTimer &timer);
  MaybeError run(const Conv &conv, ConvKind kind, int proposal,
                 const ConvBuffers &buffers);
  /// Memory that calls on a stream use one after the other.
  Expected<void *> workspace(cudaStream_t stream, size_t bytes);

  const CudaTuning *tuning = nullptr;
  CudaMatmul products;
  cublasHandle_t blas = nullptr; ///< sums
  cudnnHandle_t dnn = nullptr;
  std::map<ConvCall, std::unique_ptr<Conv>> convs;
  std::map<cudaStream_t, std::pair<void *, size_t>> workspaces;
  /// Workspaces that were too small, which work may still use.
  std::vector<void *> outgrown;
};

} // namespace soap::runtime

#endif // SOAP_LIB_RUNTIME_CUDA_CUDALIBRARIES_H
