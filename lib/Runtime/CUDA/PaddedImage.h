//===- PaddedImage.h - The image of a convolution with its padding -*- C++ -*-//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuDNN's older functions pad both sides of an image alike, and crop neither.
// An image that they cannot pad is copied to one that has its padding in
// memory, and a gradient of such an image is copied back.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_RUNTIME_CUDA_PADDEDIMAGE_H
#define SOAP_LIB_RUNTIME_CUDA_PADDEDIMAGE_H

#include "Runtime/CuDNN/CudaError.h"
#include "Runtime/Kernels/LibraryCalls.h"

namespace soap::runtime {

/// Where x of a convolution lies in a copy with its padding, which is negative
/// where x is cropped. In both layouts.
class PaddedImage {
public:
  /// `shape` is that of the model; elements have `width` bytes.
  PaddedImage(const ConvShape &shape, int64_t width);

  /// Extents of the copy, of which windows are cut without padding.
  int64_t height() const { return s.h + s.pt + s.pb; }
  int64_t columns() const { return s.w + s.pl + s.pr; }
  /// Bytes of the copy.
  int64_t bytes() const { return planes * height() * columns() * pixel; }

  /// copy = x, and 0 around it.
  MaybeError pad(const void *x, void *copy, cudaStream_t stream) const;
  /// x = copy without its padding, and 0 where x was cropped.
  MaybeError crop(const void *copy, void *x, cudaStream_t stream) const;

private:
  struct Place {
    void *data;
    int64_t height, columns; ///< of the whole
    int64_t row, column;     ///< of the part that both have
  };
  Place inImage(void *x) const;
  Place inCopy(void *copy) const;
  MaybeError move(const Place &from, const Place &to,
                  cudaStream_t stream) const;

  ConvShape s;
  /// Matrices of pixels, and bytes of a pixel: of a channel, or of all.
  int64_t planes, pixel;
  /// The part that both have.
  int64_t rows, width;
};

} // namespace soap::runtime

#endif // SOAP_LIB_RUNTIME_CUDA_PADDEDIMAGE_H
