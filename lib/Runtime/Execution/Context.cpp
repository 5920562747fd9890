//===- Context.cpp - Tasks, messages and failures of programs -------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of the C ABI that needs no kernel. No exception may leave these
// functions: compiled code cannot unwind.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Execution/Context.h"

#include "Soap/Plan/CollectiveGroup.h"

#include <algorithm>
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

CollectiveKind kindOf(int64_t number) {
  switch (number) {
  case SOAP_ALL_REDUCE:
    return CollectiveKind::AllReduce;
  case SOAP_REDUCE:
    return CollectiveKind::Reduce;
  case SOAP_REDUCE_SCATTER:
    return CollectiveKind::ReduceScatter;
  case SOAP_ALL_GATHER:
    return CollectiveKind::AllGather;
  case SOAP_BROADCAST:
    return CollectiveKind::Broadcast;
  case SOAP_GATHER:
  case SOAP_ALL_TO_ALL: // without a root
    return CollectiveKind::AllToAll;
  default:
    return CollectiveKind::Exchange;
  }
}

/// Reads the arguments of `soap_rt_collective`; fails if the rank table has no
/// such collective.
bool readCollective(SoapContext *ctx, int64_t slot, const int64_t *d,
                    void *const *buffers, Collective &call) {
  if (!checkSlot(ctx, slot))
    return false;
  const std::vector<int64_t> &numbers = ctx->rank->collectives;
  call.number = size_t(slot) < numbers.size() ? numbers[size_t(slot)] : -1;
  if (call.number < 0) {
    ctx->fail("slot " + std::to_string(slot) + " is not a collective");
    return false;
  }
  const CollectiveInfo &info = ctx->entry->collectives[size_t(call.number)];
  bool hasRoot = *d == SOAP_REDUCE || *d == SOAP_BROADCAST || *d == SOAP_GATHER;
  call.kind = kindOf(*d++);
  call.elementType = *d++;
  call.group = &ctx->entry->groups[size_t(info.group)];
  call.root = info.root;
  call.place =
      std::find(call.group->begin(), call.group->end(), ctx->rank->device) -
      call.group->begin();
  call.device = ctx->device;
  call.stream = ctx->stream;
  int64_t inputs = *d++, outputs = *d++;
  call.inputs.assign(buffers, buffers + inputs);
  call.outputs.assign(buffers + inputs, buffers + inputs + outputs);
  call.inputCounts.assign(d, d + inputs);
  call.outputCounts.assign(d + inputs, d + inputs + outputs);
  call.splitPieces();
  std::string error = call.check();
  if (call.kind != info.kind)
    error = call.describe() + ": expected " + collectiveName(info.kind);
  else if (hasRoot != (info.root >= 0))
    error = call.describe() + ": the program expects " +
            (hasRoot ? "a root" : "no root") + ", the rank table " +
            (hasRoot ? "names none" : "names one");
  if (error.empty())
    return true;
  ctx->fail(error);
  return false;
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

void soap_rt_collective(SoapContext *ctx, int64_t slot, const int64_t *d,
                        void *const *buffers) {
  guarded(ctx, [&] {
    Collective call;
    if (!readCollective(ctx, slot, d, buffers, call))
      return;
    ctx->activity.store(SoapContext::Receiving);
    MaybeError error = ctx->transport->collective(call);
    ctx->activity.store(SoapContext::Running);
    if (error)
      return ctx->fail(error->message);
    std::vector<int64_t> pieces = call.pieces();
    if (call.isAllToAll()) {
      pieces.assign(size_t(call.size() * call.size()), 0);
      std::copy(call.inputCounts.begin(), call.inputCounts.end(),
                pieces.begin() + call.place * call.size());
    }
    forEachMessage(call.kind, int(call.size()), int(call.root), call.elements(),
                   call.elementBytes(), pieces,
                   [&](int from, int to, int64_t elements) {
                     if (from == call.place)
                       ctx->bytesTo[(*call.group)[size_t(to)]] +=
                           elements * call.elementBytes();
                   });
    ctx->progress.fetch_add(1, std::memory_order_relaxed);
  });
}
