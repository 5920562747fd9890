//===- Kernels.h - Convolution and matmul on the CPU ------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolution and matrix product, each in two forms: on oneDNN, with primitives
// cached by shape, and *direct*: plain loops that are right for every shape
// (negative padding, kernels larger than the input, no output at all). The C
// ABI calls the cache, which falls back to direct kernels for shapes that
// oneDNN cannot compute or would compute by its own slow reference.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_RUNTIME_KERNELS_KERNELS_H
#define SOAP_LIB_RUNTIME_KERNELS_KERNELS_H

#include "Runtime/Kernels/BFloat16.h"

#include <cstdint>
#include <memory>
#include <string>

namespace soap::runtime {

/// The 20 numbers of `soap_rt_conv2d_*`, in order.
struct ConvShape {
  int64_t n, g, c, h, w, o, oh, ow, kh, kw, sh, sw, dh, dw, pt, pl, pb, pr;
  /// Layouts of data: 0 NCHW, 1 NHWC, b > 1: N, C / b, H, W, b. Weights are
  /// OIHW in all of them.
  int64_t xLayout = 0, yLayout = 0;

  static ConvShape fromArray(const int64_t *d);
  bool operator==(const ConvShape &) const = default;
  auto operator<=>(const ConvShape &) const = default;

  int64_t inputVolume() const { return n * g * c * h * w; }
  int64_t weightVolume() const { return g * o * c * kh * kw; }
  int64_t outputVolume() const { return n * g * o * oh * ow; }
  /// Multiply-adds; 0 if some operand is empty.
  int64_t work() const { return n * g * c * o * oh * ow * kh * kw; }
  bool isPlain() const { return xLayout == 0 && yLayout == 0; }
};

enum class ConvKind { Forward, InputGrad, WeightGrad };

/// Operands and result of a kind, as the kernels below have them.
ProductSizes sizesOf(ConvKind kind, const ConvShape &shape);

/// The 6 numbers of `soap_rt_matmul_f32`.
struct MatmulShape {
  int64_t batch, m, n, k, transposeA, transposeB;

  static MatmulShape fromArray(const int64_t *d);
  bool operator==(const MatmulShape &) const = default;
  auto operator<=>(const MatmulShape &) const = default;
};

/// Operands and result.
ProductSizes sizesOf(const MatmulShape &shape);

/// Direct kernels. Operands by kind: Forward (x, w) -> y, InputGrad (dy, w) ->
/// dx, WeightGrad (x, dy) -> dw. The result is overwritten.
void convDirect(ConvKind kind, const ConvShape &shape, const float *a,
                const float *b, float *result);
void matmulDirect(const MatmulShape &shape, const float *a, const float *b,
                  float *y);

/// Primitives of one device thread. Not thread-safe: each thread has its own,
/// made and used after its number of kernel threads was set.
class KernelCache {
public:
  KernelCache();
  ~KernelCache();

  void conv(ConvKind kind, const ConvShape &shape, const float *a,
            const float *b, float *result);
  void matmul(const MatmulShape &shape, const float *a, const float *b,
              float *y);

  /// The same on bf16: sums are in f32, and the result is rounded once. oneDNN
  /// multiplies bf16 where the processor does (AVX-512 BF16 or AMX) and the
  /// library has a kernel for the shape; else the kernels above run on copies
  /// in f32.
  void conv(ConvKind kind, const ConvShape &shape, const uint16_t *a,
            const uint16_t *b, uint16_t *result);
  void matmul(const MatmulShape &shape, const uint16_t *a, const uint16_t *b,
              uint16_t *y);
  /// With the sums as the result.
  void matmul(const MatmulShape &shape, const uint16_t *a, const uint16_t *b,
              float *y);

  /// The implementation for a shape: oneDNN's name, with "+reorder" if operands
  /// are copied to other layouts, or "direct". For tests and reports.
  std::string implementation(ConvKind kind, const ConvShape &shape);
  /// The same for operands of bf16: "f32" if they are copied.
  std::string narrowImplementation(ConvKind kind, const ConvShape &shape);

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace soap::runtime

#endif // SOAP_LIB_RUNTIME_KERNELS_KERNELS_H
