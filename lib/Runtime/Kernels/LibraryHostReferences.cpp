//===- LibraryHostReferences.cpp - Library calls on the CPU ---------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands are rounded to the precision that the library reads, the product is
// in f32, and the epilogue is computed as its formula says.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Kernels/LibraryCalls.h"

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

using namespace soap::runtime;

MatmulCall MatmulCall::fromArray(const int64_t *d) {
  return {MatmulShape::fromArray(d), Precision(d[6]), d[7] != 0, Epilogue(d[8]),
          d[9]};
}

ConvCall ConvCall::fromArray(const int64_t *d) {
  return {ConvShape::fromArray(d), ConvKind(d[20]), Precision(d[21]), d[22],
          Epilogue(d[23])};
}

MatmulBuffers MatmulBuffers::of(const MatmulCall &call, void *const *buffers) {
  MatmulBuffers of{};
  of.a = *buffers++;
  of.b = *buffers++;
  of.third = hasThirdOperand(call.epilogue) ? *buffers++ : nullptr;
  of.y = *buffers++;
  of.second = hasSecondResult(call.epilogue) ? *buffers++ : nullptr;
  of.workspace = call.workspace > 0 ? *buffers : nullptr;
  return of;
}

ConvBuffers ConvBuffers::of(const ConvCall &call, void *const *buffers) {
  ConvBuffers of{};
  of.a = *buffers++;
  of.b = *buffers++;
  of.third = hasThirdOperand(call.epilogue) ? *buffers++ : nullptr;
  of.result = *buffers++;
  of.workspace = call.workspace > 0 ? *buffers : nullptr;
  return of;
}

float soap::runtime::toTF32(float value) {
  if (!std::isfinite(value))
    return value;
  auto bits = std::bit_cast<uint32_t>(value);
  return std::bit_cast<float>((bits + 0x1000) & ~uint32_t(0x1fff));
}

namespace {

/// An operand as numbers in f32: itself, or a rounded copy.
class Operand {
public:
  Operand(const void *data, int64_t count, Precision precision) {
    if (precision == Precision::F32) {
      numbers = static_cast<const float *>(data);
      return;
    }
    copy.resize(static_cast<size_t>(count));
    for (size_t i = 0; i < copy.size(); ++i)
      copy[i] = precision == Precision::TF32
                    ? toTF32(static_cast<const float *>(data)[i])
                    : fromBFloat16(static_cast<const uint16_t *>(data)[i]);
    numbers = copy.data();
  }
  const float *get() const { return numbers; }

private:
  std::vector<float> copy;
  const float *numbers;
};

/// A result in f32, written where it belongs at the end.
class Result {
public:
  Result(void *data, int64_t count, bool narrow) : data(data) {
    if (narrow)
      copy.resize(static_cast<size_t>(count));
  }
  float *get() {
    return copy.empty() ? static_cast<float *>(data) : copy.data();
  }
  void write() {
    for (size_t i = 0; i < copy.size(); ++i)
      static_cast<uint16_t *>(data)[i] = toBFloat16(copy[i]);
  }

private:
  void *data;
  std::vector<float> copy;
};

/// sums[i] = sum over l of x[l][i] or, depth last, of x[i][l].
void sumOverDepth(const float *x, int64_t count, int64_t depth, bool depthFirst,
                  float *sums) {
  for (int64_t i = 0; i < count; ++i) {
    float sum = 0;
    for (int64_t l = 0; l < depth; ++l)
      sum += x[depthFirst ? l * count + i : i * depth + l];
    sums[i] = sum;
  }
}

constexpr float geluScale = 0.7978845608028654f, geluCube = 0.044715f;

float gelu(float x) {
  return 0.5f * x * (1 + std::tanh(geluScale * (x + geluCube * x * x * x)));
}

float geluSlope(float x) {
  float curve = std::tanh(geluScale * (x + geluCube * x * x * x));
  float inner = geluScale * (1 + 3 * geluCube * x * x);
  return 0.5f * (1 + curve) + 0.5f * x * (1 - curve * curve) * inner;
}

} // namespace

void soap::runtime::runHostReference(const MatmulCall &call,
                                     const MatmulBuffers &buffers,
                                     const MatmulKernel &kernel) {
  const MatmulShape &s = call.shape;
  Operand a(buffers.a, s.batch * s.m * s.k, call.precision);
  Operand b(buffers.b, s.batch * s.k * s.n, call.precision);
  int64_t volume = call.resultVolume();
  Result y(buffers.y, volume, call.narrowResult);
  kernel(s, a.get(), b.get(), y.get());
  Precision held = call.narrowResult ? Precision::BF16 : Precision::F32;
  Operand thirdOperand(buffers.third, call.thirdVolume(), held);
  Result secondResult(buffers.second, call.secondVolume(), call.narrowResult);
  const float *third = thirdOperand.get();
  float *second = secondResult.get(), *numbers = y.get();
  for (int64_t i = 0; i < volume; ++i) {
    float &value = numbers[i];
    if (hasBias(call.epilogue))
      value += third[i % s.n];
    switch (call.epilogue) {
    case Epilogue::Relu:
    case Epilogue::BiasRelu:
      // A NaN stays one.
      value = value < 0 ? 0 : value;
      break;
    case Epilogue::Gelu:
    case Epilogue::BiasGelu:
      second[i] = value;
      value = gelu(value);
      break;
    case Epilogue::GeluGrad:
      value *= geluSlope(third[i]);
      break;
    case Epilogue::None:
    case Epilogue::Bias:
    case Epilogue::BiasGradOfA:
    case Epilogue::BiasGradOfB:
    case Epilogue::ReluGrad: // of convolutions only
      break;
    }
  }
  if (call.epilogue == Epilogue::BiasGradOfA)
    sumOverDepth(a.get(), s.m, s.k, /*depthFirst=*/s.transposeA, second);
  if (call.epilogue == Epilogue::BiasGradOfB)
    sumOverDepth(b.get(), s.n, s.k, /*depthFirst=*/!s.transposeB, second);
  y.write();
  secondResult.write();
}

/// Calls `body` with the places of each weight in [O, C, KH, KW] and in
/// [O, KH, KW, C].
template <typename Body>
static void forEachWeight(const ConvShape &s, Body body) {
  size_t plain = 0, taps = size_t(s.kh * s.kw), channels = size_t(s.c);
  for (size_t o = 0; o < size_t(s.g * s.o); ++o)
    for (size_t c = 0; c < channels; ++c)
      for (size_t tap = 0; tap < taps; ++tap)
        body(plain++, (o * taps + tap) * channels + c);
}

/// The epilogue, after the sums. The third operand has the layout of the
/// result.
static void finish(const ConvCall &call, const float *third, float *result) {
  if (call.epilogue == Epilogue::None)
    return;
  const ConvShape &s = call.shape;
  int64_t channels = s.g * s.o, positions = s.oh * s.ow;
  bool bias = hasBias(call.epilogue);
  for (int64_t i = 0, volume = call.volumeOf(2); i < volume; ++i) {
    float &value = result[i];
    if (bias)
      value +=
          third[call.channelsLast() ? i % channels : i / positions % channels];
    // A NaN stays one.
    if (call.epilogue == Epilogue::Relu || call.epilogue == Epilogue::BiasRelu)
      value = value < 0 ? 0 : value;
    else if (call.epilogue == Epilogue::ReluGrad)
      value = third[i] > 0 ? value : 0;
  }
}

void soap::runtime::runHostReference(const ConvCall &call,
                                     const ConvBuffers &buffers,
                                     const ConvKernel &kernel) {
  Operand a(buffers.a, call.volumeOf(0), call.precision);
  Operand b(buffers.b, call.volumeOf(1), call.precision);
  Result result(buffers.result, call.volumeOf(2),
                call.precision == Precision::BF16);
  // It is no operand of the product, so tf32 does not round it.
  Operand third(buffers.third, call.thirdVolume(),
                call.precision == Precision::BF16 ? Precision::BF16
                                                  : Precision::F32);
  if (!call.channelsLast()) {
    kernel(call.kind, call.shape, a.get(), b.get(), result.get());
    finish(call, third.get(), result.get());
    result.write();
    return;
  }
  // Kernels of the CPU have weights in [O, C, KH, KW].
  const ConvShape &s = call.shape;
  std::vector<float> weights(size_t(s.weightVolume()));
  bool isGradient = call.kind == ConvKind::WeightGrad;
  if (!isGradient)
    forEachWeight(
        s, [&](size_t plain, size_t last) { weights[plain] = b.get()[last]; });
  kernel(call.kind, s, a.get(), isGradient ? b.get() : weights.data(),
         isGradient ? weights.data() : result.get());
  if (isGradient)
    forEachWeight(s, [&](size_t plain, size_t last) {
      result.get()[last] = weights[plain];
    });
  finish(call, third.get(), result.get());
  result.write();
}
