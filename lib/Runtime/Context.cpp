//===- Context.cpp - Tasks, messages and failures of programs -------------===//
//
// The part of the C ABI that needs no kernel. No exception may leave these
// functions: compiled code cannot unwind.
//
//===----------------------------------------------------------------------===//

#include "Soap/Runtime/Context.h"

#include <exception>

using namespace soap;
using namespace soap::runtime;

namespace {

int64_t nowNs() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// False, with a failure, if the rank table has no such slot.
bool checkSlot(SoapContext *ctx, int64_t slot) {
  if (slot >= 0 && slot < int64_t(ctx->rank->tasks.size()))
    return true;
  ctx->fail("slot " + std::to_string(slot) + " is not in the rank table of " +
            std::to_string(ctx->rank->tasks.size()) + " slots");
  return false;
}

bool checkTransfer(SoapContext *ctx, int64_t slot, int64_t bytes) {
  if (!checkSlot(ctx, slot))
    return false;
  if (ctx->rank->transfers[size_t(slot)] < 0 || bytes < 0) {
    ctx->fail("slot " + std::to_string(slot) + " is not a transfer");
    return false;
  }
  return true;
}

template <typename Body>
void guarded(SoapContext *ctx, Body body) {
  if (ctx->failed())
    return;
  try {
    body();
  } catch (const std::exception &error) {
    ctx->fail(error.what());
  }
}

using SendFn = MaybeError (Transport::*)(const Envelope &, const void *,
                                         int64_t);

void sendBy(SendFn how, SoapContext *ctx, int64_t slot, const void *data,
            int64_t bytes) {
  guarded(ctx, [&] {
    if (!checkTransfer(ctx, slot, bytes))
      return;
    Envelope envelope{ctx->rank->device, ctx->rank->peers[size_t(slot)],
                      ctx->rank->transfers[size_t(slot)], ctx->device,
                      ctx->stream};
    if (MaybeError error = (ctx->transport->*how)(envelope, data, bytes))
      return ctx->fail(error->message);
    ctx->bytesTo[envelope.to] += bytes;
    ctx->progress.fetch_add(1, std::memory_order_relaxed);
  });
}

} // namespace

void RunState::fail(Transport &transport, const std::string &text) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (failed.load())
      return;
    message = text;
    failed.store(true);
  }
  if (recording.load())
    transport.interrupt();
  else
    transport.abort();
}

std::string RunState::firstMessage() {
  std::lock_guard<std::mutex> lock(mutex);
  return message;
}

std::string SoapContext::place() const {
  std::string text = "device " + std::to_string(rank->device);
  int64_t at = slot.load();
  if (at >= 0 && at < int64_t(rank->tasks.size())) {
    const ScheduledTask &task =
        entry->schedule[size_t(rank->tasks[size_t(at)])];
    text += ", op '" + task.name + "' (" + task.kind + ")";
  }
  return text;
}

void SoapContext::fail(const std::string &message) {
  run->fail(*transport, place() + ": " + message);
}

void soap_rt_task_begin(SoapContext *ctx, int64_t slot) {
  if (ctx->failed())
    return;
  ctx->slot.store(slot, std::memory_order_relaxed);
  if (!checkSlot(ctx, slot))
    return;
  ctx->progress.fetch_add(1, std::memory_order_relaxed);
  ctx->times[slot].beginNs = nowNs();
}

void soap_rt_task_end(SoapContext *ctx, int64_t slot) {
  if (ctx->failed() || !checkSlot(ctx, slot))
    return;
  ctx->times[slot].endNs = nowNs();
  ctx->progress.fetch_add(1, std::memory_order_relaxed);
}

void soap_rt_send(SoapContext *ctx, int64_t slot, const void *data,
                  int64_t bytes) {
  sendBy(&Transport::send, ctx, slot, data, bytes);
}

void soap_rt_post(SoapContext *ctx, int64_t slot, const void *data,
                  int64_t bytes) {
  sendBy(&Transport::post, ctx, slot, data, bytes);
}

void soap_rt_recv(SoapContext *ctx, int64_t slot, void *data, int64_t bytes) {
  guarded(ctx, [&] {
    if (!checkTransfer(ctx, slot, bytes))
      return;
    Envelope envelope{ctx->rank->peers[size_t(slot)], ctx->rank->device,
                      ctx->rank->transfers[size_t(slot)], ctx->device,
                      ctx->stream};
    ctx->activity.store(SoapContext::Receiving);
    MaybeError error = ctx->transport->receive(envelope, data, bytes);
    ctx->activity.store(SoapContext::Running);
    if (error)
      return ctx->fail(error->message);
    ctx->progress.fetch_add(1, std::memory_order_relaxed);
  });
}
