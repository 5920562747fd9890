//===- ConvGraph.cpp - A convolution by cuDNN's graph API -----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ConvGraph.h. cudnn-frontend and PyTorch leave out the same engines.
//
//===----------------------------------------------------------------------===//

#include "ConvGraph.h"

#include "CudnnOperations.h"

#include <algorithm>

using namespace soap;
using namespace soap::runtime;

/// The numbers of tensors in plans. From `Between` on they are in no memory.
enum TensorId : int64_t { A = 1, B, Third, Result, Between };

MaybeError ConvGraph::describe(const ConvCall &call, int64_t alignment) {
  const ConvShape &s = call.shape;
  using Dims = CudnnOperations::Dims;
  const Dims x{s.n, s.g * s.c, s.h, s.w}, w{s.g * s.o, s.c, s.kh, s.kw},
      y{s.n, s.g * s.o, s.oh, s.ow}, perChannel{1, s.g * s.o, 1, 1};
  bool forward = call.kind == ConvKind::Forward,
       weights = call.kind == ConvKind::WeightGrad;
  const Dims &result = forward ? y : weights ? w : x;
  hasThird = hasThirdOperand(call.epilogue);

  CudnnOperations operations(graph, alignment);
  auto add = [&](int64_t id, const Dims &dims) {
    bool isVirtual = id >= Between;
    return operations.tensor(
        id,
        call.precision == Precision::BF16 && !isVirtual ? CUDNN_DATA_BFLOAT16
                                                        : CUDNN_DATA_FLOAT,
        dims, CudnnOperations::imageStrides(dims, call.channelsLast()),
        isVirtual ? CudnnGraph::Storage::Virtual : CudnnGraph::Storage::Memory);
  };
  size_t a = add(A, forward || weights ? x : y), b = add(B, weights ? y : w);
  size_t third = 0;
  if (hasThird)
    third = add(Third, hasBias(call.epilogue) ? perChannel : result);
  // One tensor behind each operation; the last one is the result.
  bool bias = hasBias(call.epilogue),
       relu = call.epilogue == Epilogue::Relu ||
              call.epilogue == Epilogue::BiasRelu,
       reluGradient = call.epilogue == Epilogue::ReluGrad;
  int after = int(bias) + int(relu) + int(reluGradient);
  int64_t between = Between;
  auto next = [&] { return add(after-- > 0 ? between++ : Result, result); };
  size_t made = next();
  operations.convolution(call, a, b, made);
  if (bias) {
    size_t sum = next();
    operations.pointwise(CUDNN_POINTWISE_ADD, made, {third}, sum);
    made = sum;
  }
  if (relu)
    operations.pointwise(CUDNN_POINTWISE_RELU_FWD, made, {}, next());
  if (reluGradient)
    operations.gradient(CUDNN_POINTWISE_RELU_BWD, made, third, next());
  return operations.error;
}

/// Whether the engine keeps the meaning of programs: it sums in one order and
/// does not round operands.
static bool isExact(const std::vector<cudnnBackendNumericalNote_t> &notes,
                    Precision precision) {
  return std::none_of(notes.begin(), notes.end(), [&](auto note) {
    return note == CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC ||
           note == CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS ||
           note == CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION ||
           // On operands of f32 it is tf32.
           (note == CUDNN_NUMERICAL_NOTE_TENSOR_CORE &&
            precision == Precision::F32);
  });
}

Expected<std::unique_ptr<ConvGraph>> ConvGraph::make(const CudnnTarget &target,
                                                     const ConvCall &call,
                                                     int64_t alignment,
                                                     size_t maxEngines) {
  std::unique_ptr<ConvGraph> made(new ConvGraph(target));
  SOAP_TRY(made->describe(call, alignment));
  SOAP_TRY(made->graph.finalize());
  SOAP_TRY(made->graph.propose(maxEngines, [&](const auto &notes) {
    return isExact(notes, call.precision);
  }));
  return made;
}

MaybeError ConvGraph::run(size_t engine, const ConvBuffers &buffers) {
  std::vector<int64_t> ids{A, B, Result};
  std::vector<void *> places{const_cast<void *>(buffers.a),
                             const_cast<void *>(buffers.b), buffers.result};
  if (hasThird) {
    ids.push_back(Third);
    places.push_back(const_cast<void *>(buffers.third));
  }
  return graph.run(engine, ids, places, buffers.workspace);
}
