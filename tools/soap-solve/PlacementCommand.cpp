//===- PlacementCommand.cpp - soap-solve placement ------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Solves an instance of the placement problem as the flags say.
//
//===----------------------------------------------------------------------===//

#include "PlacementOptions.h"
#include "Soap/Search/DevicePlacement/Files.h"
#include "Soap/Search/DevicePlacement/Latency.h"

#include <cmath>
#include <cstdio>

using namespace soap;
using namespace soap::placement;
using namespace soap::solve;

namespace {

/// The search has the time between reading and the verification and writing of
/// the answer, so that all of the command keeps to the limit. The steps after
/// the search go through the same nodes as those before it.
Budget makeBudget(const PlacementOptions &placementOptions,
                  double readSeconds) {
  const CommonOptions &options = placementOptions.common;
  bool hasSchedule =
      !placementOptions.latency &&
      (!placementOptions.objective.contiguous || placementOptions.showSchedule);
  double share = hasSchedule || placementOptions.latency ? 0.5 : 0.2;
  Budget budget;
  budget.seconds =
      std::max(0.0, options.timeLimitSeconds - (1 + share) * readSeconds);
  budget.stop = &stopRequested();
  budget.threads = static_cast<int>(options.threads);
  budget.seed = static_cast<uint64_t>(options.seed);
  return budget;
}

Expected<SolutionFile> readSplit(const Problem &problem,
                                 const std::string &path) {
  auto document = readDocument(path);
  if (!document)
    return document.takeError();
  return parseSplit(problem, document->text, document->path);
}

Expected<Answer> solveThroughput(const Problem &problem,
                                 const PlacementOptions &options,
                                 const Budget &budget) {
  const Objective &objective = options.objective;
  switch (options.algorithm) {
  case Algorithm::Dp:
    return solveDp(problem, objective, budget);
  case Algorithm::Dpl:
    return solveDpl(problem, objective, budget);
  case Algorithm::Greedy:
    return solveGreedy(problem, objective, budget);
  case Algorithm::LocalSearch:
    return searchLocally(problem, objective, budget);
  case Algorithm::PipeDream:
    return solvePipeDream(problem, objective, budget);
  case Algorithm::Scotch:
    return solveScotch(problem, objective, budget);
  case Algorithm::Milp:
    return solveMilp(problem, objective, budget, options.integerSolver);
  case Algorithm::Expert:
  case Algorithm::MaxLoad:
  case Algorithm::Default:
    break;
  }
  auto split = readSplit(problem, options.split);
  if (!split)
    return split.takeError();
  return evaluateExpert(problem, objective, split->placement);
}

Expected<LatencyAnswer> solveLatency(const Problem &problem,
                                     const PlacementOptions &options,
                                     const Budget &budget) {
  LatencyObjective objective{static_cast<int>(options.subgraphs)};
  switch (options.algorithm) {
  case Algorithm::Greedy:
    return solveLatencyGreedy(problem, objective, budget);
  case Algorithm::MaxLoad:
    return solveLatencyMaxLoad(problem, objective, budget);
  case Algorithm::LocalSearch:
    return searchLatencyLocally(problem, objective, budget);
  case Algorithm::Milp:
    return solveLatencyMilp(problem, objective, budget, options.integerSolver);
  default:
    break;
  }
  auto split = readSplit(problem, options.split);
  if (!split)
    return split.takeError();
  return evaluateLatencyExpert(problem, objective,
                               {split->placement.deviceOf, split->subgraphOf});
}

/// Reports that no split obeys the rules, or that none was found.
int failInfeasible(const std::string &path, const Problem &problem,
                   double smallest, double bound) {
  double memory = problem.acceleratorMemoryBytes;
  if (MaybeError error = problem.checkDevices())
    return failInput(path + ": infeasible: " + error->message);
  bool isProven = bound > memory;
  std::string message = path + (isProven ? ": infeasible: " : ": ");
  char text[200];
  if (std::isinf(smallest) && isProven)
    std::snprintf(text, sizeof(text),
                  "accelerators have %.15g bytes each, at least %.15g bytes "
                  "are needed",
                  memory, bound);
  else if (isProven)
    std::snprintf(text, sizeof(text),
                  "accelerators have %.15g bytes each; the smallest memory "
                  "that would do is %s%.15g bytes",
                  memory, bound < smallest ? "at most " : "", smallest);
  else if (std::isinf(smallest))
    std::snprintf(text, sizeof(text),
                  "found no split for accelerators of %.15g bytes each within "
                  "the time limit",
                  memory);
  else
    std::snprintf(text, sizeof(text),
                  "found no split for accelerators of %.15g bytes each within "
                  "the time limit; the smallest memory that would do is at "
                  "most %.15g bytes",
                  memory, smallest);
  return failInput(message + text);
}

int writeSolution(const Problem &problem, SolutionFile &solution,
                  const PlacementOptions &options,
                  const std::vector<double> &loads) {
  std::vector<char> used(problem.deviceCount());
  for (int device : solution.placement.deviceOf)
    used[device] = true;
  for (int device = 0; device < problem.deviceCount(); ++device)
    if (used[device]) {
      solution.devices.push_back(device);
      solution.loads.push_back(loads[device]);
    }
  if (MaybeError error = writeDocument(options.common.output,
                                       printSolution(problem, solution)))
    return failInput(error->message);
  double value = solution.latency ? *solution.latency : *solution.maxLoad;
  if (!options.common.quiet)
    std::fprintf(stderr, "%s %.6f, %s%.6f (gap %.2f %%), %.2f s\n",
                 solution.latency ? "latency" : "max load", value,
                 solution.optimal ? "optimal: bound " : "bound ",
                 solution.bound,
                 solution.bound > 0 ? 100 * (value / solution.bound - 1)
                 : value > 0        ? HUGE_VAL
                                    : 0.0,
                 solution.seconds);
  if (options.showSchedule && solution.schedule)
    std::fputs(showSchedule(problem, solution.placement, solution.pipeline,
                            *solution.schedule)
                   .c_str(),
               stderr);
  if (!stopRequested())
    return 0;
  std::fprintf(stderr,
               "soap-solve: interrupted; this is the best answer so far\n");
  return 130;
}

int runThroughput(const std::string &path, const Problem &problem,
                  const PlacementOptions &options, const Budget &budget) {
  auto answer = solveThroughput(problem, options, budget);
  if (!answer)
    return failInput(path + ": " + answer.error());
  if (!answer->placement)
    return failInfeasible(path, problem, answer->smallestMemoryBytes,
                          answer->smallestMemoryBound);
  auto evaluation = verify(problem, options.objective, *answer->placement);
  if (!evaluation)
    return failInput(path + ": " + evaluation.error());
  SolutionFile solution;
  solution.objective = options.objective;
  solution.placement = *answer->placement;
  solution.maxLoad = evaluation->maxLoad();
  solution.optimal = answer->optimal;
  solution.bound = std::min(answer->bound, evaluation->maxLoad());
  solution.seconds = answer->seconds;
  if (!options.objective.contiguous || options.showSchedule) {
    solution.pipeline =
        pipelineStages(problem, *answer->placement,
                       options.objective.schedule == Schedule::GPipe);
    solution.schedule = scheduleRounds(problem, options.objective,
                                       *answer->placement, solution.pipeline);
  }
  std::vector<double> loads;
  for (const StageLoad &load : evaluation->loads)
    loads.push_back(load.total());
  return writeSolution(problem, solution, options, loads);
}

int runLatency(const std::string &path, const Problem &problem,
               const PlacementOptions &options, const Budget &budget) {
  auto answer = solveLatency(problem, options, budget);
  if (!answer)
    return failInput(path + ": " + answer.error());
  if (!answer->placement)
    return failInfeasible(path, problem, answer->smallestMemoryBytes,
                          answer->smallestMemoryBound);
  LatencyObjective objective{static_cast<int>(options.subgraphs)};
  auto evaluation = verifyLatency(problem, objective, *answer->placement);
  if (!evaluation)
    return failInput(path + ": " + evaluation.error());
  SolutionFile solution;
  solution.placement.deviceOf = answer->placement->deviceOf;
  solution.subgraphOf = answer->placement->subgraphOf;
  solution.subgraphsPerDevice = objective.subgraphs;
  solution.latency = evaluation->latency;
  solution.optimal = answer->optimal;
  solution.bound = std::min(answer->bound, evaluation->latency);
  solution.seconds = answer->seconds;
  return writeSolution(problem, solution, options, evaluation->busyTimes);
}

int solvePlacement(const std::vector<std::string> &arguments) {
  Stopwatch watch;
  auto options = parsePlacementOptions(arguments);
  if (!options)
    return failFlags(options.error(), "placement");
  if (options->help) {
    std::fputs(printHelp(placementManual()).c_str(), stdout);
    return 0;
  }
  installSignals();
  auto document = readDocument(options->instance);
  if (!document)
    return failInput(document.error());
  auto problem = parseProblem(document->text, document->path);
  if (!problem)
    return failInput(problem.error());
  document->text = std::string(); // may be a hundred megabytes
  if (MaybeError error = applyOverrides(*options, *problem))
    return failInput(options->instance + ": " + error->message);
  noteReading(options->common, watch.seconds());
  Budget budget = makeBudget(*options, watch.seconds());
  return options->latency
             ? runLatency(options->instance, *problem, *options, budget)
             : runThroughput(options->instance, *problem, *options, budget);
}

Expected<std::string> verifyPlacement(const Document &instance,
                                      const Document &solution) {
  auto problem = parseProblem(instance.text, instance.path);
  if (!problem)
    return problem.takeError();
  auto split = parseSolution(*problem, solution.text, solution.path);
  if (!split)
    return split.takeError();
  auto verdict = verifySolution(*problem, *split);
  if (!verdict)
    return Error{solution.path + ": " + verdict.error()};
  return verdict;
}

} // namespace

ProblemKind solve::placementKind() {
  return {"placement", "maxFPGAs", placementManual, solvePlacement,
          verifyPlacement};
}
