//===- CudaGraph.cpp - An iteration as a CUDA graph -----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See CudaGraph.h.
//
//===----------------------------------------------------------------------===//

#include "CudaGraph.h"

#include <algorithm>

using namespace soap;
using namespace soap::runtime;

CudaGraph::CudaGraph(std::vector<std::pair<int64_t, CudaDevice *>> devices,
                     bool joint)
    : joint(joint) {
  for (auto [number, device] : devices)
    members.push_back({number, device});
}

CudaGraph::~CudaGraph() {
  for (Member &member : members)
    if (member.executable)
      cudaGraphExecDestroy(member.executable);
}

CudaGraph::Member &CudaGraph::find(int64_t device) {
  return *std::find_if(
      members.begin(), members.end(),
      [&](const Member &member) { return member.number == device; });
}

void CudaGraph::meet() {
  std::unique_lock<std::mutex> lock(mutex);
  uint64_t mine = round;
  if (++arrived == members.size()) {
    arrived = 0;
    ++round;
    changed.notify_all();
    return;
  }
  changed.wait(lock, [&] { return round != mine; });
}

MaybeError CudaGraph::begin(int64_t device) {
  Member &me = find(device);
  bool first = &me == &members.front();
  MaybeError error;
  if (first || !joint) {
    auto event = me.device->beginCapture();
    if (event) {
      me.recording = true;
      fork = joint ? *event : fork;
    } else {
      error = event.takeError();
      note(error);
    }
  }
  meet();
  if (joint && !first && fork) {
    // From here on, work on these streams is recorded, too.
    std::lock_guard<std::mutex> lock(calls);
    error = me.device->enterCapture(fork);
    me.recording = !error;
  }
  if (joint && !fork && !first)
    error = isBroken();
  if (me.recording)
    me.device->setRecording(joint ? &calls : nullptr);
  note(error);
  return error;
}

void CudaGraph::note(const MaybeError &error) {
  if (!error)
    return;
  std::lock_guard<std::mutex> lock(mutex);
  if (!broken)
    broken = error;
}

MaybeError CudaGraph::join(Member &me) {
  std::lock_guard<std::mutex> lock(calls);
  auto event = me.device->joinStreams();
  if (!event)
    return event.takeError();
  me.joined = *event;
  return std::nullopt;
}

MaybeError CudaGraph::close(Member &me, bool wanted) {
  MaybeError error;
  if (joint && wanted)
    for (Member &other : members)
      if (&other != &me && !error)
        error = me.device->waitFor(other.joined);
  auto graph = me.device->endCapture();
  if (!graph) {
    MaybeError unended = graph.takeError();
    return error || !wanted ? error : unended;
  }
  if (wanted && !error)
    error = check(cudaGraphInstantiate(&me.executable, *graph, 0),
                  "cudaGraphInstantiate");
  if (*graph)
    cudaGraphDestroy(*graph);
  return error;
}

MaybeError CudaGraph::end(int64_t device, const std::function<bool()> &failed) {
  Member &me = find(device);
  if (me.recording && !failed())
    note(join(me));
  if (failed())
    note(Error{"a device failed while it recorded"});
  me.device->setRecording(nullptr);
  // No device records any more: work after the end of a capture would be done.
  meet();
  if (me.recording && (!joint || &me == &members.front()))
    note(close(me, !isBroken()));
  me.device->forgetCapture();
  meet();
  return isBroken();
}

MaybeError CudaGraph::launch(int64_t device) {
  Member &me = find(device);
  if (MaybeError error = isBroken())
    return error;
  if (!me.executable)
    return std::nullopt;
  return me.device->launchGraph(me.executable);
}
