//===- VerifyFile.cpp - What a solution's file claims ---------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything in it is computed again.
//
//===----------------------------------------------------------------------===//

#include "Soap/Search/DevicePlacement/Files.h"
#include "Soap/Search/DevicePlacement/Latency.h"

#include <cmath>
#include <cstdio>
#include <set>

using namespace soap;
using namespace soap::placement;

/// Sums in another order differ by so much of their value.
static constexpr double rounding = 1e-9;

static bool isClose(double claimed, double actual) {
  return std::abs(claimed - actual) <=
         rounding * std::max(std::abs(claimed), std::abs(actual)) + 1e-300;
}

static std::string show(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.9g", value);
  return text;
}

static MaybeError verifyLoads(const Problem &problem,
                              const SolutionFile &solution,
                              const std::vector<double> &loads) {
  std::set<int> used(solution.placement.deviceOf.begin(),
                     solution.placement.deviceOf.end());
  // The file's devices come in its order, those without nodes with load 0.
  size_t next = 0;
  for (int device : solution.devices) {
    double claimed = solution.loads[next++];
    double actual = used.count(device) ? loads[device] : 0;
    if (!isClose(claimed, actual))
      return Error{
          (problem.isAccelerator(device)
               ? "accelerator " + std::to_string(device)
               : "CPU " + std::to_string(device - problem.accelerators)) +
          ": expected load " + show(actual) + ", got " + show(claimed)};
  }
  return std::nullopt;
}

Expected<std::string> placement::verifySolution(const Problem &problem,
                                                const SolutionFile &solution) {
  double claimed, actual;
  std::vector<double> loads;
  if (solution.latency) {
    LatencyPlacement placement{solution.placement.deviceOf,
                               solution.subgraphOf};
    Expected<LatencyEvaluation> evaluation =
        verifyLatency(problem, {solution.subgraphsPerDevice}, placement);
    if (!evaluation)
      return evaluation.takeError();
    claimed = *solution.latency;
    actual = evaluation->latency;
    loads = evaluation->busyTimes;
  } else {
    Expected<Evaluation> evaluation =
        verify(problem, solution.objective, solution.placement);
    if (!evaluation)
      return evaluation.takeError();
    claimed = *solution.maxLoad;
    actual = evaluation->maxLoad();
    for (const StageLoad &load : evaluation->loads)
      loads.push_back(load.total());
  }
  const char *what = solution.latency ? "latency" : "max_load";
  if (!isClose(claimed, actual))
    return Error{std::string("expected ") + what + " " + show(actual) +
                 ", got " + show(claimed)};
  if (MaybeError error = verifyLoads(problem, solution, loads))
    return *error;
  if (solution.bound > actual * (1 + rounding))
    return Error{"expected a bound of at most " + show(actual) + ", got " +
                 show(solution.bound)};
  if (solution.optimal && !isClose(solution.bound, actual))
    return Error{"expected a bound of " + show(actual) +
                 " of what is called optimal, got " + show(solution.bound)};
  if (!solution.pipeline.empty())
    if (MaybeError error =
            verifyPipeline(problem, solution.placement, solution.pipeline))
      return *error;
  if (solution.schedule)
    if (MaybeError error =
            verifySchedule(problem, solution.objective, solution.placement,
                           solution.pipeline, *solution.schedule))
      return Error{"schedule: " + error->message};
  return std::string("ok: ") + what + " " + show(actual) +
         (solution.optimal ? ", called optimal"
                           : ", bound " + show(solution.bound)) +
         (solution.schedule ? ", and a schedule that reaches it" : "");
}
