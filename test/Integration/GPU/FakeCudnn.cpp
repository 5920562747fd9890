//===- FakeCudnn.cpp - A stand-in for cuDNN -------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See FakeLibraries.h: convolutions from descriptors, one position after the
// other.
//
//===----------------------------------------------------------------------===//

#include "FakeLibraries.h"
#include "FakeStreams.h"
#include "Runtime/Kernels/LibraryCalls.h"

#include <array>
#include <cstdlib>
#include <string>

using namespace soap;
using namespace soap::runtime;

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
struct cudnnActivationStruct {
  bool isRelu = false;
};

cudaStream_t fake::streamOf(cudnnHandle_t handle) { return handle->stream; }

fake::LibraryCalls::LibraryCalls() {
  const char *text = std::getenv("SOAP_FAKE_CUDA_TIMES");
  for (char *end = nullptr; text && *text; text = *end ? end + 1 : end)
    times.push_back(std::strtod(text, &end));
  if (!times.empty())
    productAlgorithms = int(times.size());
  refusesGraphs = std::getenv("SOAP_FAKE_CUDNN_NO_GRAPHS") != nullptr;
  refusesEpilogues = std::getenv("SOAP_FAKE_CUBLASLT_NO_EPILOGUES") != nullptr;
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

static float load(const cudnnTensorStruct &t, const void *from, int i) {
  return fake::load(
      from, t.type == CUDNN_DATA_BFLOAT16 ? CUDA_R_16BF : CUDA_R_32F, i);
}
static void store(const cudnnTensorStruct &t, void *to, int i, float value) {
  fake::store(to, t.type == CUDNN_DATA_BFLOAT16 ? CUDA_R_16BF : CUDA_R_32F, i,
              value);
}
static float relu(float value) { return value < 0 ? 0 : value; }

/// result[k] += a[i] * b[j] for every product of a convolution; `positions`
/// picks i, j and k of the positions in x, in w and in y. Numbers are of one
/// type, sums in f32, of which `after` makes what is written.
template <typename Positions, typename After>
static void sum(const cudnnTensorStruct &x, const cudnnFilterStruct &w,
                const cudnnConvolutionStruct &d, const cudnnTensorStruct &y,
                const void *a, const void *b, void *result, int volume,
                Positions positions, After after) {
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
                sums[size_t(to)] += load(x, a, i) * load(x, b, j);
              }
  for (int i = 0; i < volume; ++i)
    store(x, result, i, after(sums[size_t(i)], i));
}

static float asItIs(float value, int) { return value; }

/// Descriptors are copied: the library has read them when it returns.
template <typename Positions, typename After>
static cudnnStatus_t
convolve(cudnnHandle_t handle, const char *function, int algorithm,
         const cudnnTensorStruct &x, const cudnnFilterStruct &w,
         const cudnnConvolutionStruct &d, const cudnnTensorStruct &y,
         void *workspace, size_t bytes, const void *a, const void *b,
         void *result, int volume, Positions positions, After after) {
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
    sum(x, w, d, y, a, b, result, volume, positions, after);
    if (volume && fake::isWrong(function))
      store(x, result, volume - 1, load(x, result, volume - 1) + 1);
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
  return convolve(
      handle, __func__, algorithm, *dx, *dw, *conv, *dy, workspace, bytes, x, w,
      y, dy->volume(), [](int i, int j, int k) { return std::array{i, j, k}; },
      asItIs);
}
cudnnStatus_t cudnnConvolutionBackwardData(
    cudnnHandle_t handle, const void *, const cudnnFilterDescriptor_t dw,
    const void *w, const cudnnTensorDescriptor_t dy, const void *y,
    const cudnnConvolutionDescriptor_t conv,
    cudnnConvolutionBwdDataAlgo_t algorithm, void *workspace, size_t bytes,
    const void *, const cudnnTensorDescriptor_t dx, void *x) {
  return convolve(
      handle, __func__, algorithm, *dx, *dw, *conv, *dy, workspace, bytes, y, w,
      x, dx->volume(), [](int i, int j, int k) { return std::array{k, j, i}; },
      asItIs);
}
cudnnStatus_t cudnnConvolutionBackwardFilter(
    cudnnHandle_t handle, const void *, const cudnnTensorDescriptor_t dx,
    const void *x, const cudnnTensorDescriptor_t dy, const void *y,
    const cudnnConvolutionDescriptor_t conv,
    cudnnConvolutionBwdFilterAlgo_t algorithm, void *workspace, size_t bytes,
    const void *, const cudnnFilterDescriptor_t dw, void *w) {
  return convolve(
      handle, __func__, algorithm, *dx, *dw, *conv, *dy, workspace, bytes, x, y,
      w, dw->volume(), [](int i, int j, int k) { return std::array{i, k, j}; },
      asItIs);
}

cudnnStatus_t cudnnCreateActivationDescriptor(cudnnActivationDescriptor_t *d) {
  *d = new cudnnActivationStruct();
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnDestroyActivationDescriptor(cudnnActivationDescriptor_t d) {
  delete d;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetActivationDescriptor(cudnnActivationDescriptor_t d,
                                           cudnnActivationMode_t mode,
                                           cudnnNanPropagation_t nan, double) {
  d->isRelu = mode == CUDNN_ACTIVATION_RELU && nan == CUDNN_PROPAGATE_NAN;
  return d->isRelu ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_NOT_SUPPORTED;
}
} // extern "C"

/// Works on the elements of an image in place.
template <typename Body>
static cudnnStatus_t change(cudnnHandle_t handle, const cudnnTensorStruct &t,
                            void *result, Body body) {
  ++fake::libraryCalls().epilogues;
  cudaError_t error = fake::give(handle->stream, [=] {
    for (int i = 0; i < t.volume(); ++i)
      store(t, result, i, body(load(t, result, i), i));
  });
  return error == cudaSuccess ? CUDNN_STATUS_SUCCESS
                              : CUDNN_STATUS_EXECUTION_FAILED;
}

extern "C" {
cudnnStatus_t cudnnAddTensor(cudnnHandle_t handle, const void *,
                             const cudnnTensorDescriptor_t da, const void *a,
                             const void *, const cudnnTensorDescriptor_t dc,
                             void *c) {
  if (da->volume() != dc->c || da->c != dc->c || da->type != dc->type)
    return CUDNN_STATUS_BAD_PARAM;
  return change(handle, *dc, c, [image = *dc, a](float value, int i) {
    return value + load(image, a, image.channel(i));
  });
}
cudnnStatus_t cudnnActivationForward(cudnnHandle_t handle,
                                     cudnnActivationDescriptor_t activation,
                                     const void *,
                                     const cudnnTensorDescriptor_t dx,
                                     const void *x, const void *,
                                     const cudnnTensorDescriptor_t, void *y) {
  if (x != y || !activation->isRelu)
    return CUDNN_STATUS_BAD_PARAM;
  return change(handle, *dx, y, [](float value, int) { return relu(value); });
}
cudnnStatus_t cudnnActivationBackward(
    cudnnHandle_t handle, cudnnActivationDescriptor_t activation, const void *,
    const cudnnTensorDescriptor_t, const void *, const cudnnTensorDescriptor_t,
    const void *dy, const cudnnTensorDescriptor_t image, const void *x,
    const void *, const cudnnTensorDescriptor_t, void *dx) {
  if (dy != dx || !activation->isRelu)
    return CUDNN_STATUS_BAD_PARAM;
  return change(handle, *image, dx, [t = *image, x](float value, int i) {
    return load(t, x, i) > 0 ? value : 0;
  });
}
} // extern "C"
