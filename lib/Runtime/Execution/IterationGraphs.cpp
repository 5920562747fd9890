//===- IterationGraphs.cpp - Iterations launched as a whole ---------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See IterationGraphs.h.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Execution/IterationGraphs.h"

#include <algorithm>
#include <cassert>

using namespace soap;
using namespace soap::runtime;

namespace {

constexpr size_t maxGraphs = 4;

std::vector<int64_t> devicesOf(const Execution &execution) {
  std::vector<int64_t> devices;
  for (const RankInfo &rank : execution.entry.ranks)
    if (execution.placement.isHere(rank.device))
      devices.push_back(rank.device);
  return devices;
}

} // namespace

std::vector<void *> IterationGraphs::addressesOf(const Execution &execution) {
  std::vector<void *> addresses;
  for (const RankBinding &rank : execution.ranks) {
    addresses.push_back(rank.arena);
    addresses.insert(addresses.end(), rank.pointers.begin(),
                     rank.pointers.end());
  }
  return addresses;
}

void IterationGraphs::giveUp(const std::string &why) {
  off = true;
  drop();
  if (note)
    note("iterations are launched op by op, not as a CUDA graph: " + why);
}

IterationGraphs::Mode IterationGraphs::start(Execution &execution) {
  assert(graphs.size() <= maxGraphs && "the latest few");
  current = nullptr;
  if (off || !warm)
    return Direct;
  std::vector<void *> addresses = addressesOf(execution);
  auto known =
      std::find_if(graphs.begin(), graphs.end(), [&](const Known &graph) {
        return graph.addresses == addresses;
      });
  if (known != graphs.end()) {
    std::rotate(known, known + 1, graphs.end());
    current = graphs.back().graph.get();
    return Replay;
  }
  std::vector<int64_t> devices = devicesOf(execution);
  std::vector<int64_t> sorted = devices;
  std::sort(sorted.begin(), sorted.end());
  // Nothing of this entry runs here.
  if (sorted.empty())
    return Direct;
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
    giveUp("a device has several programs");
    return Direct;
  }
  auto graph = backend.makeGraph(devices, joint);
  if (!graph) {
    giveUp(graph.error());
    return Direct;
  }
  if (graphs.size() == maxGraphs)
    graphs.erase(graphs.begin());
  graphs.push_back(
      {std::move(addresses), std::move(*graph), execution.bytesSent});
  current = graphs.back().graph.get();
  return Record;
}

void IterationGraphs::finish(Execution &execution, Mode mode,
                             const MaybeError &error, bool nothingDone) {
  std::vector<int64_t> &sent = execution.bytesSent;
  if (mode == Record) {
    assert(!graphs.empty() && graphs.back().bytes.size() == sent.size() &&
           "`start` must have made the graph");
    Known &graph = graphs.back();
    if (error && nothingDone) {
      // Recorded messages were not sent.
      sent = graph.bytes;
      return giveUp(error->message);
    }
    for (size_t i = 0; i < sent.size(); ++i)
      graph.bytes[i] = sent[i] - graph.bytes[i];
    ++recorded;
  }
  if (error)
    return;
  if (mode == Replay)
    for (size_t i = 0; i < sent.size(); ++i)
      sent[i] += graphs.back().bytes[i];
  launched += mode != Direct;
  warm = true;
}
