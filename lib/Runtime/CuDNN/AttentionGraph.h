//===- AttentionGraph.h - Attention by cuDNN's graph API --------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuDNN has engines that compute products, softmax and products again tile by
// tile, for graphs of exactly these operations; and others for their gradients.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_RUNTIME_CUDNN_ATTENTIONGRAPH_H
#define SOAP_LIB_RUNTIME_CUDNN_ATTENTIONGRAPH_H

#include "CudnnGraph.h"
#include "Runtime/Kernels/AttentionCall.h"

#include <memory>

namespace soap::runtime {

class AttentionGraph {
public:
  /// The graph of a call whose buffers are multiples of `alignment` bytes, and
  /// at most `maxEngines` engines whose sums have an order. An error where
  /// cuDNN has no engine for it.
  static Expected<std::unique_ptr<AttentionGraph>>
  make(const CudnnTarget &target, const AttentionCall &call, int64_t alignment,
       size_t maxEngines);

  /// As of `CudnnGraph`.
  const std::vector<std::string> &engines() const { return graph.engines(); }
  /// In bytes, with the tensors that are not in the program.
  Expected<size_t> workspaceOf(size_t engine);
  MaybeError run(size_t engine, const AttentionBuffers &buffers);

private:
  AttentionGraph(const CudnnTarget &target, const AttentionCall &call,
                 int64_t alignment)
      : graph(target), call(call), alignment(alignment) {}

  struct Builder;

  CudnnGraph graph;
  const AttentionCall call;
  const int64_t alignment;
  /// Numbers that plans read from the host's memory.
  float scale = 1, never = 0, left = 0, one = 1;
};

} // namespace soap::runtime

#endif // SOAP_LIB_RUNTIME_CUDNN_ATTENTIONGRAPH_H
