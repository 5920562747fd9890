//===- PlacementOptions.cpp - Flags of soap-solve placement ---------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See PlacementOptions.h.
//
//===----------------------------------------------------------------------===//

#include "PlacementOptions.h"

using namespace soap;
using namespace soap::commandline;
using namespace soap::placement;
using namespace soap::solve;

namespace {

/// In the order of `Algorithm`.
const std::vector<std::string> algorithmNames = {
    "dp",     "dpl",    "greedy", "local-search", "pipedream",
    "expert", "scotch", "milp",   "max-load"};

bool isOneOf(Algorithm algorithm, std::initializer_list<Algorithm> list) {
  for (Algorithm other : list)
    if (algorithm == other)
      return true;
  return false;
}

MaybeError checkLatency(PlacementOptions &options, bool contiguousGiven) {
  Algorithm &algorithm = options.algorithm;
  if (algorithm == Algorithm::Default)
    algorithm = Algorithm::LocalSearch;
  std::string name =
      "--algorithm=" + algorithmNames[static_cast<size_t>(algorithm)];
  if (!isOneOf(algorithm,
               {Algorithm::Greedy, Algorithm::MaxLoad, Algorithm::LocalSearch,
                Algorithm::Milp, Algorithm::Expert}))
    return excludes("--objective=latency", name);
  const Objective &objective = options.objective;
  for (auto [flag, given] :
       {std::pair{"--contiguous", contiguousGiven},
        std::pair{"--overlap", objective.overlap != Overlap::None},
        std::pair{"--schedule",
                  objective.schedule != Schedule::OneForwardOneBackward},
        std::pair{"--replication", objective.replication},
        std::pair{"--accelerators-per-host",
                  objective.acceleratorsPerHost != 0}})
    if (given)
      return excludes("--objective=latency", flag);
  return std::nullopt;
}

MaybeError checkThroughput(PlacementOptions &options, bool contiguousGiven) {
  Algorithm &algorithm = options.algorithm;
  Objective &objective = options.objective;
  if (algorithm == Algorithm::Default)
    algorithm = contiguousGiven && !objective.contiguous
                    ? Algorithm::LocalSearch
                    : Algorithm::Dp;
  std::string name =
      "--algorithm=" + algorithmNames[static_cast<size_t>(algorithm)];
  if (algorithm == Algorithm::MaxLoad)
    return excludes("--objective=throughput", name);
  if (options.subgraphs != 1)
    return excludes("--objective=throughput", "--subgraphs");
  bool any = isOneOf(algorithm, {Algorithm::LocalSearch, Algorithm::Scotch});
  if (any && contiguousGiven && objective.contiguous)
    return excludes("--contiguous", name);
  if (isOneOf(algorithm,
              {Algorithm::Dp, Algorithm::Dpl, Algorithm::PipeDream}) &&
      !objective.contiguous)
    return excludes("--contiguous=false", name);
  if (any)
    objective.contiguous = false;
  if (objective.replication &&
      !isOneOf(algorithm, {Algorithm::Dp, Algorithm::Dpl, Algorithm::Greedy,
                           Algorithm::PipeDream, Algorithm::Expert}))
    return excludes("--replication", name);
  if (algorithm == Algorithm::Milp && objective.hasHosts())
    return excludes("--accelerators-per-host", name);
  if (MaybeError error = objective.check())
    return Error{"flags of the objective: " + error->message};
  return std::nullopt;
}

/// Values of flags, before they become options.
struct RawFlags {
  int algorithm = static_cast<int>(Algorithm::Default);
  int objective = 0, overlap = 0, schedule = 0, integerSolver = -1;
  int64_t perHost = 0;
  /// "" if it was not given.
  std::string contiguous;
};

void addProblemFlags(CommandLine &line, PlacementOptions &options,
                     RawFlags &raw) {
  const std::vector<std::string> objectives = {"throughput", "latency"},
                                 solvers = {"highs", "cbc"};
  line.group("the problem, and how it is solved");
  line.value("--objective", "NAME",
             "throughput (default): least maximum load of a device; latency: "
             "least time of one sample",
             setChoice(raw.objective, objectives), objectives);
  line.value("--algorithm", "NAME",
             "throughput: dp (default for contiguous splits), dpl, greedy, "
             "local-search (default for others), milp, pipedream, scotch, "
             "expert; latency: local-search (default), milp, greedy, max-load, "
             "expert",
             setChoice(raw.algorithm, algorithmNames), algorithmNames);
  line.value("--milp-solver", "NAME", "highs (default if it is there) or cbc",
             setChoice(raw.integerSolver, solvers), solvers);
  line.value("--split", "FILE",
             "the split that expert judges: a solution, or a file of the "
             "published programs (fpgas, cpus); classes are completed",
             setText(options.split));
  line.value("--subgraphs", "Q",
             "at most Q subgraphs of an accelerator, for latencies (default 1)",
             setInteger(options.subgraphs, 1, 64));
  line.value("--accelerators", "K", "instead of the number in the instance",
             setInteger(options.accelerators, 0, maxAccelerators));
  line.value("--cpus", "L", "instead of the number in the instance",
             setInteger(options.cpus, 0, maxCpus));
  line.value("--memory", "BYTES",
             "of an accelerator, instead of the number in the instance",
             setNumber(options.memoryBytes, 0, 1e300));
}

void addObjectiveFlags(CommandLine &line, PlacementOptions &options,
                       RawFlags &raw) {
  const std::vector<std::string> overlaps = {"none", "full"},
                                 schedules = {"1f1b", "gpipe"},
                                 booleans = {"true", "false"};
  placement::Objective &objective = options.objective;
  line.group("throughput");
  line.optionalValue("--contiguous", "true|false",
                     "false: the nodes of a device need not be contiguous",
                     setName(raw.contiguous, booleans), booleans);
  line.value("--overlap", "NAME",
             "none (default): a load is computation plus transfers; full: the "
             "greater of them",
             setChoice(raw.overlap, overlaps), overlaps);
  line.value("--schedule", "NAME", "of training: 1f1b (default) or gpipe",
             setChoice(raw.schedule, schedules), schedules);
  line.boolean("--replication",
               "stages may be replicated (dp, dpl, pipedream, expert) ...",
               objective.replication);
  line.value("--all-reduce-bandwidth", "N",
             "... with all-reduces of N bytes per unit of time",
             setNumber(objective.allReduceBytesPerTime, 1e-6, 1e18));
  line.value("--accelerators-per-host", "N",
             "so many accelerators share a host, ...",
             setInteger(raw.perHost, 1, maxAccelerators));
  line.value("--inside-host-factor", "F",
             "... in which transfers take F of their time, 0 to 1",
             setNumber(objective.insideHostFactor, 0, 1));
  line.boolean("--show-schedule",
               "prints the work of each device in a round of the pipeline; the "
               "solution holds stages and schedule, as those that are not "
               "contiguous always do",
               options.showSchedule);
}

CommandLine makeCommandLine(PlacementOptions &options, RawFlags &raw) {
  CommandLine line({.tool = "soap-solve placement",
                    .purpose = "which device computes which operator",
                    .usage = {{"soap-solve placement INSTANCE [flags]", ""}},
                    .paragraphs = {},
                    .groups = {},
                    .notes = commonNotes(),
                    .commands = {}});
  addProblemFlags(line, options, raw);
  addObjectiveFlags(line, options, raw);
  addCommonFlags(line, options.common, options.help);
  return line;
}

} // namespace

Expected<PlacementOptions>
solve::parsePlacementOptions(const std::vector<std::string> &arguments) {
  PlacementOptions options;
  RawFlags raw;
  std::vector<std::string> files;
  if (MaybeError error =
          makeCommandLine(options, raw).parse(arguments, files, "a file"))
    return *error;
  bool contiguousGiven = !raw.contiguous.empty();
  if (options.help)
    return options;
  if (files.size() != 1)
    return Error{"expected one instance, got " + std::to_string(files.size()) +
                 " files"};
  options.instance = files[0];
  options.algorithm = static_cast<Algorithm>(raw.algorithm);
  options.latency = raw.objective == 1;
  options.objective.overlap = static_cast<Overlap>(raw.overlap);
  options.objective.schedule = static_cast<Schedule>(raw.schedule);
  options.objective.acceleratorsPerHost = static_cast<int>(raw.perHost);
  options.objective.contiguous = raw.contiguous != "false";
  if (options.latency && options.showSchedule)
    return excludes("--objective=latency", "--show-schedule");
  if (raw.integerSolver >= 0) {
    if (options.algorithm != Algorithm::Milp)
      return Error{"flag '--milp-solver' needs '--algorithm=milp'"};
    options.integerSolver =
        raw.integerSolver == 0 ? IntegerSolver::Highs : IntegerSolver::Cbc;
  }
  bool expert = options.algorithm == Algorithm::Expert;
  if (expert != !options.split.empty())
    return Error{expert ? "flag '--algorithm=expert' needs '--split'"
                        : "flag '--split' needs '--algorithm=expert'"};
  if (MaybeError error = options.latency
                             ? checkLatency(options, contiguousGiven)
                             : checkThroughput(options, contiguousGiven))
    return *error;
  return options;
}

manual::Manual solve::placementManual() {
  PlacementOptions options;
  RawFlags raw;
  return makeCommandLine(options, raw).getManual();
}

MaybeError solve::applyOverrides(const PlacementOptions &options,
                                 Problem &problem) {
  if (options.accelerators >= 0)
    problem.accelerators = static_cast<int>(options.accelerators);
  if (options.cpus >= 0)
    problem.cpus = static_cast<int>(options.cpus);
  if (options.memoryBytes >= 0)
    problem.acceleratorMemoryBytes = options.memoryBytes;
  bool any = options.accelerators >= 0 || options.cpus >= 0 ||
             options.memoryBytes >= 0;
  return any ? problem.check() : std::nullopt;
}
