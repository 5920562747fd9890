//===- Window.h - Windows of convolutions and pools -------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// kernel_shape, strides, pads, dilations, auto_pad and ceil_mode to the window
// that soap ops have. Shared by two families.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_TARGET_ONNX_WINDOW_H
#define SOAP_LIB_TARGET_ONNX_WINDOW_H

#include "Importer.h"

namespace mlir::soap::onnx {

struct Window {
  Shape kernel, strides, dilations; // per image dim
  Shape padding;     // [top, left, bottom, right] as the file says
  Shape lastPadding; // the same, the end enlarged until the last window of ceil
                     // mode fits
  Shape output;      // extents of the result
};

/// Reads the attributes of a 2-D window over an image of shape NCHW; `kernel`
/// as the weights say, or empty: from `kernel_shape`.
std::optional<Window> readWindow(NodeContext &node, const Shape &image,
                                 Shape kernel, bool hasDilations,
                                 bool ceilMode);

} // namespace mlir::soap::onnx

#endif // SOAP_LIB_TARGET_ONNX_WINDOW_H
