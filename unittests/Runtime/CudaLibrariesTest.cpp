//===- CudaLibrariesTest.cpp - What the backend asks of cuDNN -------------===//
//
// CudaLibraries.cpp with stand-ins for the libraries behind it, written after
// their documentation: convolutions from descriptors. Compared with the direct
// kernels, so that every stride and group is asked for as it should be.
//
//===----------------------------------------------------------------------===//

#include "../../lib/Runtime/CUDA/CudaLibraries.h"

#include "Soap/Runtime/Runtime.h"

#include "gtest/gtest.h"

#include <array>
#include <cmath>
#include <cstring>
#include <random>

using namespace soap;
using namespace soap::runtime;

//===----------------------------------------------------------------------===//
// Stand-ins
//===----------------------------------------------------------------------===//

struct cudnnTensorStruct {
  int n, c, h, w;
  cudnnDataType_t type;
  int volume() const { return n * c * h * w; }
};
struct cudnnFilterStruct {
  int k, c, h, w;
  cudnnDataType_t type;
  int volume() const { return k * c * h * w; }
};
struct cudnnConvolutionStruct {
  int ph, pw, sh, sw, dh, dw, groups = 1;
  cudnnMathType_t math = CUDNN_DEFAULT_MATH;
};

/// Calls of the library, and memory that is not freed.
static int calls = 0, allocations = 0;
/// Of the last call.
static cudnnMathType_t lastMath;
static const void *lastWorkspace;

extern "C" {
cudaError_t cudaMalloc(void **pointer, size_t bytes) {
  *pointer = std::malloc(bytes);
  ++allocations;
  return cudaSuccess;
}
cudaError_t cudaFree(void *pointer) {
  allocations -= pointer != nullptr;
  std::free(pointer);
  return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t) {
  std::memset(to, value, bytes);
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
  ++calls;
  for (int i = 0; i < n; ++i)
    y[i * stepY] += *alpha * x[i * stepX];
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasDaxpy_v2(cublasHandle_t, int n, const double *alpha,
                              const double *x, int stepX, double *y,
                              int stepY) {
  ++calls;
  for (int i = 0; i < n; ++i)
    y[i * stepY] += *alpha * x[i * stepX];
  return CUBLAS_STATUS_SUCCESS;
}
const char *cudnnGetErrorString(cudnnStatus_t) { return "text"; }
cudnnStatus_t cudnnCreate(cudnnHandle_t *handle) {
  *handle = reinterpret_cast<cudnnHandle_t>(8);
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnDestroy(cudnnHandle_t) { return CUDNN_STATUS_SUCCESS; }
cudnnStatus_t cudnnSetStream(cudnnHandle_t, cudaStream_t) {
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnCreateTensorDescriptor(cudnnTensorDescriptor_t *d) {
  *d = new cudnnTensorStruct();
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnDestroyTensorDescriptor(cudnnTensorDescriptor_t d) {
  delete d;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetTensor4dDescriptor(cudnnTensorDescriptor_t d,
                                         cudnnTensorFormat_t,
                                         cudnnDataType_t type, int n, int c,
                                         int h, int w) {
  *d = {n, c, h, w, type};
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnCreateFilterDescriptor(cudnnFilterDescriptor_t *d) {
  *d = new cudnnFilterStruct();
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnDestroyFilterDescriptor(cudnnFilterDescriptor_t d) {
  delete d;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetFilter4dDescriptor(cudnnFilterDescriptor_t d,
                                         cudnnDataType_t type,
                                         cudnnTensorFormat_t, int k, int c,
                                         int h, int w) {
  *d = {k, c, h, w, type};
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t
cudnnCreateConvolutionDescriptor(cudnnConvolutionDescriptor_t *d) {
  *d = new cudnnConvolutionStruct();
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t
cudnnDestroyConvolutionDescriptor(cudnnConvolutionDescriptor_t d) {
  delete d;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetConvolution2dDescriptor(cudnnConvolutionDescriptor_t d,
                                              int ph, int pw, int sh, int sw,
                                              int dh, int dw,
                                              cudnnConvolutionMode_t mode,
                                              cudnnDataType_t compute) {
  *d = {ph, pw, sh, sw, dh, dw};
  return mode == CUDNN_CROSS_CORRELATION && compute == CUDNN_DATA_FLOAT
             ? CUDNN_STATUS_SUCCESS
             : CUDNN_STATUS_BAD_PARAM;
}
cudnnStatus_t cudnnSetConvolutionGroupCount(cudnnConvolutionDescriptor_t d,
                                            int groups) {
  d->groups = groups;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetConvolutionMathType(cudnnConvolutionDescriptor_t d,
                                          cudnnMathType_t math) {
  d->math = math;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetConvolution2dForwardOutputDim(
    cudnnConvolutionDescriptor_t d, cudnnTensorDescriptor_t x,
    cudnnFilterDescriptor_t w, int *n, int *c, int *h, int *width) {
  *n = x->n;
  *c = w->k;
  *h = 1 + (x->h + 2 * d->ph - ((w->h - 1) * d->dh + 1)) / d->sh;
  *width = 1 + (x->w + 2 * d->pw - ((w->w - 1) * d->dw + 1)) / d->sw;
  return CUDNN_STATUS_SUCCESS;
}
} // extern "C"

/// The second proposal works, and needs a workspace.
template <typename Result>
static cudnnStatus_t propose(int *count, Result *results) {
  *count = 2;
  results[0] = {};
  results[0].status = CUDNN_STATUS_NOT_SUPPORTED;
  results[1] = {};
  results[1].status = CUDNN_STATUS_SUCCESS;
  results[1].memory = 64;
  return CUDNN_STATUS_SUCCESS;
}

/// result[k] += a[i] * b[j] for every product of a convolution; `positions`
/// picks i, j and k of the positions in x, in w and in y. Numbers are of one
/// type, sums in f32.
template <typename Positions>
static cudnnStatus_t
convolve(const cudnnTensorStruct &x, const cudnnFilterStruct &w,
         const cudnnConvolutionStruct &d, const cudnnTensorStruct &y,
         void *workspace, size_t bytes, const void *a, const void *b,
         void *result, int volume, Positions positions) {
  ++calls;
  lastMath = d.math;
  lastWorkspace = workspace;
  if (!workspace || bytes != 64 || w.c * d.groups != x.c || w.k != y.c ||
      x.type != w.type || x.type != y.type)
    return CUDNN_STATUS_BAD_PARAM;
  bool isNarrow = x.type == CUDNN_DATA_BFLOAT16;
  auto load = [&](const void *from, int i) {
    return isNarrow ? fromBFloat16(static_cast<const uint16_t *>(from)[i])
                    : static_cast<const float *>(from)[i];
  };
  std::vector<float> sums(static_cast<size_t>(volume));
  int outputs = w.k / d.groups;
  for (int n = 0; n < y.n; ++n)
    for (int k = 0; k < w.k; ++k)
      for (int oh = 0; oh < y.h; ++oh)
        for (int ow = 0; ow < y.w; ++ow)
          for (int c = 0; c < w.c; ++c)
            for (int kh = 0; kh < w.h; ++kh)
              for (int kw = 0; kw < w.w; ++kw) {
                int h = oh * d.sh + kh * d.dh - d.ph;
                int v = ow * d.sw + kw * d.dw - d.pw;
                if (h < 0 || h >= x.h || v < 0 || v >= x.w)
                  continue;
                int channel = k / outputs * w.c + c;
                auto [i, j, to] =
                    positions(((n * x.c + channel) * x.h + h) * x.w + v,
                              ((k * w.c + c) * w.h + kh) * w.w + kw,
                              ((n * y.c + k) * y.h + oh) * y.w + ow);
                sums[size_t(to)] += load(a, i) * load(b, j);
              }
  for (int i = 0; i < volume; ++i)
    if (isNarrow)
      static_cast<uint16_t *>(result)[i] = toBFloat16(sums[size_t(i)]);
    else
      static_cast<float *>(result)[i] = sums[size_t(i)];
  return CUDNN_STATUS_SUCCESS;
}

extern "C" {
cudnnStatus_t cudnnGetConvolutionForwardAlgorithm_v7(
    cudnnHandle_t, const cudnnTensorDescriptor_t, const cudnnFilterDescriptor_t,
    const cudnnConvolutionDescriptor_t, const cudnnTensorDescriptor_t,
    const int, int *count, cudnnConvolutionFwdAlgoPerf_t *results) {
  return propose(count, results);
}
cudnnStatus_t cudnnGetConvolutionBackwardDataAlgorithm_v7(
    cudnnHandle_t, const cudnnFilterDescriptor_t, const cudnnTensorDescriptor_t,
    const cudnnConvolutionDescriptor_t, const cudnnTensorDescriptor_t,
    const int, int *count, cudnnConvolutionBwdDataAlgoPerf_t *results) {
  return propose(count, results);
}
cudnnStatus_t cudnnGetConvolutionBackwardFilterAlgorithm_v7(
    cudnnHandle_t, const cudnnTensorDescriptor_t, const cudnnTensorDescriptor_t,
    const cudnnConvolutionDescriptor_t, const cudnnFilterDescriptor_t,
    const int, int *count, cudnnConvolutionBwdFilterAlgoPerf_t *results) {
  return propose(count, results);
}
cudnnStatus_t cudnnConvolutionForward(
    cudnnHandle_t, const void *, const cudnnTensorDescriptor_t dx,
    const void *x, const cudnnFilterDescriptor_t dw, const void *w,
    const cudnnConvolutionDescriptor_t conv, cudnnConvolutionFwdAlgo_t,
    void *workspace, size_t bytes, const void *,
    const cudnnTensorDescriptor_t dy, void *y) {
  return convolve(*dx, *dw, *conv, *dy, workspace, bytes, x, w, y, dy->volume(),
                  [](int i, int j, int k) { return std::array{i, j, k}; });
}
cudnnStatus_t cudnnConvolutionBackwardData(
    cudnnHandle_t, const void *, const cudnnFilterDescriptor_t dw,
    const void *w, const cudnnTensorDescriptor_t dy, const void *y,
    const cudnnConvolutionDescriptor_t conv, cudnnConvolutionBwdDataAlgo_t,
    void *workspace, size_t bytes, const void *,
    const cudnnTensorDescriptor_t dx, void *x) {
  return convolve(*dx, *dw, *conv, *dy, workspace, bytes, y, w, x, dx->volume(),
                  [](int i, int j, int k) { return std::array{k, j, i}; });
}
cudnnStatus_t cudnnConvolutionBackwardFilter(
    cudnnHandle_t, const void *, const cudnnTensorDescriptor_t dx,
    const void *x, const cudnnTensorDescriptor_t dy, const void *y,
    const cudnnConvolutionDescriptor_t conv, cudnnConvolutionBwdFilterAlgo_t,
    void *workspace, size_t bytes, const void *,
    const cudnnFilterDescriptor_t dw, void *w) {
  return convolve(*dx, *dw, *conv, *dy, workspace, bytes, x, y, w, dw->volume(),
                  [](int i, int j, int k) { return std::array{i, k, j}; });
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
    calls = 0;
    ASSERT_FALSE(libraries.open());
  }

  /// Compares with the twin.
  void expectConv(const ConvCall &call) {
    bool isNarrow = call.precision == Precision::BF16;
    auto make = [&](unsigned buffer) {
      std::vector<float> values = numbers(call.volumeOf(buffer));
      if (isNarrow)
        for (size_t i = 0; i < values.size(); ++i) {
          uint16_t bits = toBFloat16(values[i]);
          std::memcpy(reinterpret_cast<char *>(values.data()) + 2 * i, &bits,
                      2);
        }
      return values;
    };
    auto a = make(0), b = make(1);
    std::vector<float> expected(static_cast<size_t>(call.volumeOf(2)));
    std::vector<float> actual = expected;
    std::vector<char> own(64);
    void *workspace = call.workspace > 0 ? own.data() : nullptr;
    runTwin(call, {a.data(), b.data(), expected.data(), nullptr}, convDirect);
    MaybeError error = libraries.conv(
        call, {a.data(), b.data(), actual.data(), workspace}, nullptr);
    ASSERT_FALSE(error) << error->message;
    EXPECT_EQ(std::memcmp(actual.data(), expected.data(),
                          actual.size() * (isNarrow ? 2 : 4)),
              0);
    if (workspace && call.shape.work() > 0)
      EXPECT_EQ(lastWorkspace, workspace);
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
  EXPECT_EQ(calls, 2);
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
  for (const ConvShape &shape : shapes)
    for (ConvKind kind :
         {ConvKind::Forward, ConvKind::InputGrad, ConvKind::WeightGrad})
      expectConv({shape, kind});
  EXPECT_EQ(calls, 15);
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
      EXPECT_EQ(lastMath, math);
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
  EXPECT_EQ(calls, 0);
}

TEST_F(CudaLibrariesTest, RefusesWhatCuDnnCannot) {
  float x[64] = {};
  ConvShape cropped{1, 1, 1, 5, 5, 1, 2, 2, 3, 3, 1, 1, 1, 1, -1, -1, 0, 0};
  auto error = libraries.conv({cropped}, {x, x, x, nullptr}, nullptr);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->message,
            "cuDNN takes images in NCHW with padding of at least 0");
  ConvShape oneSided{1, 1, 1, 5, 5, 1, 4, 4, 3, 3, 1, 1, 1, 1, 0, 0, 1, 1};
  error = libraries.conv({oneSided}, {x, x, x, nullptr}, nullptr);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->message,
            "cuDNN makes 3 x 3 of a convolution, expected 4 x 4");
}

TEST(CudaLibrariesMemory, IsFreed) {
  allocations = 0;
  {
    CudaLibraries libraries;
    ASSERT_FALSE(libraries.open());
    ConvShape s{1, 1, 1, 5, 5, 1, 3, 3, 3, 3, 1, 1, 1, 1, 0, 0, 0, 0};
    auto x = numbers(25), w = numbers(9), y = numbers(9);
    EXPECT_FALSE(
        libraries.conv({s}, {x.data(), w.data(), y.data(), nullptr}, nullptr));
    EXPECT_EQ(allocations, 1);
  }
  EXPECT_EQ(allocations, 0);
}

} // namespace
