//===- ConvGraph.cpp - A convolution by cuDNN's graph API -----------------===//
//
// See ConvGraph.h. Which engines are left out follows what cudnn-frontend and
// PyTorch do.
//
//===----------------------------------------------------------------------===//

#include "ConvGraph.h"

#include <algorithm>

using namespace soap;
using namespace soap::runtime;

/// What tensors are called in plans. From `Between` on they are in no memory.
enum TensorId : int64_t { A = 1, B, Third, Result, Between };

/// Steps of a tensor of `dims`, which are those of NCHW in both layouts.
static std::vector<int64_t> stridesOf(const std::vector<int64_t> &dims,
                                      bool channelsLast) {
  int64_t c = dims[1], h = dims[2], w = dims[3];
  if (channelsLast)
    return {h * w * c, 1, w * c, c};
  return {c * h * w, h * w, w, 1};
}

Expected<size_t> ConvGraph::addTensor(const ConvCall &call, int64_t id,
                                      std::vector<int64_t> dims,
                                      int64_t alignment) {
  bool isVirtual = id >= Between;
  return graph.addTensor(
      id,
      call.precision == Precision::BF16 && !isVirtual ? CUDNN_DATA_BFLOAT16
                                                      : CUDNN_DATA_FLOAT,
      dims, stridesOf(dims, call.channelsLast()), alignment,
      isVirtual ? CudnnGraph::Storage::Virtual : CudnnGraph::Storage::Memory);
}

MaybeError ConvGraph::addConvolution(const ConvCall &call, size_t a, size_t b,
                                     size_t result) {
  const ConvShape &s = call.shape;
  CudnnDescriptor conv, operation;
  SOAP_TRY(conv.create(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR));
  SOAP_TRY(conv.set(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE,
                    CUDNN_DATA_FLOAT));
  SOAP_TRY(conv.set(CUDNN_ATTR_CONVOLUTION_CONV_MODE,
                    CUDNN_TYPE_CONVOLUTION_MODE, CUDNN_CROSS_CORRELATION));
  SOAP_TRY(conv.set(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, CUDNN_TYPE_INT64,
                    int64_t(2)));
  SOAP_TRY(conv.set(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, CUDNN_TYPE_INT64,
                    std::vector<int64_t>{s.pt, s.pl}));
  SOAP_TRY(conv.set(
      CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, CUDNN_TYPE_INT64,
      std::vector<int64_t>{call.paddingAfter(0), call.paddingAfter(1)}));
  SOAP_TRY(conv.set(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, CUDNN_TYPE_INT64,
                    std::vector<int64_t>{s.sh, s.sw}));
  SOAP_TRY(conv.set(CUDNN_ATTR_CONVOLUTION_DILATIONS, CUDNN_TYPE_INT64,
                    std::vector<int64_t>{s.dh, s.dw}));
  SOAP_TRY(conv.finalize());

  /// The names of one kind.
  struct Names {
    cudnnBackendDescriptorType_t type;
    cudnnBackendAttributeName_t conv, a, b, result, alpha, beta;
  };
  static constexpr Names kinds[] = {
      {CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
       CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
       CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
       CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
       CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y,
       CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA,
       CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA},
      {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA},
      {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA}};
  const Names &n = kinds[size_t(call.kind)];
  SOAP_TRY(operation.create(n.type));
  constexpr auto descriptor = CUDNN_TYPE_BACKEND_DESCRIPTOR;
  SOAP_TRY(operation.set(n.conv, descriptor, conv.get()));
  SOAP_TRY(operation.set(n.a, descriptor, graph.tensor(a)));
  SOAP_TRY(operation.set(n.b, descriptor, graph.tensor(b)));
  SOAP_TRY(operation.set(n.result, descriptor, graph.tensor(result)));
  SOAP_TRY(operation.set(n.alpha, CUDNN_TYPE_FLOAT, 1.0f));
  SOAP_TRY(operation.set(n.beta, CUDNN_TYPE_FLOAT, 0.0f));
  SOAP_TRY(operation.finalize());
  graph.addPart(std::move(conv));
  graph.addOperation(std::move(operation));
  return std::nullopt;
}

/// `other` is what is added, or what relu became; of relu itself nothing.
MaybeError ConvGraph::addPointwise(cudnnPointwiseMode_t mode, size_t x,
                                   size_t other, size_t y) {
  CudnnDescriptor pointwise, operation;
  SOAP_TRY(pointwise.create(CUDNN_BACKEND_POINTWISE_DESCRIPTOR));
  SOAP_TRY(pointwise.set(CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE,
                         mode));
  SOAP_TRY(pointwise.set(CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_TYPE_DATA_TYPE,
                         CUDNN_DATA_FLOAT));
  SOAP_TRY(pointwise.finalize());
  SOAP_TRY(operation.create(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR));
  constexpr auto descriptor = CUDNN_TYPE_BACKEND_DESCRIPTOR;
  SOAP_TRY(operation.set(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR,
                         descriptor, pointwise.get()));
  auto tensor = [&](cudnnBackendAttributeName_t name, size_t which) {
    return operation.set(name, descriptor, graph.tensor(which));
  };
  if (mode == CUDNN_POINTWISE_RELU_BWD) {
    // It asks whether x was above 0, which is where relu is.
    SOAP_TRY(tensor(CUDNN_ATTR_OPERATION_POINTWISE_DYDESC, x));
    SOAP_TRY(tensor(CUDNN_ATTR_OPERATION_POINTWISE_XDESC, other));
    SOAP_TRY(tensor(CUDNN_ATTR_OPERATION_POINTWISE_DXDESC, y));
  } else {
    SOAP_TRY(tensor(CUDNN_ATTR_OPERATION_POINTWISE_XDESC, x));
    if (mode == CUDNN_POINTWISE_ADD)
      SOAP_TRY(tensor(CUDNN_ATTR_OPERATION_POINTWISE_BDESC, other));
    SOAP_TRY(tensor(CUDNN_ATTR_OPERATION_POINTWISE_YDESC, y));
  }
  SOAP_TRY(operation.finalize());
  graph.addPart(std::move(pointwise));
  graph.addOperation(std::move(operation));
  return std::nullopt;
}

MaybeError ConvGraph::describe(const ConvCall &call, int64_t alignment) {
  const ConvShape &s = call.shape;
  const std::vector<int64_t> x{s.n, s.g * s.c, s.h, s.w},
      w{s.g * s.o, s.c, s.kh, s.kw}, y{s.n, s.g * s.o, s.oh, s.ow},
      perChannel{1, s.g * s.o, 1, 1};
  bool forward = call.kind == ConvKind::Forward,
       weights = call.kind == ConvKind::WeightGrad;
  const std::vector<int64_t> &result = forward ? y : weights ? w : x;
  std::vector<cudnnPointwiseMode_t> after;
  if (hasBias(call.epilogue))
    after.push_back(CUDNN_POINTWISE_ADD);
  if (call.epilogue == Epilogue::Relu || call.epilogue == Epilogue::BiasRelu)
    after.push_back(CUDNN_POINTWISE_RELU_FWD);
  if (call.epilogue == Epilogue::ReluGrad)
    after.push_back(CUDNN_POINTWISE_RELU_BWD);
  hasThird = hasThirdOperand(call.epilogue);

  auto a = addTensor(call, A, forward || weights ? x : y, alignment);
  if (!a)
    return a.takeError();
  auto b = addTensor(call, B, weights ? y : w, alignment);
  if (!b)
    return b.takeError();
  size_t third = 0;
  if (hasThird) {
    auto added = addTensor(
        call, Third, hasBias(call.epilogue) ? perChannel : result, alignment);
    if (!added)
      return added.takeError();
    third = *added;
  }
  // One tensor behind each operation; the last one is the result.
  std::vector<size_t> made;
  for (size_t i = 0; i <= after.size(); ++i) {
    auto tensor =
        addTensor(call, i == after.size() ? Result : Between + int64_t(i),
                  result, alignment);
    if (!tensor)
      return tensor.takeError();
    made.push_back(*tensor);
  }
  SOAP_TRY(addConvolution(call, *a, *b, made[0]));
  for (size_t i = 0; i < after.size(); ++i)
    SOAP_TRY(addPointwise(after[i], made[i], third, made[i + 1]));
  return std::nullopt;
}

/// Whether the engine computes what programs mean: sums in one order, and
/// operands as they are.
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
                                                     size_t most) {
  std::unique_ptr<ConvGraph> made(new ConvGraph(target));
  SOAP_TRY(made->describe(call, alignment));
  SOAP_TRY(made->graph.finalize());
  SOAP_TRY(made->graph.propose(
      most, [&](const auto &notes) { return isExact(notes, call.precision); }));
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
