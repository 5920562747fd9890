//===- FakeStreams.cpp - Streams of the stand-in for CUDA -----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See FakeStreams.h. One lock is around everything but the work itself.
//
//===----------------------------------------------------------------------===//

#include "FakeStreams.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <thread>
#include <vector>

namespace soap::fake {
namespace {

using Work = std::function<void()>;

struct Node {
  Work work;
  std::vector<size_t> after;
};

struct Executable {
  std::vector<Node> nodes;
  /// By node: those that come after it.
  std::vector<std::vector<size_t>> next;
};

struct Capture {
  cudaStream_t origin = nullptr;
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  std::thread::id thread;
  bool broken = false, active = true;
  std::vector<Node> nodes;
};
using CaptureRef = std::shared_ptr<Capture>;

/// Around all of this file's data. Never destroyed: streams that a program
/// leaves behind wait for them at its end.
std::mutex &mutex = *new std::mutex;
std::condition_variable &changed = *new std::condition_variable;
std::vector<CaptureRef> captures; ///< those that are active

} // namespace
} // namespace soap::fake

using namespace soap::fake;

/// Of a record of an event; the lock is around it.
struct Happening {
  bool done = false;
  double time = 0;
};

/// Happens when the work before it is done.
struct CUevent_st {
  int device;
  bool hasTime;                        ///< made without cudaEventDisableTiming
  std::shared_ptr<Happening> happened; ///< null: never recorded
  CaptureRef capture;
  std::vector<size_t> nodes;
};

struct CUstream_st {
  int device;
  std::mt19937 random;
  std::deque<Work> queue;
  bool busy = false, stop = false;
  CaptureRef capture;
  std::vector<size_t> last; ///< nodes that the next one comes after
  std::thread thread;

  CUstream_st(int device, unsigned seed)
      : device(device), random(seed), thread([this] { main(); }) {}

  void main() {
    std::unique_lock<std::mutex> lock(mutex);
    for (;;) {
      changed.wait(lock, [&] { return stop || !queue.empty(); });
      if (queue.empty())
        return;
      Work work = std::move(queue.front());
      queue.pop_front();
      busy = true;
      lock.unlock();
      if (random() % 8 == 0)
        std::this_thread::sleep_for(std::chrono::microseconds(random() % 200));
      work();
      work = nullptr;
      lock.lock();
      busy = false;
      changed.notify_all();
    }
  }
  bool idle() const { return queue.empty() && !busy; }
};

struct CUgraph_st {
  std::vector<Node> nodes;
};

struct CUgraphExec_st {
  std::shared_ptr<const Executable> graph; ///< launches hold it, too
};

namespace soap::fake {
namespace {

std::vector<cudaStream_t> streams;
double passed = 0;   ///< made-up milliseconds
long operations = 0; ///< that are under way

/// Milliseconds; the lock is held.
double now() {
  static const bool madeUp = std::getenv("SOAP_FAKE_CUDA_TIMES") != nullptr;
  using Clock = std::chrono::steady_clock;
  return madeUp ? passed
                : std::chrono::duration<double, std::milli>(
                      Clock::now().time_since_epoch())
                      .count();
}

cudaError_t breakCapture(const CaptureRef &capture, cudaError_t error) {
  capture->broken = true;
  return error;
}

/// Adds a node to the capture of a stream; the lock is held.
cudaError_t record(cudaStream_t stream, Work work) {
  Capture &capture = *stream->capture;
  if (capture.broken)
    return cudaErrorStreamCaptureInvalidated;
  capture.nodes.push_back({std::move(work), stream->last});
  stream->last = {capture.nodes.size() - 1};
  return cudaSuccess;
}

/// Runs nodes one at a time, any that is ready.
void runGraph(const Executable &graph, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<size_t> missing, ready;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    missing.push_back(graph.nodes[i].after.size());
    if (!missing[i])
      ready.push_back(i);
  }
  while (!ready.empty()) {
    std::swap(ready[random() % ready.size()], ready.back());
    size_t node = ready.back();
    ready.pop_back();
    graph.nodes[node].work();
    for (size_t after : graph.next[node])
      if (!--missing[after])
        ready.push_back(after);
  }
}

/// All nodes come before one of `last`.
bool allJoined(const std::vector<Node> &nodes,
               const std::vector<size_t> &last) {
  std::vector<char> seen(nodes.size());
  std::vector<size_t> open = last;
  while (!open.empty()) {
    size_t node = open.back();
    open.pop_back();
    if (seen[node])
      continue;
    seen[node] = 1;
    open.insert(open.end(), nodes[node].after.begin(), nodes[node].after.end());
  }
  return std::count(seen.begin(), seen.end(), 1) == long(nodes.size());
}

void giveLocked(cudaStream_t stream, Work work) {
  stream->queue.push_back(std::move(work));
  changed.notify_all();
}

} // namespace

int &currentDevice() {
  thread_local int device = 0;
  return device;
}

Counts &counts() {
  static Counts all;
  return all;
}

cudaError_t give(cudaStream_t stream, Work work) {
  if (!stream || stream->device != currentDevice())
    return cudaErrorInvalidResourceHandle;
  return giveAnywhere(stream, std::move(work));
}

cudaError_t giveAnywhere(cudaStream_t stream, Work work) {
  std::lock_guard<std::mutex> lock(mutex);
  if (stream->capture)
    return record(stream, std::move(work));
  giveLocked(stream, std::move(work));
  return cudaSuccess;
}

bool isCapturing(cudaStream_t stream) {
  std::lock_guard<std::mutex> lock(mutex);
  return stream && stream->capture != nullptr;
}

cudaError_t unsafeCall() {
  std::lock_guard<std::mutex> lock(mutex);
  for (const CaptureRef &capture : captures)
    if (capture->mode == cudaStreamCaptureModeGlobal ||
        (capture->mode == cudaStreamCaptureModeThreadLocal &&
         capture->thread == std::this_thread::get_id()))
      return breakCapture(capture, cudaErrorStreamCaptureUnsupported);
  return cudaSuccess;
}

void synchronizeAll() {
  std::unique_lock<std::mutex> lock(mutex);
  changed.wait(lock, [] {
    return std::all_of(streams.begin(), streams.end(),
                       [](cudaStream_t stream) { return stream->idle(); });
  });
}

void beginOperation() {
  std::lock_guard<std::mutex> lock(mutex);
  ++operations;
}

void endOperation() {
  std::lock_guard<std::mutex> lock(mutex);
  --operations;
  changed.notify_all();
}

void waitForOperations() {
  std::unique_lock<std::mutex> lock(mutex);
  changed.wait(lock, [] { return operations == 0; });
}

cudaError_t streamCreate(cudaStream_t *stream) {
  std::lock_guard<std::mutex> lock(mutex);
  *stream = new CUstream_st(currentDevice(), unsigned(streams.size()));
  streams.push_back(*stream);
  return cudaSuccess;
}

cudaError_t streamQuery(cudaStream_t stream) {
  std::lock_guard<std::mutex> lock(mutex);
  if (stream->capture)
    return breakCapture(stream->capture, cudaErrorStreamCaptureUnsupported);
  return stream->idle() ? cudaSuccess : cudaErrorNotReady;
}

cudaError_t eventRecord(cudaEvent_t event, cudaStream_t stream) {
  std::lock_guard<std::mutex> lock(mutex);
  if (event->device != currentDevice() || stream->device != currentDevice())
    return cudaErrorInvalidResourceHandle;
  event->capture = stream->capture;
  event->nodes = stream->last;
  if (stream->capture)
    return stream->capture->broken ? cudaErrorStreamCaptureInvalidated
                                   : cudaSuccess;
  auto happened = std::make_shared<Happening>();
  event->happened = happened;
  giveLocked(stream, [happened] {
    std::lock_guard<std::mutex> lock(mutex);
    happened->done = true;
    happened->time = now();
    changed.notify_all();
  });
  return cudaSuccess;
}

cudaError_t eventElapsedTime(float *milliseconds, cudaEvent_t begin,
                             cudaEvent_t end) {
  std::lock_guard<std::mutex> lock(mutex);
  if (!begin->happened || !end->happened || !begin->hasTime || !end->hasTime)
    return cudaErrorInvalidResourceHandle;
  if (!begin->happened->done || !end->happened->done)
    return cudaErrorNotReady;
  *milliseconds = float(end->happened->time - begin->happened->time);
  ++counts().timings;
  return cudaSuccess;
}

void pass(double milliseconds) {
  std::lock_guard<std::mutex> lock(mutex);
  passed += milliseconds;
}

cudaError_t streamWaitEvent(cudaStream_t stream, cudaEvent_t event) {
  std::lock_guard<std::mutex> lock(mutex);
  if (event->capture) {
    if (!event->capture->active)
      return cudaErrorCapturedEvent;
    if (stream->capture && stream->capture != event->capture) {
      breakCapture(stream->capture, cudaErrorStreamCaptureMerge);
      return breakCapture(event->capture, cudaErrorStreamCaptureMerge);
    }
    if (event->capture->broken)
      return cudaErrorStreamCaptureInvalidated;
    stream->capture = event->capture;
    for (size_t node : event->nodes)
      if (std::find(stream->last.begin(), stream->last.end(), node) ==
          stream->last.end())
        stream->last.push_back(node);
    return cudaSuccess;
  }
  if (stream->capture)
    return breakCapture(stream->capture, cudaErrorStreamCaptureIsolation);
  if (auto happened = event->happened)
    giveLocked(stream, [happened] {
      std::unique_lock<std::mutex> lock(mutex);
      changed.wait(lock, [&] { return happened->done; });
    });
  return cudaSuccess;
}

cudaError_t streamBeginCapture(cudaStream_t stream,
                               cudaStreamCaptureMode mode) {
  std::lock_guard<std::mutex> lock(mutex);
  if (stream->capture)
    return cudaErrorIllegalState;
  stream->capture = std::make_shared<Capture>();
  stream->capture->origin = stream;
  stream->capture->mode = mode;
  stream->capture->thread = std::this_thread::get_id();
  stream->last.clear();
  captures.push_back(stream->capture);
  return cudaSuccess;
}

cudaError_t streamEndCapture(cudaStream_t stream, cudaGraph_t *graph) {
  // Operations that a capture without a graph has recorded are gone with it,
  // whatever events still name the capture. They are freed without the lock.
  decltype(CaptureRef()->nodes) dropped;
  std::lock_guard<std::mutex> lock(mutex);
  *graph = nullptr;
  CaptureRef capture = stream->capture;
  if (!capture || capture->origin != stream)
    return capture ? breakCapture(capture, cudaErrorStreamCaptureUnmatched)
                   : cudaErrorIllegalState;
  if (capture->mode != cudaStreamCaptureModeRelaxed &&
      capture->thread != std::this_thread::get_id())
    return breakCapture(capture, cudaErrorStreamCaptureWrongThread);
  bool joined = allJoined(capture->nodes, stream->last);
  capture->active = false;
  captures.erase(std::find(captures.begin(), captures.end(), capture));
  for (cudaStream_t other : streams)
    if (other->capture == capture) {
      other->capture = nullptr;
      other->last.clear();
    }
  if (capture->broken || !joined) {
    dropped = std::move(capture->nodes);
    return capture->broken ? cudaErrorStreamCaptureInvalidated
                           : cudaErrorStreamCaptureUnjoined;
  }
  *graph = new CUgraph_st{std::move(capture->nodes)};
  return cudaSuccess;
}

cudaError_t graphInstantiate(cudaGraphExec_t *made, cudaGraph_t graph) {
  auto executable = std::make_shared<Executable>();
  executable->nodes = graph->nodes;
  executable->next.resize(graph->nodes.size());
  for (size_t i = 0; i < graph->nodes.size(); ++i)
    for (size_t before : graph->nodes[i].after)
      executable->next[before].push_back(i);
  *made = new CUgraphExec_st{executable};
  ++counts().graphs;
  counts().nodes += long(graph->nodes.size());
  return cudaSuccess;
}

cudaError_t graphLaunch(cudaGraphExec_t made, cudaStream_t stream) {
  std::shared_ptr<const Executable> graph = made->graph;
  unsigned seed = 0;
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (stream->capture)
      return breakCapture(stream->capture, cudaErrorStreamCaptureUnsupported);
    seed = unsigned(counts().launches++);
  }
  return give(stream, [graph, seed] { runGraph(*graph, seed); });
}

} // namespace soap::fake

extern "C" {

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    stream->stop = true;
    changed.notify_all();
  }
  stream->thread.join();
  std::lock_guard<std::mutex> lock(mutex);
  streams.erase(std::find(streams.begin(), streams.end(), stream));
  delete stream;
  return cudaSuccess;
}

/// The legacy stream waits for nothing here: the runtime's streams are
/// non-blocking.
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  if (cudaError_t error = unsafeCall())
    return error;
  if (stream == cudaStreamLegacy || !stream)
    return cudaSuccess;
  std::unique_lock<std::mutex> lock(mutex);
  if (stream->capture)
    return breakCapture(stream->capture, cudaErrorStreamCaptureUnsupported);
  changed.wait(lock, [&] { return stream->idle(); });
  return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags) {
  bool hasTime = !(flags & cudaEventDisableTiming);
  *event = new CUevent_st{currentDevice(), hasTime, nullptr, nullptr, {}};
  return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  if (cudaError_t error = unsafeCall())
    return error;
  std::unique_lock<std::mutex> lock(mutex);
  if (event->capture)
    return breakCapture(event->capture, cudaErrorCapturedEvent);
  if (auto happened = event->happened)
    changed.wait(lock, [&] { return happened->done; });
  return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  delete graph;
  return cudaSuccess;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graph) {
  delete graph;
  return cudaSuccess;
}
}
