//===- FakeCudnnImages.cpp - Pooling and norms of a stand-in for cuDNN ----===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See FakeLibraries.h: cuDNN's older functions, which refuse what its headers
// say that they refuse, one element of the result after the other. Which of
// several equal maxima gets the gradient is not in the documentation: here it
// is the first.
//
//===----------------------------------------------------------------------===//

#include "FakeLibraries.h"
#include "FakeStreams.h"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <vector>

using namespace soap;

struct cudnnPoolingStruct {
  cudnnPoolingMode_t mode = CUDNN_POOLING_MAX;
  int kh = 0, kw = 0, ph = 0, pw = 0, sh = 0, sw = 0;

  bool isMax() const {
    return mode == CUDNN_POOLING_MAX || mode == CUDNN_POOLING_MAX_DETERMINISTIC;
  }
  int rows(int h) const { return 1 + (h + 2 * ph - kh) / sh; }
  int columns(int w) const { return 1 + (w + 2 * pw - kw) / sw; }
  bool fits(const cudnnTensorStruct &x, const cudnnTensorStruct &y) const {
    return x.n == y.n && x.c == y.c && y.h == rows(x.h) &&
           y.w == columns(x.w) && x.type == CUDNN_DATA_FLOAT &&
           y.type == x.type;
  }
  /// Calls `body(h, w)` for each element of a window that the image has.
  template <typename Body>
  void forEach(const cudnnTensorStruct &x, int oh, int ow, Body body) const {
    for (int i = 0; i < kh; ++i)
      for (int j = 0; j < kw; ++j) {
        int h = oh * sh + i - ph, w = ow * sw + j - pw;
        if (h >= 0 && h < x.h && w >= 0 && w < x.w)
          body(h, w);
      }
  }
  int divisor(const cudnnTensorStruct &x, int oh, int ow) const {
    if (mode == CUDNN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING)
      return kh * kw;
    int count = 0;
    forEach(x, oh, ow, [&](int, int) { ++count; });
    return count;
  }
};

/// 1 * result + 0 * what was there.
static bool overwrites(const void *alpha, const void *beta) {
  return *static_cast<const float *>(alpha) == 1 &&
         *static_cast<const float *>(beta) == 0;
}

static cudnnStatus_t give(cudnnHandle_t handle, const char *function,
                          std::function<void()> work) {
  const char *fails = std::getenv("SOAP_FAKE_CUDA_FAIL");
  if (fails && !std::strcmp(fails, function))
    return CUDNN_STATUS_EXECUTION_FAILED;
  double time = fake::libraryCalls().timeOf(0);
  auto timed = [=, work = std::move(work)] {
    work();
    fake::pass(time);
  };
  return fake::give(fake::streamOf(handle), timed) == cudaSuccess
             ? CUDNN_STATUS_SUCCESS
             : CUDNN_STATUS_EXECUTION_FAILED;
}

static void poolForward(const cudnnPoolingStruct &p, const cudnnTensorStruct &x,
                        const cudnnTensorStruct &y, const float *from,
                        float *to) {
  for (int n = 0; n < y.n; ++n)
    for (int c = 0; c < y.c; ++c)
      for (int oh = 0; oh < y.h; ++oh)
        for (int ow = 0; ow < y.w; ++ow) {
          float most = -std::numeric_limits<float>::infinity(), sum = 0;
          p.forEach(x, oh, ow, [&](int h, int w) {
            float element = from[x.at(n, c, h, w)];
            sum += element;
            // CUDNN_PROPAGATE_NAN
            most = std::isnan(element) || element > most ? element : most;
          });
          to[y.at(n, c, oh, ow)] =
              p.isMax() ? most : sum / float(p.divisor(x, oh, ow));
        }
}

/// Whether (h, w) is what window (oh, ow) gives its gradient to.
static bool wins(const cudnnPoolingStruct &p, const cudnnTensorStruct &x,
                 const float *image, float most, int n, int c, int oh, int ow,
                 int h, int w) {
  int first = -1;
  p.forEach(x, oh, ow, [&](int i, int j) {
    if (first < 0 && image[x.at(n, c, i, j)] == most)
      first = i * x.w + j;
  });
  return first == h * x.w + w;
}

/// The gradient of an element of the image, from all windows that have it.
static float gathered(const cudnnPoolingStruct &p, const cudnnTensorStruct &x,
                      const cudnnTensorStruct &y, const float *image,
                      const float *result, const float *dy, int n, int c, int h,
                      int w) {
  float sum = 0;
  // The first window that may have the element, and the last one.
  auto first = [](int at, int kernel, int stride) {
    return at < kernel ? 0 : (at - kernel) / stride + 1;
  };
  int row = h + p.ph, column = w + p.pw;
  for (int oh = first(row, p.kh, p.sh); oh < y.h && oh * p.sh <= row; ++oh)
    for (int ow = first(column, p.kw, p.sw); ow < y.w && ow * p.sw <= column;
         ++ow) {
      int window = y.at(n, c, oh, ow);
      if (!p.isMax())
        sum += dy[window] / float(p.divisor(x, oh, ow));
      else if (wins(p, x, image, result[window], n, c, oh, ow, h, w))
        sum += dy[window];
    }
  return sum;
}

extern "C" {
cudnnStatus_t cudnnCreatePoolingDescriptor(cudnnPoolingDescriptor_t *d) {
  *d = new cudnnPoolingStruct();
  ++fake::libraryCalls().alive;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnDestroyPoolingDescriptor(cudnnPoolingDescriptor_t d) {
  delete d;
  --fake::libraryCalls().alive;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetPooling2dDescriptor(cudnnPoolingDescriptor_t d,
                                          cudnnPoolingMode_t mode,
                                          cudnnNanPropagation_t nan, int kh,
                                          int kw, int ph, int pw, int sh,
                                          int sw) {
  *d = {mode, kh, kw, ph, pw, sh, sw};
  return nan == CUDNN_PROPAGATE_NAN && kh > 0 && kw > 0 && ph >= 0 && pw >= 0 &&
                 sh > 0 && sw > 0
             ? CUDNN_STATUS_SUCCESS
             : CUDNN_STATUS_BAD_PARAM;
}
cudnnStatus_t
cudnnGetPooling2dForwardOutputDim(const cudnnPoolingDescriptor_t d,
                                  const cudnnTensorDescriptor_t x, int *n,
                                  int *c, int *h, int *w) {
  *n = x->n;
  *c = x->c;
  *h = d->rows(x->h);
  *w = d->columns(x->w);
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnPoolingForward(cudnnHandle_t handle,
                                  const cudnnPoolingDescriptor_t d,
                                  const void *alpha,
                                  const cudnnTensorDescriptor_t dx,
                                  const void *x, const void *beta,
                                  const cudnnTensorDescriptor_t dy, void *y) {
  ++fake::libraryCalls().poolings;
  if (!d->fits(*dx, *dy) || !overwrites(alpha, beta) || !x || !y)
    return CUDNN_STATUS_BAD_PARAM;
  return give(handle, __func__, [=, p = *d, image = *dx, result = *dy] {
    poolForward(p, image, result, static_cast<const float *>(x),
                static_cast<float *>(y));
    if (fake::isWrong("cudnnPoolingForward"))
      static_cast<float *>(y)[result.volume() - 1] += 1;
  });
}
cudnnStatus_t
cudnnPoolingBackward(cudnnHandle_t handle, const cudnnPoolingDescriptor_t d,
                     const void *alpha, const cudnnTensorDescriptor_t,
                     const void *y, const cudnnTensorDescriptor_t ddy,
                     const void *dy, const cudnnTensorDescriptor_t dx,
                     const void *x, const void *beta,
                     const cudnnTensorDescriptor_t, void *result) {
  ++fake::libraryCalls().poolings;
  // Without an order of sums, replicas would differ.
  if (!d->fits(*dx, *ddy) || !overwrites(alpha, beta) || !x || !y || !dy ||
      !result || d->mode == CUDNN_POOLING_MAX)
    return CUDNN_STATUS_BAD_PARAM;
  return give(handle, __func__, [=, p = *d, image = *dx, windows = *ddy] {
    for (int n = 0; n < image.n; ++n)
      for (int c = 0; c < image.c; ++c)
        for (int h = 0; h < image.h; ++h)
          for (int w = 0; w < image.w; ++w)
            static_cast<float *>(result)[image.at(n, c, h, w)] =
                gathered(p, image, windows, static_cast<const float *>(x),
                         static_cast<const float *>(y),
                         static_cast<const float *>(dy), n, c, h, w);
  });
}

cudnnStatus_t cudnnDeriveBNTensorDescriptor(cudnnTensorDescriptor_t derived,
                                            const cudnnTensorDescriptor_t x,
                                            cudnnBatchNormMode_t mode) {
  *derived = {1, x->c, 1, 1, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW};
  return mode == CUDNN_BATCHNORM_SPATIAL ? CUDNN_STATUS_SUCCESS
                                         : CUDNN_STATUS_NOT_SUPPORTED;
}
} // extern "C"

/// The places of the elements of a channel.
static std::vector<size_t> placesOf(const cudnnTensorStruct &x, int c) {
  std::vector<size_t> places;
  for (int n = 0; n < x.n; ++n)
    for (int h = 0; h < x.h; ++h)
      for (int w = 0; w < x.w; ++w)
        places.push_back(size_t(x.at(n, c, h, w)));
  return places;
}

static bool isPerChannel(const cudnnTensorStruct &d,
                         const cudnnTensorStruct &x) {
  return d.n == 1 && d.c == x.c && d.h == 1 && d.w == 1 &&
         d.type == CUDNN_DATA_FLOAT;
}

extern "C" {
cudnnStatus_t cudnnBatchNormalizationForwardTraining(
    cudnnHandle_t handle, cudnnBatchNormMode_t mode, const void *alpha,
    const void *beta, const cudnnTensorDescriptor_t dx, const void *x,
    const cudnnTensorDescriptor_t dy, void *y,
    const cudnnTensorDescriptor_t channels, const void *scale, const void *bias,
    double, void *runningMean, void *runningVariance, double epsilon,
    void *savedMean, void *savedInverse) {
  ++fake::libraryCalls().norms;
  if (mode != CUDNN_BATCHNORM_SPATIAL || !overwrites(alpha, beta) ||
      !isPerChannel(*channels, *dx) || dx->format != dy->format ||
      !runningMean != !runningVariance || !savedMean != !savedInverse ||
      epsilon < CUDNN_BN_MIN_EPSILON)
    return CUDNN_STATUS_BAD_PARAM;
  return give(handle, __func__, [=, image = *dx] {
    const auto *in = static_cast<const float *>(x);
    for (int c = 0; c < image.c; ++c) {
      std::vector<size_t> places = placesOf(image, c);
      auto count = float(places.size());
      float mean = 0, variance = 0;
      for (size_t i : places)
        mean += in[i];
      mean /= count;
      for (size_t i : places)
        variance += (in[i] - mean) * (in[i] - mean);
      float inverse = 1 / std::sqrt(variance / count + float(epsilon));
      for (size_t i : places)
        static_cast<float *>(y)[i] =
            (in[i] - mean) * inverse * static_cast<const float *>(scale)[c] +
            static_cast<const float *>(bias)[c];
      if (savedMean) {
        static_cast<float *>(savedMean)[c] = mean;
        static_cast<float *>(savedInverse)[c] = inverse;
      }
    }
  });
}
cudnnStatus_t cudnnBatchNormalizationBackward(
    cudnnHandle_t handle, cudnnBatchNormMode_t mode, const void *alpha,
    const void *beta, const void *alphaChannels, const void *betaChannels,
    const cudnnTensorDescriptor_t dx, const void *x,
    const cudnnTensorDescriptor_t ddy, const void *dy,
    const cudnnTensorDescriptor_t, void *result,
    const cudnnTensorDescriptor_t channels, const void *scale, void *dscale,
    void *dbias, double epsilon, const void *savedMean,
    const void *savedInverse) {
  ++fake::libraryCalls().norms;
  if (mode != CUDNN_BATCHNORM_SPATIAL || !overwrites(alpha, beta) ||
      !overwrites(alphaChannels, betaChannels) ||
      !isPerChannel(*channels, *dx) || dx->format != ddy->format ||
      !savedMean || !savedInverse || epsilon < CUDNN_BN_MIN_EPSILON)
    return CUDNN_STATUS_BAD_PARAM;
  return give(handle, __func__, [=, image = *dx] {
    const auto *in = static_cast<const float *>(x),
               *gradient = static_cast<const float *>(dy);
    for (int c = 0; c < image.c; ++c) {
      std::vector<size_t> places = placesOf(image, c);
      auto count = float(places.size());
      float mean = static_cast<const float *>(savedMean)[c],
            inverse = static_cast<const float *>(savedInverse)[c];
      float sum = 0, product = 0;
      for (size_t i : places) {
        sum += gradient[i];
        product += gradient[i] * ((in[i] - mean) * inverse);
      }
      for (size_t i : places)
        static_cast<float *>(result)[i] =
            static_cast<const float *>(scale)[c] * inverse *
            (gradient[i] - sum / count -
             (in[i] - mean) * inverse * (product / count));
      static_cast<float *>(dscale)[c] = product;
      static_cast<float *>(dbias)[c] = sum;
    }
  });
}
} // extern "C"
