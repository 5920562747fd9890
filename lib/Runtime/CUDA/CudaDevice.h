//===- CudaDevice.h - One GPU of the backend --------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Streams, events and kernels of one device of a module. Virtual devices are
// several of these on one GPU.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_RUNTIME_CUDA_CUDADEVICE_H
#define SOAP_LIB_RUNTIME_CUDA_CUDADEVICE_H

#include "CudaLibraries.h"
#include "Runtime/Backend/Backend.h"
#include "Soap/ABI/Gpu.h"

#include <mutex>
#include <unordered_map>

namespace soap::runtime {

class CudaDevice : public BackendDevice {
public:
  /// `module` holds the kernels; null: there are none. It outlives the device.
  /// `tuner` chooses algorithms; null: they are the libraries' first proposals.
  CudaDevice(int number, SoapGpuModule *module, Autotuner *tuner = nullptr,
             std::function<void(const std::string &)> note = {})
      : number(number), module(module), tuning{tuner, "", std::move(note)} {}
  ~CudaDevice() override;

  /// Reads the properties of the GPU. Comes before all other calls.
  MaybeError open();

  MaybeError begin() override;
  MaybeError finish(const std::function<bool()> &stopped) override;
  MaybeError launch(const SoapKernel &kernel, void *const *buffers,
                    int64_t stream) override;
  MaybeError conv(const ConvCall &call, const ConvBuffers &buffers,
                  int64_t stream) override;
  MaybeError matmul(const MatmulCall &call, const MatmulBuffers &buffers,
                    int64_t stream) override;
  MaybeError pool(const PoolCall &call, const PoolBuffers &buffers,
                  int64_t stream) override;
  MaybeError batchNorm(const NormCall &call, const NormBuffers &buffers,
                       int64_t stream) override;
  MaybeError attention(const AttentionCall &call,
                       const AttentionBuffers &buffers,
                       int64_t stream) override;
  MaybeError prepare(const AttentionCall &call,
                     const AttentionBuffers &buffers) override;
  MaybeError prepare(const ConvCall &call, const ConvBuffers &buffers) override;
  MaybeError prepare(const PoolCall &call, const PoolBuffers &buffers) override;
  MaybeError prepare(const NormCall &call, const NormBuffers &buffers) override;
  MaybeError prepare(const MatmulCall &call,
                     const MatmulBuffers &buffers) override;
  MaybeError copy(void *to, const void *from, int64_t bytes,
                  int64_t stream) override;
  MaybeError add(int64_t elementType, void *to, const void *from, int64_t count,
                 int64_t stream) override;
  Expected<const void *> constant(const void *data, int64_t bytes) override;
  MaybeError record(int64_t event, int64_t stream) override;
  MaybeError wait(int64_t event, int64_t stream) override;
  Expected<void *> signal(int64_t stream) override;
  MaybeError waitSignal(void *signal, int64_t stream) override;
  Expected<void *> nativeStream(int64_t stream) override;

  /// Algorithms are looked up again: others were chosen.
  void forgetAlgorithms() { libraries.forget(); }

  /// Makes it the device of the calling thread.
  MaybeError select() const;
  /// From any thread, whose device stays.
  Expected<void *> allocate(int64_t bytes);
  /// From memory of the host to the selected device; the bytes are there when
  /// it returns.
  MaybeError upload(void *to, const void *from, int64_t bytes) const;

  /// The same from pinned memory, on a stream of its own: it may return before
  /// the bytes have left.
  MaybeError beginUpload(void *to, const void *from, int64_t bytes);
  MaybeError endUploads() const;

  /// Begins to record the work given to all streams of the device; returns the
  /// event behind which devices enter that record the same capture.
  Expected<cudaEvent_t> beginCapture();
  MaybeError enterCapture(cudaEvent_t fork);
  /// The first stream waits for all others; returns the event behind that.
  Expected<cudaEvent_t> joinStreams();
  /// The first stream waits for the event of another device.
  MaybeError waitFor(cudaEvent_t event);
  /// To be called where the capture has begun; a null graph: it was broken.
  Expected<cudaGraph_t> endCapture();
  void forgetCapture() { captureFork = nullptr; }
  /// `lock` is held around calls from now on; null: none.
  void setRecording(std::mutex *lock) { recordingLock = lock; }
  MaybeError launchGraph(cudaGraphExec_t graph);

  /// Opens the libraries if they are not yet.
  MaybeError openLibraries();

private:
  std::unique_lock<std::mutex> recording() const {
    return recordingLock ? std::unique_lock<std::mutex>(*recordingLock)
                         : std::unique_lock<std::mutex>();
  }
  /// Made when it is first used.
  Expected<cudaStream_t> streamOf(int64_t stream);
  template <typename Call>
  MaybeError callLibrary(int64_t stream, Call call);
  static Expected<cudaEvent_t> eventIn(std::vector<cudaEvent_t> &events,
                                       int64_t index);

  int number;
  SoapGpuModule *module;
  int multiprocessors = 1;
  CudaTuning tuning;
  bool librariesOpen = false;
  CudaLibraries libraries;
  std::vector<cudaStream_t> streams;
  cudaStream_t uploads = nullptr;
  std::vector<cudaEvent_t> events, signals, captureEvents;
  /// Not null while the device records: where its streams have begun.
  cudaEvent_t captureFork = nullptr;
  std::mutex *recordingLock = nullptr;
  int64_t signalsUsed = 0;
  std::mutex memoryMutex;
  std::vector<void *> memory;
  std::unordered_map<const void *, void *> constants;
  std::unordered_map<const SoapKernel *, const SoapGpuKernel *> kernels;
};

} // namespace soap::runtime

#endif // SOAP_LIB_RUNTIME_CUDA_CUDADEVICE_H
