//===- CudnnGraph.h - A graph as cuDNN's graph API takes it -----*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuDNN 9 takes several operations as one graph, says which of its engines can
// compute it, best first, and makes a plan of an engine. All graphs share
// this: descriptors, tensors, and the choice of engines; the operations
// are in CudnnOperations.h. Tensors between operations are in no memory.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_RUNTIME_CUDNN_CUDNNGRAPH_H
#define SOAP_LIB_RUNTIME_CUDNN_CUDNNGRAPH_H

#include "CudaError.h"
#include "Runtime/Kernels/LibraryCalls.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

/// `SOAP_TRY(operation.finalize());` returns the error, if there is one.
#define SOAP_TRY(...)                                                          \
  do                                                                           \
    if (::soap::MaybeError soapError = (__VA_ARGS__))                          \
      return *soapError;                                                       \
  while (false)

namespace soap::runtime {

/// A descriptor of the graph API. Others that it was given must outlive it.
class CudnnDescriptor {
public:
  CudnnDescriptor() = default;
  CudnnDescriptor(CudnnDescriptor &&other) noexcept
      : native(std::exchange(other.native, nullptr)) {}
  CudnnDescriptor &operator=(CudnnDescriptor &&other) noexcept {
    std::swap(native, other.native);
    return *this;
  }
  ~CudnnDescriptor() {
    if (native)
      cudnnBackendDestroyDescriptor(native);
  }

  MaybeError create(cudnnBackendDescriptorType_t type);
  /// Sets an attribute to a list of numbers, or to one.
  template <typename T>
  MaybeError set(cudnnBackendAttributeName_t name,
                 cudnnBackendAttributeType_t type,
                 const std::vector<T> &values) {
    SOAP_CUDA(cudnnBackendSetAttribute, native, name, type,
              int64_t(values.size()), values.data());
    return std::nullopt;
  }
  template <typename T>
  MaybeError set(cudnnBackendAttributeName_t name,
                 cudnnBackendAttributeType_t type, T value) {
    SOAP_CUDA(cudnnBackendSetAttribute, native, name, type, 1, &value);
    return std::nullopt;
  }
  MaybeError finalize();
  cudnnBackendDescriptor_t get() const { return native; }

private:
  cudnnBackendDescriptor_t native = nullptr;
};

/// The device that a graph is made for: the device of a handle, where it runs,
/// or a device that is not there, by its properties
/// (CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR), for tests that ask cuDNN for its
/// plans. Needs cuDNN 9.19.
struct CudnnTarget {
  cudnnHandle_t handle = nullptr;
  cudnnBackendDescriptor_t properties = nullptr;
};

class CudnnGraph {
public:
  explicit CudnnGraph(const CudnnTarget &target) : target(target) {}

  enum class Storage {
    Memory,  ///< a buffer
    Virtual, ///< between operations
    Value,   ///< one number, of the host's memory
  };
  /// The number of a new tensor. `id` is its name in plans.
  Expected<size_t> addTensor(int64_t id, cudnnDataType_t type,
                             const std::vector<int64_t> &dims,
                             const std::vector<int64_t> &strides,
                             int64_t alignment, Storage storage);
  /// Descriptors that operations are made of live as long as the graph.
  void addPart(CudnnDescriptor part) { parts.push_back(std::move(part)); }
  void addOperation(CudnnDescriptor operation) {
    operations.push_back(std::move(operation));
  }
  cudnnBackendDescriptor_t tensor(size_t number) const {
    return tensors[number].get();
  }

  /// Ends the description; no operation is added later.
  MaybeError finalize();

  using Accept =
      std::function<bool(const std::vector<cudnnBackendNumericalNote_t> &)>;
  /// Takes at most `maxEngines` engines that cuDNN proposes and whose notes are
  /// accepted; an error where there is none.
  MaybeError propose(size_t maxEngines, const Accept &accept);

  /// Names of engines with their settings, which are the same in every process
  /// with this version of cuDNN: "engine 34 2=1 5=0".
  const std::vector<std::string> &engines() const { return names; }

  /// Bytes of workspace of the engine's plan, which is made when it is first
  /// asked for. An error: the engine cannot compute this.
  Expected<size_t> workspaceOf(size_t engine);

  /// Gives the work to the stream of the handle, with a place for every tensor
  /// that is not virtual. After `workspaceOf`.
  MaybeError run(size_t engine, const std::vector<int64_t> &ids,
                 const std::vector<void *> &places, void *workspace);

private:
  struct Engine {
    CudnnDescriptor settings, plan;
    size_t workspaceBytes = 0;
    std::optional<Error> error;
    bool isMade = false;
  };

  MaybeError add(CudnnDescriptor settings, const Accept &accept);
  MaybeError ask(cudnnBackendHeurMode_t mode, size_t maxEngines,
                 const Accept &accept);
  MaybeError makePlan(Engine &engine);

  const CudnnTarget target;
  std::vector<CudnnDescriptor> tensors, parts, operations;
  CudnnDescriptor graph;
  std::vector<Engine> found;
  std::vector<std::string> names;
};

} // namespace soap::runtime

#endif // SOAP_LIB_RUNTIME_CUDNN_CUDNNGRAPH_H
