//===- LibraryCalls.h - Products and convolutions as calls ------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The calls `soap_rt_matmul` and `soap_rt_conv2d` of a program for GPUs: a
// shape, a precision, and an epilogue that the library applies to the result
// before it writes it. Backends give these calls to their libraries. On the CPU
// the *host reference* of a call runs, which rounds operands and results as the
// library does, so that losses of all precisions can be compared without a GPU.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_RUNTIME_KERNELS_LIBRARYCALLS_H
#define SOAP_LIB_RUNTIME_KERNELS_LIBRARYCALLS_H

#include "Runtime/Kernels/BFloat16.h"
#include "Runtime/Kernels/Kernels.h"

#include <cstddef>
#include <cstdint>
#include <functional>

namespace soap::runtime {

/// The type of operands. Sums are in f32 in all precisions.
enum class Precision : int64_t {
  F32 = 0,
  TF32 = 1, ///< f32 in memory, of which the library reads 10 bits of fraction
  BF16 = 2,
};

/// The function that is applied to a product before it is written. A bias has
/// one number per column, of a convolution per channel; a third operand and a
/// second result are of the type of the result.
enum class Epilogue : int64_t {
  None = 0,
  Bias = 1,
  Relu = 2,
  BiasRelu = 3,
  /// gelu by tanh. The second result is its argument.
  Gelu = 4,
  BiasGelu = 5,
  /// Times the derivative of gelu at the third operand.
  GeluGrad = 6,
  /// The second result is the sum of a, or of b, over k: the gradient of a
  /// bias.
  BiasGradOfA = 7,
  BiasGradOfB = 8,
  /// 0 where the third operand is not above 0: the gradient of relu, behind the
  /// gradient of a convolution's input.
  ReluGrad = 9,
};
inline bool isBiasGrad(Epilogue e) {
  return e == Epilogue::BiasGradOfA || e == Epilogue::BiasGradOfB;
}
inline bool hasBias(Epilogue e) {
  return e == Epilogue::Bias || e == Epilogue::BiasRelu ||
         e == Epilogue::BiasGelu;
}
inline bool hasThirdOperand(Epilogue e) {
  return hasBias(e) || e == Epilogue::GeluGrad || e == Epilogue::ReluGrad;
}
inline bool hasSecondResult(Epilogue e) {
  return e == Epilogue::Gelu || e == Epilogue::BiasGelu || isBiasGrad(e);
}

/// The 10 numbers of `soap_rt_matmul`.
struct MatmulCall {
  static constexpr size_t numbers = 10;

  MatmulShape shape;
  Precision precision = Precision::F32;
  /// The result is bf16; only of products in bf16.
  bool narrowResult = false;
  Epilogue epilogue = Epilogue::None;
  /// Bytes that the library may use; 0: there is no such buffer.
  int64_t workspace = 0;

  static MatmulCall fromArray(const int64_t *d);
  bool operator==(const MatmulCall &) const = default;
  auto operator<=>(const MatmulCall &) const = default;

  int64_t resultVolume() const { return shape.batch * shape.m * shape.n; }
  int64_t thirdVolume() const {
    return hasBias(epilogue)           ? shape.n
           : hasThirdOperand(epilogue) ? resultVolume()
                                       : 0;
  }
  int64_t secondVolume() const {
    return epilogue == Epilogue::BiasGradOfA   ? shape.m
           : epilogue == Epilogue::BiasGradOfB ? shape.n
           : hasSecondResult(epilogue)         ? resultVolume()
                                               : 0;
  }
};

/// The buffers of a product; null where the call has none.
struct MatmulBuffers {
  const void *a, *b;
  const void *third; ///< bias, or the argument of gelu
  void *y;
  void *second;
  void *workspace;

  static MatmulBuffers of(const MatmulCall &call, void *const *buffers);
};

/// The 24 numbers of `soap_rt_conv2d`. In bf16, operands and result are. With
/// images in NHWC weights are [O, KH, KW, C].
struct ConvCall {
  static constexpr size_t numbers = 24;

  ConvShape shape;
  ConvKind kind = ConvKind::Forward;
  Precision precision = Precision::F32;
  int64_t workspace = 0;
  /// None, Bias, Relu or BiasRelu of a forward convolution; None or ReluGrad,
  /// whose third operand is as large as the result, of the gradient of an
  /// input; None of that of weights.
  Epilogue epilogue = Epilogue::None;

  static ConvCall fromArray(const int64_t *d);
  bool operator==(const ConvCall &) const = default;
  auto operator<=>(const ConvCall &) const = default;

  bool channelsLast() const { return shape.xLayout == 1; }

  /// Whether a dim (0: rows, 1: columns) that is padded by `after` behind its
  /// end has the windows of the call: no window reads beyond them.
  bool fits(size_t dim, int64_t after) const {
    const ConvShape &s = shape;
    int64_t extent = dim ? s.w : s.h, results = dim ? s.ow : s.oh,
            kernel = dim ? s.kw : s.kh, stride = dim ? s.sw : s.sh,
            dilation = dim ? s.dw : s.dh, before = dim ? s.pl : s.pt;
    int64_t room = extent + before + after - ((kernel - 1) * dilation + 1);
    return room >= 0 && room / stride + 1 == results;
  }
  /// Whether the padding of a dim before its begin will do behind its end, too.
  bool padsBothSides(size_t dim) const {
    int64_t before = dim ? shape.pl : shape.pt;
    return before >= 0 && fits(dim, before);
  }
  bool padsBothSides() const { return padsBothSides(0) && padsBothSides(1); }
  /// Padding behind the end of a dim: that before its begin where it will do,
  /// else the call's own, or none where that would crop.
  int64_t paddingAfter(size_t dim) const {
    int64_t own = dim ? shape.pr : shape.pb;
    if (padsBothSides(dim))
      return dim ? shape.pl : shape.pt;
    return own < 0 && fits(dim, 0) ? 0 : own;
  }

  int64_t thirdVolume() const {
    return hasBias(epilogue)           ? shape.g * shape.o
           : hasThirdOperand(epilogue) ? volumeOf(2)
                                       : 0;
  }

  /// Elements of a, b, result. Here, for backends do not link the runtime.
  int64_t volumeOf(unsigned buffer) const {
    int64_t x = shape.inputVolume(), w = shape.weightVolume(),
            y = shape.outputVolume();
    switch (kind) {
    case ConvKind::Forward:
      return buffer == 0 ? x : buffer == 1 ? w : y;
    case ConvKind::InputGrad:
      return buffer == 0 ? y : buffer == 1 ? w : x;
    case ConvKind::WeightGrad:
      return buffer == 0 ? x : buffer == 1 ? y : w;
    }
    return 0;
  }
};

struct ConvBuffers {
  const void *a, *b;
  void *result;
  void *workspace;
  const void *third = nullptr; ///< bias, or the result of relu

  static ConvBuffers of(const ConvCall &call, void *const *buffers);
};

/// Nearest number with 10 bits of fraction, ties away from zero, as cvt.rna.
float toTF32(float value);

/// The f32 kernels that host references call.
using MatmulKernel = std::function<void(const MatmulShape &, const float *,
                                        const float *, float *)>;
using ConvKernel = std::function<void(ConvKind, const ConvShape &,
                                      const float *, const float *, float *)>;

/// The call on the CPU.
void runHostReference(const MatmulCall &call, const MatmulBuffers &buffers,
                      const MatmulKernel &kernel);
void runHostReference(const ConvCall &call, const ConvBuffers &buffers,
                      const ConvKernel &kernel);

} // namespace soap::runtime

#endif // SOAP_LIB_RUNTIME_KERNELS_LIBRARYCALLS_H
