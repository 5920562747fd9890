//===- ImageCalls.h - Pooling and norms as calls ----------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The calls `soap_rt_pool2d` and `soap_rt_batch_norm` of a program for GPUs:
// windows over images, and batch normalization with the statistics of the
// batch, with their gradients. All in f32. Backends give these calls to their
// libraries. On the CPU the *host reference* of a call runs: plain loops in the
// order of the reference lowering.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_RUNTIME_KERNELS_IMAGECALLS_H
#define SOAP_LIB_RUNTIME_KERNELS_IMAGECALLS_H

#include <compare>
#include <cstddef>
#include <cstdint>

namespace soap::runtime {

/// Images of a call: [N, C, H, W], or [N, H, W, C] with channels last.
struct ImageShape {
  int64_t n = 0, c = 0, h = 0, w = 0;

  int64_t volume() const { return n * c * h * w; }
  /// Place of an element in the buffer.
  int64_t at(bool channelsLast, int64_t in, int64_t ic, int64_t ih,
             int64_t iw) const {
    return channelsLast ? ((in * h + ih) * w + iw) * c + ic
                        : ((in * c + ic) * h + ih) * w + iw;
  }
  bool operator==(const ImageShape &) const = default;
  auto operator<=>(const ImageShape &) const = default;
};

enum class PoolKind : int64_t {
  /// Elements outside of the image never win; NaN does.
  Max = 0,
  /// The sum divided by the elements of the window, which all count: windows
  /// lie within the padded image.
  AverageOfAll = 1,
  /// The sum divided by the elements inside of the image.
  AverageOfInside = 2,
};

/// The 15 numbers of `soap_rt_pool2d`: N, C, H, W, OH, OW, kernel h, w, strides
/// h, w, padding top, left, whether channels are last, the kind, and whether it
/// is the gradient. Padding is the same on both sides and less than the kernel,
/// and OH, OW are as many windows as fit: each meets the image.
struct PoolCall {
  static constexpr size_t numbers = 15;

  ImageShape x;
  int64_t oh = 0, ow = 0, kh = 1, kw = 1, sh = 1, sw = 1, pt = 0, pl = 0;
  bool channelsLast = false;
  PoolKind kind = PoolKind::Max;
  bool isGradient = false;

  static PoolCall fromArray(const int64_t *d);
  bool operator==(const PoolCall &) const = default;
  auto operator<=>(const PoolCall &) const = default;

  ImageShape y() const { return {x.n, x.c, oh, ow}; }
};

/// Pooling: x, then y, which is overwritten. The gradient: dy, for a maximum x
/// and y, then dx, which is overwritten.
struct PoolBuffers {
  const float *dy, *x, *y; ///< null where the call does not read it
  float *result;

  static PoolBuffers of(const PoolCall &call, void *const *buffers);
};

/// The 8 numbers of `soap_rt_batch_norm`: N, C, H, W, whether channels are
/// last, whether it is the gradient, the bits of epsilon as a double, and the
/// bytes of the workspace. N * H * W is not 0.
struct NormCall {
  static constexpr size_t numbers = 8;

  ImageShape x;
  bool channelsLast = false, isGradient = false;
  double epsilon = 0;
  /// Bytes that the library may use; 0: there is no such buffer.
  int64_t workspace = 0;

  static NormCall fromArray(const int64_t *d);
  bool operator==(const NormCall &) const = default;
  auto operator<=>(const NormCall &) const = default;

  /// Elements of a channel.
  int64_t count() const { return x.n * x.h * x.w; }
};

/// Training: x, gamma, beta, then y, the mean of each channel and its inverse
/// deviation, 1 / sqrt(variance + epsilon). The gradient: dy, x, mean, inverse
/// deviation, gamma, then dx, dgamma, dbeta. The workspace is last, if it has
/// bytes.
struct NormBuffers {
  const float *dy, *x, *gamma, *beta; ///< null: not read
  float *mean, *inverse;              ///< written in training, then read
  float *result;                      ///< y or dx
  float *dgamma, *dbeta;              ///< null: not written
  void *workspace = nullptr;

  static NormBuffers of(const NormCall &call, void *const *buffers);
};

/// The calls on the CPU. The gradient of a maximum goes to the first element of
/// the window, row by row, that equals it.
void runHostReference(const PoolCall &call, const PoolBuffers &buffers);
void runHostReference(const NormCall &call, const NormBuffers &buffers);

} // namespace soap::runtime

#endif // SOAP_LIB_RUNTIME_KERNELS_IMAGECALLS_H
