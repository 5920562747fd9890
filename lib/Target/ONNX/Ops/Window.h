//===- Window.h - Windows of convolutions and pools -------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// kernel_shape, strides, pads, dilations, auto_pad and ceil_mode to the window
// that soap ops have. Shared by two families.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_TARGET_ONNX_OPS_WINDOW_H
#define SOAP_LIB_TARGET_ONNX_OPS_WINDOW_H

#include "Target/ONNX/Importer.h"

namespace mlir::soap::onnx {

struct Window {
  Shape kernel, strides, dilations; // per image dim
  Shape padding;     // all low ends, then all high ends, as the file says
  Shape lastPadding; // the same, the end enlarged until the last window of ceil
                     // mode fits
  Shape output;      // extents of the result
};

/// Windows along the depth of 3-D images are unrolled.
inline constexpr int64_t kLargestDepth = 64;

/// Reads the attributes of a window over an image of shape [N, C, ..] with one
/// to three dims; `kernel` as the weights say, or empty: from `kernel_shape`.
std::optional<Window> readWindow(NodeContext &node, const Shape &image,
                                 Shape kernel, bool hasDilations,
                                 bool ceilMode);

/// The window along the last two image dims; a row of height 1 for 1-D images.
Window imageWindow(const Window &window);
/// [N, channels, output..] for an operand x.
Shape resultShape(const Shape &x, int64_t channels, const Window &window);
/// Images of rank 4: a row each of a 1-D image, and of a 3-D image [N, C, D, H,
/// W] its depths as samples, [N * D, C, H, W].
Value createImages(NodeContext &node, Value x);
/// The elements of x, padded, under element `k` of the window along the depth:
/// [N, C, output[0], H, W].
Value createDepthSlice(NodeContext &node, Value x, const Window &window,
                       int64_t k);

} // namespace mlir::soap::onnx

#endif // SOAP_LIB_TARGET_ONNX_OPS_WINDOW_H
