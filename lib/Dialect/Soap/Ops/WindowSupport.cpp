//===- WindowSupport.cpp - Windows of convolution and pooling -------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Access maps, shape inference and localization of one spatial dim.
//
//===----------------------------------------------------------------------===//

#include "WindowSupport.h"

using namespace mlir;
using namespace mlir::soap;

int64_t Window::outputs(int64_t extent) const {
  int64_t room = extent + padLow + padHigh - (kernel - 1) * dilation - 1;
  return room < 0 ? 0 : room / stride + 1;
}

DimMap Window::imageMap(int outputLoop, int tapLoop) const {
  return DimMap::window({{outputLoop, stride}, {tapLoop, dilation}}, -padLow);
}

DimMap Window::outputMap(int imageLoop, int tapLoop) const {
  return DimMap::window({{imageLoop, 1}, {tapLoop, -dilation}}, padLow, stride);
}

DimMap Window::touchedImageMap(int imageLoop, int tapLoop,
                               int64_t outputs) const {
  DimMap map = outputMap(imageLoop, tapLoop);
  map.clip = outputs;
  map.scale = stride;
  map.extraLow = -padLow;
  map.extraHigh = (kernel - 1) * dilation - padLow;
  return map;
}

Window Window::localize(int64_t outputLow, int64_t localOutputs,
                        int64_t imageLow, int64_t extent, int64_t tapLow,
                        int64_t localKernel) const {
  Window local = *this;
  local.kernel = localKernel;
  local.padLow = padLow + imageLow - outputLow * stride - tapLow * dilation;
  local.padHigh = (localOutputs - 1) * stride + (localKernel - 1) * dilation +
                  1 - extent - local.padLow;
  return local;
}

Window2D Window2D::get(ArrayRef<int64_t> kernel, ArrayRef<int64_t> strides,
                       ArrayRef<int64_t> dilations, ArrayRef<int64_t> padding) {
  return {{{kernel[0], strides[0], dilations[0], padding[0], padding[2]},
           {kernel[1], strides[1], dilations[1], padding[1], padding[3]}}};
}

SmallVector<int64_t, 4> Window2D::padding() const {
  return {dims[0].padLow, dims[1].padLow, dims[0].padHigh, dims[1].padHigh};
}

LogicalResult mlir::soap::checkWindow(EmitError emitError,
                                      ArrayRef<int64_t> kernel,
                                      ArrayRef<int64_t> strides,
                                      ArrayRef<int64_t> dilations,
                                      ArrayRef<int64_t> padding) {
  return failure(
      failed(checkArray(emitError, "kernel", kernel, 2, 1, maxStride)) ||
      failed(checkArray(emitError, "strides", strides, 2, 1, maxStride)) ||
      failed(checkArray(emitError, "dilations", dilations, 2, 1, maxStride)) ||
      failed(checkArray(emitError, "padding", padding, 4, -2 * maxExtent,
                        2 * maxExtent)));
}

FailureOr<std::array<int64_t, 2>>
mlir::soap::inferOutputs(EmitError emitError, const Window2D &window,
                         ArrayRef<int64_t> image) {
  std::array<int64_t, 2> result;
  for (size_t d = 0; d < 2; ++d) {
    result[d] = window[d].outputs(image[d]);
    if (result[d] <= 0) {
      emitError() << "no window fits: " << (d == 0 ? "height" : "width")
                  << " is " << image[d] << " with padding " << window[d].padLow
                  << " and " << window[d].padHigh << ", the kernel spans "
                  << (window[d].kernel - 1) * window[d].dilation + 1;
      return failure();
    }
  }
  return result;
}
