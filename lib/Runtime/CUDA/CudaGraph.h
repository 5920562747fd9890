//===- CudaGraph.h - An iteration as a CUDA graph ---------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recorded by stream capture, over all streams of its devices. Devices that
// wait for each other's events are one capture, which the first of them begins
// and ends; others have a graph each.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_RUNTIME_CUDA_CUDAGRAPH_H
#define SOAP_LIB_RUNTIME_CUDA_CUDAGRAPH_H

#include "CudaDevice.h"

#include <condition_variable>

namespace soap::runtime {

class CudaGraph : public BackendGraph {
public:
  /// The devices outlive the graph.
  CudaGraph(std::vector<std::pair<int64_t, CudaDevice *>> devices, bool joint);
  ~CudaGraph() override;

  MaybeError begin(int64_t device) override;
  MaybeError end(int64_t device, const std::function<bool()> &failed) override;
  MaybeError launch(int64_t device) override;

private:
  struct Member {
    int64_t number;
    CudaDevice *device;
    /// It has begun a capture or entered the joint one.
    bool recording = false;
    /// Where its streams are one again.
    cudaEvent_t joined = nullptr;
    cudaGraphExec_t executable = nullptr;
  };

  Member &find(int64_t device);
  /// Waits until all devices have called it as often as this one.
  void meet();
  MaybeError join(Member &member);
  void note(const MaybeError &error);
  MaybeError isBroken() {
    std::lock_guard<std::mutex> lock(mutex);
    return broken;
  }
  /// Ends a capture. Unless `wanted`, the recorded work is thrown away.
  MaybeError close(Member &member, bool wanted);

  std::vector<Member> members;
  bool joint;
  std::mutex mutex;
  std::condition_variable changed;
  size_t arrived = 0;
  uint64_t round = 0;
  /// Of the joint capture: where the streams of all devices begin.
  cudaEvent_t fork = nullptr;
  /// The first error; then there is no graph.
  MaybeError broken;
  /// Around calls of threads that record into one capture: a graph is used by
  /// one thread at a time.
  std::mutex calls;
};

} // namespace soap::runtime

#endif // SOAP_LIB_RUNTIME_CUDA_CUDAGRAPH_H
