//===- CudaLibrariesTest.cpp - Calls of cuDNN -----------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CudaLibraries.cpp with stand-ins for the libraries behind it
// (FakeLibraries.h), whose work is done at once. Compared with the direct
// kernels, so that every stride and group is asked for as it should be.
//
//===----------------------------------------------------------------------===//

#include "Runtime/CUDA/CudaLibraries.h"
#include "../../../test/Integration/GPU/FakeLibraries.h"
#include "../../../test/Integration/GPU/FakeStreams.h"

#include "Soap/ABI/Runtime.h"
#include "Soap/Support/NarrowFloats.h"

#include "gtest/gtest.h"

#include <cstring>
#include <random>
#include <utility>
#include <vector>

using namespace soap;
using namespace soap::fake;
using namespace soap::runtime;

//===----------------------------------------------------------------------===//
// Stand-ins
//===----------------------------------------------------------------------===//

/// Sums, memory that is not freed, and calls of the runtime.
static int sums = 0, allocations = 0, waits = 0;
/// While set, sums of f32 only note their counts and first elements.
static std::vector<std::pair<int, const float *>> *countedSums = nullptr;
static double now = 0;
static bool noMemory = false;
static LibraryCalls &fakes = libraryCalls();

/// Work is done at once.
cudaError_t fake::give(cudaStream_t, std::function<void()> work) {
  work();
  return cudaSuccess;
}
void fake::pass(double milliseconds) { now += milliseconds; }

struct CUevent_st {
  double time;
};

extern "C" {
cudaError_t cudaMalloc(void **pointer, size_t bytes) {
  if (noMemory)
    return cudaErrorMemoryAllocation;
  *pointer = std::malloc(bytes);
  ++allocations;
  return cudaSuccess;
}
cudaError_t cudaFree(void *pointer) {
  allocations -= pointer != nullptr;
  std::free(pointer);
  return cudaSuccess;
}
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes,
                       cudaMemcpyKind) {
  std::memcpy(to, from, bytes);
  return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t) {
  std::memset(to, value, bytes);
  return cudaSuccess;
}
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms *parameters,
                              cudaStream_t) {
  if (!lies(*parameters))
    return cudaErrorInvalidValue;
  copyPart(*parameters);
  return cudaSuccess;
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned) {
  *stream = reinterpret_cast<cudaStream_t>(8);
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t) { return cudaSuccess; }
cudaError_t cudaStreamSynchronize(cudaStream_t) { return cudaSuccess; }
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned) {
  ++allocations;
  *event = new CUevent_st{};
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  --allocations;
  delete event;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t) {
  event->time = now;
  return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t) {
  ++waits;
  return cudaSuccess;
}
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t begin,
                                 cudaEvent_t end) {
  *milliseconds = float(end->time - begin->time);
  return cudaSuccess;
}
cudaError_t cudaGetLastError() { return cudaSuccess; }
const char *cudaGetErrorName(cudaError_t) { return "name"; }
const char *cudaGetErrorString(cudaError_t) { return "text"; }

cublasStatus_t cublasCreate_v2(cublasHandle_t *handle) {
  *handle = reinterpret_cast<cublasHandle_t>(8);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasDestroy_v2(cublasHandle_t) {
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetStream_v2(cublasHandle_t, cudaStream_t) {
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSaxpy_v2(cublasHandle_t, int n, const float *alpha,
                              const float *x, int stepX, float *y, int stepY) {
  ++sums;
  if (countedSums) {
    countedSums->emplace_back(n, x);
    return CUBLAS_STATUS_SUCCESS;
  }
  for (int i = 0; i < n; ++i)
    y[i * stepY] += *alpha * x[i * stepX];
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasDaxpy_v2(cublasHandle_t, int n, const double *alpha,
                              const double *x, int stepX, double *y,
                              int stepY) {
  ++sums;
  for (int i = 0; i < n; ++i)
    y[i * stepY] += *alpha * x[i * stepX];
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasAxpyEx(cublasHandle_t, int n, const void *alpha,
                            cudaDataType, const void *x, cudaDataType type,
                            int stepX, void *y, cudaDataType, int stepY,
                            cudaDataType) {
  ++sums;
  float factor = *static_cast<const float *>(alpha);
  auto addAs = [&](auto *to, const auto *from) {
    using T = std::remove_pointer_t<decltype(to)>;
    for (int i = 0; i < n; ++i)
      to[i * stepY] = T(to[i * stepY] + factor * from[i * stepX]);
  };
  if (type == CUDA_R_16F)
    addAs(static_cast<soap::Float16 *>(y),
          static_cast<const soap::Float16 *>(x));
  else
    addAs(static_cast<soap::BFloat16 *>(y),
          static_cast<const soap::BFloat16 *>(x));
  return CUBLAS_STATUS_SUCCESS;
}
} // extern "C"

//===----------------------------------------------------------------------===//
// Tests
//===----------------------------------------------------------------------===//

namespace {

std::mt19937 generator(1);

/// Small integers, whose sums are exact in any order.
std::vector<float> numbers(int64_t count) {
  std::vector<float> values(static_cast<size_t>(count));
  for (float &value : values)
    value = float(int(generator() % 7) - 3);
  return values;
}

class CudaLibrariesTest : public testing::Test {
protected:
  CudaLibraries libraries;
  void SetUp() override {
    fakes.convolutions = fakes.plans = fakes.epilogues = 0;
    sums = 0;
    ASSERT_FALSE(libraries.open());
  }
  void TearDown() override {
    fakes.refusesGraphs = false;
    fakes.failingPlan = -1;
  }

  /// Compares with the host reference.
  void expectConv(const ConvCall &call) {
    bool isNarrow = call.precision == Precision::BF16;
    auto make = [&](int64_t volume) {
      std::vector<float> values = numbers(volume);
      if (isNarrow)
        for (size_t i = 0; i < values.size(); ++i) {
          uint16_t bits = toBFloat16(values[i]);
          std::memcpy(reinterpret_cast<char *>(values.data()) + 2 * i, &bits,
                      2);
        }
      return values;
    };
    auto a = make(call.volumeOf(0)), b = make(call.volumeOf(1)),
         third = make(call.thirdVolume());
    std::vector<float> expected(static_cast<size_t>(call.volumeOf(2)));
    std::vector<float> actual = expected;
    std::vector<char> own(64);
    void *workspace = call.workspace > 0 ? own.data() : nullptr;
    runHostReference(
        call, {a.data(), b.data(), expected.data(), nullptr, third.data()},
        convDirect);
    MaybeError error = libraries.conv(
        call, {a.data(), b.data(), actual.data(), workspace, third.data()},
        nullptr);
    ASSERT_FALSE(error) << error->message;
    EXPECT_EQ(std::memcmp(actual.data(), expected.data(),
                          actual.size() * (isNarrow ? 2 : 4)),
              0);
    if (workspace && call.shape.work() > 0)
      EXPECT_EQ(fakes.workspace, workspace);
  }
};

TEST_F(CudaLibrariesTest, Sums) {
  float a[] = {1, 2, 3}, b[] = {10, 20, 30};
  EXPECT_FALSE(libraries.add(SOAP_F32, a, b, 3, nullptr));
  EXPECT_EQ(a[2], 33);
  double c[] = {1, 2}, d[] = {10, 20};
  EXPECT_FALSE(libraries.add(SOAP_F64, c, d, 2, nullptr));
  EXPECT_EQ(c[1], 22);
  EXPECT_FALSE(libraries.add(SOAP_F32, a, b, 0, nullptr));
  EXPECT_EQ(sums, 2);
  Float16 e[] = {Float16(1), Float16(2)}, f[] = {Float16(0.5f), Float16(4)};
  EXPECT_FALSE(libraries.add(SOAP_F16, e, f, 2, nullptr));
  EXPECT_EQ(e[0], 1.5f);
  EXPECT_EQ(e[1], 6.0f);
  BFloat16 g[] = {BFloat16(256)}, h[] = {BFloat16(3)};
  EXPECT_FALSE(libraries.add(SOAP_BF16, g, h, 1, nullptr));
  EXPECT_EQ(g[0], 260.0f); // 259 is in the middle of 258 and 260
}

// cuBLAS counts in int: more elements are several calls.
TEST_F(CudaLibrariesTest, SumsOfMoreThanAnInt) {
  std::vector<std::pair<int, const float *>> parts;
  countedSums = &parts;
  constexpr int64_t part = int64_t(1) << 30;
  float to = 0, from = 0;
  EXPECT_FALSE(libraries.add(SOAP_F32, &to, &from, 2 * part + 5, nullptr));
  countedSums = nullptr;
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts[0],
            std::make_pair(int(part), static_cast<const float *>(&from)));
  EXPECT_EQ(parts[1].first, int(part));
  EXPECT_EQ(parts[2].first, 5);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(parts[2].second) -
                reinterpret_cast<uintptr_t>(&from),
            2 * part * sizeof(float));
}

TEST_F(CudaLibrariesTest, Convolutions) {
  // n, groups, c, h, w, o, oh, ow, kh, kw, strides, dilations, padding.
  const ConvShape shapes[] = {
      {2, 1, 3, 7, 6, 4, 5, 4, 3, 3, 1, 1, 1, 1, 0, 0, 0, 0},
      {2, 1, 3, 7, 6, 4, 4, 3, 3, 3, 2, 2, 1, 1, 1, 1, 1, 1},
      {1, 2, 2, 5, 9, 3, 5, 5, 3, 5, 1, 1, 1, 1, 1, 0, 1, 0},
      {1, 1, 2, 9, 9, 2, 5, 5, 3, 3, 1, 1, 2, 2, 0, 0, 0, 0},
      // The far end of the image meets no window.
      {1, 1, 2, 8, 8, 2, 3, 3, 3, 3, 2, 2, 1, 1, 0, 0, -1, -1},
  };
  for (ConvShape shape : shapes)
    for (ConvKind kind :
         {ConvKind::Forward, ConvKind::InputGrad, ConvKind::WeightGrad})
      for (int64_t layout : {0, 1}) {
        shape.xLayout = shape.yLayout = layout;
        expectConv({shape, kind});
      }
  EXPECT_EQ(fakes.convolutions, 30);
  // Once more: descriptors and workspace are there.
  int before = allocations;
  expectConv({shapes[0], ConvKind::Forward});
  EXPECT_EQ(allocations, before);
}

TEST_F(CudaLibrariesTest, Precisions) {
  const ConvShape s{2, 2, 3, 7, 6, 4, 4, 3, 3, 3, 2, 2, 1, 1, 1, 1, 1, 1};
  const std::pair<Precision, cudnnMathType_t> precisions[] = {
      {Precision::F32, CUDNN_FMA_MATH},
      {Precision::TF32, CUDNN_DEFAULT_MATH},
      {Precision::BF16, CUDNN_TENSOR_OP_MATH}};
  for (auto [precision, math] : precisions)
    for (ConvKind kind :
         {ConvKind::Forward, ConvKind::InputGrad, ConvKind::WeightGrad}) {
      expectConv({s, kind, precision});
      EXPECT_EQ(fakes.convMath, math);
    }
}

/// All that may follow a convolution, in every precision and layout, some
/// groups and strides.
template <typename Body>
static void forEachEpilogue(Body body) {
  const ConvShape shapes[] = {
      {2, 2, 3, 7, 6, 4, 4, 3, 3, 3, 2, 2, 1, 1, 1, 1, 1, 1},
      {1, 1, 2, 5, 5, 3, 5, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0}};
  for (ConvShape shape : shapes)
    for (int64_t layout : {0, 1})
      for (Precision precision :
           {Precision::F32, Precision::TF32, Precision::BF16}) {
        shape.xLayout = shape.yLayout = layout;
        for (Epilogue epilogue :
             {Epilogue::Bias, Epilogue::Relu, Epilogue::BiasRelu})
          body(ConvCall{shape, ConvKind::Forward, precision, 0, epilogue});
        body(ConvCall{shape, ConvKind::InputGrad, precision, 0,
                      Epilogue::ReluGrad});
      }
}

TEST_F(CudaLibrariesTest, EpiloguesAreOnePlan) {
  int calls = 0;
  forEachEpilogue([&](const ConvCall &call) {
    expectConv(call);
    EXPECT_EQ(fakes.engine,
              fake::firstEngine + (call.precision == Precision::F32 ? 0 : 4));
    ++calls;
  });
  EXPECT_EQ(fakes.plans, calls);
  EXPECT_EQ(fakes.convolutions, 0);
  EXPECT_EQ(fakes.epilogues, 0);
}

TEST_F(CudaLibrariesTest, EpiloguesWithoutGraphs) {
  fakes.refusesGraphs = true;
  int calls = 0, behind = 0;
  forEachEpilogue([&](const ConvCall &call) {
    expectConv(call);
    ++calls;
    // Bias and relu are two calls: the one of cuDNN for both makes NaN 0.
    behind += call.epilogue == Epilogue::BiasRelu ? 2 : 1;
  });
  EXPECT_EQ(fakes.plans, 0);
  EXPECT_EQ(fakes.convolutions, calls);
  EXPECT_EQ(fakes.epilogues, behind);
}

/// Kernels for what the first engine cannot do, and at last the older
/// functions.
TEST_F(CudaLibrariesTest, EnginesThatMakeNoPlan) {
  const ConvShape s{1, 1, 2, 5, 5, 3, 5, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0};
  fakes.failingPlan = fake::firstEngine;
  expectConv({s, ConvKind::Forward, Precision::F32, 0, Epilogue::Bias});
  EXPECT_EQ(fakes.engine, fake::firstEngine + 1);
  // Both need 64 bytes: nothing is left.
  float x[64] = {};
  auto error =
      libraries.conv({s, ConvKind::Forward, Precision::F32, 32, Epilogue::Relu},
                     {x, x, x, x}, nullptr);
  ASSERT_TRUE(error);
  EXPECT_NE(error->message.find("no algorithm of cuDNN fits in 32 bytes"),
            std::string::npos)
      << error->message;
}

/// Plans say how their buffers are aligned, so buffers of another call do not
/// fit.
TEST_F(CudaLibrariesTest, PlansKnowTheAlignment) {
  const ConvCall call{{1, 1, 1, 4, 4, 2, 4, 4, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0},
                      ConvKind::Forward,
                      Precision::F32,
                      0,
                      Epilogue::BiasRelu};
  alignas(16) float x[20] = {}, w[4] = {1, 2}, bias[4] = {1, -1}, y[36];
  x[1] = 3;
  for (size_t shift : {0, 1}) {
    fakes.plans = 0;
    auto error =
        libraries.conv(call, {x + shift, w, y + shift, nullptr, bias}, nullptr);
    ASSERT_FALSE(error) << error->message;
    EXPECT_EQ(y[shift], shift ? 4 : 1);
    EXPECT_EQ(y[shift + 16], shift ? 5 : 0);
    EXPECT_EQ(fakes.plans, 1);
  }
}

TEST_F(CudaLibrariesTest, WorkspacesOfThePlan) {
  int before = allocations;
  const ConvShape s{1, 1, 1, 5, 5, 1, 3, 3, 3, 3, 1, 1, 1, 1, 0, 0, 0, 0};
  expectConv({s, ConvKind::Forward, Precision::F32, 64});
  EXPECT_EQ(allocations, before);
  float x[64] = {};
  auto error = libraries.conv({s, ConvKind::Forward, Precision::F32, 32},
                              {x, x, x, x}, nullptr);
  ASSERT_TRUE(error);
  EXPECT_NE(error->message.find("no algorithm of cuDNN fits in 32 bytes"),
            std::string::npos)
      << error->message;
}

TEST_F(CudaLibrariesTest, ConvolutionsWithoutProducts) {
  expectConv({{0, 1, 2, 5, 5, 2, 3, 3, 3, 3, 1, 1, 1, 1, 0, 0, 0, 0},
              ConvKind::WeightGrad});
  EXPECT_EQ(fakes.convolutions, 0);
}

/// Padding that differs between sides, in every direction; padding that crops;
/// both.
template <typename Body>
static void forEachUnevenPadding(Body body) {
  const ConvShape shapes[] = {
      {2, 1, 3, 7, 6, 4, 7, 6, 3, 3, 1, 1, 1, 1, 0, 2, 2, 0},
      {1, 2, 2, 5, 9, 3, 4, 5, 3, 5, 1, 2, 1, 1, 1, 1, 0, 3},
      {2, 1, 2, 6, 6, 2, 3, 4, 3, 3, 1, 1, 1, 1, -1, 0, 0, 0},
      {1, 1, 2, 6, 6, 2, 2, 2, 3, 3, 2, 2, 1, 1, 1, 1, -2, -2},
      {1, 1, 2, 4, 3, 2, 3, 3, 3, 2, 1, 1, 2, 1, 3, -1, 0, 2},
      // No pixel of the image is in a window.
      {1, 1, 1, 1, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, 1, 0}};
  for (ConvShape shape : shapes)
    for (int64_t layout : {0, 1})
      for (Precision precision : {Precision::F32, Precision::BF16}) {
        shape.xLayout = shape.yLayout = layout;
        for (Epilogue epilogue : {Epilogue::None, Epilogue::BiasRelu})
          body(ConvCall{shape, ConvKind::Forward, precision, 0, epilogue});
        for (Epilogue epilogue : {Epilogue::None, Epilogue::ReluGrad})
          body(ConvCall{shape, ConvKind::InputGrad, precision, 0, epilogue});
        body(ConvCall{shape, ConvKind::WeightGrad, precision});
      }
}

/// Images that padding crops are copied.
TEST_F(CudaLibrariesTest, UnevenPaddingIsOnePlan) {
  int plans = 0, copies = 0;
  forEachUnevenPadding([&](const ConvCall &call) {
    SCOPED_TRACE("call " + std::to_string(plans + copies));
    const ConvShape &s = call.shape;
    bool crops =
        std::min({s.pt, s.pl, call.paddingAfter(0), call.paddingAfter(1)}) < 0;
    expectConv(call);
    ++(crops ? copies : plans);
  });
  EXPECT_EQ(fakes.plans, plans);
  EXPECT_EQ(fakes.convolutions, copies);
}

/// Where cuDNN has no plan, its older functions compute it on a padded copy.
TEST_F(CudaLibrariesTest, UnevenPaddingWithoutGraphs) {
  fakes.refusesGraphs = true;
  int calls = 0;
  forEachUnevenPadding([&](const ConvCall &call) {
    SCOPED_TRACE("call " + std::to_string(calls));
    expectConv(call);
    ++calls;
  });
  EXPECT_EQ(fakes.plans, 0);
  EXPECT_EQ(fakes.convolutions, calls);
}

TEST_F(CudaLibrariesTest, RefusesWhatCuDnnCannot) {
  float x[64] = {};
  ConvShape mixed{1, 1, 1, 5, 5, 1, 3, 3, 3, 3, 1, 1, 1, 1, 0, 0, 0, 0};
  mixed.xLayout = 1;
  auto error = libraries.conv({mixed}, {x, x, x, nullptr}, nullptr);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->message,
            "cuDNN takes images in NCHW or NHWC, all of a call alike");
  ConvShape other{1, 1, 1, 5, 5, 1, 4, 4, 3, 3, 1, 1, 1, 1, 0, 0, 0, 0};
  error = libraries.conv({other}, {x, x, x, nullptr}, nullptr);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->message,
            "cuDNN makes 3 x 3 of a convolution, expected 4 x 4");
}

/// A convolution on small numbers, without a workspace of its own.
struct SmallConv {
  ConvCall call{{1, 1, 1, 5, 5, 1, 3, 3, 3, 3, 1, 1, 1, 1, 0, 0, 0, 0}};
  std::vector<float> x = numbers(25), w = numbers(9), y = numbers(9),
                     bias = numbers(1);
  ConvBuffers buffers{x.data(), w.data(), y.data(), nullptr, bias.data()};
};

/// Times of older algorithms, and of engines, the first two of which serve.
std::vector<double> timesOf(std::vector<double> algorithms,
                            std::vector<double> engines) {
  algorithms.resize(size_t(fake::firstEngine), 9);
  algorithms.insert(algorithms.end(), engines.begin(), engines.end());
  return algorithms;
}

/// Keeps nothing on disk.
class CudaTuningTest : public testing::Test {
protected:
  std::string note;
  Autotuner tuner{"", [this](const std::string &text) { note += text; }};
  CudaTuning tuning{&tuner, "GPU, sm_90"};
  SmallConv small;

  void SetUp() override {
    fakes.failing = -1;
    fakes.convolutions = waits = 0;
  }
  void TearDown() override {
    fakes.times.clear();
    fakes.failing = -1;
    fakes.productAlgorithms = 1;
  }
  /// The algorithm that runs.
  int algorithmOf(CudaLibraries &libraries) {
    EXPECT_FALSE(libraries.conv(small.call, small.buffers, nullptr));
    return fakes.convAlgorithm;
  }
};

TEST_F(CudaTuningTest, TakesTheFastestConvolution) {
  // The fourth would be the fastest, but its sums have no order.
  fakes.times = timesOf({3, 1, 2, 0.1}, {4, 5, 0.1, 0.1, 0.1});
  CudaLibraries libraries;
  ASSERT_FALSE(libraries.open(&tuning));
  std::vector<float> before = small.y;
  ASSERT_FALSE(libraries.prepare(small.call, small.buffers));
  EXPECT_EQ(small.y, before); // measured elsewhere
  int asked = waits;
  EXPECT_GT(asked, 0);
  EXPECT_EQ(algorithmOf(libraries), 1);
  EXPECT_EQ(waits, asked);
  // A known choice is not measured again, not even where times have changed.
  fakes.times = {1, 2, 3};
  CudaLibraries others;
  ASSERT_FALSE(others.open(&tuning));
  ASSERT_FALSE(others.prepare(small.call, small.buffers));
  EXPECT_EQ(algorithmOf(others), 1);
  EXPECT_EQ(waits, asked);
  EXPECT_EQ(tuner.measured(), 1);
  auto used = tuner.used();
  ASSERT_EQ(used.size(), 1u);
  EXPECT_EQ(used.begin()->first,
            "conv2d forward f32 nchw x=1x1x1x5x5 w=1x3x3 y=3x3 strides=1x1 "
            "dilations=1x1 padding=0x0 workspace=0 | cuDNN 91900 | GPU, sm_90");
  EXPECT_EQ(used.begin()->second, "algorithm 1");
  // Of another process.
  EXPECT_TRUE(tuner.adopt({{used.begin()->first, "algorithm 2"}}));
  others.forget();
  EXPECT_EQ(algorithmOf(others), 2);
  EXPECT_EQ(note, "");
}

TEST_F(CudaTuningTest, NeverMeasuresInAnIteration) {
  fakes.times = {3, 1, 2};
  CudaLibraries libraries;
  ASSERT_FALSE(libraries.open(&tuning));
  EXPECT_EQ(algorithmOf(libraries), 0);
  EXPECT_EQ(waits, 0);
  EXPECT_EQ(fakes.convolutions, 1);
}

TEST_F(CudaTuningTest, LeavesOutWhatFails) {
  fakes.times = timesOf({3, 1, 2}, {4, 5});
  fakes.failing = 1;
  CudaLibraries libraries;
  ASSERT_FALSE(libraries.open(&tuning));
  ASSERT_FALSE(libraries.prepare(small.call, small.buffers));
  EXPECT_EQ(algorithmOf(libraries), 2);
  EXPECT_EQ(note, "");
}

TEST_F(CudaTuningTest, WithoutMemoryTakesTheFirst) {
  fakes.times = {3, 1, 2};
  CudaLibraries libraries;
  ASSERT_FALSE(libraries.open(&tuning));
  noMemory = true;
  EXPECT_FALSE(libraries.prepare(small.call, small.buffers));
  noMemory = false;
  EXPECT_EQ(note, "the first algorithm is taken, as none could be measured: "
                  "cudaMalloc: text (name)");
  EXPECT_EQ(algorithmOf(libraries), 0);
}

/// Of both APIs, whatever the call is; names are as in the file.
TEST_F(CudaTuningTest, TakesTheFastestOfBothApis) {
  fakes.times = timesOf({3, 2, 4}, {1.5, 1, 0.1, 0.1, 0.1});
  CudaLibraries libraries;
  ASSERT_FALSE(libraries.open(&tuning));
  fakes.plans = 0;
  ASSERT_FALSE(libraries.prepare(small.call, small.buffers));
  EXPECT_GT(fakes.plans, 0);
  ConvCall fused = small.call;
  fused.epilogue = Epilogue::BiasRelu;
  ASSERT_FALSE(libraries.prepare(fused, small.buffers));
  int plans = fakes.plans;
  EXPECT_FALSE(libraries.conv(small.call, small.buffers, nullptr));
  EXPECT_EQ(fakes.plans, plans + 1);
  EXPECT_EQ(fakes.engine, fake::firstEngine + 1);
  auto used = tuner.used();
  ASSERT_EQ(used.size(), 2u);
  for (const auto &[key, name] : used)
    EXPECT_EQ(name, "engine 11 2=5");
  EXPECT_NE(used.begin()->first.find(" epilogue=3 | cuDNN 91900 | "),
            std::string::npos)
      << used.begin()->first;
  // Where older functions are faster, they are taken for both.
  ASSERT_TRUE(tuner.adopt({{used.begin()->first, "algorithm 1"},
                           {used.rbegin()->first, "algorithm 1"}}));
  libraries.forget();
  for (const ConvCall &call : {small.call, fused}) {
    fakes.convAlgorithm = -1;
    EXPECT_FALSE(libraries.conv(call, small.buffers, nullptr));
    EXPECT_EQ(fakes.convAlgorithm, 1);
  }
  EXPECT_EQ(note, "");
}

/// A padded copy is made by the older functions, beside the workspace of the
/// program if that is too small; the key says what is padded.
TEST_F(CudaTuningTest, TakesTheFastestWithUnevenPadding) {
  SmallConv uneven;
  uneven.call = {{1, 1, 1, 5, 5, 1, 5, 5, 3, 3, 1, 1, 1, 1, 2, 1, 0, 1}};
  uneven.call.workspace = 64;
  uneven.y.resize(25);
  std::vector<float> expected(25), memory(16);
  uneven.buffers.result = uneven.y.data();
  uneven.buffers.workspace = memory.data();
  runHostReference(uneven.call,
                   {uneven.x.data(), uneven.w.data(), expected.data(), nullptr},
                   convDirect);
  fakes.times = timesOf({3, 2, 4}, {5, 3, 0.1, 0.1, 0.1});
  CudaLibraries libraries;
  ASSERT_FALSE(libraries.open(&tuning));
  ASSERT_FALSE(libraries.prepare(uneven.call, uneven.buffers));
  auto used = tuner.used();
  ASSERT_EQ(used.size(), 1u);
  EXPECT_NE(used.begin()->first.find(" padding=2x1x0x1 "), std::string::npos)
      << used.begin()->first;
  EXPECT_EQ(used.begin()->second, "padded algorithm 1");
  EXPECT_FALSE(libraries.conv(uneven.call, uneven.buffers, nullptr));
  EXPECT_EQ(fakes.convAlgorithm, 1);
  EXPECT_EQ(uneven.y, expected);
  // Unmeasured: a plan, which needs no copy.
  CudaLibraries others;
  ASSERT_FALSE(others.open());
  int plans = fakes.plans;
  EXPECT_FALSE(others.conv(uneven.call, uneven.buffers, nullptr));
  EXPECT_EQ(fakes.plans, plans + 1);
  EXPECT_EQ(uneven.y, expected);
  EXPECT_EQ(note, "");
}

TEST_F(CudaTuningTest, TakesTheFastestProduct) {
  fakes.times = {2, 3, 1};
  fakes.productAlgorithms = 3;
  std::vector<float> a = numbers(64), b = numbers(64), y(64, 7);
  std::vector<float> before = y;
  MatmulCall call{{1, 8, 8, 8, 0, 0}};
  MatmulBuffers buffers{a.data(), b.data(), nullptr,
                        y.data(), nullptr,  nullptr};
  CudaLibraries libraries;
  ASSERT_FALSE(libraries.open(&tuning));
  ASSERT_FALSE(libraries.prepare(call, buffers));
  EXPECT_EQ(y, before);
  ASSERT_FALSE(libraries.matmul(call, buffers, nullptr));
  EXPECT_EQ(fakes.productAlgorithm, 2u);
  EXPECT_NE(y, before);
  auto used = tuner.used();
  ASSERT_EQ(used.size(), 1u);
  EXPECT_TRUE(used.begin()->first.starts_with(
      "matmul f32 batch=1 m=8 n=8 k=8 epilogue=0 workspace=0 aligned="))
      << used.begin()->first;
  EXPECT_TRUE(used.begin()->first.ends_with(" | cuBLASLt 130200 | GPU, sm_90"))
      << used.begin()->first;
  EXPECT_EQ(used.begin()->second, "algorithm 2 0 0 0 0 0 0 abc");
  // A product that has one proposal is not measured.
  fakes.productAlgorithms = 1;
  ASSERT_FALSE(libraries.prepare({{1, 4, 4, 4, 0, 0}}, buffers));
  EXPECT_EQ(tuner.measured(), 1);
}

/// Epilogues read and write memory of the measurement alone.
TEST_F(CudaTuningTest, MeasuresEpilogues) {
  fakes.productAlgorithms = 2;
  std::vector<float> values = numbers(64), before = values;
  CudaLibraries libraries;
  ASSERT_FALSE(libraries.open(&tuning));
  for (Epilogue epilogue :
       {Epilogue::Bias, Epilogue::BiasGelu, Epilogue::GeluGrad,
        Epilogue::BiasGradOfA, Epilogue::BiasGradOfB}) {
    MatmulCall call{{1, 8, 8, 8, 0, 0}, Precision::F32, false, epilogue};
    float *v = values.data();
    ASSERT_FALSE(libraries.prepare(call, {v, v, v, v, v, nullptr}));
  }
  EXPECT_EQ(tuner.measured(), 5);
  EXPECT_EQ(values, before);
  EXPECT_EQ(note, "");
}

TEST(CudaLibrariesMemory, IsFreed) {
  allocations = 0;
  int before = fakes.alive;
  {
    CudaLibraries libraries;
    ASSERT_FALSE(libraries.open());
    ConvShape s{1, 1, 1, 5, 5, 1, 3, 3, 3, 3, 1, 1, 1, 1, 0, 0, 0, 0};
    auto x = numbers(25), w = numbers(9), y = numbers(9);
    EXPECT_FALSE(
        libraries.conv({s}, {x.data(), w.data(), y.data(), nullptr}, nullptr));
    EXPECT_EQ(allocations, 1);
    // And what is measured is freed at once.
    Autotuner tuner("", nullptr);
    CudaTuning tuning{&tuner, ""};
    CudaLibraries others;
    ASSERT_FALSE(others.open(&tuning));
    EXPECT_FALSE(others.prepare({s}, {x.data(), w.data(), y.data(), nullptr}));
    EXPECT_EQ(tuner.measured(), 1);
    EXPECT_EQ(allocations, 1);
  }
  EXPECT_EQ(allocations, 0);
  EXPECT_EQ(fakes.alive, before);
}

} // namespace
