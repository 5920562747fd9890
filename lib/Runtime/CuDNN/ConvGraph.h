//===- ConvGraph.h - A convolution by cuDNN's graph API ---------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuDNN 9 takes a convolution and its epilogue as a graph of operations,
// says which of its engines can compute it, best first, and makes a plan of an
// engine: one launch, where the older functions need one per operation. Tensors
// between operations are f32 and never in memory.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_RUNTIME_CUDNN_CONVGRAPH_H
#define SOAP_LIB_RUNTIME_CUDNN_CONVGRAPH_H

#include "CudnnGraph.h"

#include <memory>
#include <string>
#include <vector>

namespace soap::runtime {

class ConvGraph {
public:
  /// The graph of a call whose buffers are multiples of `alignment` bytes, and
  /// at most `maxEngines` engines that keep its precision and whose sums have
  /// an order. An error where cuDNN has no engine for it.
  static Expected<std::unique_ptr<ConvGraph>> make(const CudnnTarget &target,
                                                   const ConvCall &call,
                                                   int64_t alignment,
                                                   size_t maxEngines);

  /// As of `CudnnGraph`.
  const std::vector<std::string> &engines() const { return graph.engines(); }
  Expected<size_t> workspaceOf(size_t engine) {
    return graph.workspaceOf(engine);
  }
  MaybeError run(size_t engine, const ConvBuffers &buffers);

private:
  explicit ConvGraph(const CudnnTarget &target) : graph(target) {}

  MaybeError describe(const ConvCall &call, int64_t alignment);

  CudnnGraph graph;
  bool hasThird = false;
};

} // namespace soap::runtime

#endif // SOAP_LIB_RUNTIME_CUDNN_CONVGRAPH_H
