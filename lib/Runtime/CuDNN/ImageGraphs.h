//===- ImageGraphs.h - Pooling and norms by cuDNN's graph API ---*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The same calls that cuDNN's older functions compute (CudaImages.h), as graphs
// of one operation. Most engines compile a kernel for the shape.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_RUNTIME_CUDNN_IMAGEGRAPHS_H
#define SOAP_LIB_RUNTIME_CUDNN_IMAGEGRAPHS_H

#include "CudnnGraph.h"
#include "Runtime/Kernels/ImageCalls.h"

#include <memory>

namespace soap::runtime {

/// Pooling, and the gradient of an average.
class PoolGraph {
public:
  /// The graph of a call whose buffers are multiples of `alignment` bytes, and
  /// at most `maxEngines` engines whose sums have an order. An error where
  /// cuDNN has no engine for it, and of the gradient of a maximum, whose
  /// engines read which element has won.
  static Expected<std::unique_ptr<PoolGraph>> make(const CudnnTarget &target,
                                                   const PoolCall &call,
                                                   int64_t alignment,
                                                   size_t maxEngines);

  /// As of `CudnnGraph`.
  const std::vector<std::string> &engines() const { return graph.engines(); }
  Expected<size_t> workspaceOf(size_t engine) {
    return graph.workspaceOf(engine);
  }
  MaybeError run(size_t engine, const PoolBuffers &buffers);

private:
  explicit PoolGraph(const CudnnTarget &target) : graph(target) {}

  CudnnGraph graph;
};

/// Batch normalization in training, and its gradient.
class NormGraph {
public:
  /// As of `PoolGraph`.
  static Expected<std::unique_ptr<NormGraph>> make(const CudnnTarget &target,
                                                   const NormCall &call,
                                                   int64_t alignment,
                                                   size_t maxEngines);

  /// As of `CudnnGraph`.
  const std::vector<std::string> &engines() const { return graph.engines(); }
  Expected<size_t> workspaceOf(size_t engine) {
    return graph.workspaceOf(engine);
  }
  MaybeError run(size_t engine, const NormBuffers &buffers);

private:
  NormGraph(const CudnnTarget &target, const NormCall &call)
      : graph(target), isGradient(call.isGradient),
        epsilon(static_cast<float>(call.epsilon)) {}

  CudnnGraph graph;
  const bool isGradient;
  /// Plans read it from the host's memory.
  float epsilon;
};

} // namespace soap::runtime

#endif // SOAP_LIB_RUNTIME_CUDNN_IMAGEGRAPHS_H
