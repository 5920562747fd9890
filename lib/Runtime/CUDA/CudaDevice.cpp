//===- CudaDevice.cpp - One GPU of the backend ----------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See CudaDevice.h.
//
//===----------------------------------------------------------------------===//

#include "CudaDevice.h"

#include <algorithm>
#include <chrono>
#include <thread>

using namespace soap;
using namespace soap::runtime;

CudaDevice::~CudaDevice() {
  // Errors here come from work whose failure was reported.
  cudaSetDevice(number);
  cudaDeviceSynchronize();
  for (cudaEvent_t event : events)
    cudaEventDestroy(event);
  for (cudaEvent_t event : signals)
    cudaEventDestroy(event);
  for (cudaEvent_t event : captureEvents)
    cudaEventDestroy(event);
  for (cudaStream_t stream : streams)
    cudaStreamDestroy(stream);
  if (uploads)
    cudaStreamDestroy(uploads);
  for (void *pointer : memory)
    cudaFree(pointer);
}

MaybeError CudaDevice::select() const {
  SOAP_CUDA(cudaSetDevice, number);
  return std::nullopt;
}

MaybeError CudaDevice::open() {
  if (MaybeError error = select())
    return error;
  SOAP_CUDA(cudaDeviceGetAttribute, &multiprocessors,
            cudaDevAttrMultiProcessorCount, number);
  cudaDeviceProp properties{};
  SOAP_CUDA(cudaGetDeviceProperties, &properties, number);
  tuning.device = std::string(properties.name) + ", sm_" +
                  std::to_string(properties.major * 10 + properties.minor);
  return std::nullopt;
}

MaybeError CudaDevice::openLibraries() {
  if (librariesOpen)
    return std::nullopt;
  MaybeError error = libraries.open(&tuning);
  librariesOpen = !error;
  return error;
}

MaybeError CudaDevice::prepare(const ConvCall &call,
                               const ConvBuffers &buffers) {
  if (MaybeError error = openLibraries())
    return error;
  return libraries.prepare(call, buffers);
}

MaybeError CudaDevice::prepare(const MatmulCall &call,
                               const MatmulBuffers &buffers) {
  if (MaybeError error = openLibraries())
    return error;
  return libraries.prepare(call, buffers);
}

MaybeError CudaDevice::prepare(const AttentionCall &call,
                               const AttentionBuffers &buffers) {
  if (MaybeError error = openLibraries())
    return error;
  return libraries.prepare(call, buffers);
}

MaybeError CudaDevice::prepare(const PoolCall &call,
                               const PoolBuffers &buffers) {
  if (MaybeError error = openLibraries())
    return error;
  return libraries.prepare(call, buffers);
}

MaybeError CudaDevice::prepare(const NormCall &call,
                               const NormBuffers &buffers) {
  if (MaybeError error = openLibraries())
    return error;
  return libraries.prepare(call, buffers);
}

MaybeError CudaDevice::begin() {
  signalsUsed = 0;
  return select();
}

MaybeError CudaDevice::finish(const std::function<bool()> &stopped) {
  // Polled, so that a failure elsewhere ends it: a stream may wait for a
  // message that never comes.
  auto start = std::chrono::steady_clock::now();
  for (cudaStream_t stream : streams) {
    cudaError_t state;
    while ((state = cudaStreamQuery(stream)) == cudaErrorNotReady) {
      if (stopped())
        return std::nullopt;
      if (std::chrono::steady_clock::now() - start >
          std::chrono::milliseconds(2))
        std::this_thread::sleep_for(std::chrono::microseconds(20));
      else
        std::this_thread::yield();
    }
    if (MaybeError error = check(state, "cudaStreamQuery"))
      return error;
  }
  return std::nullopt;
}

MaybeError CudaDevice::launch(const SoapKernel &kernel, void *const *buffers,
                              int64_t stream) {
  auto lock = recording();
  if (kernel.extent <= 0)
    return std::nullopt;
  const SoapGpuKernel *&known = kernels[&kernel];
  if (!known)
    if (const char *error = soap_gpu_kernel_of(module, &kernel, &known))
      return Error{error};
  auto native = streamOf(stream);
  if (!native)
    return native.takeError();
  // Blocks take the iterations in turn, so more than fill the GPU a few times
  // over are of no use.
  constexpr int64_t warp = 32, maxThreads = 256, wavesPerMultiprocessor = 32;
  int64_t threads =
      std::min<int64_t>(maxThreads, (kernel.extent + warp - 1) / warp * warp);
  int64_t blocks = std::min<int64_t>((kernel.extent + threads - 1) / threads,
                                     multiprocessors * wavesPerMultiprocessor);
  if (const char *error = soap_gpu_launch(known, buffers, kernel.buffers,
                                          blocks, threads, *native))
    return Error{error};
  return std::nullopt;
}

/// A call of a library on a stream, which is opened before.
template <typename Call>
MaybeError CudaDevice::callLibrary(int64_t stream, Call call) {
  auto lock = recording();
  auto native = streamOf(stream);
  if (!native)
    return native.takeError();
  if (MaybeError error = openLibraries())
    return error;
  return call(*native);
}

MaybeError CudaDevice::conv(const ConvCall &call, const ConvBuffers &buffers,
                            int64_t stream) {
  return callLibrary(stream, [&](cudaStream_t native) {
    return libraries.conv(call, buffers, native);
  });
}

MaybeError CudaDevice::matmul(const MatmulCall &call,
                              const MatmulBuffers &buffers, int64_t stream) {
  return callLibrary(stream, [&](cudaStream_t native) {
    return libraries.matmul(call, buffers, native);
  });
}

MaybeError CudaDevice::pool(const PoolCall &call, const PoolBuffers &buffers,
                            int64_t stream) {
  return callLibrary(stream, [&](cudaStream_t native) {
    return libraries.pool(call, buffers, native);
  });
}

MaybeError CudaDevice::batchNorm(const NormCall &call,
                                 const NormBuffers &buffers, int64_t stream) {
  return callLibrary(stream, [&](cudaStream_t native) {
    return libraries.batchNorm(call, buffers, native);
  });
}

MaybeError CudaDevice::attention(const AttentionCall &call,
                                 const AttentionBuffers &buffers,
                                 int64_t stream) {
  return callLibrary(stream, [&](cudaStream_t native) {
    return libraries.attention(call, buffers, native);
  });
}

MaybeError CudaDevice::copy(void *to, const void *from, int64_t bytes,
                            int64_t stream) {
  auto lock = recording();
  if (bytes <= 0)
    return std::nullopt;
  auto native = streamOf(stream);
  if (!native)
    return native.takeError();
  // Either may be on another GPU.
  SOAP_CUDA(cudaMemcpyAsync, to, from, size_t(bytes), cudaMemcpyDefault,
            *native);
  return std::nullopt;
}

MaybeError CudaDevice::add(int64_t elementType, void *to, const void *from,
                           int64_t count, int64_t stream) {
  auto lock = recording();
  auto native = streamOf(stream);
  if (!native)
    return native.takeError();
  if (MaybeError error = openLibraries())
    return error;
  return libraries.add(elementType, to, from, count, *native);
}

MaybeError CudaDevice::upload(void *to, const void *from, int64_t bytes) const {
  SOAP_CUDA(cudaMemcpy, to, from, size_t(bytes), cudaMemcpyHostToDevice);
  // It may return when the bytes have left the host, and the streams of
  // programs do not wait for the default one, which brings them.
  SOAP_CUDA(cudaStreamSynchronize, cudaStreamLegacy);
  return std::nullopt;
}

MaybeError CudaDevice::beginUpload(void *to, const void *from, int64_t bytes) {
  if (!uploads)
    SOAP_CUDA(cudaStreamCreateWithFlags, &uploads, cudaStreamNonBlocking);
  SOAP_CUDA(cudaMemcpyAsync, to, from, size_t(bytes), cudaMemcpyHostToDevice,
            uploads);
  return std::nullopt;
}

MaybeError CudaDevice::endUploads() const {
  if (uploads)
    SOAP_CUDA(cudaStreamSynchronize, uploads);
  return std::nullopt;
}

Expected<const void *> CudaDevice::constant(const void *data, int64_t bytes) {
  void *&place = constants[data];
  if (!place) {
    auto copy = allocate(bytes);
    if (!copy)
      return copy.takeError();
    if (MaybeError error = upload(*copy, data, bytes))
      return *error;
    place = *copy;
  }
  return place;
}

Expected<cudaStream_t> CudaDevice::streamOf(int64_t stream) {
  constexpr int64_t maxStreams = 64;
  if (stream < 0 || stream >= maxStreams)
    return Error{"a program has no stream " + std::to_string(stream)};
  while (int64_t(streams.size()) <= stream) {
    cudaStream_t made = nullptr;
    SOAP_CUDA(cudaStreamCreateWithFlags, &made, cudaStreamNonBlocking);
    streams.push_back(made);
    // Otherwise its work would be done, not recorded.
    if (captureFork)
      SOAP_CUDA(cudaStreamWaitEvent, made, captureFork, 0);
  }
  return streams[size_t(stream)];
}

Expected<cudaEvent_t> CudaDevice::eventIn(std::vector<cudaEvent_t> &events,
                                          int64_t index) {
  while (int64_t(events.size()) <= index) {
    cudaEvent_t made = nullptr;
    SOAP_CUDA(cudaEventCreateWithFlags, &made, cudaEventDisableTiming);
    events.push_back(made);
  }
  return events[size_t(index)];
}

MaybeError CudaDevice::record(int64_t event, int64_t stream) {
  auto lock = recording();
  auto native = streamOf(stream);
  if (!native)
    return native.takeError();
  auto made = eventIn(events, event);
  if (!made)
    return made.takeError();
  SOAP_CUDA(cudaEventRecord, *made, *native);
  return std::nullopt;
}

MaybeError CudaDevice::wait(int64_t event, int64_t stream) {
  if (event < 0 || event >= int64_t(events.size()))
    return Error{"event " + std::to_string(event) + " was not recorded"};
  return waitSignal(events[size_t(event)], stream);
}

Expected<void *> CudaDevice::signal(int64_t stream) {
  auto lock = recording();
  auto native = streamOf(stream);
  if (!native)
    return native.takeError();
  auto made = eventIn(signals, signalsUsed);
  if (!made)
    return made.takeError();
  ++signalsUsed;
  SOAP_CUDA(cudaEventRecord, *made, *native);
  return static_cast<void *>(*made);
}

MaybeError CudaDevice::waitSignal(void *signal, int64_t stream) {
  auto lock = recording();
  auto native = streamOf(stream);
  if (!native)
    return native.takeError();
  SOAP_CUDA(cudaStreamWaitEvent, *native, static_cast<cudaEvent_t>(signal), 0);
  return std::nullopt;
}

Expected<void *> CudaDevice::nativeStream(int64_t stream) {
  auto native = streamOf(stream);
  if (!native)
    return native.takeError();
  return static_cast<void *>(*native);
}

Expected<void *> CudaDevice::allocate(int64_t bytes) {
  // The caller may be the thread of another device, which goes on with its own.
  std::lock_guard<std::mutex> lock(memoryMutex);
  int current = 0;
  SOAP_CUDA(cudaGetDevice, &current);
  if (MaybeError error = select())
    return *error;
  void *pointer = nullptr;
  cudaError_t error = cudaMalloc(&pointer, size_t(std::max<int64_t>(bytes, 1)));
  size_t available = 0, all = 0;
  if (error == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    cudaMemGetInfo(&available, &all);
  }
  SOAP_CUDA(cudaSetDevice, current);
  if (error == cudaErrorMemoryAllocation)
    return Error{"out of memory on GPU " + std::to_string(number) + ": " +
                 std::to_string(bytes) + " bytes asked for, " +
                 std::to_string(available) + " of " + std::to_string(all) +
                 " free"};
  if (MaybeError other = check(error, "cudaMalloc"))
    return *other;
  memory.push_back(pointer);
  return pointer;
}
