//===- Scale.cpp - Time to simulate thousands of devices ------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans and simulates a preset of a problem file on clusters of 64 to 4,096
// devices, without a list of tasks.
//
//===----------------------------------------------------------------------===//

#include "Soap/Plan/StrategyPlan.h"
#include "Soap/Search/Presets/Presets.h"
#include "Soap/Search/Problem/ProblemFile.h"
#include "Soap/Simulator/PlanTimeline.h"

#include <cstdio>
#include <ctime>

using namespace soap;

int main(int argc, char **argv) {
  if (argc < 4) {
    std::printf("usage: Scale PROBLEM.json PRESET TOPOLOGY...\n");
    return 2;
  }
  Expected<ProblemFile> file = loadProblemFile(argv[1]);
  if (!file) {
    std::printf("%s\n", file.error().c_str());
    return 2;
  }
  for (int i = 3; i < argc; ++i) {
    Expected<Topology> topology = loadTopology(argv[i]);
    if (!topology) {
      std::printf("%s\n", topology.error().c_str());
      return 2;
    }
    ParallelizationProblem problem(file->graph, *topology, file->groups,
                                   file->roles);
    Expected<Strategy> strategy = presetStrategy(argv[2], problem);
    if (!strategy) {
      std::printf("%s\n", strategy.error().c_str());
      return 2;
    }
    std::clock_t last = std::clock();
    auto seconds = [&] {
      std::clock_t now = std::clock(), before = last;
      last = now;
      return static_cast<double>(now - before) / CLOCKS_PER_SEC;
    };
    CostModel cost(*topology);
    StrategyPlan plan(file->graph, cost);
    plan.set(*strategy);
    double planning = seconds();
    PlanTimeline timeline(plan);
    double simulating = seconds();
    std::vector<DeviceTimes> times = timeline.deviceTimes();
    Expected<std::vector<PathStretch>> path = timeline.criticalPath();
    if (!path) {
      std::printf("%s\n", path.error().c_str());
      return 2;
    }
    double summing = seconds();
    std::printf("%s: %.3f ms, %lld tasks; seconds: plan %.3f, simulate %.3f, "
                "devices and critical path %.3f\n",
                argv[i], static_cast<double>(timeline.getMakespanNs()) * 1e-6,
                static_cast<long long>(plan.taskCount()), planning, simulating,
                summing);
    std::fflush(stdout);
  }
  return 0;
}
