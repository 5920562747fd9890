//===- PipelineTime.cpp - The iteration of equal passes -------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See PipelineTime.h.
//
//===----------------------------------------------------------------------===//

#include "PipelineTime.h"

#include <algorithm>

using namespace soap;

std::vector<int64_t> soap::pipelineEnds(const std::vector<HybridStage> &stages,
                                        const std::vector<int64_t> &sendNs,
                                        int64_t microbatches) {
  auto count = static_cast<int64_t>(stages.size());
  constexpr int64_t unknown = -1;
  // By stage and microbatch: the ends of forward and backward passes.
  std::vector<std::vector<int64_t>> ends[2];
  for (auto &of : ends)
    of.assign(stages.size(), std::vector<int64_t>(microbatches, unknown));
  std::vector<int64_t> now(stages.size(), 0), forward(stages.size(), 0),
      backward(stages.size(), 0);
  // Runs what a stage can run; its neighbours may go on then.
  auto advance = [&](int64_t s) {
    bool moved = false;
    while (backward[s] < microbatches) {
      int64_t ahead = std::min(microbatches, count - s);
      bool isForward =
          forward[s] < microbatches && forward[s] - backward[s] < ahead;
      int64_t m = isForward ? forward[s] : backward[s];
      int64_t ready = 0;
      if (isForward && s > 0) {
        if (ends[0][s - 1][m] == unknown)
          break;
        ready = ends[0][s - 1][m] + sendNs[s];
      } else if (!isForward && s + 1 < count) {
        if (ends[1][s + 1][m] == unknown)
          break;
        ready = ends[1][s + 1][m] + sendNs[s + 1];
      }
      now[s] = std::max(now[s], ready) +
               (isForward ? stages[s].forwardNs : stages[s].backwardNs);
      ends[isForward ? 0 : 1][s][m] = now[s];
      ++(isForward ? forward : backward)[s];
      moved = true;
    }
    return moved;
  };
  for (bool moved = true; moved;) {
    moved = false;
    for (int64_t s = 0; s < count; ++s)
      moved |= advance(s);
    for (int64_t s = count; s-- > 0;)
      moved |= advance(s);
  }
  return now;
}
