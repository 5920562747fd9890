//===- GpuImage.h - Contents of an image of GPU kernels ---------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads images without a driver. CUDA gets a pointer without a size, so a cut
// file must not come that far; and wrong names can be told from bad images.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_RUNTIME_CUDA_GPUIMAGE_H
#define SOAP_LIB_RUNTIME_CUDA_GPUIMAGE_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace soap::runtime {

/// A kernel of an image.
struct GpuImageKernel {
  std::string name;
  /// Pointers that it takes; -1 if the image does not say.
  int64_t parameters = -1;
};

struct GpuImage {
  bool isText = false;                 ///< PTX, else a cubin
  std::vector<GpuImageKernel> kernels; ///< in the order of the image
};

/// Empty and `image`, or why the bytes are no image.
std::string readGpuImage(std::string_view bytes, GpuImage &image);

} // namespace soap::runtime

#endif // SOAP_LIB_RUNTIME_CUDA_GPUIMAGE_H
