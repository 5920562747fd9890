//===- CudnnOperations.h - Operations of cuDNN's graph API ------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of graphs: tensors of four dims, and the descriptors of
// operations between them.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_RUNTIME_CUDNN_CUDNNOPERATIONS_H
#define SOAP_LIB_RUNTIME_CUDNN_CUDNNOPERATIONS_H

#include "CudnnGraph.h"
#include "Runtime/Kernels/ImageCalls.h"

#include <array>

namespace soap::runtime {

/// Adds tensors and operations to a graph. After the first error, which
/// `error` has, nothing more is added.
class CudnnOperations {
public:
  using Dims = std::array<int64_t, 4>;
  using Storage = CudnnGraph::Storage;

  /// Tensors in memory are multiples of `alignment` bytes.
  CudnnOperations(CudnnGraph &graph, int64_t alignment)
      : graph(graph), alignment(alignment) {}

  MaybeError error = std::nullopt;

  /// Steps of a row-major tensor, and of an image of `dims` [N, C, H, W].
  static Dims packed(const Dims &dims);
  static Dims imageStrides(const Dims &dims, bool channelsLast);

  /// The number of a new tensor, which is called `id` in plans.
  size_t tensor(int64_t id, cudnnDataType_t type, const Dims &dims,
                const Dims &strides, Storage storage = Storage::Memory);
  /// One number of f32 in the host's memory.
  size_t number(int64_t id);

  void matmul(size_t a, size_t b, size_t c);
  void reduce(cudnnReduceTensorOp_t how, size_t x, size_t y);
  void reshape(size_t x, size_t y);
  /// `others`: a second operand, and the operand that selects between both.
  void pointwise(cudnnPointwiseMode_t mode, size_t x,
                 const std::vector<size_t> &others, size_t y,
                 cudnnDataType_t type = CUDNN_DATA_FLOAT, int64_t axis = -1);
  /// dx = dy times the derivative at x of a function of elements. Of relu, x
  /// may be the result.
  void gradient(cudnnPointwiseMode_t mode, size_t dy, size_t x, size_t dx);
  /// Operands of `call.kind` as in `ConvBuffers`.
  void convolution(const ConvCall &call, size_t a, size_t b, size_t result);

  /// Batch normalization in training, and its gradient. One number per channel
  /// is [1, C, 1, 1]; `epsilon` is a number of the host.
  struct NormTraining {
    size_t x, gamma, beta, epsilon; ///< read
    size_t y, mean, inverse;        ///< written
  };
  void normTraining(const NormTraining &tensors);
  struct NormGradient {
    size_t x, mean, inverse, gamma, dy; ///< read
    size_t dx, dgamma, dbeta;           ///< written
  };
  void normGradient(const NormGradient &tensors);
  /// y of x; of the gradient, which is that of an average: x is dx, y is dy.
  void pooling(const PoolCall &call, size_t x, size_t y);

private:
  struct Part {
    cudnnBackendAttributeName_t name;
    size_t tensor;
  };
  template <typename Fill>
  CudnnDescriptor describe(cudnnBackendDescriptorType_t type, Fill fill);
  template <typename Fill>
  void add(cudnnBackendDescriptorType_t type, const std::vector<Part> &tensors,
           Fill fill);
  void add(cudnnBackendDescriptorType_t type, const std::vector<Part> &tensors,
           cudnnBackendAttributeName_t kindName, CudnnDescriptor kind);
  CudnnDescriptor describePointwise(cudnnPointwiseMode_t mode,
                                    cudnnDataType_t type, int64_t axis);

  CudnnGraph &graph;
  const int64_t alignment;
};

} // namespace soap::runtime

#endif // SOAP_LIB_RUNTIME_CUDNN_CUDNNOPERATIONS_H
