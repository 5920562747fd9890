//===- CudaImages.h - Pooling and norms by cuDNN ----------------*- C++ -*-===//
//
// Windows over images and batch normalization, on one device, by cuDNN's older
// functions: one each, which needs no memory of its own, so nothing is chosen
// and nothing allocated. Its graph API has no norm of f32 images, and of
// pooling in NCHW the same engine that these functions are.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_RUNTIME_CUDA_CUDAIMAGES_H
#define SOAP_LIB_RUNTIME_CUDA_CUDAIMAGES_H

#include "CudaError.h"
#include "Soap/Runtime/ImageCalls.h"

#include <map>
#include <memory>

namespace soap::runtime {

/// Descriptors of calls. One thread at a time, on the device of the handle.
class CudaImages {
public:
  CudaImages();
  ~CudaImages();
  CudaImages(const CudaImages &) = delete;
  CudaImages &operator=(const CudaImages &) = delete;

  /// `handle` outlives the calls, which are given to its library.
  void open(cudnnHandle_t handle) { dnn = handle; }

  MaybeError run(const PoolCall &call, const PoolBuffers &buffers,
                 cudaStream_t stream);
  MaybeError run(const NormCall &call, const NormBuffers &buffers,
                 cudaStream_t stream);

private:
  struct Pooling;
  struct Norm;

  cudnnHandle_t dnn = nullptr;
  std::map<PoolCall, std::unique_ptr<Pooling>> poolings;
  std::map<NormCall, std::unique_ptr<Norm>> norms;
};

} // namespace soap::runtime

#endif // SOAP_LIB_RUNTIME_CUDA_CUDAIMAGES_H
