//===- ConvGraph.h - A convolution by cuDNN's graph API ---------*- C++ -*-===//
//
// cuDNN 9 takes a convolution and what follows it as a graph of operations,
// says which of its engines can compute it, best first, and makes a plan of an
// engine: one launch, where the older functions need one per operation. What
// lies between operations is f32 and never in memory.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_RUNTIME_CUDA_CONVGRAPH_H
#define SOAP_LIB_RUNTIME_CUDA_CONVGRAPH_H

#include "CudaError.h"
#include "Soap/Runtime/LibraryCalls.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

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

/// What a graph is made for: the device of a handle, where it runs, or a device
/// that is not there, by its properties
/// (CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR), for tests that ask cuDNN what it
/// would do. Needs cuDNN 9.19.
struct CudnnTarget {
  cudnnHandle_t handle = nullptr;
  cudnnBackendDescriptor_t properties = nullptr;
};

class ConvGraph {
public:
  /// The graph of a call whose buffers are multiples of `alignment` bytes, and
  /// at most `most` engines that keep its precision and whose sums have an
  /// order. An error where cuDNN has no engine for it.
  static Expected<std::unique_ptr<ConvGraph>> make(const CudnnTarget &target,
                                                   const ConvCall &call,
                                                   int64_t alignment,
                                                   size_t most);

  /// Names of engines with their settings, which are the same in every process
  /// with this version of cuDNN: "engine 34 2=1 5=0".
  const std::vector<std::string> &engines() const { return names; }

  /// Bytes of workspace of the engine's plan, which is made when it is first
  /// asked for. An error: the engine cannot compute this.
  Expected<size_t> workspaceOf(size_t engine);

  /// Gives the work to the stream of the handle. After `workspaceOf`.
  MaybeError run(size_t engine, const ConvBuffers &buffers);

private:
  struct Engine {
    CudnnDescriptor settings, plan;
    size_t workspaceBytes = 0;
    std::optional<Error> error;
    bool isMade = false;
  };

  explicit ConvGraph(const CudnnTarget &target) : target(target) {}

  MaybeError describe(const ConvCall &call, int64_t alignment);
  MaybeError addConvolution(const ConvCall &call, size_t a, size_t b,
                            size_t result);
  MaybeError addPointwise(cudnnPointwiseMode_t mode, size_t x, size_t other,
                          size_t y);
  Expected<size_t> addTensor(const ConvCall &call, int64_t id,
                             std::vector<int64_t> dims, int64_t alignment);
  MaybeError finalizeGraph();
  MaybeError add(CudnnDescriptor settings, const ConvCall &call);
  MaybeError ask(cudnnBackendHeurMode_t mode, const ConvCall &call,
                 size_t most);
  MaybeError makePlan(Engine &engine);

  const CudnnTarget target;
  bool hasThird = false;
  std::vector<CudnnDescriptor> tensors, parts, operations;
  CudnnDescriptor graph;
  std::vector<Engine> found;
  std::vector<std::string> names;
};

} // namespace soap::runtime

#endif // SOAP_LIB_RUNTIME_CUDA_CONVGRAPH_H
