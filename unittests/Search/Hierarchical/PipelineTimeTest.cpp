//===- PipelineTimeTest.cpp - The iteration of equal passes ---------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times of passes against longest paths, and microbatches in flight against
// the formulas of the papers.
//
//===----------------------------------------------------------------------===//

#include "Search/Hierarchical/PipelineTime.h"

#include "Soap/Pipeline/OneForwardOneBackward.h"
#include "Support/Random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>

using namespace soap;
using namespace soap::test;

namespace {

/// Longest paths: the end of every pass, raised until nothing changes.
std::vector<int64_t> endsByRelaxation(const std::vector<HybridStage> &stages,
                                      int groups,
                                      const std::vector<int64_t> &sendNs,
                                      int64_t microbatches) {
  auto count = static_cast<int>(stages.size());
  std::vector<std::vector<int>> devices;
  for (int s = 0; s < count; ++s)
    devices.push_back({s % groups});
  auto order = *schedulePasses(PipelineSchedule::OneForwardOneBackward, devices,
                               microbatches, groups);
  std::map<PipelinePass, int64_t> ends;
  auto duration = [&](const PipelinePass &pass) {
    return pass.backward ? stages[pass.stage].backwardNs
                         : stages[pass.stage].forwardNs;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (const std::vector<PipelinePass> &passes : order)
      for (size_t i = 0; i < passes.size(); ++i) {
        const PipelinePass &pass = passes[i];
        int64_t start = i == 0 ? 0 : ends[passes[i - 1]];
        if (!pass.backward && pass.stage > 0)
          start =
              std::max(start, ends[{pass.stage - 1, pass.microbatch, false}] +
                                  sendNs[pass.stage]);
        if (pass.backward && pass.stage + 1 < count)
          start =
              std::max(start, ends[{pass.stage + 1, pass.microbatch, true}] +
                                  sendNs[pass.stage + 1]);
        if (pass.backward)
          start = std::max(start, ends[{pass.stage, pass.microbatch, false}]);
        int64_t end = start + duration(pass);
        changed |= ends[pass] != end;
        ends[pass] = end;
      }
  }
  std::vector<int64_t> result;
  for (const std::vector<PipelinePass> &passes : order)
    result.push_back(ends[passes.back()]);
  return result;
}

TEST(PipelineTime, EqualsLongestPaths) {
  Random random(7);
  for (int round = 0; round < 300; ++round) {
    auto groups = static_cast<int>(random(1, 5));
    auto chunks = static_cast<int>(groups == 1 ? 1 : random(1, 3));
    int64_t microbatches = random(1, 4) * (chunks > 1 ? groups : 1);
    std::vector<HybridStage> stages(static_cast<size_t>(groups) * chunks);
    std::vector<int64_t> sendNs;
    for (HybridStage &stage : stages) {
      stage.forwardNs = random(1, 100);
      stage.backwardNs = random(1, 200);
      sendNs.push_back(random(0, 39));
    }
    EXPECT_EQ(passEnds(passesOfGroups(groups * chunks, groups, microbatches),
                       stages, sendNs, microbatches),
              endsByRelaxation(stages, groups, sendNs, microbatches))
        << "round " << round;
  }
}

TEST(PipelineTime, HoldsWhatTheScheduleHolds) {
  auto held = [](int groups, int chunks, int64_t microbatches, int group) {
    std::vector<int> counts = maxInFlight(
        passesOfGroups(groups * chunks, groups, microbatches)[group],
        std::vector<int64_t>(static_cast<size_t>(groups) * chunks, 1));
    return std::accumulate(counts.begin(), counts.end(), 0);
  };
  // As many as there are stages behind; with chunks, 2 (p - s - 1) + (v - 1) p
  // before the first backward pass, and one more.
  for (int group = 0; group < 4; ++group) {
    EXPECT_EQ(held(4, 1, 8, group), 4 - group);
    EXPECT_EQ(held(4, 1, 2, group), std::min(4 - group, 2));
    EXPECT_EQ(held(4, 2, 8, group), 2 * (4 - group - 1) + 4 + 1);
  }
  EXPECT_EQ(held(1, 1, 5, 0), 1);
  // All of the large ones, and one of the next stage of the group.
  EXPECT_EQ(maxInFlight(passesOfGroups(4, 2, 4)[0], {100, 0, 1, 0}),
            (std::vector<int>{4, 0, 1, 0}));
}

TEST(PipelineTime, OfEqualStagesIsTheFormula) {
  // (m + p - 1) (f + b), and with v chunks (m + (p - 1) / v) (f + b)
  // (Narayanan et al., 2021, section 2.2).
  std::vector<HybridStage> whole(4), halves(8);
  for (HybridStage &stage : whole) {
    stage.forwardNs = 100;
    stage.backwardNs = 200;
  }
  for (HybridStage &stage : halves) {
    stage.forwardNs = 50;
    stage.backwardNs = 100;
  }
  auto last = [](const std::vector<HybridStage> &stages) {
    auto count = static_cast<int>(stages.size());
    std::vector<int64_t> ends =
        passEnds(passesOfGroups(count, 4, 8), stages,
                 std::vector<int64_t>(stages.size()), 8);
    return *std::max_element(ends.begin(), ends.end());
  };
  EXPECT_EQ(last(whole), (8 + 3) * 300);
  EXPECT_EQ(last(halves), 8 * 300 + 3 * 150);
}

} // namespace
