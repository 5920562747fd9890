//===- CudaImages.cpp - Pooling and norms by cuDNN ------------------------===//
//
// See CudaImages.h.
//
//===----------------------------------------------------------------------===//

#include "CudaImages.h"

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

} // namespace

struct CudaImages::Pooling {
  Image x, y;
  cudnnPoolingDescriptor_t windows = nullptr;

  ~Pooling() {
    if (windows)
      cudnnDestroyPoolingDescriptor(windows);
  }

  /// The one whose sums have an order, where there are sums.
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
};

struct CudaImages::Norm {
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
};

CudaImages::CudaImages() = default;
CudaImages::~CudaImages() = default;

/// The descriptors of a call, made when it is first asked for.
template <typename Call, typename Descriptors>
static Expected<Descriptors *>
find(std::map<Call, std::unique_ptr<Descriptors>> &known, const Call &call) {
  std::unique_ptr<Descriptors> &place = known[call];
  if (!place) {
    auto made = std::make_unique<Descriptors>();
    if (MaybeError error = made->describe(call))
      return *error;
    place = std::move(made);
  }
  return place.get();
}

MaybeError CudaImages::run(const PoolCall &call, const PoolBuffers &buffers,
                           cudaStream_t stream) {
  auto pooling = find(poolings, call);
  if (!pooling)
    return pooling.takeError();
  auto &[x, y, windows] = **pooling;
  float one = 1, zero = 0;
  SOAP_CUDA(cudnnSetStream, dnn, stream);
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

MaybeError CudaImages::run(const NormCall &call, const NormBuffers &buffers,
                           cudaStream_t stream) {
  auto norm = find(norms, call);
  if (!norm)
    return norm.takeError();
  cudnnTensorDescriptor_t x = (*norm)->x.get(), of = (*norm)->channels.get();
  float one = 1, zero = 0;
  SOAP_CUDA(cudnnSetStream, dnn, stream);
  if (call.isGradient) {
    SOAP_CUDA(cudnnBatchNormalizationBackward, dnn, Norm::mode, &one, &zero,
              &one, &zero, x, buffers.x, x, buffers.dy, x, buffers.result, of,
              buffers.gamma, buffers.dgamma, buffers.dbeta, call.epsilon,
              buffers.mean, buffers.inverse);
    return std::nullopt;
  }
  // Moving averages are the affair of the program.
  SOAP_CUDA(cudnnBatchNormalizationForwardTraining, dnn, Norm::mode, &one,
            &zero, x, buffers.x, x, buffers.result, of, buffers.gamma,
            buffers.beta, /*exponentialAverageFactor=*/1.0, nullptr, nullptr,
            call.epsilon, buffers.mean, buffers.inverse);
  return std::nullopt;
}
