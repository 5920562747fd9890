//===- LibraryCalls.cpp - Library functions of the C ABI ------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolution, matrix product, pooling and norms, on the threads of the device
// or on a device of a backend. No exception may leave these functions: compiled
// code cannot unwind.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Execution/Context.h"
#include "Runtime/Kernels/AttentionCall.h"
#include "Runtime/Kernels/CpuAttention.h"
#include "Runtime/Kernels/LibraryCalls.h"

#include <exception>
#include <type_traits>

using namespace soap::runtime;

namespace {

/// A library call of a device of a backend.
template <typename Call>
void onDevice(SoapContext *ctx, Call call) {
  if (soap::MaybeError error = call())
    ctx->fail(error->message);
}

template <typename Number>
constexpr Precision precisionOf =
    std::is_same_v<Number, float> ? Precision::F32 : Precision::BF16;

/// `Number`: float, or uint16_t for bf16.
template <typename Number>
void convAbi(SoapContext *ctx, ConvKind kind, const int64_t *d, const Number *a,
             const Number *b, Number *result) {
  if (ctx->failed())
    return;
  try {
    if (ctx->device)
      return onDevice(ctx, [&] {
        return ctx->device->conv(
            {ConvShape::fromArray(d), kind, precisionOf<Number>},
            {a, b, result, nullptr}, ctx->stream);
      });
    ctx->kernels->conv(kind, ConvShape::fromArray(d), a, b, result);
  } catch (const std::exception &error) {
    ctx->fail(error.what());
  }
}

template <typename Number, typename Result>
void matmulAbi(SoapContext *ctx, const int64_t *d, const Number *a,
               const Number *b, Result *y) {
  if (ctx->failed())
    return;
  try {
    if (ctx->device)
      return onDevice(ctx, [&] {
        return ctx->device->matmul(
            {MatmulShape::fromArray(d), precisionOf<Number>,
             /*narrowResult=*/precisionOf<Result> == Precision::BF16},
            {a, b, nullptr, y, nullptr, nullptr}, ctx->stream);
      });
    ctx->kernels->matmul(MatmulShape::fromArray(d), a, b, y);
  } catch (const std::exception &error) {
    ctx->fail(error.what());
  }
}

} // namespace

/// Attention of programs of the CPU.
template <typename Number>
static void attentionAbi(SoapContext *ctx, const int64_t *d,
                         void *const *buffers) {
  if (ctx->failed())
    return;
  try {
    runAttention<Number>(
        CpuAttentionCall::fromArray(d), buffers,
        [&](const MatmulShape &shape, const float *a, const float *b,
            float *y) { ctx->kernels->matmul(shape, a, b, y); });
  } catch (const std::exception &error) {
    ctx->fail(error.what());
  }
}

void soap_rt_attention_f32(SoapContext *ctx, const int64_t *d,
                           void *const *buffers) {
  attentionAbi<float>(ctx, d, buffers);
}

void soap_rt_attention_bf16(SoapContext *ctx, const int64_t *d,
                            void *const *buffers) {
  attentionAbi<uint16_t>(ctx, d, buffers);
}

void soap_rt_conv2d_f32(SoapContext *ctx, const int64_t *d, const float *x,
                        const float *w, float *y) {
  convAbi(ctx, ConvKind::Forward, d, x, w, y);
}

void soap_rt_conv2d_input_grad_f32(SoapContext *ctx, const int64_t *d,
                                   const float *dy, const float *w, float *dx) {
  convAbi(ctx, ConvKind::InputGrad, d, dy, w, dx);
}

void soap_rt_conv2d_weight_grad_f32(SoapContext *ctx, const int64_t *d,
                                    const float *x, const float *dy,
                                    float *dw) {
  convAbi(ctx, ConvKind::WeightGrad, d, x, dy, dw);
}

void soap_rt_matmul_f32(SoapContext *ctx, const int64_t *d, const float *a,
                        const float *b, float *y) {
  matmulAbi(ctx, d, a, b, y);
}

void soap_rt_conv2d_bf16(SoapContext *ctx, const int64_t *d, const uint16_t *x,
                         const uint16_t *w, uint16_t *y) {
  convAbi(ctx, ConvKind::Forward, d, x, w, y);
}

void soap_rt_conv2d_input_grad_bf16(SoapContext *ctx, const int64_t *d,
                                    const uint16_t *dy, const uint16_t *w,
                                    uint16_t *dx) {
  convAbi(ctx, ConvKind::InputGrad, d, dy, w, dx);
}

void soap_rt_conv2d_weight_grad_bf16(SoapContext *ctx, const int64_t *d,
                                     const uint16_t *x, const uint16_t *dy,
                                     uint16_t *dw) {
  convAbi(ctx, ConvKind::WeightGrad, d, x, dy, dw);
}

void soap_rt_matmul_bf16(SoapContext *ctx, const int64_t *d, const uint16_t *a,
                         const uint16_t *b, uint16_t *y) {
  matmulAbi(ctx, d, a, b, y);
}

void soap_rt_matmul_bf16_f32(SoapContext *ctx, const int64_t *d,
                             const uint16_t *a, const uint16_t *b, float *y) {
  matmulAbi(ctx, d, a, b, y);
}

void soap_rt_conv2d(SoapContext *ctx, const int64_t *d, void *const *buffers) {
  if (ctx->failed())
    return;
  try {
    ConvCall call = ConvCall::fromArray(d);
    ConvBuffers list = ConvBuffers::of(call, buffers);
    if (ctx->device)
      return onDevice(
          ctx, [&] { return ctx->device->conv(call, list, ctx->stream); });
    runHostReference(call, list,
                     [&](ConvKind kind, const ConvShape &shape, const float *a,
                         const float *b, float *result) {
                       ctx->kernels->conv(kind, shape, a, b, result);
                     });
  } catch (const std::exception &error) {
    ctx->fail(error.what());
  }
}

void soap_rt_matmul(SoapContext *ctx, const int64_t *d, void *const *buffers) {
  if (ctx->failed())
    return;
  try {
    MatmulCall call = MatmulCall::fromArray(d);
    MatmulBuffers list = MatmulBuffers::of(call, buffers);
    if (ctx->device)
      return onDevice(
          ctx, [&] { return ctx->device->matmul(call, list, ctx->stream); });
    runHostReference(call, list,
                     [&](const MatmulShape &shape, const float *a,
                         const float *b,
                         float *y) { ctx->kernels->matmul(shape, a, b, y); });
  } catch (const std::exception &error) {
    ctx->fail(error.what());
  }
}

void soap_rt_pool2d(SoapContext *ctx, const int64_t *d, void *const *buffers) {
  if (ctx->failed())
    return;
  PoolCall call = PoolCall::fromArray(d);
  PoolBuffers list = PoolBuffers::of(call, buffers);
  if (!ctx->device)
    return runHostReference(call, list);
  onDevice(ctx, [&] { return ctx->device->pool(call, list, ctx->stream); });
}

void soap_rt_batch_norm(SoapContext *ctx, const int64_t *d,
                        void *const *buffers) {
  if (ctx->failed())
    return;
  NormCall call = NormCall::fromArray(d);
  NormBuffers list = NormBuffers::of(call, buffers);
  if (!ctx->device)
    return runHostReference(call, list);
  onDevice(ctx,
           [&] { return ctx->device->batchNorm(call, list, ctx->stream); });
}

void soap_rt_attention(SoapContext *ctx, const int64_t *d,
                       void *const *buffers) {
  if (ctx->failed())
    return;
  try {
    AttentionCall call = AttentionCall::fromArray(d);
    AttentionBuffers list = AttentionBuffers::of(call, buffers);
    if (ctx->device)
      return onDevice(
          ctx, [&] { return ctx->device->attention(call, list, ctx->stream); });
    runHostReference(call, list,
                     [&](const MatmulShape &shape, const float *a,
                         const float *b,
                         float *y) { ctx->kernels->matmul(shape, a, b, y); });
  } catch (const std::exception &error) {
    ctx->fail(error.what());
  }
}
