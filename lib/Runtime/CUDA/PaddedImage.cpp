//===- PaddedImage.cpp - The image of a convolution with its padding ------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See PaddedImage.h.
//
//===----------------------------------------------------------------------===//

#include "PaddedImage.h"

#include <algorithm>

using namespace soap;
using namespace soap::runtime;

/// Pixels along a dim that are not cropped.
static int64_t commonOf(int64_t extent, int64_t before, int64_t after) {
  return std::max(int64_t(0), extent + std::min(int64_t(0), before) +
                                  std::min(int64_t(0), after));
}

PaddedImage::PaddedImage(const ConvShape &shape, int64_t elementBytes)
    : s(shape), planes(s.xLayout == 1 ? s.n : s.n * s.g * s.c),
      pixel(s.xLayout == 1 ? s.g * s.c * elementBytes : elementBytes),
      rows(commonOf(s.h, s.pt, s.pb)), width(commonOf(s.w, s.pl, s.pr)) {}

PaddedImage::Place PaddedImage::inImage(void *x) const {
  return {x, s.h, s.w, std::max(int64_t(0), -s.pt),
          std::max(int64_t(0), -s.pl)};
}

PaddedImage::Place PaddedImage::inCopy(void *copy) const {
  return {copy, height(), columns(), std::max(int64_t(0), s.pt),
          std::max(int64_t(0), s.pl)};
}

MaybeError PaddedImage::move(const Place &from, const Place &to,
                             cudaStream_t stream) const {
  if (rows == 0 || width == 0)
    return std::nullopt;
  auto memory = [&](const Place &place) {
    size_t pitch = size_t(place.columns * pixel);
    return cudaPitchedPtr{place.data, pitch, pitch, size_t(place.height)};
  };
  auto position = [&](const Place &place) {
    return cudaPos{size_t(place.column * pixel), size_t(place.row), 0};
  };
  cudaMemcpy3DParms copy{};
  copy.srcPtr = memory(from);
  copy.srcPos = position(from);
  copy.dstPtr = memory(to);
  copy.dstPos = position(to);
  copy.extent = {size_t(width * pixel), size_t(rows), size_t(planes)};
  copy.kind = cudaMemcpyDeviceToDevice;
  SOAP_CUDA(cudaMemcpy3DAsync, &copy, stream);
  return std::nullopt;
}

MaybeError PaddedImage::pad(const void *x, void *copy,
                            cudaStream_t stream) const {
  if (rows != height() || width != columns())
    SOAP_CUDA(cudaMemsetAsync, copy, 0, size_t(bytes()), stream);
  // It is only read.
  return move(inImage(const_cast<void *>(x)), inCopy(copy), stream);
}

MaybeError PaddedImage::crop(const void *copy, void *x,
                             cudaStream_t stream) const {
  if (rows != s.h || width != s.w)
    SOAP_CUDA(cudaMemsetAsync, x, 0, size_t(planes * s.h * s.w * pixel),
              stream);
  return move(inCopy(const_cast<void *>(copy)), inImage(x), stream);
}
