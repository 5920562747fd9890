//===- CudnnOperations.cpp - Operations of cuDNN's graph API --------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See CudnnOperations.h.
//
//===----------------------------------------------------------------------===//

#include "CudnnOperations.h"

#include <algorithm>

using namespace soap;
using namespace soap::runtime;

CudnnOperations::Dims CudnnOperations::packed(const Dims &d) {
  return {d[1] * d[2] * d[3], d[2] * d[3], d[3], 1};
}

CudnnOperations::Dims CudnnOperations::imageStrides(const Dims &d,
                                                    bool channelsLast) {
  if (channelsLast)
    return {d[2] * d[3] * d[1], 1, d[3] * d[1], d[1]};
  return packed(d);
}

size_t CudnnOperations::tensor(int64_t id, cudnnDataType_t type,
                               const Dims &dims, const Dims &strides,
                               Storage storage) {
  if (error)
    return 0;
  // Numbers are multiples of their own size, also beside narrower ones.
  int64_t width = type == CUDNN_DATA_BFLOAT16 ? 2 : 4;
  auto made = graph.addTensor(id, type, {dims.begin(), dims.end()},
                              {strides.begin(), strides.end()},
                              std::max(alignment, width), storage);
  if (made)
    return *made;
  error = made.takeError();
  return 0;
}

size_t CudnnOperations::number(int64_t id) {
  return tensor(id, CUDNN_DATA_FLOAT, {1, 1, 1, 1}, {1, 1, 1, 1},
                Storage::Value);
}

/// A descriptor with the attributes that `fill` sets.
template <typename Fill>
CudnnDescriptor CudnnOperations::describe(cudnnBackendDescriptorType_t type,
                                          Fill fill) {
  CudnnDescriptor made;
  if (error)
    return made;
  error = [&]() -> MaybeError {
    SOAP_TRY(made.create(type));
    SOAP_TRY(fill(made));
    return made.finalize();
  }();
  return made;
}

/// An operation on `tensors`, with the other attributes that `fill` sets.
template <typename Fill>
void CudnnOperations::add(cudnnBackendDescriptorType_t type,
                          const std::vector<Part> &tensors, Fill fill) {
  CudnnDescriptor made = describe(type, [&](CudnnDescriptor &d) -> MaybeError {
    for (auto [name, tensor] : tensors)
      SOAP_TRY(
          d.set(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, graph.tensor(tensor)));
    return fill(d);
  });
  if (!error)
    graph.addOperation(std::move(made));
}

/// An operation whose numbers are a descriptor of their own.
void CudnnOperations::add(cudnnBackendDescriptorType_t type,
                          const std::vector<Part> &tensors,
                          cudnnBackendAttributeName_t kindName,
                          CudnnDescriptor kind) {
  add(type, tensors, [&](CudnnDescriptor &d) {
    return d.set(kindName, CUDNN_TYPE_BACKEND_DESCRIPTOR, kind.get());
  });
  if (!error)
    graph.addPart(std::move(kind));
}

void CudnnOperations::matmul(size_t a, size_t b, size_t c) {
  CudnnDescriptor kind =
      describe(CUDNN_BACKEND_MATMUL_DESCRIPTOR, [](CudnnDescriptor &d) {
        return d.set(CUDNN_ATTR_MATMUL_COMP_TYPE, CUDNN_TYPE_DATA_TYPE,
                     CUDNN_DATA_FLOAT);
      });
  add(CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR,
      {{CUDNN_ATTR_OPERATION_MATMUL_ADESC, a},
       {CUDNN_ATTR_OPERATION_MATMUL_BDESC, b},
       {CUDNN_ATTR_OPERATION_MATMUL_CDESC, c}},
      CUDNN_ATTR_OPERATION_MATMUL_DESC, std::move(kind));
}

void CudnnOperations::reduce(cudnnReduceTensorOp_t how, size_t x, size_t y) {
  CudnnDescriptor kind =
      describe(CUDNN_BACKEND_REDUCTION_DESCRIPTOR,
               [&](CudnnDescriptor &d) -> MaybeError {
                 SOAP_TRY(d.set(CUDNN_ATTR_REDUCTION_COMP_TYPE,
                                CUDNN_TYPE_DATA_TYPE, CUDNN_DATA_FLOAT));
                 return d.set(CUDNN_ATTR_REDUCTION_OPERATOR,
                              CUDNN_TYPE_REDUCTION_OPERATOR_TYPE, how);
               });
  add(CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR,
      {{CUDNN_ATTR_OPERATION_REDUCTION_XDESC, x},
       {CUDNN_ATTR_OPERATION_REDUCTION_YDESC, y}},
      CUDNN_ATTR_OPERATION_REDUCTION_DESC, std::move(kind));
}

void CudnnOperations::reshape(size_t x, size_t y) {
  add(CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR,
      {{CUDNN_ATTR_OPERATION_RESHAPE_XDESC, x},
       {CUDNN_ATTR_OPERATION_RESHAPE_YDESC, y}},
      [](CudnnDescriptor &) -> MaybeError { return std::nullopt; });
}

CudnnDescriptor CudnnOperations::describePointwise(cudnnPointwiseMode_t mode,
                                                   cudnnDataType_t type,
                                                   int64_t axis) {
  return describe(
      CUDNN_BACKEND_POINTWISE_DESCRIPTOR,
      [&](CudnnDescriptor &d) -> MaybeError {
        SOAP_TRY(
            d.set(CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE, mode));
        SOAP_TRY(
            d.set(CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_TYPE_DATA_TYPE, type));
        if (axis >= 0)
          SOAP_TRY(d.set(CUDNN_ATTR_POINTWISE_AXIS, CUDNN_TYPE_INT64, axis));
        return std::nullopt;
      });
}

void CudnnOperations::pointwise(cudnnPointwiseMode_t mode, size_t x,
                                const std::vector<size_t> &others, size_t y,
                                cudnnDataType_t type, int64_t axis) {
  static constexpr cudnnBackendAttributeName_t names[] = {
      CUDNN_ATTR_OPERATION_POINTWISE_BDESC,
      CUDNN_ATTR_OPERATION_POINTWISE_TDESC};
  std::vector<Part> tensors{{CUDNN_ATTR_OPERATION_POINTWISE_XDESC, x},
                            {CUDNN_ATTR_OPERATION_POINTWISE_YDESC, y}};
  for (size_t i = 0; i < others.size(); ++i)
    tensors.push_back({names[i], others[i]});
  add(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR, tensors,
      CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR,
      describePointwise(mode, type, axis));
}

void CudnnOperations::gradient(cudnnPointwiseMode_t mode, size_t dy, size_t x,
                               size_t dx) {
  add(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR,
      {{CUDNN_ATTR_OPERATION_POINTWISE_DYDESC, dy},
       {CUDNN_ATTR_OPERATION_POINTWISE_XDESC, x},
       {CUDNN_ATTR_OPERATION_POINTWISE_DXDESC, dx}},
      CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR,
      describePointwise(mode, CUDNN_DATA_FLOAT, -1));
}

void CudnnOperations::convolution(const ConvCall &call, size_t a, size_t b,
                                  size_t result) {
  const ConvShape &s = call.shape;
  using Numbers = std::vector<int64_t>;
  CudnnDescriptor kind = describe(
      CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR,
      [&](CudnnDescriptor &d) -> MaybeError {
        SOAP_TRY(d.set(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE,
                       CUDNN_DATA_FLOAT));
        SOAP_TRY(d.set(CUDNN_ATTR_CONVOLUTION_CONV_MODE,
                       CUDNN_TYPE_CONVOLUTION_MODE, CUDNN_CROSS_CORRELATION));
        SOAP_TRY(d.set(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, CUDNN_TYPE_INT64,
                       int64_t(2)));
        SOAP_TRY(d.set(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, CUDNN_TYPE_INT64,
                       Numbers{s.pt, s.pl}));
        SOAP_TRY(d.set(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, CUDNN_TYPE_INT64,
                       Numbers{call.paddingAfter(0), call.paddingAfter(1)}));
        SOAP_TRY(d.set(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, CUDNN_TYPE_INT64,
                       Numbers{s.sh, s.sw}));
        return d.set(CUDNN_ATTR_CONVOLUTION_DILATIONS, CUDNN_TYPE_INT64,
                     Numbers{s.dh, s.dw});
      });
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
  add(n.type, {{n.a, a}, {n.b, b}, {n.result, result}},
      [&](CudnnDescriptor &d) -> MaybeError {
        SOAP_TRY(d.set(n.conv, CUDNN_TYPE_BACKEND_DESCRIPTOR, kind.get()));
        SOAP_TRY(d.set(n.alpha, CUDNN_TYPE_FLOAT, 1.0f));
        return d.set(n.beta, CUDNN_TYPE_FLOAT, 0.0f);
      });
  if (!error)
    graph.addPart(std::move(kind));
}

void CudnnOperations::normTraining(const NormTraining &t) {
  add(CUDNN_BACKEND_OPERATION_NORM_FORWARD_DESCRIPTOR,
      {{CUDNN_ATTR_OPERATION_NORM_FWD_XDESC, t.x},
       {CUDNN_ATTR_OPERATION_NORM_FWD_MEAN_DESC, t.mean},
       {CUDNN_ATTR_OPERATION_NORM_FWD_INV_VARIANCE_DESC, t.inverse},
       {CUDNN_ATTR_OPERATION_NORM_FWD_SCALE_DESC, t.gamma},
       {CUDNN_ATTR_OPERATION_NORM_FWD_BIAS_DESC, t.beta},
       {CUDNN_ATTR_OPERATION_NORM_FWD_EPSILON_DESC, t.epsilon},
       {CUDNN_ATTR_OPERATION_NORM_FWD_YDESC, t.y}},
      [](CudnnDescriptor &d) -> MaybeError {
        SOAP_TRY(d.set(CUDNN_ATTR_OPERATION_NORM_FWD_MODE, CUDNN_TYPE_NORM_MODE,
                       CUDNN_BATCH_NORM));
        return d.set(CUDNN_ATTR_OPERATION_NORM_FWD_PHASE,
                     CUDNN_TYPE_NORM_FWD_PHASE, CUDNN_NORM_FWD_TRAINING);
      });
}

void CudnnOperations::normGradient(const NormGradient &t) {
  add(CUDNN_BACKEND_OPERATION_NORM_BACKWARD_DESCRIPTOR,
      {{CUDNN_ATTR_OPERATION_NORM_BWD_XDESC, t.x},
       {CUDNN_ATTR_OPERATION_NORM_BWD_MEAN_DESC, t.mean},
       {CUDNN_ATTR_OPERATION_NORM_BWD_INV_VARIANCE_DESC, t.inverse},
       {CUDNN_ATTR_OPERATION_NORM_BWD_DYDESC, t.dy},
       {CUDNN_ATTR_OPERATION_NORM_BWD_SCALE_DESC, t.gamma},
       {CUDNN_ATTR_OPERATION_NORM_BWD_DSCALE_DESC, t.dgamma},
       {CUDNN_ATTR_OPERATION_NORM_BWD_DBIAS_DESC, t.dbeta},
       {CUDNN_ATTR_OPERATION_NORM_BWD_DXDESC, t.dx}},
      [](CudnnDescriptor &d) {
        return d.set(CUDNN_ATTR_OPERATION_NORM_BWD_MODE, CUDNN_TYPE_NORM_MODE,
                     CUDNN_BATCH_NORM);
      });
}

void CudnnOperations::pooling(const PoolCall &call, size_t x, size_t y) {
  using Numbers = std::vector<int64_t>;
  bool isMax = call.kind == PoolKind::Max;
  CudnnDescriptor kind = describe(
      CUDNN_BACKEND_RESAMPLE_DESCRIPTOR, [&](CudnnDescriptor &d) -> MaybeError {
        SOAP_TRY(d.set(CUDNN_ATTR_RESAMPLE_MODE, CUDNN_TYPE_RESAMPLE_MODE,
                       isMax ? CUDNN_RESAMPLE_MAXPOOL
                       : call.kind == PoolKind::AverageOfAll
                           ? CUDNN_RESAMPLE_AVGPOOL_INCLUDE_PADDING
                           : CUDNN_RESAMPLE_AVGPOOL_EXCLUDE_PADDING));
        SOAP_TRY(d.set(CUDNN_ATTR_RESAMPLE_COMP_TYPE, CUDNN_TYPE_DATA_TYPE,
                       CUDNN_DATA_FLOAT));
        SOAP_TRY(d.set(CUDNN_ATTR_RESAMPLE_NAN_PROPAGATION,
                       CUDNN_TYPE_NAN_PROPOGATION, CUDNN_PROPAGATE_NAN));
        SOAP_TRY(d.set(CUDNN_ATTR_RESAMPLE_PADDING_MODE,
                       CUDNN_TYPE_PADDING_MODE,
                       isMax ? CUDNN_NEG_INF_PAD : CUDNN_ZERO_PAD));
        SOAP_TRY(d.set(CUDNN_ATTR_RESAMPLE_SPATIAL_DIMS, CUDNN_TYPE_INT64,
                       int64_t(2)));
        SOAP_TRY(d.set(CUDNN_ATTR_RESAMPLE_WINDOW_DIMS, CUDNN_TYPE_INT64,
                       Numbers{call.kh, call.kw}));
        for (auto name : {CUDNN_ATTR_RESAMPLE_PRE_PADDINGS,
                          CUDNN_ATTR_RESAMPLE_POST_PADDINGS})
          SOAP_TRY(d.set(name, CUDNN_TYPE_INT64, Numbers{call.pt, call.pl}));
        return d.set(CUDNN_ATTR_RESAMPLE_STRIDES, CUDNN_TYPE_INT64,
                     Numbers{call.sh, call.sw});
      });
  if (!call.isGradient)
    add(CUDNN_BACKEND_OPERATION_RESAMPLE_FWD_DESCRIPTOR,
        {{CUDNN_ATTR_OPERATION_RESAMPLE_FWD_XDESC, x},
         {CUDNN_ATTR_OPERATION_RESAMPLE_FWD_YDESC, y}},
        CUDNN_ATTR_OPERATION_RESAMPLE_FWD_DESC, std::move(kind));
  else
    add(CUDNN_BACKEND_OPERATION_RESAMPLE_BWD_DESCRIPTOR,
        {{CUDNN_ATTR_OPERATION_RESAMPLE_BWD_DXDESC, x},
         {CUDNN_ATTR_OPERATION_RESAMPLE_BWD_DYDESC, y}},
        CUDNN_ATTR_OPERATION_RESAMPLE_BWD_DESC, std::move(kind));
}
