//===- AttentionHostReference.cpp - Attention of GPU programs on the CPU --===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As on the CPU, tile by tile, with heads first: other tensors are copied.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Kernels/AttentionCall.h"
#include "Runtime/Kernels/CpuAttention.h"

#include <vector>

using namespace soap::runtime;
using enum AttentionTensor;

AttentionBuffers AttentionBuffers::of(const AttentionCall &call,
                                      void *const *buffers) {
  AttentionBuffers of;
  for (AttentionTensor t : {Q, K, V})
    of[t] = *buffers++;
  if (call.isBackward())
    for (AttentionTensor t : {O, DO})
      of[t] = *buffers++;
  if (call.isBackward())
    of.statistics = static_cast<float *>(*buffers++);
  if (call.isBackward())
    for (AttentionTensor t : {DQ, DK, DV})
      of[t] = *buffers++;
  else
    of[O] = *buffers++;
  if (call.kind == AttentionKind::Training)
    of.statistics = static_cast<float *>(*buffers++);
  if (call.workspace > 0)
    of.workspace = *buffers;
  return of;
}

namespace {

/// A tensor of the call, with heads first.
class HeadsFirst {
public:
  HeadsFirst(const AttentionCall &call, const AttentionBuffers &buffers,
             AttentionTensor t)
      : call(call), tensor(t), given(static_cast<uint16_t *>(buffers[t])) {
    if (call.layouts[static_cast<size_t>(t)] != HeadLayout::HeadsFirst)
      copy.resize(static_cast<size_t>(call.volumeOf(t)));
  }

  uint16_t *data() { return copy.empty() ? given : copy.data(); }
  void read() {
    forEach([](uint16_t &held, uint16_t &own) { own = held; });
  }
  void write() {
    forEach([](uint16_t &held, uint16_t &own) { held = own; });
  }

private:
  const AttentionCall &call;
  AttentionTensor tensor;
  uint16_t *given;
  std::vector<uint16_t> copy; ///< empty if heads come first

  template <typename Body>
  void forEach(Body body) {
    if (copy.empty())
      return;
    auto strides = call.stridesOf(tensor);
    uint16_t *own = copy.data();
    for (int64_t n = 0; n < call.batch; ++n)
      for (int64_t h = 0; h < call.headsOf(tensor); ++h)
        for (int64_t r = 0; r < call.rowsOf(tensor); ++r)
          for (int64_t c = 0; c < call.widthOf(tensor); ++c)
            body(given[n * strides[0] + h * strides[1] + r * strides[2] +
                       c * strides[3]],
                 *own++);
  }
};

} // namespace

void soap::runtime::runHostReference(const AttentionCall &call,
                                     const AttentionBuffers &buffers,
                                     const MatmulKernel &kernel) {
  CpuAttentionCall onCpu;
  onCpu.kind = call.isBackward() ? CpuAttentionKind::Gradient
                                 : CpuAttentionKind::Forward;
  onCpu.batch = call.batch;
  onCpu.heads = call.heads;
  onCpu.keyHeads = call.keyHeads;
  onCpu.queries = call.queries;
  onCpu.keys = call.keys;
  onCpu.width = call.width;
  onCpu.valueWidth = call.valueWidth;
  onCpu.scale = call.scale;
  onCpu.left = call.left;
  onCpu.right = call.right;
  auto held = [&](AttentionTensor t) { return HeadsFirst(call, buffers, t); };
  HeadsFirst q = held(Q), k = held(K), v = held(V), o = held(O);
  for (HeadsFirst *tensor : {&q, &k, &v})
    tensor->read();
  if (!call.isBackward()) {
    std::vector<float> unread;
    float *statistics = buffers.statistics;
    if (!call.hasStatistics()) {
      unread.resize(static_cast<size_t>(call.statisticsVolume()));
      statistics = unread.data();
    }
    void *list[] = {q.data(), k.data(), v.data(), o.data(), statistics};
    runAttention<uint16_t>(onCpu, list, kernel);
    return o.write();
  }
  HeadsFirst dO = held(DO), dq = held(DQ), dk = held(DK), dv = held(DV);
  o.read();
  dO.read();
  void *list[] = {dO.data(),          q.data(),  k.data(),  v.data(), o.data(),
                  buffers.statistics, dq.data(), dk.data(), dv.data()};
  runAttention<uint16_t>(onCpu, list, kernel);
  for (HeadsFirst *tensor : {&dq, &dk, &dv})
    tensor->write();
}
