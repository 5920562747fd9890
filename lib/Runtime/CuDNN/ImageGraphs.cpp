//===- ImageGraphs.cpp - Pooling and norms by cuDNN's graph API -----------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ImageGraphs.h.
//
//===----------------------------------------------------------------------===//

#include "ImageGraphs.h"

#include "CudnnOperations.h"

#include <algorithm>

using namespace soap;
using namespace soap::runtime;

/// The numbers of tensors in plans.
enum TensorId : int64_t {
  Image = 1,
  Result,
  Gradient,
  Gamma,
  Beta,
  Mean,
  Inverse,
  Epsilon,
  GammaGradient,
  BetaGradient,
};

using Dims = CudnnOperations::Dims;

static Dims dimsOf(const ImageShape &s) { return {s.n, s.c, s.h, s.w}; }

/// Whether the engine's sums have one order, and are of f32, which they are not
/// on tensor cores.
static bool isExact(const std::vector<cudnnBackendNumericalNote_t> &notes) {
  return std::none_of(notes.begin(), notes.end(), [](auto note) {
    return note == CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC ||
           note == CUDNN_NUMERICAL_NOTE_TENSOR_CORE ||
           note == CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS ||
           note == CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION;
  });
}

Expected<std::unique_ptr<PoolGraph>> PoolGraph::make(const CudnnTarget &target,
                                                     const PoolCall &call,
                                                     int64_t alignment,
                                                     size_t maxEngines) {
  if (call.isGradient && call.kind == PoolKind::Max)
    return Error{"a gradient of a maximum is no graph"};
  std::unique_ptr<PoolGraph> made(new PoolGraph(target));
  CudnnOperations operations(made->graph, alignment);
  auto image = [&](int64_t id, const ImageShape &shape) {
    return operations.tensor(
        id, CUDNN_DATA_FLOAT, dimsOf(shape),
        CudnnOperations::imageStrides(dimsOf(shape), call.channelsLast));
  };
  size_t x = image(call.isGradient ? Result : Image, call.x);
  size_t y = image(call.isGradient ? Gradient : Result, call.y());
  operations.pooling(call, x, y);
  if (operations.error)
    return *operations.error;
  SOAP_TRY(made->graph.finalize());
  SOAP_TRY(made->graph.propose(maxEngines, isExact));
  return made;
}

MaybeError PoolGraph::run(size_t engine, const PoolBuffers &buffers) {
  // The gradient reads no image.
  bool isGradient = buffers.dy != nullptr;
  const float *read = isGradient ? buffers.dy : buffers.x;
  return graph.run(engine, {isGradient ? Gradient : Image, Result},
                   {const_cast<float *>(read), buffers.result}, nullptr);
}

Expected<std::unique_ptr<NormGraph>> NormGraph::make(const CudnnTarget &target,
                                                     const NormCall &call,
                                                     int64_t alignment,
                                                     size_t maxEngines) {
  std::unique_ptr<NormGraph> made(new NormGraph(target, call));
  CudnnOperations operations(made->graph, alignment);
  auto add = [&](int64_t id, const Dims &dims) {
    return operations.tensor(
        id, CUDNN_DATA_FLOAT, dims,
        CudnnOperations::imageStrides(dims, call.channelsLast));
  };
  const Dims image = dimsOf(call.x), perChannel{1, call.x.c, 1, 1};
  size_t x = add(Image, image), result = add(Result, image),
         gamma = add(Gamma, perChannel), mean = add(Mean, perChannel),
         inverse = add(Inverse, perChannel);
  if (call.isGradient)
    operations.normGradient({x, mean, inverse, gamma, add(Gradient, image),
                             result, add(GammaGradient, perChannel),
                             add(BetaGradient, perChannel)});
  else
    operations.normTraining({x, gamma, add(Beta, perChannel),
                             operations.number(Epsilon), result, mean,
                             inverse});
  if (operations.error)
    return *operations.error;
  SOAP_TRY(made->graph.finalize());
  SOAP_TRY(made->graph.propose(maxEngines, isExact));
  return made;
}

MaybeError NormGraph::run(size_t engine, const NormBuffers &buffers) {
  std::vector<int64_t> ids;
  std::vector<void *> places;
  auto add = [&](int64_t id, const void *place) {
    ids.push_back(id);
    places.push_back(const_cast<void *>(place));
  };
  add(Image, buffers.x);
  add(Result, buffers.result);
  add(Gamma, buffers.gamma);
  add(Mean, buffers.mean);
  add(Inverse, buffers.inverse);
  if (isGradient) {
    add(Gradient, buffers.dy);
    add(GammaGradient, buffers.dgamma);
    add(BetaGradient, buffers.dbeta);
  } else {
    add(Beta, buffers.beta);
    add(Epsilon, &epsilon);
  }
  return graph.run(engine, ids, places, buffers.workspace);
}
