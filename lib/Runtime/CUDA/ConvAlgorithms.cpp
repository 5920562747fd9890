//===- ConvAlgorithms.cpp - A convolution by cuDNN's older functions ------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ConvAlgorithms.h.
//
//===----------------------------------------------------------------------===//

#include "ConvAlgorithms.h"

#include <algorithm>
#include <limits>
#include <string>

using namespace soap;
using namespace soap::runtime;

ConvAlgorithms::~ConvAlgorithms() {
  for (cudnnTensorDescriptor_t tensor : {x, image, y, bias})
    if (tensor)
      cudnnDestroyTensorDescriptor(tensor);
  if (w)
    cudnnDestroyFilterDescriptor(w);
  if (conv)
    cudnnDestroyConvolutionDescriptor(conv);
  if (relu)
    cudnnDestroyActivationDescriptor(relu);
}

static bool fitsInt(std::initializer_list<int64_t> numbers) {
  for (int64_t number : numbers)
    if (number < 0 || number > std::numeric_limits<int>::max())
      return false;
  return true;
}

MaybeError ConvAlgorithms::describe(const ConvCall &call) {
  const ConvShape &s = call.shape;
  if (s.xLayout != s.yLayout || s.xLayout < 0 || s.xLayout > 1)
    return Error{"cuDNN takes images in NCHW or NHWC, all of a call alike"};
  int64_t height = s.h, columns = s.w, top = s.pt, left = s.pl;
  if (!call.padsBothSides()) {
    padded.emplace(s, call.precision == Precision::BF16 ? 2 : 4);
    height = padded->height();
    columns = padded->columns();
    top = left = 0;
  }
  if (!fitsInt({s.n, s.g * s.c, s.h, s.w, height, columns, s.g * s.o, s.oh,
                s.ow, s.kh, s.kw}))
    return Error{"a convolution has an extent beyond 2147483647, or padding "
                 "that leaves nothing of its image"};
  SOAP_CUDA(cudnnCreateTensorDescriptor, &x);
  SOAP_CUDA(cudnnCreateTensorDescriptor, &image);
  SOAP_CUDA(cudnnCreateTensorDescriptor, &y);
  SOAP_CUDA(cudnnCreateFilterDescriptor, &w);
  SOAP_CUDA(cudnnCreateConvolutionDescriptor, &conv);
  auto type = call.precision == Precision::BF16 ? CUDNN_DATA_BFLOAT16
                                                : CUDNN_DATA_FLOAT;
  // Extents are in the order of NCHW in both layouts.
  auto layout = call.channelsLast() ? CUDNN_TENSOR_NHWC : CUDNN_TENSOR_NCHW;
  SOAP_CUDA(cudnnSetTensor4dDescriptor, x, layout, type, int(s.n),
            int(s.g * s.c), int(height), int(columns));
  SOAP_CUDA(cudnnSetTensor4dDescriptor, image, layout, type, int(s.n),
            int(s.g * s.c), int(s.h), int(s.w));
  SOAP_CUDA(cudnnSetTensor4dDescriptor, y, layout, type, int(s.n),
            int(s.g * s.o), int(s.oh), int(s.ow));
  SOAP_CUDA(cudnnSetFilter4dDescriptor, w, type, layout, int(s.g * s.o),
            int(s.c), int(s.kh), int(s.kw));
  SOAP_CUDA(cudnnSetConvolution2dDescriptor, conv, int(top), int(left),
            int(s.sh), int(s.sw), int(s.dh), int(s.dw), CUDNN_CROSS_CORRELATION,
            CUDNN_DATA_FLOAT);
  SOAP_CUDA(cudnnSetConvolutionGroupCount, conv, int(s.g));
  SOAP_CUDA(cudnnSetConvolutionMathType, conv,
            call.precision == Precision::F32    ? CUDNN_FMA_MATH
            : call.precision == Precision::TF32 ? CUDNN_DEFAULT_MATH
                                                : CUDNN_TENSOR_OP_MATH);
  int n = 0, c = 0, h = 0, width = 0;
  SOAP_CUDA(cudnnGetConvolution2dForwardOutputDim, conv, x, w, &n, &c, &h,
            &width);
  if (h != s.oh || width != s.ow)
    return Error{"cuDNN makes " + std::to_string(h) + " x " +
                 std::to_string(width) + " of a convolution, expected " +
                 std::to_string(s.oh) + " x " + std::to_string(s.ow)};
  return describeEpilogue(call, layout, type);
}

MaybeError ConvAlgorithms::describeEpilogue(const ConvCall &call,
                                            cudnnTensorFormat_t layout,
                                            cudnnDataType_t type) {
  if (hasBias(call.epilogue)) {
    SOAP_CUDA(cudnnCreateTensorDescriptor, &bias);
    SOAP_CUDA(cudnnSetTensor4dDescriptor, bias, layout, type, 1,
              int(call.shape.g * call.shape.o), 1, 1);
  }
  if (call.epilogue != Epilogue::None && call.epilogue != Epilogue::Bias) {
    SOAP_CUDA(cudnnCreateActivationDescriptor, &relu);
    SOAP_CUDA(cudnnSetActivationDescriptor, relu, CUDNN_ACTIVATION_RELU,
              CUDNN_PROPAGATE_NAN, 0.0);
  }
  return std::nullopt;
}

/// Bytes in front of an algorithm's workspace.
size_t ConvAlgorithms::copyBytes() const {
  constexpr size_t unit = 256;
  return padded ? (size_t(padded->bytes()) + unit - 1) / unit * unit : 0;
}

/// The proposals that work in the memory that a workspace may take. The math is
/// that of the descriptor, so an algorithm counts once. Algorithms whose sums
/// have no order are left out where there are others: replicas must have the
/// same bits.
template <typename Find>
MaybeError ConvAlgorithms::proposeBy(const char *name, size_t limit,
                                     Find find) {
  auto results = find();
  if (!results)
    return results.takeError();
  for (bool ordered : {true, false}) {
    for (const auto &result : *results) {
      if (result.status != CUDNN_STATUS_SUCCESS || result.memory > limit ||
          (ordered && result.determinism != CUDNN_DETERMINISTIC))
        continue;
      auto known =
          std::find_if(found.begin(), found.end(), [&](const Proposal &other) {
            return other.algorithm == result.algo;
          });
      if (known == found.end())
        found.push_back({int(result.algo), copyBytes() + result.memory});
      else
        known->workspaceBytes =
            std::max(known->workspaceBytes, copyBytes() + result.memory);
    }
    isOrdered = ordered;
    if (!found.empty())
      return std::nullopt;
  }
  return Error{std::string(name) + ": no algorithm of cuDNN fits in " +
               std::to_string(limit) + " bytes"};
}

MaybeError ConvAlgorithms::propose(cudnnHandle_t dnn, const ConvCall &call,
                                   size_t limit) {
#define SOAP_PROPOSE(function, Result, first, second, third)                   \
  proposeBy(#function, limit, [&]() -> Expected<std::vector<Result>> {         \
    std::vector<Result> results(10);                                           \
    int count = 0;                                                             \
    SOAP_CUDA(function, dnn, first, second, conv, third, int(results.size()),  \
              &count, results.data());                                         \
    results.resize(size_t(count));                                             \
    return results;                                                            \
  })
  switch (call.kind) {
  case ConvKind::Forward:
    return SOAP_PROPOSE(cudnnGetConvolutionForwardAlgorithm_v7,
                        cudnnConvolutionFwdAlgoPerf_t, x, w, y);
  case ConvKind::InputGrad:
    return SOAP_PROPOSE(cudnnGetConvolutionBackwardDataAlgorithm_v7,
                        cudnnConvolutionBwdDataAlgoPerf_t, w, y, x);
  case ConvKind::WeightGrad:
    return SOAP_PROPOSE(cudnnGetConvolutionBackwardFilterAlgorithm_v7,
                        cudnnConvolutionBwdFilterAlgoPerf_t, x, y, w);
  }
#undef SOAP_PROPOSE
  return std::nullopt;
}

MaybeError ConvAlgorithms::run(cudnnHandle_t dnn, const ConvCall &call,
                               size_t proposal, const ConvBuffers &buffers,
                               cudaStream_t stream) const {
  ConvBuffers own = buffers;
  bool writesImage = call.kind == ConvKind::InputGrad;
  if (padded) {
    own.workspace = static_cast<char *>(buffers.workspace) + copyBytes();
    if (writesImage)
      own.result = buffers.workspace;
    else if (MaybeError error =
                 padded->pad(buffers.a, buffers.workspace, stream))
      return error;
    else
      own.a = buffers.workspace;
  }
  if (MaybeError error = convolve(dnn, call, proposal, own))
    return error;
  if (padded && writesImage)
    if (MaybeError error = padded->crop(own.result, buffers.result, stream))
      return error;
  return runEpilogue(dnn, call, buffers);
}

MaybeError ConvAlgorithms::convolve(cudnnHandle_t dnn, const ConvCall &call,
                                    size_t proposal,
                                    const ConvBuffers &buffers) const {
  auto [a, b, result, memory, unused] = buffers;
  int algorithm = found[proposal].algorithm;
  size_t bytes = found[proposal].workspaceBytes - copyBytes();
  float one = 1, zero = 0;
  switch (call.kind) {
  case ConvKind::Forward:
    SOAP_CUDA(cudnnConvolutionForward, dnn, &one, x, a, w, b, conv,
              cudnnConvolutionFwdAlgo_t(algorithm), memory, bytes, &zero, y,
              result);
    break;
  case ConvKind::InputGrad:
    SOAP_CUDA(cudnnConvolutionBackwardData, dnn, &one, w, b, y, a, conv,
              cudnnConvolutionBwdDataAlgo_t(algorithm), memory, bytes, &zero, x,
              result);
    break;
  case ConvKind::WeightGrad:
    SOAP_CUDA(cudnnConvolutionBackwardFilter, dnn, &one, x, a, y, b, conv,
              cudnnConvolutionBwdFilterAlgo_t(algorithm), memory, bytes, &zero,
              w, result);
    break;
  }
  return std::nullopt;
}

/// In place, behind the convolution. cudnnConvolutionBiasActivationForward
/// would do a bias and relu in one call, but takes only
/// CUDNN_NOT_PROPAGATE_NAN, with which relu turns NaN into 0.
MaybeError ConvAlgorithms::runEpilogue(cudnnHandle_t dnn, const ConvCall &call,
                                       const ConvBuffers &buffers) const {
  float one = 1, zero = 0;
  void *result = buffers.result;
  if (hasBias(call.epilogue))
    SOAP_CUDA(cudnnAddTensor, dnn, &one, bias, buffers.third, &one, y, result);
  if (call.epilogue == Epilogue::Relu || call.epilogue == Epilogue::BiasRelu)
    SOAP_CUDA(cudnnActivationForward, dnn, relu, &one, y, result, &zero, y,
              result);
  // The result of relu is above 0 where its argument was.
  if (call.epilogue == Epilogue::ReluGrad)
    SOAP_CUDA(cudnnActivationBackward, dnn, relu, &one, image, buffers.third,
              image, result, image, buffers.third, &zero, image, result);
  return std::nullopt;
}
