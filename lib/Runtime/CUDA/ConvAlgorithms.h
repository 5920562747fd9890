//===- ConvAlgorithms.h - A convolution by cuDNN's older functions -*- C++ -*-//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Descriptors of a convolution, and the algorithms that cuDNN proposes for it.
// The epilogue of a convolution is a call of its own after it; only a bias with
// relu is one call with the convolution. An image whose padding differs
// between sides is padded in memory first (PaddedImage.h).
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_RUNTIME_CUDA_CONVALGORITHMS_H
#define SOAP_LIB_RUNTIME_CUDA_CONVALGORITHMS_H

#include "PaddedImage.h"
#include "Runtime/CuDNN/CudaError.h"
#include "Runtime/Kernels/LibraryCalls.h"

#include <optional>
#include <vector>

namespace soap::runtime {

class ConvAlgorithms {
public:
  struct Proposal {
    int algorithm;         ///< a cudnnConvolution*Algo_t of its kind
    size_t workspaceBytes; ///< with the padded image
  };

  ConvAlgorithms() = default;
  ~ConvAlgorithms();
  ConvAlgorithms(const ConvAlgorithms &) = delete;
  ConvAlgorithms &operator=(const ConvAlgorithms &) = delete;

  /// An error where cuDNN cannot compute the call, by whatever function.
  MaybeError describe(const ConvCall &call);
  /// Finds the proposals that need at most `limit` bytes beside the padded
  /// image. An error if there is none.
  MaybeError propose(cudnnHandle_t dnn, const ConvCall &call, size_t limit);
  const std::vector<Proposal> &proposals() const { return found; }
  /// Whether sums of the proposals have an order; if cuDNN has none like that,
  /// the others are proposed.
  bool haveOrder() const { return isOrdered; }

  /// Whether the image is padded in memory, in front of the workspace.
  bool copies() const { return padded.has_value(); }

  /// Gives the work to `stream`, which is that of the handle.
  MaybeError run(cudnnHandle_t dnn, const ConvCall &call, size_t proposal,
                 const ConvBuffers &buffers, cudaStream_t stream) const;

private:
  template <typename Find>
  MaybeError proposeBy(const char *name, size_t limit, Find find);
  MaybeError describeEpilogue(const ConvCall &call, cudnnTensorFormat_t layout,
                              cudnnDataType_t type);
  MaybeError convolve(cudnnHandle_t dnn, const ConvCall &call, size_t proposal,
                      const ConvBuffers &buffers) const;
  MaybeError runEpilogue(cudnnHandle_t dnn, const ConvCall &call,
                         const ConvBuffers &buffers) const;
  size_t copyBytes() const;

  std::optional<PaddedImage> padded;
  /// `x` is the image that the convolution reads or writes, `image` that of the
  /// call.
  cudnnTensorDescriptor_t x = nullptr, image = nullptr, y = nullptr,
                          bias = nullptr;
  cudnnFilterDescriptor_t w = nullptr;
  cudnnConvolutionDescriptor_t conv = nullptr;
  cudnnActivationDescriptor_t relu = nullptr;
  std::vector<Proposal> found;
  bool isOrdered = true;
};

} // namespace soap::runtime

#endif // SOAP_LIB_RUNTIME_CUDA_CONVALGORITHMS_H
