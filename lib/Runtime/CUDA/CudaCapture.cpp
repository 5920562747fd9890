//===- CudaCapture.cpp - Stream capture on one GPU ------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the streams of a device enter a capture and become one again; CudaGraph
// begins and ends it.
//
//===----------------------------------------------------------------------===//

#include "CudaDevice.h"

using namespace soap;
using namespace soap::runtime;

Expected<cudaEvent_t> CudaDevice::beginCapture() {
  auto origin = streamOf(0);
  if (!origin)
    return origin.takeError();
  auto fork = eventIn(captureEvents, 0);
  if (!fork)
    return fork.takeError();
  // Of this thread: others may allocate and copy, for other entries.
  SOAP_CUDA(cudaStreamBeginCapture, *origin, cudaStreamCaptureModeThreadLocal);
  auto enter = [&]() -> MaybeError {
    SOAP_CUDA(cudaEventRecord, *fork, *origin);
    return enterCapture(*fork);
  };
  if (MaybeError error = enter()) {
    if (auto graph = endCapture(); graph && *graph)
      cudaGraphDestroy(*graph);
    captureFork = nullptr;
    return *error;
  }
  return *fork;
}

MaybeError CudaDevice::enterCapture(cudaEvent_t fork) {
  captureFork = fork;
  bool isOwn = !captureEvents.empty() && captureEvents.front() == fork;
  // A stream that is made now enters, too.
  if (streams.empty())
    if (auto made = streamOf(0); !made)
      return made.takeError();
  for (size_t i = isOwn ? 1 : 0; i < streams.size(); ++i)
    SOAP_CUDA(cudaStreamWaitEvent, streams[i], fork, 0);
  return std::nullopt;
}

Expected<cudaEvent_t> CudaDevice::joinStreams() {
  for (size_t i = 1; i < streams.size(); ++i) {
    auto event = eventIn(captureEvents, int64_t(i));
    if (!event)
      return event.takeError();
    SOAP_CUDA(cudaEventRecord, *event, streams[i]);
    SOAP_CUDA(cudaStreamWaitEvent, streams[0], *event, 0);
  }
  auto all = eventIn(captureEvents, int64_t(streams.size()));
  if (!all)
    return all.takeError();
  SOAP_CUDA(cudaEventRecord, *all, streams[0]);
  return *all;
}

MaybeError CudaDevice::waitFor(cudaEvent_t event) {
  SOAP_CUDA(cudaStreamWaitEvent, streams[0], event, 0);
  return std::nullopt;
}

Expected<cudaGraph_t> CudaDevice::endCapture() {
  cudaGraph_t graph = nullptr;
  SOAP_CUDA(cudaStreamEndCapture, streams[0], &graph);
  return graph;
}

MaybeError CudaDevice::launchGraph(cudaGraphExec_t graph) {
  SOAP_CUDA(cudaGraphLaunch, graph, streams[0]);
  return std::nullopt;
}
