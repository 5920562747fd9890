//===- PipelineTime.cpp - The iteration of equal passes -------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See PipelineTime.h.
//
//===----------------------------------------------------------------------===//

#include "PipelineTime.h"

#include "Soap/Pipeline/OneForwardOneBackward.h"

#include <algorithm>
#include <cassert>

using namespace soap;

GroupPasses soap::passesOfGroups(int stages, int groups, int64_t microbatches,
                                 bool overlap) {
  assert(groups > 0 && stages % groups == 0 &&
         "groups have as many stages each");
  assert(microbatches > 0 && "nothing goes through the stages");
  std::vector<std::vector<int>> devices;
  for (int s = 0; s < stages; ++s)
    devices.push_back({s % groups});
  return *schedulePasses(overlap ? PipelineSchedule::Overlapped
                                 : PipelineSchedule::OneForwardOneBackward,
                         devices, microbatches, groups);
}

std::vector<int> soap::maxInFlight(const std::vector<PipelinePass> &passes,
                                   const std::vector<int64_t> &bytes) {
  std::vector<int> now(bytes.size(), 0), most = now;
  int64_t held = 0, largest = -1;
  for (const PipelinePass &pass : passes) {
    now[pass.stage] += pass.backward ? -1 : 1;
    assert(now[pass.stage] >= 0 && "forward comes before backward");
    held += pass.backward ? -bytes[pass.stage] : bytes[pass.stage];
    if (held > largest) {
      largest = held;
      most = now;
    }
  }
  return most;
}

std::vector<int64_t> soap::passEnds(const GroupPasses &order,
                                    const std::vector<HybridStage> &stages,
                                    const std::vector<int64_t> &sendNs,
                                    int64_t microbatches) {
  assert(sendNs.size() >= stages.size() && "a time a stage");
  auto count = static_cast<int>(stages.size()),
       groups = static_cast<int>(order.size());
  constexpr int64_t unknown = -1;
  // By direction, stage and microbatch: when the pass ends.
  std::vector<std::vector<int64_t>> ends[2];
  for (auto &of : ends)
    of.assign(count, std::vector<int64_t>(microbatches, unknown));
  std::vector<int64_t> now(groups, 0);
  std::vector<size_t> next(groups, 0);
  // Runs what a group can run; others may go on then.
  auto advance = [&](int group) {
    size_t before = next[group];
    for (; next[group] < order[group].size(); ++next[group]) {
      const PipelinePass &pass = order[group][next[group]];
      int s = pass.stage, from = pass.backward ? s + 1 : s - 1;
      int64_t ready = 0;
      if (from >= 0 && from < count) {
        int64_t sent = ends[pass.backward][from][pass.microbatch];
        if (sent == unknown)
          break;
        ready = sent + sendNs[std::max(s, from)];
      }
      int64_t ns = pass.backward ? stages[s].backwardNs : stages[s].forwardNs;
      now[group] = std::max(now[group], ready) + ns;
      ends[pass.backward][s][pass.microbatch] = now[group];
    }
    return next[group] > before;
  };
  for (bool moved = true; moved;) {
    moved = false;
    for (int g = 0; g < groups; ++g)
      moved |= advance(g);
    for (int g = groups; g-- > 0;)
      moved |= advance(g);
  }
  assert(std::equal(next.begin(), next.end(), order.begin(), order.end(),
                    [](size_t done, const auto &passes) {
                      return done == passes.size();
                    }) &&
         "no pass waits for one behind it");
  return now;
}
