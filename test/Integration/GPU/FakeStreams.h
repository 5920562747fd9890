//===- FakeStreams.h - Streams of the stand-in for CUDA ---------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Streams, events, captures and graphs as CUDA documents them, on threads: a
// stream does its work in order, late and in its own time, and a graph does its
// nodes in any order that their dependencies allow. So what is not ordered
// comes in a wrong order sooner or later, and what CUDA forbids in a capture
// breaks it here, too.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_TEST_INTEGRATION_GPU_FAKESTREAMS_H
#define SOAP_TEST_INTEGRATION_GPU_FAKESTREAMS_H

#include <cuda_runtime_api.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <functional>

namespace soap::fake {

/// The device that the calling thread has chosen.
int &currentDevice();

/// Gives work to a stream, or records it; an error if the stream is of another
/// device than the current one.
cudaError_t give(cudaStream_t stream, std::function<void()> work);

/// As `give`, whatever the current device is.
cudaError_t giveAnywhere(cudaStream_t stream, std::function<void()> work);

/// A capture records what the stream is given.
bool isCapturing(cudaStream_t stream);

/// Lets made-up time pass on the clock of events; called by work on a stream.
void pass(double milliseconds);

/// The result of a call that may wait or allocate: an error in a capture of
/// this thread, which it breaks.
cudaError_t unsafeCall();

/// Waits for all streams of all devices.
void synchronizeAll();

/// Work that waits for other devices, as an operation of NCCL, begins and ends.
void beginOperation();
void endOperation();
/// A call that loads a kernel, allocates or frees: CUDA waits for the devices
/// that the memory is shared with, so for all operations that are under way.
void waitForOperations();

// The functions of CUDA of these names. Those that cannot fail on demand are
// CUDA's own (see FakeCuda.cpp).
cudaError_t streamCreate(cudaStream_t *stream);
cudaError_t streamQuery(cudaStream_t stream);
cudaError_t streamWaitEvent(cudaStream_t stream, cudaEvent_t event);
cudaError_t streamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode);
cudaError_t streamEndCapture(cudaStream_t stream, cudaGraph_t *graph);
cudaError_t eventRecord(cudaEvent_t event, cudaStream_t stream);
/// Milliseconds between two events: of the clock, or with SOAP_FAKE_CUDA_TIMES
/// those that work has let pass, which are the same in every run.
cudaError_t eventElapsedTime(float *milliseconds, cudaEvent_t begin,
                             cudaEvent_t end);
cudaError_t graphInstantiate(cudaGraphExec_t *executable, cudaGraph_t graph);
cudaError_t graphLaunch(cudaGraphExec_t executable, cudaStream_t stream);

/// Whether all of what a copy of a part moves lies in both memories, whose rows
/// do not overlap.
inline bool lies(const cudaMemcpy3DParms &p) {
  auto in = [&](const cudaPitchedPtr &memory, const cudaPos &at) {
    return memory.ptr && at.x + p.extent.width <= memory.pitch &&
           at.y + p.extent.height <= memory.ysize;
  };
  return !p.srcArray && !p.dstArray && in(p.srcPtr, p.srcPos) &&
         in(p.dstPtr, p.dstPos);
}

/// Copies as cudaMemcpy3D.
inline void copyPart(const cudaMemcpy3DParms &p) {
  auto at = [](const cudaPitchedPtr &memory, const cudaPos &pos, size_t plane,
               size_t row) {
    return static_cast<char *>(memory.ptr) +
           ((pos.z + plane) * memory.ysize + pos.y + row) * memory.pitch +
           pos.x;
  };
  for (size_t plane = 0; plane < p.extent.depth; ++plane)
    for (size_t row = 0; row < p.extent.height; ++row)
      std::memcpy(at(p.dstPtr, p.dstPos, plane, row),
                  at(p.srcPtr, p.srcPos, plane, row), p.extent.width);
}

/// Whether SOAP_FAKE_CUDA_WRONG names the function or the kernel: the last
/// number of its result is one too large.
inline bool isWrong(const char *name) {
  const char *wrong = std::getenv("SOAP_FAKE_CUDA_WRONG");
  return wrong && !std::strcmp(wrong, name);
}

/// Of this process so far.
struct Counts {
  std::atomic<long> kernels{0}, graphs{0}, launches{0}, nodes{0}, timings{0};
};
Counts &counts();

} // namespace soap::fake

#endif // SOAP_TEST_INTEGRATION_GPU_FAKESTREAMS_H
