//===- CudaImages.cpp - Pooling and norms by cuDNN ------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See CudaImages.h.
//
//===----------------------------------------------------------------------===//

#include "CudaImages.h"

#include "Runtime/CuDNN/ImageGraphs.h"

#include <limits>

using namespace soap;
using namespace soap::runtime;

namespace {

/// A tensor descriptor of an image.
class Image {
public:
  Image() = default;
  ~Image() {
    if (native)
      cudnnDestroyTensorDescriptor(native);
  }
  Image(const Image &) = delete;
  Image &operator=(const Image &) = delete;

  MaybeError create() {
    SOAP_CUDA(cudnnCreateTensorDescriptor, &native);
    return std::nullopt;
  }
  MaybeError describe(const ImageShape &s, bool channelsLast) {
    for (int64_t extent : {s.n, s.c, s.h, s.w, s.volume()})
      if (extent < 1 || extent > std::numeric_limits<int>::max())
        return Error{"cuDNN takes images of 1 to 2147483647 elements, got " +
                     std::to_string(s.n) + " x " + std::to_string(s.c) + " x " +
                     std::to_string(s.h) + " x " + std::to_string(s.w)};
    if (MaybeError error = create())
      return error;
    SOAP_CUDA(cudnnSetTensor4dDescriptor, native,
              channelsLast ? CUDNN_TENSOR_NHWC : CUDNN_TENSOR_NCHW,
              CUDNN_DATA_FLOAT, int(s.n), int(s.c), int(s.h), int(s.w));
    return std::nullopt;
  }
  cudnnTensorDescriptor_t get() const { return native; }

private:
  cudnnTensorDescriptor_t native = nullptr;
};

/// Engines of the graph API that are measured for a call: each compiles kernels
/// when its plan is made.
constexpr size_t maxEngines = 3;

/// The bits that are set in any of the addresses.
uintptr_t bitsOf(std::initializer_list<const void *> places) {
  uintptr_t bits = 0;
  for (const void *place : places)
    bits |= reinterpret_cast<uintptr_t>(place);
  return bits;
}

/// Numbers of a call as part of a key: " x=8x24x13x13".
std::string listed(const char *name, std::initializer_list<int64_t> numbers) {
  std::string text;
  for (int64_t number : numbers)
    text += (text.empty() ? "" : "x") + std::to_string(number);
  return std::string(" ") + name + "=" + text;
}

std::string listed(const ImageShape &s, bool channelsLast) {
  return std::string(" f32 ") + (channelsLast ? "nhwc" : "nchw") +
         listed("x", {s.n, s.c, s.h, s.w});
}

/// Memory for a measurement, of f32.
class Scratch {
public:
  explicit Scratch(CudaTimer &timer) : timer(timer) {}

  MaybeError error = std::nullopt;

  float *numbers(int64_t count) {
    return static_cast<float *>(bytes(4 * count));
  }
  void *bytes(int64_t count) {
    auto made = timer.scratch(count);
    if (made)
      return *made;
    error = made.takeError();
    return nullptr;
  }

private:
  CudaTimer &timer;
};

} // namespace

/// By an older function.
struct CudaImages::Pooling {
  using Call = PoolCall;
  using Buffers = PoolBuffers;
  using Graph = PoolGraph;

  Image x, y;
  cudnnPoolingDescriptor_t windows = nullptr;

  ~Pooling() {
    if (windows)
      cudnnDestroyPoolingDescriptor(windows);
  }

  /// The mode whose sums have an order, where there are sums.
  static cudnnPoolingMode_t modeOf(const PoolCall &call) {
    switch (call.kind) {
    case PoolKind::Max:
      return call.isGradient ? CUDNN_POOLING_MAX_DETERMINISTIC
                             : CUDNN_POOLING_MAX;
    case PoolKind::AverageOfAll:
      return CUDNN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING;
    case PoolKind::AverageOfInside:
      return CUDNN_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING;
    }
    return CUDNN_POOLING_MAX;
  }

  MaybeError describe(const PoolCall &call) {
    if (MaybeError error = x.describe(call.x, call.channelsLast))
      return error;
    if (MaybeError error = y.describe(call.y(), call.channelsLast))
      return error;
    SOAP_CUDA(cudnnCreatePoolingDescriptor, &windows);
    SOAP_CUDA(cudnnSetPooling2dDescriptor, windows, modeOf(call),
              CUDNN_PROPAGATE_NAN, int(call.kh), int(call.kw), int(call.pt),
              int(call.pl), int(call.sh), int(call.sw));
    int n = 0, c = 0, h = 0, w = 0;
    SOAP_CUDA(cudnnGetPooling2dForwardOutputDim, windows, x.get(), &n, &c, &h,
              &w);
    if (h != call.oh || w != call.ow)
      return Error{"cuDNN makes " + std::to_string(h) + " x " +
                   std::to_string(w) + " of a pooling, expected " +
                   std::to_string(call.oh) + " x " + std::to_string(call.ow)};
    return std::nullopt;
  }

  MaybeError run(cudnnHandle_t dnn, const PoolCall &call,
                 const PoolBuffers &buffers) const {
    float one = 1, zero = 0;
    if (!call.isGradient) {
      SOAP_CUDA(cudnnPoolingForward, dnn, windows, &one, x.get(), buffers.x,
                &zero, y.get(), buffers.result);
      return std::nullopt;
    }
    // The gradient of an average reads neither image, but is given both.
    SOAP_CUDA(cudnnPoolingBackward, dnn, windows, &one, y.get(),
              buffers.y ? buffers.y : buffers.dy, y.get(), buffers.dy, x.get(),
              buffers.x ? buffers.x : buffers.result, &zero, x.get(),
              buffers.result);
    return std::nullopt;
  }

  static std::string key(const PoolCall &call) {
    static const char *const kinds[] = {"max", "average", "average_inside"};
    return std::string("pool2d ") + kinds[size_t(call.kind)] +
           (call.isGradient ? " grad" : "") +
           listed(call.x, call.channelsLast) + listed("y", {call.oh, call.ow}) +
           listed("kernel", {call.kh, call.kw}) +
           listed("strides", {call.sh, call.sw}) +
           listed("padding", {call.pt, call.pl});
  }
  static uintptr_t bits(const PoolBuffers &b) {
    return bitsOf({b.dy, b.x, b.y, b.result});
  }
  static int64_t workspaceOf(const PoolCall &) { return 0; }
  static PoolBuffers scratch(const PoolCall &call, Scratch &memory) {
    int64_t x = call.x.volume(), y = call.y().volume();
    if (!call.isGradient)
      return {nullptr, memory.numbers(x), nullptr, memory.numbers(y)};
    bool isMax = call.kind == PoolKind::Max;
    return {memory.numbers(y), isMax ? memory.numbers(x) : nullptr,
            isMax ? memory.numbers(y) : nullptr, memory.numbers(x)};
  }
};

/// By an older function.
struct CudaImages::Norm {
  using Call = NormCall;
  using Buffers = NormBuffers;
  using Graph = NormGraph;

  /// Of one channel for all positions and samples. The persistent mode may be
  /// faster, but overflows on numbers that this one takes.
  static constexpr auto mode = CUDNN_BATCHNORM_SPATIAL;

  Image x, channels;

  MaybeError describe(const NormCall &call) {
    if (MaybeError error = x.describe(call.x, call.channelsLast))
      return error;
    if (MaybeError error = channels.create())
      return error;
    SOAP_CUDA(cudnnDeriveBNTensorDescriptor, channels.get(), x.get(), mode);
    return std::nullopt;
  }

  MaybeError run(cudnnHandle_t dnn, const NormCall &call,
                 const NormBuffers &buffers) const {
    cudnnTensorDescriptor_t image = x.get(), of = channels.get();
    float one = 1, zero = 0;
    if (call.isGradient) {
      SOAP_CUDA(cudnnBatchNormalizationBackward, dnn, mode, &one, &zero, &one,
                &zero, image, buffers.x, image, buffers.dy, image,
                buffers.result, of, buffers.gamma, buffers.dgamma,
                buffers.dbeta, call.epsilon, buffers.mean, buffers.inverse);
      return std::nullopt;
    }
    // Moving averages are the affair of the program.
    SOAP_CUDA(cudnnBatchNormalizationForwardTraining, dnn, mode, &one, &zero,
              image, buffers.x, image, buffers.result, of, buffers.gamma,
              buffers.beta, /*exponentialAverageFactor=*/1.0, nullptr, nullptr,
              call.epsilon, buffers.mean, buffers.inverse);
    return std::nullopt;
  }

  static std::string key(const NormCall &call) {
    return std::string("batch_norm ") + (call.isGradient ? "grad" : "train") +
           listed(call.x, call.channelsLast) +
           listed("workspace", {call.workspace});
  }
  static uintptr_t bits(const NormBuffers &b) {
    return bitsOf({b.dy, b.x, b.gamma, b.beta, b.mean, b.inverse, b.result,
                   b.dgamma, b.dbeta});
  }
  static int64_t workspaceOf(const NormCall &call) { return call.workspace; }
  static NormBuffers scratch(const NormCall &call, Scratch &memory) {
    int64_t image = call.x.volume(), channels = call.x.c;
    NormBuffers b{};
    b.x = memory.numbers(image);
    b.result = memory.numbers(image);
    b.gamma = memory.numbers(channels);
    b.mean = memory.numbers(channels);
    b.inverse = memory.numbers(channels);
    if (call.isGradient) {
      b.dy = memory.numbers(image);
      b.dgamma = memory.numbers(channels);
      b.dbeta = memory.numbers(channels);
    } else {
      b.beta = memory.numbers(channels);
    }
    b.workspace = memory.bytes(call.workspace);
    return b;
  }
};

/// All ways to compute a call: the older function, then engines. The first is
/// known to be right, so engines count only after a measurement.
template <typename Kind>
struct CudaImages::Plan {
  typename Kind::Call call;
  int64_t alignment;
  Kind function;
  /// Null: not asked for, or cuDNN has no engine.
  std::unique_ptr<typename Kind::Graph> graph;
  size_t chosen = 0;

  std::vector<std::string> names() const {
    std::vector<std::string> list{"function"};
    if (graph)
      list.insert(list.end(), graph->engines().begin(), graph->engines().end());
    return list;
  }
  /// An error where the engine's plan cannot be made, or has no room.
  MaybeError check(size_t candidate) {
    if (candidate == 0)
      return std::nullopt;
    auto bytes = graph->workspaceOf(candidate - 1);
    if (!bytes)
      return bytes.takeError();
    int64_t limit = Kind::workspaceOf(call);
    if (int64_t(*bytes) > limit)
      return Error{"a plan of cuDNN needs " + std::to_string(*bytes) +
                   " bytes, expected at most " + std::to_string(limit)};
    return std::nullopt;
  }
  MaybeError run(cudnnHandle_t dnn, size_t candidate,
                 const typename Kind::Buffers &buffers) {
    return candidate ? graph->run(candidate - 1, buffers)
                     : function.run(dnn, call, buffers);
  }
  std::string key() const {
    return Kind::key(call) +
           (alignment < 16 ? listed("aligned", {alignment}) : "");
  }
};

CudaImages::CudaImages() = default;
CudaImages::~CudaImages() = default;

void CudaImages::forget() {
  poolings.clear();
  norms.clear();
}

/// Chooses the known or measured candidate if it can be made after all.
template <typename Kind>
void CudaImages::choose(Plan<Kind> &plan, bool mayMeasure) {
  // In NCHW the graph API has the same kernel as the function, or engines of
  // channels last between transposes.
  if (!tuning || !tuning->tuner || !plan.call.channelsLast)
    return;
  auto made = Kind::Graph::make({dnn}, plan.call, plan.alignment, maxEngines);
  if (made)
    plan.graph = std::move(*made);
  CudaTimer timer;
  typename Kind::Buffers buffers{};
  auto measure = [&](size_t candidate) -> Expected<double> {
    if (MaybeError error = plan.check(candidate))
      return *error;
    if (!buffers.result) {
      Scratch memory(timer);
      auto all = Kind::scratch(plan.call, memory);
      if (memory.error)
        return *memory.error;
      buffers = all;
    }
    return timer.measure([&](cudaStream_t stream) -> MaybeError {
      SOAP_CUDA(cudnnSetStream, dnn, stream);
      return plan.run(dnn, candidate, buffers);
    });
  };
  plan.chosen = tuning->choose(
      plan.key(), "cuDNN " + std::to_string(cudnnGetVersion()), plan.names(),
      mayMeasure ? Autotuner::Measure(measure) : nullptr);
  if (plan.check(plan.chosen))
    plan.chosen = 0;
}

template <typename Kind, typename Call, typename Buffers>
Expected<CudaImages::Plan<Kind> *>
CudaImages::find(Plans<Kind, Call> &plans, const Call &call,
                 const Buffers &buffers, bool mayMeasure) {
  uintptr_t bits = Kind::bits(buffers) | 16;
  auto alignment = static_cast<int64_t>(bits & (~bits + 1));
  std::unique_ptr<Plan<Kind>> &known = plans[{call, alignment}];
  if (!known) {
    auto made = std::make_unique<Plan<Kind>>();
    made->call = call;
    made->alignment = alignment;
    if (MaybeError error = made->function.describe(call))
      return *error;
    choose(*made, mayMeasure);
    known = std::move(made);
  }
  return known.get();
}

MaybeError CudaImages::prepare(const PoolCall &call,
                               const PoolBuffers &buffers) {
  auto plan = find(poolings, call, buffers, /*mayMeasure=*/true);
  return plan ? std::nullopt : MaybeError(plan.takeError());
}

MaybeError CudaImages::prepare(const NormCall &call,
                               const NormBuffers &buffers) {
  auto plan = find(norms, call, buffers, /*mayMeasure=*/true);
  return plan ? std::nullopt : MaybeError(plan.takeError());
}

MaybeError CudaImages::run(const PoolCall &call, const PoolBuffers &buffers,
                           cudaStream_t stream) {
  auto plan = find(poolings, call, buffers, /*mayMeasure=*/false);
  if (!plan)
    return plan.takeError();
  SOAP_CUDA(cudnnSetStream, dnn, stream);
  return (*plan)->run(dnn, (*plan)->chosen, buffers);
}

MaybeError CudaImages::run(const NormCall &call, const NormBuffers &buffers,
                           cudaStream_t stream) {
  auto plan = find(norms, call, buffers, /*mayMeasure=*/false);
  if (!plan)
    return plan.takeError();
  SOAP_CUDA(cudnnSetStream, dnn, stream);
  return (*plan)->run(dnn, (*plan)->chosen, buffers);
}
