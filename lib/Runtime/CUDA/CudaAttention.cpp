//===- CudaAttention.cpp - Attention by cuDNN -----------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See CudaAttention.h.
//
//===----------------------------------------------------------------------===//

#include "CudaAttention.h"

#include "Runtime/CuDNN/AttentionGraph.h"

using namespace soap;
using namespace soap::runtime;

/// Engines that are tried for a call: making a plan of one compiles kernels.
static constexpr size_t maxEngines = 4;

/// All ways to compute a call, and the one that is taken.
struct CudaAttention::Plan {
  AttentionCall call;
  int64_t alignment;
  std::unique_ptr<AttentionGraph> graph;
  size_t chosen = 0;

  /// Bytes that the engine needs; an error: it cannot be taken.
  Expected<size_t> workspaceOf(size_t engine) {
    auto bytes = graph->workspaceOf(engine);
    if (bytes && int64_t(*bytes) > call.workspace)
      return Error{"a plan of cuDNN needs " + std::to_string(*bytes) +
                   " bytes, expected at most " +
                   std::to_string(call.workspace)};
    return bytes;
  }
  std::string key() const;
};

/// The call as part of a key, and of messages.
std::string CudaAttention::Plan::key() const {
  static const char *const kinds[] = {"forward", "training", "backward"};
  std::string text =
      std::string("attention ") + kinds[size_t(call.kind)] + " bf16";
  const std::pair<const char *, int64_t> parts[] = {
      {" batch=", call.batch},        {" heads=", call.heads},
      {" key-heads=", call.keyHeads}, {" queries=", call.queries},
      {" keys=", call.keys},          {" width=", call.width},
      {" values=", call.valueWidth},  {" left=", call.left},
      {" right=", call.right},        {" workspace=", call.workspace}};
  for (const auto &[name, number] : parts)
    if (number != AttentionCall::unbounded)
      text += name + std::to_string(number);
  text += " layouts=";
  for (HeadLayout layout : call.layouts)
    text += std::to_string(int64_t(layout));
  if (alignment < 16)
    text += " aligned=" + std::to_string(alignment);
  return text;
}

CudaAttention::CudaAttention() = default;

CudaAttention::~CudaAttention() {
  plans.clear();
  if (dnn)
    cudnnDestroy(dnn);
}

void CudaAttention::forget() { plans.clear(); }

Autotuner::Measure CudaAttention::measureOf(Plan &plan, CudaTimer &timer) {
  return [&, buffers = AttentionBuffers{}](
             size_t engine) mutable -> Expected<double> {
    auto bytes = plan.workspaceOf(engine);
    if (!bytes)
      return bytes.takeError();
    const AttentionCall &call = plan.call;
    if (!buffers.tensors[0]) {
      for (size_t i = 0; i < AttentionCall::tensors; ++i) {
        auto place = timer.scratch(2 * call.volumeOf(AttentionTensor(i)));
        if (!place)
          return place.takeError();
        buffers.tensors[i] = *place;
      }
      auto statistics = timer.scratch(4 * call.statisticsVolume());
      if (!statistics)
        return statistics.takeError();
      buffers.statistics = static_cast<float *>(*statistics);
      auto workspace = timer.scratch(call.workspace);
      if (!workspace)
        return workspace.takeError();
      buffers.workspace = *workspace;
    }
    return timer.measure([&](cudaStream_t stream) -> MaybeError {
      SOAP_CUDA(cudnnSetStream, dnn, stream);
      return plan.graph->run(engine, buffers);
    });
  };
}

/// The known or measured engine; where it cannot be made, the first that can.
MaybeError CudaAttention::choose(Plan &plan, bool mayMeasure) {
  size_t count = plan.graph->engines().size();
  if (tuning) {
    CudaTimer timer;
    plan.chosen = tuning->choose(
        plan.key(), "cuDNN " + std::to_string(cudnnGetVersion()),
        plan.graph->engines(), mayMeasure ? measureOf(plan, timer) : nullptr);
  }
  auto bytes = plan.workspaceOf(plan.chosen);
  for (size_t i = 0; !bytes && i < count; ++i) {
    bytes = plan.workspaceOf(i);
    plan.chosen = i;
  }
  return bytes ? std::nullopt : MaybeError(bytes.takeError());
}

/// The largest power of two, at most 16, of which all tensors are multiples.
static int64_t alignmentOf(const AttentionBuffers &buffers) {
  uintptr_t bits = 16 | reinterpret_cast<uintptr_t>(buffers.statistics);
  for (void *tensor : buffers.tensors)
    bits |= reinterpret_cast<uintptr_t>(tensor);
  return static_cast<int64_t>(bits & (~bits + 1));
}

Expected<CudaAttention::Plan *>
CudaAttention::find(const AttentionCall &call, const AttentionBuffers &buffers,
                    bool mayMeasure) {
  if (!dnn)
    SOAP_CUDA(cudnnCreate, &dnn);
  int64_t alignment = alignmentOf(buffers);
  std::unique_ptr<Plan> &known = plans[{call, alignment}];
  if (known)
    return known.get();
  auto made = std::make_unique<Plan>(Plan{call, alignment, nullptr, 0});
  auto graph = AttentionGraph::make({dnn}, call, alignment, maxEngines);
  MaybeError error = graph ? std::nullopt : MaybeError(Error{graph.error()});
  if (graph) {
    made->graph = std::move(*graph);
    error = choose(*made, mayMeasure);
  }
  if (error)
    return Error{error->message + ": " + made->key() + ", cuDNN " +
                 std::to_string(cudnnGetVersion()) +
                 "; --soap-lower-to-cuda='attention=none' computes it by "
                 "products and a softmax"};
  known = std::move(made);
  return known.get();
}

MaybeError CudaAttention::prepare(const AttentionCall &call,
                                  const AttentionBuffers &buffers) {
  auto plan = find(call, buffers, /*mayMeasure=*/true);
  return plan ? std::nullopt : MaybeError(plan.takeError());
}

MaybeError CudaAttention::run(const AttentionCall &call,
                              const AttentionBuffers &buffers,
                              cudaStream_t stream) {
  auto plan = find(call, buffers, /*mayMeasure=*/false);
  if (!plan)
    return plan.takeError();
  SOAP_CUDA(cudnnSetStream, dnn, stream);
  return (*plan)->graph->run((*plan)->chosen, buffers);
}
