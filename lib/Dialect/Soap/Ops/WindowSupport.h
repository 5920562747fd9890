//===- WindowSupport.h - Windows of convolution and pooling -----*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The index arithmetic that convolution, pooling and their gradients share:
// along one spatial dim, window o reads `o * stride + k * dilation - pad`.
//
// Localization rule. A shard computes windows [o_lo, ..) with taps [k_lo, ..)
// on a tile of the image that begins at x_lo. In the tile's coordinates the
// same element is `o' * stride + k' * dilation - pad'` with
//
//     pad' = pad + x_lo - o_lo * stride - k_lo * dilation
//
// which holds for forward ops (o is a loop, x_lo comes from the operand's
// region) and for input gradients (x_lo is the loop's begin, o_lo comes from
// the region of the result's gradient) alike.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_DIALECT_SOAP_OPS_WINDOWSUPPORT_H
#define SOAP_LIB_DIALECT_SOAP_OPS_WINDOWSUPPORT_H

#include "Dialect/Soap/OpSupport.h"

namespace mlir::soap {

/// One spatial dim of a windowed op.
struct Window {
  int64_t kernel, stride, dilation;
  int64_t padLow, padHigh;

  /// Number of windows on an image of `extent`, not positive if none fits.
  int64_t outputs(int64_t extent) const;
  /// Image elements that output `o` = loop and tap `k` = loop read.
  DimMap imageMap(int outputLoop, int tapLoop) const;
  /// Outputs whose windows touch image element = loop with tap = loop.
  DimMap outputMap(int imageLoop, int tapLoop) const;
  /// Image elements that the windows read which touch image element = loop;
  /// there are `outputs` windows.
  DimMap touchedImageMap(int imageLoop, int tapLoop, int64_t outputs) const;
  /// The window of a shard: `kernel` taps from `tapLow` on, `outputs` windows
  /// from `outputLow` on, an image tile of `extent` elements from `imageLow`
  /// on. `padHigh` is what makes shape inference give exactly `outputs`.
  Window localize(int64_t outputLow, int64_t outputs, int64_t imageLow,
                  int64_t extent, int64_t tapLow, int64_t kernel) const;
};

/// Both spatial dims from op attributes, `padding = [top, left, bottom,
/// right]`.
struct Window2D {
  Window dims[2];

  static Window2D get(ArrayRef<int64_t> kernel, ArrayRef<int64_t> strides,
                      ArrayRef<int64_t> dilations, ArrayRef<int64_t> padding);
  Window &operator[](size_t dim) { return dims[dim]; }
  const Window &operator[](size_t dim) const { return dims[dim]; }
  SmallVector<int64_t, 4> padding() const;
};

/// Attributes of a windowed op are well-formed.
LogicalResult checkWindow(EmitError emitError, ArrayRef<int64_t> kernel,
                          ArrayRef<int64_t> strides,
                          ArrayRef<int64_t> dilations,
                          ArrayRef<int64_t> padding);
/// Both spatial extents of the result, or an error if no window fits.
FailureOr<std::array<int64_t, 2>> inferOutputs(EmitError emitError,
                                               const Window2D &window,
                                               ArrayRef<int64_t> image);

} // namespace mlir::soap

#endif // SOAP_LIB_DIALECT_SOAP_OPS_WINDOWSUPPORT_H
