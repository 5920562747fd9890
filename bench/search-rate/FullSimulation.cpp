//===- FullSimulation.cpp - Tasks a second of a full simulation -----------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Simulates presets of a problem file from their first task to their last, over
// and over, and prints how many tasks a second that is: medians over rounds of
// a tenth of a second. Planning is not counted.
//
//===----------------------------------------------------------------------===//

#include "Soap/Search/Presets/Presets.h"
#include "Soap/Search/Problem/ProblemFile.h"
#include "Soap/Simulator/StrategySimulator.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>

using namespace soap;

/// Tasks a second of processor time, the median over rounds; writes the
/// makespan.
static double measure(StrategySimulator &simulator, double seconds,
                      int64_t &makespanNs) {
  auto since = [](std::clock_t begin) {
    return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  };
  constexpr double round = 0.1;
  makespanNs = simulator.makespan(); // memory is there from now on
  std::vector<double> rates;
  std::clock_t first = std::clock();
  while (since(first) < seconds) {
    std::clock_t begin = std::clock();
    int64_t tasks = 0;
    double took = 0;
    while (took < round) {
      makespanNs = simulator.makespan();
      tasks += simulator.simulatedTasks();
      took = since(begin);
    }
    rates.push_back(static_cast<double>(tasks) / took);
  }
  std::nth_element(rates.begin(), rates.begin() + rates.size() / 2,
                   rates.end());
  return rates[rates.size() / 2];
}

int main(int argc, char **argv) {
  double seconds = argc > 3 ? std::atof(argv[3]) : 0;
  if (argc < 5 || seconds <= 0) {
    std::printf("usage: FullSimulation PROBLEM.json TOPOLOGY SECONDS "
                "PRESET...\n");
    return 2;
  }
  Expected<ProblemFile> file = loadProblemFile(argv[1]);
  if (!file) {
    std::printf("%s\n", file.error().c_str());
    return 2;
  }
  Expected<Topology> topology = loadTopology(argv[2]);
  if (!topology) {
    std::printf("%s\n", topology.error().c_str());
    return 2;
  }
  ParallelizationProblem problem(file->graph, *topology, file->groups,
                                 file->roles);
  for (int i = 4; i < argc; ++i) {
    Expected<Strategy> strategy = presetStrategy(argv[i], problem);
    if (!strategy) {
      std::printf("%s\n", strategy.error().c_str());
      return 2;
    }
    CostModel cost(*topology);
    StrategyPlan plan(file->graph, cost);
    plan.set(*strategy);
    StrategySimulator simulator(plan);
    int64_t makespanNs;
    double rate = measure(simulator, seconds, makespanNs);
    std::printf("{\"preset\":\"%s\",\"tasks\":%lld,\"makespan_ns\":%lld,"
                "\"tasks_per_second\":%.0f}\n",
                argv[i], static_cast<long long>(simulator.simulatedTasks()),
                static_cast<long long>(makespanNs), rate);
  }
  return 0;
}
