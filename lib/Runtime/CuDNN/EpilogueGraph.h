//===- EpilogueGraph.h - An epilogue without its product --------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of a call of `soap_rt_matmul` that follows the sums, element by
// element, by cuDNN's graph API: for calls whose epilogue the library of
// products does not compute. Engines compile a kernel for the shape.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_RUNTIME_CUDNN_EPILOGUEGRAPH_H
#define SOAP_LIB_RUNTIME_CUDNN_EPILOGUEGRAPH_H

#include "CudnnGraph.h"

#include <memory>

namespace soap::runtime {

/// Reads the sums of a product in f32, which have memory of their own, and
/// writes y and the second result.
class EpilogueGraph {
public:
  /// The graph of a call whose buffers are multiples of `alignment` bytes, and
  /// at most `maxEngines` engines that round no operand. Its epilogue is not
  /// the gradient of a bias. An error where cuDNN has no engine for it.
  static Expected<std::unique_ptr<EpilogueGraph>>
  make(const CudnnTarget &target, const MatmulCall &call, int64_t alignment,
       size_t maxEngines);

  /// As of `CudnnGraph`.
  const std::vector<std::string> &engines() const { return graph.engines(); }
  Expected<size_t> workspaceOf(size_t engine) {
    return graph.workspaceOf(engine);
  }
  MaybeError run(size_t engine, const MatmulBuffers &buffers, const void *sums,
                 void *workspace);

private:
  EpilogueGraph(const CudnnTarget &target, Epilogue epilogue)
      : graph(target), epilogue(epilogue) {}

  MaybeError describe(const MatmulCall &call, int64_t alignment);

  CudnnGraph graph;
  const Epilogue epilogue;
};

} // namespace soap::runtime

#endif // SOAP_LIB_RUNTIME_CUDNN_EPILOGUEGRAPH_H
