//===- FakeCudnn.cpp - A stand-in for cuDNN -------------------------------===//
//
// See FakeLibraries.h: convolutions from descriptors, one position after the
// other.
//
//===----------------------------------------------------------------------===//

#include "FakeLibraries.h"
#include "FakeStreams.h"
#include "Soap/Runtime/LibraryCalls.h"

#include <array>
#include <cstdlib>
#include <string>

using namespace soap;
using namespace soap::runtime;

struct cudnnTensorStruct {
  int n, c, h, w;
  cudnnDataType_t type;
  cudnnTensorFormat_t format;
  int at(int in, int ic, int ih, int iw) const {
    return format == CUDNN_TENSOR_NHWC ? ((in * h + ih) * w + iw) * c + ic
                                       : ((in * c + ic) * h + ih) * w + iw;
  }
  int volume() const { return n * c * h * w; }
};
struct cudnnFilterStruct {
  int k, c, h, w;
  cudnnDataType_t type;
  cudnnTensorFormat_t format;
  int at(int ik, int ic, int ih, int iw) const {
    return format == CUDNN_TENSOR_NHWC ? ((ik * h + ih) * w + iw) * c + ic
                                       : ((ik * c + ic) * h + ih) * w + iw;
  }
  int volume() const { return k * c * h * w; }
};
struct cudnnConvolutionStruct {
  int ph, pw, sh, sw, dh, dw, groups = 1;
  cudnnMathType_t math = CUDNN_DEFAULT_MATH;
};
struct cudnnContext {
  cudaStream_t stream = nullptr;
};

fake::LibraryCalls::LibraryCalls() {
  const char *text = std::getenv("SOAP_FAKE_CUDA_TIMES");
  for (char *end = nullptr; text && *text; text = *end ? end + 1 : end)
    times.push_back(std::strtod(text, &end));
  if (!times.empty())
    productAlgorithms = int(times.size());
}

double fake::LibraryCalls::timeOf(int algorithm) const {
  return size_t(algorithm) < times.size() ? times[size_t(algorithm)] : 1;
}

fake::LibraryCalls &fake::libraryCalls() {
  static LibraryCalls calls;
  return calls;
}

extern "C" {
const char *cudnnGetErrorString(cudnnStatus_t) { return "text"; }
size_t cudnnGetVersion() { return 91900; }
cudnnStatus_t cudnnCreate(cudnnHandle_t *handle) {
  *handle = new cudnnContext();
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnDestroy(cudnnHandle_t handle) {
  delete handle;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetStream(cudnnHandle_t handle, cudaStream_t stream) {
  handle->stream = stream;
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
                                         cudnnTensorFormat_t format,
                                         cudnnDataType_t type, int n, int c,
                                         int h, int w) {
  *d = {n, c, h, w, type, format};
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
                                         cudnnTensorFormat_t format, int k,
                                         int c, int h, int w) {
  *d = {k, c, h, w, type, format};
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

/// One that does not work, algorithms 0 to 2, and the fastest of all, whose
/// sums have no order. All need a workspace.
template <typename Result>
static cudnnStatus_t propose(int most, int *count, Result *results) {
  if (most < 5)
    return CUDNN_STATUS_BAD_PARAM;
  *count = 5;
  for (int i = 0; i < *count; ++i) {
    results[i] = {};
    results[i].memory = fake::convWorkspace;
    results[i].status = i ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_NOT_SUPPORTED;
    results[i].determinism =
        i == 4 ? CUDNN_NON_DETERMINISTIC : CUDNN_DETERMINISTIC;
    results[i].algo = decltype(results[i].algo)(i ? i - 1 : 3);
  }
  return CUDNN_STATUS_SUCCESS;
}

/// result[k] += a[i] * b[j] for every product of a convolution; `positions`
/// picks i, j and k of the positions in x, in w and in y. Numbers are of one
/// type, sums in f32.
template <typename Positions>
static void sum(const cudnnTensorStruct &x, const cudnnFilterStruct &w,
                const cudnnConvolutionStruct &d, const cudnnTensorStruct &y,
                const void *a, const void *b, void *result, int volume,
                Positions positions) {
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
                    positions(x.at(n, channel, h, v), w.at(k, c, kh, kw),
                              y.at(n, k, oh, ow));
                sums[size_t(to)] += load(a, i) * load(b, j);
              }
  for (int i = 0; i < volume; ++i)
    if (isNarrow)
      static_cast<uint16_t *>(result)[i] = toBFloat16(sums[size_t(i)]);
    else
      static_cast<float *>(result)[i] = sums[size_t(i)];
}

/// Descriptors are copied: the library has read them when it returns.
template <typename Positions>
static cudnnStatus_t
convolve(cudnnHandle_t handle, int algorithm, const cudnnTensorStruct &x,
         const cudnnFilterStruct &w, const cudnnConvolutionStruct &d,
         const cudnnTensorStruct &y, void *workspace, size_t bytes,
         const void *a, const void *b, void *result, int volume,
         Positions positions) {
  fake::LibraryCalls &calls = fake::libraryCalls();
  ++calls.convolutions;
  calls.convMath = d.math;
  calls.workspace = workspace;
  calls.convAlgorithm = algorithm;
  if (!workspace || bytes != fake::convWorkspace || w.c * d.groups != x.c ||
      w.k != y.c || x.type != w.type || x.type != y.type ||
      x.format != y.format || x.format != w.format)
    return CUDNN_STATUS_BAD_PARAM;
  if (algorithm == calls.failing)
    return CUDNN_STATUS_EXECUTION_FAILED;
  double time = calls.timeOf(algorithm);
  cudaError_t error = fake::give(handle->stream, [=] {
    sum(x, w, d, y, a, b, result, volume, positions);
    fake::pass(time);
  });
  return error == cudaSuccess ? CUDNN_STATUS_SUCCESS
                              : CUDNN_STATUS_EXECUTION_FAILED;
}

extern "C" {
cudnnStatus_t cudnnGetConvolutionForwardAlgorithm_v7(
    cudnnHandle_t, const cudnnTensorDescriptor_t, const cudnnFilterDescriptor_t,
    const cudnnConvolutionDescriptor_t, const cudnnTensorDescriptor_t,
    const int most, int *count, cudnnConvolutionFwdAlgoPerf_t *results) {
  return propose(most, count, results);
}
cudnnStatus_t cudnnGetConvolutionBackwardDataAlgorithm_v7(
    cudnnHandle_t, const cudnnFilterDescriptor_t, const cudnnTensorDescriptor_t,
    const cudnnConvolutionDescriptor_t, const cudnnTensorDescriptor_t,
    const int most, int *count, cudnnConvolutionBwdDataAlgoPerf_t *results) {
  return propose(most, count, results);
}
cudnnStatus_t cudnnGetConvolutionBackwardFilterAlgorithm_v7(
    cudnnHandle_t, const cudnnTensorDescriptor_t, const cudnnTensorDescriptor_t,
    const cudnnConvolutionDescriptor_t, const cudnnFilterDescriptor_t,
    const int most, int *count, cudnnConvolutionBwdFilterAlgoPerf_t *results) {
  return propose(most, count, results);
}
cudnnStatus_t cudnnConvolutionForward(
    cudnnHandle_t handle, const void *, const cudnnTensorDescriptor_t dx,
    const void *x, const cudnnFilterDescriptor_t dw, const void *w,
    const cudnnConvolutionDescriptor_t conv,
    cudnnConvolutionFwdAlgo_t algorithm, void *workspace, size_t bytes,
    const void *, const cudnnTensorDescriptor_t dy, void *y) {
  return convolve(handle, algorithm, *dx, *dw, *conv, *dy, workspace, bytes, x,
                  w, y, dy->volume(),
                  [](int i, int j, int k) { return std::array{i, j, k}; });
}
cudnnStatus_t cudnnConvolutionBackwardData(
    cudnnHandle_t handle, const void *, const cudnnFilterDescriptor_t dw,
    const void *w, const cudnnTensorDescriptor_t dy, const void *y,
    const cudnnConvolutionDescriptor_t conv,
    cudnnConvolutionBwdDataAlgo_t algorithm, void *workspace, size_t bytes,
    const void *, const cudnnTensorDescriptor_t dx, void *x) {
  return convolve(handle, algorithm, *dx, *dw, *conv, *dy, workspace, bytes, y,
                  w, x, dx->volume(),
                  [](int i, int j, int k) { return std::array{k, j, i}; });
}
cudnnStatus_t cudnnConvolutionBackwardFilter(
    cudnnHandle_t handle, const void *, const cudnnTensorDescriptor_t dx,
    const void *x, const cudnnTensorDescriptor_t dy, const void *y,
    const cudnnConvolutionDescriptor_t conv,
    cudnnConvolutionBwdFilterAlgo_t algorithm, void *workspace, size_t bytes,
    const void *, const cudnnFilterDescriptor_t dw, void *w) {
  return convolve(handle, algorithm, *dx, *dw, *conv, *dy, workspace, bytes, x,
                  y, w, dw->volume(),
                  [](int i, int j, int k) { return std::array{i, k, j}; });
}
} // extern "C"
