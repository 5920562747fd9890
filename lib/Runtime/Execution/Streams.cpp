//===- Streams.cpp - Programs on streams ----------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of the C ABI that programs of --soap-lower-to-cuda call: on a device
// of a backend if there is one, else at once, on the CPU. No exception may
// leave these functions: compiled code cannot unwind.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Execution/Context.h"

#include <cstring>
#include <exception>

using namespace soap;
using namespace soap::runtime;

namespace {

/// Runs `body`, which returns a MaybeError, unless the iteration has failed.
template <typename Body>
void guarded(SoapContext *ctx, Body body) {
  if (ctx->failed())
    return;
  try {
    if (MaybeError error = body())
      ctx->fail(error->message);
  } catch (const std::exception &error) {
    ctx->fail(error.what());
  }
}

} // namespace

void soap_rt_use_stream(SoapContext *ctx, int64_t stream) {
  ctx->stream = stream;
}

void soap_rt_launch(SoapContext *ctx, const SoapKernel *kernel,
                    void *const *buffers) {
  guarded(ctx, [&]() -> MaybeError {
    if (ctx->device)
      return ctx->device->launch(*kernel, buffers, ctx->stream);
    if (!kernel->hostReference)
      return Error{std::string("kernel '") + kernel->name +
                   "' is for GPUs only: expected a module lowered with "
                   "host-references=true, or --backend cuda"};
    soap_rt_parallel(kernel->hostReference, buffers, kernel->extent,
                     kernel->grain);
    return std::nullopt;
  });
}

void soap_rt_copy(SoapContext *ctx, void *to, const void *from, int64_t bytes) {
  guarded(ctx, [&]() -> MaybeError {
    if (ctx->device)
      return ctx->device->copy(to, from, bytes, ctx->stream);
    if (bytes)
      std::memmove(to, from, size_t(bytes));
    return std::nullopt;
  });
}

const void *soap_rt_constant(SoapContext *ctx, const void *data,
                             int64_t bytes) {
  const void *place = data;
  if (ctx->device)
    guarded(ctx, [&]() -> MaybeError {
      auto copy = ctx->device->constant(data, bytes);
      if (!copy)
        return copy.takeError();
      place = *copy;
      return std::nullopt;
    });
  return place;
}

void soap_rt_record_event(SoapContext *ctx, int64_t event, int64_t stream) {
  if (ctx->device)
    guarded(ctx, [&] { return ctx->device->record(event, stream); });
}

void soap_rt_wait_event(SoapContext *ctx, int64_t event, int64_t stream) {
  if (ctx->device)
    guarded(ctx, [&] { return ctx->device->wait(event, stream); });
}

void soap_rt_begin_transfers(SoapContext *ctx) {
  guarded(ctx, [&] { return ctx->transport->beginGroup(ctx->rank->device); });
}

void soap_rt_end_transfers(SoapContext *ctx) {
  guarded(ctx, [&] {
    ctx->activity.store(SoapContext::Receiving);
    MaybeError error = ctx->transport->endGroup(ctx->rank->device);
    ctx->activity.store(SoapContext::Running);
    ctx->progress.fetch_add(1, std::memory_order_relaxed);
    return error;
  });
}
