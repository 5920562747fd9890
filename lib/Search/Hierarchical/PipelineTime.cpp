//===- PipelineTime.cpp - The iteration of equal passes -------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See PipelineTime.h.
//
//===----------------------------------------------------------------------===//

#include "PipelineTime.h"

#include "Soap/Pipeline/PassSchedule.h"

#include <algorithm>

using namespace soap;

/// By group, its passes in their order.
static std::vector<std::vector<PipelinePass>> passesOf(int stages, int groups,
                                                       int64_t microbatches) {
  std::vector<std::vector<int>> devices;
  for (int s = 0; s < stages; ++s)
    devices.push_back({s % groups});
  return *schedulePasses(PipelineSchedule::OneForwardOneBackward, devices,
                         microbatches, groups);
}

std::vector<int> soap::passesInFlight(int stages, int groups,
                                      int64_t microbatches) {
  std::vector<int> now(stages, 0), most(stages, 0);
  for (const std::vector<PipelinePass> &passes :
       passesOf(stages, groups, microbatches))
    for (const PipelinePass &pass : passes) {
      now[pass.stage] += pass.backward ? -1 : 1;
      most[pass.stage] = std::max(most[pass.stage], now[pass.stage]);
    }
  return most;
}

PassTimes soap::runPasses(const std::vector<HybridStage> &stages, int groups,
                          const std::vector<int64_t> &sendNs,
                          int64_t microbatches) {
  auto count = static_cast<int>(stages.size());
  std::vector<std::vector<PipelinePass>> order =
      passesOf(count, groups, microbatches);
  constexpr int64_t unknown = -1;
  // By direction, stage and microbatch: when the pass ends.
  std::vector<std::vector<int64_t>> ends[2];
  for (auto &of : ends)
    of.assign(count, std::vector<int64_t>(microbatches, unknown));
  PassTimes times;
  times.ends.assign(groups, 0);
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
      times.ends[group] = std::max(times.ends[group], ready) + ns;
      ends[pass.backward][s][pass.microbatch] = times.ends[group];
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
  times.inFlight = passesInFlight(count, groups, microbatches);
  return times;
}
