//===- EpilogueGraph.cpp - An epilogue without its product ----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See EpilogueGraph.h. Rows are images of one element with channels last:
// cuDNN 9.19 has no engine for matrices of the last two dims.
//
//===----------------------------------------------------------------------===//

#include "EpilogueGraph.h"

#include "CudnnOperations.h"

#include <algorithm>
#include <cassert>

using namespace soap;
using namespace soap::runtime;

/// The numbers of tensors in plans. `Biased` is in no memory.
enum TensorId : int64_t { Sums = 1, Third, Result, Second, Biased };

MaybeError EpilogueGraph::describe(const MatmulCall &call, int64_t alignment) {
  using Dims = CudnnOperations::Dims;
  const MatmulShape &s = call.shape;
  const Dims all{s.batch * s.m, s.n, 1, 1}, perColumn{1, s.n, 1, 1};
  cudnnDataType_t held =
      call.narrowResult ? CUDNN_DATA_BFLOAT16 : CUDNN_DATA_FLOAT;
  CudnnOperations operations(graph, alignment);
  auto add = [&](int64_t id, cudnnDataType_t type, const Dims &dims) {
    return operations.tensor(
        id, type, dims,
        CudnnOperations::imageStrides(dims, /*channelsLast=*/true),
        id == Biased ? CudnnGraph::Storage::Virtual
                     : CudnnGraph::Storage::Memory);
  };
  size_t argument = add(Sums, CUDNN_DATA_FLOAT, all);
  size_t result = add(Result, held, all), third = 0;
  if (hasThirdOperand(epilogue))
    third = add(Third, held, hasBias(epilogue) ? perColumn : all);
  if (hasBias(epilogue)) {
    size_t biased = epilogue == Epilogue::Bias
                        ? result
                        : add(Biased, CUDNN_DATA_FLOAT, all);
    operations.pointwise(CUDNN_POINTWISE_ADD, argument, {third}, biased);
    argument = biased;
  }
  switch (epilogue) {
  case Epilogue::Bias:
    break;
  case Epilogue::Relu:
  case Epilogue::BiasRelu:
    operations.pointwise(CUDNN_POINTWISE_RELU_FWD, argument, {}, result);
    break;
  case Epilogue::Gelu:
  case Epilogue::BiasGelu:
    operations.pointwise(CUDNN_POINTWISE_IDENTITY, argument, {},
                         add(Second, held, all));
    operations.pointwise(CUDNN_POINTWISE_GELU_APPROX_TANH_FWD, argument, {},
                         result);
    break;
  case Epilogue::GeluGrad:
    operations.gradient(CUDNN_POINTWISE_GELU_APPROX_TANH_BWD, argument, third,
                        result);
    break;
  case Epilogue::None:
  case Epilogue::BiasGradOfA:
  case Epilogue::BiasGradOfB:
  case Epilogue::ReluGrad:
    assert(false && "no epilogue of elements of a product");
    break;
  }
  return operations.error;
}

/// There are no sums, so tensor cores, which engines name, round nothing.
static bool
roundsNothing(const std::vector<cudnnBackendNumericalNote_t> &notes) {
  return std::none_of(notes.begin(), notes.end(), [](auto note) {
    return note == CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC ||
           note == CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS;
  });
}

Expected<std::unique_ptr<EpilogueGraph>>
EpilogueGraph::make(const CudnnTarget &target, const MatmulCall &call,
                    int64_t alignment, size_t maxEngines) {
  std::unique_ptr<EpilogueGraph> made(new EpilogueGraph(target, call.epilogue));
  SOAP_TRY(made->describe(call, alignment));
  SOAP_TRY(made->graph.finalize());
  SOAP_TRY(made->graph.propose(maxEngines, roundsNothing));
  return made;
}

MaybeError EpilogueGraph::run(size_t engine, const MatmulBuffers &buffers,
                              const void *sums, void *workspace) {
  std::vector<int64_t> ids{Sums, Result};
  std::vector<void *> places{const_cast<void *>(sums), buffers.y};
  if (hasThirdOperand(epilogue)) {
    ids.push_back(Third);
    places.push_back(const_cast<void *>(buffers.third));
  }
  if (hasSecondResult(epilogue)) {
    ids.push_back(Second);
    places.push_back(buffers.second);
  }
  return graph.run(engine, ids, places, workspace);
}
