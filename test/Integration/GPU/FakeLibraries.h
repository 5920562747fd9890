//===- FakeLibraries.h - Stand-ins for cuDNN and cuBLASLt -------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions, products, pooling and norms of stand-ins for the libraries
// behind the backend cuda, written after their documentation. They give work to
// `soap::fake::give` (FakeStreams.h), which is whoever's they are linked with.
// Both propose several algorithms, which compute the same bits and take made-up
// times.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_TEST_INTEGRATION_GPU_FAKELIBRARIES_H
#define SOAP_TEST_INTEGRATION_GPU_FAKELIBRARIES_H

#include "Runtime/Kernels/LibraryCalls.h"

#include <cublasLt.h>
#include <cudnn.h>

#include <atomic>
#include <vector>

/// An image of the stand-in for cuDNN.
struct cudnnTensorStruct {
  int n, c, h, w;
  cudnnDataType_t type;
  cudnnTensorFormat_t format;
  int at(int in, int ic, int ih, int iw) const {
    return format == CUDNN_TENSOR_NHWC ? ((in * h + ih) * w + iw) * c + ic
                                       : ((in * c + ic) * h + ih) * w + iw;
  }
  int volume() const { return n * c * h * w; }
  /// Of the element at `i` in memory.
  int channel(int i) const {
    return format == CUDNN_TENSOR_NHWC ? i % c : i / (h * w) % c;
  }
};

namespace soap::fake {

/// The workspace that every convolution of the stand-in needs, and every plan
/// except of pooling.
constexpr size_t convWorkspace = 64;
/// Number of the first engine of the graph API; the second follows, then one
/// that needs more memory than there is, one whose sums have no order, and one
/// that reads f32 as tf32.
constexpr int64_t firstEngine = 10;

/// The last calls of the stand-ins, and their number.
struct LibraryCalls {
  std::atomic<int> convolutions{0}, products{0};
  /// Plans of the graph API, and what the older functions do behind a
  /// convolution.
  std::atomic<int> plans{0}, epilogues{0};
  /// Of both directions.
  std::atomic<int> poolings{0}, norms{0};
  int64_t engine = -1; ///< of the last plan
  cudnnMathType_t convMath = CUDNN_DEFAULT_MATH;
  const void *workspace = nullptr; ///< of a convolution
  int convAlgorithm = -1;          ///< cudnnConvolution*Algo_t
  cublasComputeType_t compute = CUBLAS_COMPUTE_32F;
  size_t productWorkspace = 0;
  uint64_t productAlgorithm = 0; ///< from 0 on, as proposed
  uint32_t alignment[4] = {};    ///< that cuBLASLt was asked for
  /// Descriptors of cuBLASLt, of the graph API and of pooling that were not
  /// destroyed.
  std::atomic<int> alive{0};
  /// How stand-ins behave: workspace that every product needs, how many
  /// algorithms there are for a product, and which algorithm of either library
  /// fails (-1: none).
  uint64_t smallestWorkspace = 0;
  int productAlgorithms = 1, failing = -1;
  /// There are no algorithms for products with epilogues (default: whether
  /// SOAP_FAKE_CUBLASLT_NO_EPILOGUES is set).
  bool refusesEpilogues = false;
  /// The graph API knows no graph (default: whether SOAP_FAKE_CUDNN_NO_GRAPHS
  /// is set), or makes no plan of an engine.
  bool refusesGraphs = false;
  int64_t failingPlan = -1;
  /// Milliseconds of algorithms by their numbers from 0 on, the first also of
  /// cuDNN's functions that have no others; those beyond the list take 1.
  /// Default: SOAP_FAKE_CUDA_TIMES=3,1,2.
  std::vector<double> times;

  LibraryCalls();
  double timeOf(int algorithm) const;
};
LibraryCalls &libraryCalls();

/// gelu by tanh, and its derivative.
float gelu(float x);
float geluSlope(float x);

/// The stream of a handle.
cudaStream_t streamOf(cudnnHandle_t handle);

/// Element `i` of data that is bf16 or f32.
inline float load(const void *data, cudaDataType_t type, int64_t i) {
  return type == CUDA_R_16BF
             ? runtime::fromBFloat16(static_cast<const uint16_t *>(data)[i])
             : static_cast<const float *>(data)[i];
}
inline void store(void *data, cudaDataType_t type, int64_t i, float value) {
  if (type == CUDA_R_16BF)
    static_cast<uint16_t *>(data)[i] = runtime::toBFloat16(value);
  else
    static_cast<float *>(data)[i] = value;
}

} // namespace soap::fake

#endif // SOAP_TEST_INTEGRATION_GPU_FAKELIBRARIES_H
