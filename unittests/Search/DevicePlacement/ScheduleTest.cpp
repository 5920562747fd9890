//===- ScheduleTest.cpp - Rounds that reach the maximum load --------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Schedules of random placements, contiguous or not: accepted by the verifier,
// and carried out sample by sample; broken ones are refused.
//
//===----------------------------------------------------------------------===//

#include "Problems.h"
#include "Soap/Search/DevicePlacement/RoundSchedule.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>

using namespace soap;
using namespace soap::placement;
using namespace soap::test;

namespace {

constexpr double rounding = 1e-7;

struct Case {
  Problem problem;
  Objective objective;
  Placement placement;
  std::vector<PipelineStage> stages;
  RoundSchedule schedule;
};

/// A random problem with a random placement, and all variants of the objective
/// in turn.
Case makeCase(uint64_t seed) {
  std::mt19937_64 random(seed);
  Case made;
  made.problem = makeRandom(seed, 9);
  made.problem.accelerators = 1 + static_cast<int>(random() % 4);
  made.problem.acceleratorMemoryBytes = 1e6;
  for (Node &node : made.problem.nodes)
    node.acceleratable = true;
  made.objective.contiguous = false;
  if (seed % 2)
    made.objective.overlap = Overlap::Full;
  if (seed / 2 % 2)
    made.objective.schedule = Schedule::GPipe;
  if (seed / 4 % 3 == 1) {
    made.objective.acceleratorsPerHost = 2;
    made.objective.insideHostFactor = 0.25;
  }
  bool replicated = seed / 4 % 3 == 2;
  int first = made.problem.accelerators;
  if (replicated) {
    made.objective.replication = true;
    made.objective.allReduceBytesPerTime = 3;
    made.problem.accelerators *= 3;
  }
  std::map<int64_t, int> ofClass;
  for (const Node &node : made.problem.nodes) {
    int device = static_cast<int>(random() % (first + made.problem.cpus));
    if (device >= first)
      device += made.problem.accelerators - first;
    if (node.colorClass)
      device = ofClass.emplace(*node.colorClass, device).first->second;
    made.placement.deviceOf.push_back(device);
  }
  if (replicated) {
    made.placement.replicas.assign(made.problem.deviceCount(), 1);
    for (int device : made.placement.deviceOf)
      if (made.problem.isAccelerator(device))
        made.placement.replicas[device] = 1 + device % 3;
  }
  made.stages = pipelineStages(made.problem, made.placement,
                               made.objective.schedule == Schedule::GPipe);
  made.schedule =
      scheduleRounds(made.problem, made.objective, made.placement, made.stages);
  return made;
}

MaybeError judge(const Case &made) {
  return verifySchedule(made.problem, made.objective, made.placement,
                        made.stages, made.schedule);
}

/// Carries out many samples: no device does two things at a time, and samples
/// leave one by one, a period apart, each after as many rounds as the first.
void execute(const Case &made) {
  constexpr int samples = 24;
  for (bool backward : {false, true}) {
    double period =
        backward ? made.schedule.backwardPeriod : made.schedule.period;
    if (period == 0)
      continue;
    std::map<std::pair<int, bool>, std::vector<std::pair<double, double>>> busy;
    std::vector<double> left(samples);
    for (const RoundTask &task : made.schedule.tasks) {
      if (made.schedule.backwardPeriod > 0 &&
          made.problem.nodes[made.stages[task.stage].nodes[0]].backward !=
              backward)
        continue;
      bool aside = made.objective.overlap == Overlap::Full &&
                   task.kind != RoundTask::Compute;
      for (int n = 0; n < samples; ++n) {
        left[n] = std::max(left[n], task.end + n * period);
        if (task.end - task.begin > rounding * period)
          busy[{task.device, aside}].push_back(
              {task.begin + n * period, task.end + n * period});
      }
    }
    for (int n = 1; n < samples; ++n)
      EXPECT_NEAR(left[n] - left[n - 1], period, rounding * period * samples);
    for (auto &[device, list] : busy) {
      if (made.placement.replicasOf(device.first) > 1)
        continue; // the verifier's business
      std::sort(list.begin(), list.end());
      for (size_t i = 1; i < list.size(); ++i)
        EXPECT_GE(list[i].first,
                  list[i - 1].second - rounding * period * samples);
    }
  }
}

} // namespace

TEST(PlacementSchedule, ReachesTheMaximumLoadOfAnyPlacement) {
  int circular = 0;
  for (uint64_t seed = 0; seed < 1200; ++seed) {
    SCOPED_TRACE(seed);
    Case made = makeCase(seed);
    MaybeError error = judge(made);
    ASSERT_FALSE(error) << error->message;
    auto evaluation = verify(made.problem, made.objective, made.placement);
    ASSERT_TRUE(static_cast<bool>(evaluation)) << evaluation.error();
    EXPECT_NEAR(made.schedule.period + made.schedule.backwardPeriod,
                evaluation->maxLoad(), rounding * evaluation->maxLoad());
    execute(made);
    Objective contiguous = made.objective;
    contiguous.contiguous = true;
    circular += !verify(made.problem, contiguous, made.placement);
    EXPECT_FALSE(
        showSchedule(made.problem, made.placement, made.stages, made.schedule)
            .empty() &&
        evaluation->maxLoad() > 0);
  }
  EXPECT_GT(circular, 300);
}

/// Whatever is changed noticeably, the verifier refuses.
TEST(PlacementSchedule, ChangedOnesAreRefused) {
  int refused = 0;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE(seed);
    Case made = makeCase(seed);
    std::mt19937_64 random(seed);
    const RoundSchedule before = made.schedule;
    auto expectRefused = [&](const std::function<void(RoundTask &)> &change) {
      made.schedule = before;
      change(made.schedule.tasks[random() % made.schedule.tasks.size()]);
      EXPECT_TRUE(judge(made));
      ++refused;
    };
    double period = before.period + before.backwardPeriod;
    if (period == 0)
      continue;
    expectRefused([&](RoundTask &task) { task.end += 0.3 * period; });
    expectRefused(
        [&](RoundTask &task) { task.begin -= 1 + task.begin + task.end; });
    expectRefused([&](RoundTask &task) { task.end = NAN; });
    expectRefused([&](RoundTask &task) {
      task.stage = static_cast<int>((task.stage + 1) % made.stages.size());
      if (made.stages.size() == 1)
        task.kind = RoundTask::Read;
    });
    made.schedule = before;
    made.schedule.period *= 1.01;
    made.schedule.backwardPeriod *= 1.01;
    EXPECT_TRUE(judge(made));
    made.schedule = before;
    made.schedule.tasks.push_back(made.schedule.tasks[0]);
    EXPECT_TRUE(judge(made));
    // Computing is never left out.
    made.schedule = before;
    std::erase_if(made.schedule.tasks, [](const RoundTask &task) {
      return task.kind == RoundTask::Compute;
    });
    EXPECT_TRUE(judge(made));
  }
  EXPECT_GT(refused, 1000);
}

TEST(PlacementSchedule, WhatIsWrongIsNamed) {
  Case made;
  made.problem = makePath({4, 2, 3, 5}, 2, 0);
  made.placement = {{0, 1, 0, 1}, {}};
  made.objective.contiguous = false;
  made.stages = pipelineStages(made.problem, made.placement);
  made.schedule =
      scheduleRounds(made.problem, made.objective, made.placement, made.stages);
  ASSERT_FALSE(judge(made));
  EXPECT_EQ(made.schedule.period, 10); // 4 + 3 and three transfers
  auto taskOf = [&](RoundTask::Kind kind, int stage) -> RoundTask & {
    for (RoundTask &task : made.schedule.tasks)
      if (task.kind == kind && task.stage == stage)
        return task;
    return made.schedule.tasks[0];
  };
  auto expectError = [&](const std::string &message) {
    MaybeError error = judge(made);
    ASSERT_TRUE(error);
    EXPECT_NE(error->message.find(message), std::string::npos)
        << error->message;
  };
  const RoundSchedule before = made.schedule;
  RoundTask &read = taskOf(RoundTask::Read, 0);
  read.begin += 10;
  read.end += 10;
  expectError("accelerator 1 computes stage 1: expected it after accelerator 1 "
              "reads stage 0");
  made.schedule = before;
  RoundTask &last = taskOf(RoundTask::Compute, 3);
  last.begin += 4;
  last.end += 4;
  expectError("expected one after the other");
  made.schedule = before;
  std::erase_if(made.schedule.tasks, [](const RoundTask &task) {
    return task.kind == RoundTask::Write && task.stage == 1;
  });
  expectError("accelerator 1 writes stage 1: expected it in the schedule");
}
