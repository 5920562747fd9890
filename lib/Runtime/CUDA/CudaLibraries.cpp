//===- CudaLibraries.cpp - cuBLAS and cuDNN on one device -----------------===//
//
// See CudaLibraries.h.
//
//===----------------------------------------------------------------------===//

#include "CudaLibraries.h"

#include "Soap/Runtime/Runtime.h"

#include <algorithm>
#include <limits>

using namespace soap;
using namespace soap::runtime;

/// Descriptors of a convolution, and the algorithms that cuDNN proposes.
struct CudaLibraries::Conv {
  struct Proposal {
    int algorithm; ///< a cudnnConvolution*Algo_t of its kind
    size_t workspaceBytes;
  };

  cudnnTensorDescriptor_t x = nullptr, y = nullptr;
  cudnnFilterDescriptor_t w = nullptr;
  cudnnConvolutionDescriptor_t conv = nullptr;
  std::vector<Proposal> proposals;
  size_t chosen = 0;

  ~Conv() {
    if (x)
      cudnnDestroyTensorDescriptor(x);
    if (y)
      cudnnDestroyTensorDescriptor(y);
    if (w)
      cudnnDestroyFilterDescriptor(w);
    if (conv)
      cudnnDestroyConvolutionDescriptor(conv);
  }

  MaybeError describe(const ConvCall &call);
  MaybeError propose(cudnnHandle_t dnn, const ConvCall &call);
  template <typename Find>
  MaybeError proposeBy(const char *name, size_t limit, Find find);
};

static bool fitsInt(std::initializer_list<int64_t> numbers) {
  for (int64_t number : numbers)
    if (number < 0 || number > std::numeric_limits<int>::max())
      return false;
  return true;
}

MaybeError CudaLibraries::Conv::describe(const ConvCall &call) {
  const ConvShape &s = call.shape;
  if (s.xLayout != s.yLayout || s.xLayout < 0 || s.xLayout > 1 || s.pt < 0 ||
      s.pl < 0)
    return Error{"cuDNN takes images in NCHW or NHWC with padding of at least "
                 "0"};
  if (!fitsInt({s.n, s.g * s.c, s.h, s.w, s.g * s.o, s.oh, s.ow, s.kh, s.kw}))
    return Error{"a convolution has an extent beyond 2147483647"};
  SOAP_CUDA(cudnnCreateTensorDescriptor, &x);
  SOAP_CUDA(cudnnCreateTensorDescriptor, &y);
  SOAP_CUDA(cudnnCreateFilterDescriptor, &w);
  SOAP_CUDA(cudnnCreateConvolutionDescriptor, &conv);
  auto type = call.precision == Precision::BF16 ? CUDNN_DATA_BFLOAT16
                                                : CUDNN_DATA_FLOAT;
  // Extents are those of NCHW in both.
  auto layout = call.channelsLast() ? CUDNN_TENSOR_NHWC : CUDNN_TENSOR_NCHW;
  SOAP_CUDA(cudnnSetTensor4dDescriptor, x, layout, type, int(s.n),
            int(s.g * s.c), int(s.h), int(s.w));
  SOAP_CUDA(cudnnSetTensor4dDescriptor, y, layout, type, int(s.n),
            int(s.g * s.o), int(s.oh), int(s.ow));
  SOAP_CUDA(cudnnSetFilter4dDescriptor, w, type, layout, int(s.g * s.o),
            int(s.c), int(s.kh), int(s.kw));
  // The same padding on both sides; what differs at the far ends is in the
  // extents of y, where it can be (see `isCudaConv` of the compiler).
  SOAP_CUDA(cudnnSetConvolution2dDescriptor, conv, int(s.pt), int(s.pl),
            int(s.sh), int(s.sw), int(s.dh), int(s.dw), CUDNN_CROSS_CORRELATION,
            CUDNN_DATA_FLOAT);
  SOAP_CUDA(cudnnSetConvolutionGroupCount, conv, int(s.g));
  SOAP_CUDA(cudnnSetConvolutionMathType, conv,
            call.precision == Precision::F32    ? CUDNN_FMA_MATH
            : call.precision == Precision::TF32 ? CUDNN_DEFAULT_MATH
                                                : CUDNN_TENSOR_OP_MATH);
  int n = 0, c = 0, h = 0, width = 0;
  SOAP_CUDA(cudnnGetConvolution2dForwardOutputDim, conv, x, w, &n, &c, &h,
            &width);
  if (h != s.oh || width != s.ow)
    return Error{"cuDNN makes " + std::to_string(h) + " x " +
                 std::to_string(width) + " of a convolution, expected " +
                 std::to_string(s.oh) + " x " + std::to_string(s.ow)};
  return std::nullopt;
}

/// The proposals that work in the memory that a workspace may take. The math is
/// that of the descriptor, so an algorithm counts once. Those whose sums have
/// no order are left out where there are others: replicas must have the same
/// bits.
template <typename Find>
MaybeError CudaLibraries::Conv::proposeBy(const char *name, size_t limit,
                                          Find find) {
  auto results = find();
  if (!results)
    return results.takeError();
  for (bool ordered : {true, false}) {
    for (const auto &result : *results) {
      if (result.status != CUDNN_STATUS_SUCCESS || result.memory > limit ||
          (ordered && result.determinism != CUDNN_DETERMINISTIC))
        continue;
      auto known = std::find_if(proposals.begin(), proposals.end(),
                                [&](const Proposal &proposal) {
                                  return proposal.algorithm == result.algo;
                                });
      if (known == proposals.end())
        proposals.push_back({int(result.algo), result.memory});
      else
        known->workspaceBytes = std::max(known->workspaceBytes, result.memory);
    }
    if (!proposals.empty())
      return std::nullopt;
  }
  return Error{std::string(name) + ": no algorithm of cuDNN fits in " +
               std::to_string(limit) + " bytes"};
}

MaybeError CudaLibraries::Conv::propose(cudnnHandle_t dnn,
                                        const ConvCall &call) {
  // Calls without a workspace of their own have one beside the plan.
  size_t limit =
      call.workspace > 0 ? size_t(call.workspace) : size_t(256) << 20;
#define SOAP_PROPOSE(function, Result, first, second, third)                   \
  proposeBy(#function, limit, [&]() -> Expected<std::vector<Result>> {         \
    std::vector<Result> results(10);                                           \
    int count = 0;                                                             \
    SOAP_CUDA(function, dnn, first, second, conv, third, int(results.size()),  \
              &count, results.data());                                         \
    results.resize(size_t(count));                                             \
    return results;                                                            \
  })
  switch (call.kind) {
  case ConvKind::Forward:
    return SOAP_PROPOSE(cudnnGetConvolutionForwardAlgorithm_v7,
                        cudnnConvolutionFwdAlgoPerf_t, x, w, y);
  case ConvKind::InputGrad:
    return SOAP_PROPOSE(cudnnGetConvolutionBackwardDataAlgorithm_v7,
                        cudnnConvolutionBwdDataAlgoPerf_t, w, y, x);
  case ConvKind::WeightGrad:
    return SOAP_PROPOSE(cudnnGetConvolutionBackwardFilterAlgorithm_v7,
                        cudnnConvolutionBwdFilterAlgoPerf_t, x, y, w);
  }
#undef SOAP_PROPOSE
  return std::nullopt;
}

CudaLibraries::CudaLibraries() = default;

CudaLibraries::~CudaLibraries() {
  convs.clear();
  if (blas)
    cublasDestroy(blas);
  if (dnn)
    cudnnDestroy(dnn);
  for (auto &[stream, memory] : workspaces)
    cudaFree(memory.first);
  for (void *memory : outgrown)
    cudaFree(memory);
}

MaybeError CudaLibraries::open(const CudaTuning *how) {
  tuning = how;
  if (MaybeError error = products.open(how))
    return error;
  SOAP_CUDA(cublasCreate, &blas);
  SOAP_CUDA(cudnnCreate, &dnn);
  return std::nullopt;
}

Expected<void *> CudaLibraries::workspace(cudaStream_t stream, size_t bytes) {
  auto &[memory, size] = workspaces[stream];
  if (bytes > size) {
    if (memory)
      outgrown.push_back(memory);
    memory = nullptr;
    size = 0;
    SOAP_CUDA(cudaMalloc, &memory, bytes);
    size = bytes;
  }
  return memory;
}

// 1 * from + to is one fused operation: the sum, rounded once.
MaybeError CudaLibraries::add(int64_t elementType, void *to, const void *from,
                              int64_t count, cudaStream_t stream) {
  SOAP_CUDA(cublasSetStream, blas, stream);
  constexpr int64_t most = int64_t(1) << 30; // cuBLAS counts in int
  for (int64_t begin = 0; begin < count; begin += most) {
    int part = int(std::min(most, count - begin));
    if (elementType == SOAP_F64) {
      double one = 1;
      SOAP_CUDA(cublasDaxpy, blas, part, &one,
                static_cast<const double *>(from) + begin, 1,
                static_cast<double *>(to) + begin, 1);
    } else {
      float one = 1;
      SOAP_CUDA(cublasSaxpy, blas, part, &one,
                static_cast<const float *>(from) + begin, 1,
                static_cast<float *>(to) + begin, 1);
    }
  }
  return std::nullopt;
}

MaybeError CudaLibraries::run(const Conv &c, ConvKind kind, int proposal,
                              const ConvBuffers &buffers) {
  auto [a, b, result, memory] = buffers;
  auto [algorithm, bytes] = c.proposals[size_t(proposal)];
  float one = 1, zero = 0;
  switch (kind) {
  case ConvKind::Forward:
    SOAP_CUDA(cudnnConvolutionForward, dnn, &one, c.x, a, c.w, b, c.conv,
              cudnnConvolutionFwdAlgo_t(algorithm), memory, bytes, &zero, c.y,
              result);
    break;
  case ConvKind::InputGrad:
    SOAP_CUDA(cudnnConvolutionBackwardData, dnn, &one, c.w, b, c.y, a, c.conv,
              cudnnConvolutionBwdDataAlgo_t(algorithm), memory, bytes, &zero,
              c.x, result);
    break;
  case ConvKind::WeightGrad:
    SOAP_CUDA(cudnnConvolutionBackwardFilter, dnn, &one, c.x, a, c.y, b, c.conv,
              cudnnConvolutionBwdFilterAlgo_t(algorithm), memory, bytes, &zero,
              c.w, result);
    break;
  }
  return std::nullopt;
}

/// The call as part of a key.
static std::string describe(const ConvCall &call) {
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
      {" padding=", {s.pt, s.pl}},
      {" workspace=", {call.workspace}}};
  for (const auto &[name, numbers] : parts) {
    text += name;
    for (size_t i = 0; i < numbers.size(); ++i)
      text += (i ? "x" : "") + std::to_string(numbers[i]);
  }
  return text;
}

Autotuner::Measure CudaLibraries::measureOf(const Conv &conv,
                                            const ConvCall &call,
                                            CudaTimer &timer) {
  return [&, buffers =
                 ConvBuffers{}](size_t candidate) mutable -> Expected<double> {
    int64_t width = call.precision == Precision::BF16 ? 2 : 4;
    if (!buffers.result) {
      void *places[3] = {};
      for (unsigned i = 0; i < 3; ++i) {
        auto place = timer.scratch(width * call.volumeOf(i));
        if (!place)
          return place.takeError();
        places[i] = *place;
      }
      // One workspace for all of them: the largest.
      size_t most = 0;
      for (const Conv::Proposal &proposal : conv.proposals)
        most = std::max(most, proposal.workspaceBytes);
      auto workspace = timer.scratch(int64_t(most));
      if (!workspace)
        return workspace.takeError();
      buffers = {places[0], places[1], places[2], *workspace};
    }
    return timer.measure([&](cudaStream_t stream) -> MaybeError {
      SOAP_CUDA(cudnnSetStream, dnn, stream);
      return run(conv, call.kind, int(candidate), buffers);
    });
  };
}

Expected<CudaLibraries::Conv *> CudaLibraries::find(const ConvCall &call,
                                                    bool mayMeasure) {
  std::unique_ptr<Conv> &known = convs[call];
  if (!known) {
    auto made = std::make_unique<Conv>();
    if (MaybeError error = made->describe(call))
      return *error;
    if (MaybeError error = made->propose(dnn, call))
      return *error;
    if (tuning) {
      std::vector<std::string> names;
      for (const Conv::Proposal &proposal : made->proposals)
        names.push_back("algorithm " + std::to_string(proposal.algorithm));
      CudaTimer timer;
      made->chosen = tuning->choose(
          ::describe(call), "cuDNN " + std::to_string(cudnnGetVersion()), names,
          mayMeasure ? measureOf(*made, call, timer) : nullptr);
    }
    known = std::move(made);
  }
  return known.get();
}

MaybeError CudaLibraries::prepare(const ConvCall &call) {
  if (call.shape.work() == 0)
    return std::nullopt;
  auto conv = find(call, /*mayMeasure=*/true);
  return conv ? std::nullopt : MaybeError(conv.takeError());
}

void CudaLibraries::forget() {
  convs.clear();
  products.forget();
}

MaybeError CudaLibraries::conv(const ConvCall &call, const ConvBuffers &buffers,
                               cudaStream_t stream) {
  if (call.shape.work() == 0) {
    int64_t width = call.precision == Precision::BF16 ? 2 : 4;
    if (int64_t volume = call.volumeOf(2))
      SOAP_CUDA(cudaMemsetAsync, buffers.result, 0, size_t(volume * width),
                stream);
    return std::nullopt;
  }
  auto conv = find(call, /*mayMeasure=*/false);
  if (!conv)
    return conv.takeError();
  const Conv &c = **conv;
  ConvBuffers all = buffers;
  if (!all.workspace) {
    auto beside = workspace(stream, c.proposals[c.chosen].workspaceBytes);
    if (!beside)
      return beside.takeError();
    all.workspace = *beside;
  }
  SOAP_CUDA(cudnnSetStream, dnn, stream);
  return run(c, call.kind, int(c.chosen), all);
}
