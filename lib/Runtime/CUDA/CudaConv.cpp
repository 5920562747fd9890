//===- CudaConv.cpp - Convolutions by cuDNN -------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See CudaConv.h.
//
//===----------------------------------------------------------------------===//

#include "CudaConv.h"

#include "ConvAlgorithms.h"
#include "Runtime/CuDNN/ConvGraph.h"

#include <algorithm>

using namespace soap;
using namespace soap::runtime;

/// Engines of the graph API that are tried for a call: making a plan of one may
/// compile kernels.
static constexpr size_t maxEngines = 6;

/// All ways to compute a call, and the one that is taken.
struct CudaConv::Plan {
  ConvCall call;
  int64_t alignment;
  size_t limit; ///< bytes of a workspace
  cudnnHandle_t dnn;
  ConvAlgorithms algorithms;
  MaybeError refused;               ///< why there are no algorithms
  std::unique_ptr<ConvGraph> graph; ///< null: cuDNN refuses it
  /// Candidates of one API come first, then the other's.
  bool graphFirst = false;
  size_t chosen = 0;

  Plan(const ConvCall &call, int64_t alignment, cudnnHandle_t dnn)
      : call(call), alignment(alignment),
        // Calls without a workspace of their own have one beside the plan.
        limit(call.workspace > 0 ? size_t(call.workspace) : size_t(256) << 20),
        dnn(dnn) {}

  MaybeError describe();
  size_t engines() const { return graph ? graph->engines().size() : 0; }
  /// Algorithms whose sums have no order count only where there is no other.
  size_t older() const {
    return graph && !algorithms.haveOrder() ? 0 : algorithms.proposals().size();
  }
  size_t size() const { return engines() + older(); }
  /// Whether the candidate is an engine of the graph API, and its number there.
  std::pair<bool, size_t> at(size_t candidate) const;
  std::vector<std::string> names() const;
  /// Bytes that the candidate needs: at most `limit`, and an image with its
  /// padding where one is copied. An error: it cannot be taken.
  Expected<size_t> workspaceOf(size_t candidate);
  MaybeError run(size_t candidate, const ConvBuffers &buffers,
                 cudaStream_t stream);
  std::string key() const;
};

MaybeError CudaConv::Plan::describe() {
  if (MaybeError error = algorithms.describe(call))
    return error;
  refused = algorithms.propose(dnn, call, limit);
  auto made = ConvGraph::make({dnn}, call, alignment, maxEngines);
  if (made)
    graph = std::move(*made);
  // The older functions need a launch per operation, and copies where padding
  // differs between sides; where there is one operation they are the known
  // choice.
  graphFirst = call.epilogue != Epilogue::None || algorithms.copies();
  return size() ? std::nullopt : refused;
}

std::pair<bool, size_t> CudaConv::Plan::at(size_t candidate) const {
  size_t first = graphFirst ? engines() : older();
  return candidate < first ? std::pair(graphFirst, candidate)
                           : std::pair(!graphFirst, candidate - first);
}

std::vector<std::string> CudaConv::Plan::names() const {
  std::vector<std::string> list;
  for (size_t i = 0; i < size(); ++i) {
    auto [isEngine, number] = at(i);
    list.push_back(
        isEngine
            ? graph->engines()[number]
            : (algorithms.copies() ? "padded algorithm " : "algorithm ") +
                  std::to_string(algorithms.proposals()[number].algorithm));
  }
  return list;
}

Expected<size_t> CudaConv::Plan::workspaceOf(size_t candidate) {
  auto [isEngine, number] = at(candidate);
  if (!isEngine)
    return algorithms.proposals()[number].workspaceBytes;
  auto bytes = graph->workspaceOf(number);
  if (bytes && *bytes > limit)
    return Error{"a plan of cuDNN needs " + std::to_string(*bytes) +
                 " bytes, expected at most " + std::to_string(limit)};
  return bytes;
}

MaybeError CudaConv::Plan::run(size_t candidate, const ConvBuffers &buffers,
                               cudaStream_t stream) {
  auto [isEngine, number] = at(candidate);
  return isEngine ? graph->run(number, buffers)
                  : algorithms.run(dnn, call, number, buffers, stream);
}

/// The call as part of a key.
std::string CudaConv::Plan::key() const {
  const ConvShape &s = call.shape;
  static const char *const kinds[] = {"forward", "input_grad", "weight_grad"};
  static const char *const precisions[] = {"f32", "tf32", "bf16"};
  std::string text = std::string("conv2d ") + kinds[size_t(call.kind)] + " " +
                     precisions[size_t(call.precision)] +
                     (call.channelsLast() ? " nhwc" : " nchw");
  const std::pair<const char *, std::vector<int64_t>> parts[] = {
      {" x=", {s.n, s.g, s.c, s.h, s.w}},
      {" w=", {s.o, s.kh, s.kw}},
      {" y=", {s.oh, s.ow}},
      {" strides=", {s.sh, s.sw}},
      {" dilations=", {s.dh, s.dw}},
      {" padding=", call.padsBothSides()
                        ? std::vector<int64_t>{s.pt, s.pl}
                        : std::vector<int64_t>{s.pt, s.pl, s.pb, s.pr}},
      {" workspace=", {call.workspace}}};
  for (const auto &[name, numbers] : parts) {
    text += name;
    for (size_t i = 0; i < numbers.size(); ++i)
      text += (i ? "x" : "") + std::to_string(numbers[i]);
  }
  if (call.epilogue != Epilogue::None)
    text += " epilogue=" + std::to_string(int64_t(call.epilogue));
  if (alignment < 16)
    text += " aligned=" + std::to_string(alignment);
  return text;
}

CudaConv::CudaConv() = default;

CudaConv::~CudaConv() {
  plans.clear();
  if (dnn)
    cudnnDestroy(dnn);
}

MaybeError CudaConv::open(const CudaTuning *how) {
  tuning = how;
  SOAP_CUDA(cudnnCreate, &dnn);
  return std::nullopt;
}

void CudaConv::forget() { plans.clear(); }

Autotuner::Measure CudaConv::measureOf(Plan &plan, CudaTimer &timer) {
  return [&, buffers = ConvBuffers{},
          bytesHeld = size_t(0)](size_t candidate) mutable -> Expected<double> {
    const ConvCall &call = plan.call;
    int64_t width = call.precision == Precision::BF16 ? 2 : 4;
    auto bytes = plan.workspaceOf(candidate);
    if (!bytes)
      return bytes.takeError();
    if (!buffers.result) {
      void *places[4] = {};
      const int64_t volumes[] = {call.volumeOf(0), call.volumeOf(1),
                                 call.volumeOf(2), call.thirdVolume()};
      for (size_t i = 0; i < 4; ++i) {
        auto place = timer.scratch(width * volumes[i]);
        if (!place)
          return place.takeError();
        places[i] = *place;
      }
      buffers = {places[0], places[1], places[2], nullptr, places[3]};
    }
    // A larger workspace serves later candidates, too.
    if (*bytes > bytesHeld) {
      auto memory = timer.scratch(int64_t(*bytes));
      if (!memory)
        return memory.takeError();
      buffers.workspace = *memory;
      bytesHeld = *bytes;
    }
    return timer.measure([&](cudaStream_t stream) -> MaybeError {
      SOAP_CUDA(cudnnSetStream, plan.dnn, stream);
      return plan.run(candidate, buffers, stream);
    });
  };
}

/// The known or measured candidate; where it cannot be made, the first that
/// can.
MaybeError CudaConv::choose(Plan &plan, bool mayMeasure) {
  if (tuning) {
    CudaTimer timer;
    plan.chosen = tuning->choose(
        plan.key(), "cuDNN " + std::to_string(cudnnGetVersion()), plan.names(),
        mayMeasure ? measureOf(plan, timer) : nullptr);
  }
  auto bytes = plan.workspaceOf(plan.chosen);
  for (size_t i = 0; !bytes && i < plan.size(); ++i) {
    bytes = plan.workspaceOf(i);
    plan.chosen = i;
  }
  if (bytes)
    return std::nullopt;
  return plan.refused ? plan.refused : MaybeError(bytes.takeError());
}

/// The largest power of two, at most 16, of which all buffers are multiples.
static int64_t alignmentOf(const ConvBuffers &buffers) {
  uintptr_t bits = 16;
  for (const void *buffer :
       {buffers.a, buffers.b, static_cast<const void *>(buffers.result),
        buffers.third})
    bits |= reinterpret_cast<uintptr_t>(buffer);
  return static_cast<int64_t>(bits & (~bits + 1));
}

Expected<CudaConv::Plan *> CudaConv::find(const ConvCall &call,
                                          const ConvBuffers &buffers,
                                          bool mayMeasure) {
  int64_t alignment = alignmentOf(buffers);
  std::unique_ptr<Plan> &known = plans[{call, alignment}];
  if (!known) {
    auto made = std::make_unique<Plan>(call, alignment, dnn);
    if (MaybeError error = made->describe())
      return *error;
    if (MaybeError error = choose(*made, mayMeasure))
      return *error;
    known = std::move(made);
  }
  return known.get();
}

MaybeError CudaConv::prepare(const ConvCall &call, const ConvBuffers &buffers) {
  if (call.shape.work() == 0)
    return std::nullopt;
  auto plan = find(call, buffers, /*mayMeasure=*/true);
  return plan ? std::nullopt : MaybeError(plan.takeError());
}

MaybeError CudaConv::run(const ConvCall &call, const ConvBuffers &buffers,
                         cudaStream_t stream) {
  auto found = find(call, buffers, /*mayMeasure=*/false);
  if (!found)
    return found.takeError();
  Plan &plan = **found;
  auto bytes = plan.workspaceOf(plan.chosen);
  if (!bytes)
    return bytes.takeError();
  ConvBuffers all = buffers;
  // A padded image may be more than programs have.
  if (!all.workspace || int64_t(*bytes) > call.workspace) {
    auto beside = workspaces.of(stream, *bytes);
    if (!beside)
      return beside.takeError();
    all.workspace = *beside;
  }
  SOAP_CUDA(cudnnSetStream, dnn, stream);
  return plan.run(plan.chosen, all, stream);
}
