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

MaybeError excludes(const std::string &one, const std::string &other) {
  return Error{"flags '" + one + "' and '" + other + "' exclude each other"};
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

} // namespace

Expected<PlacementOptions>
solve::parsePlacementOptions(const std::vector<std::string> &arguments) {
  PlacementOptions options;
  int algorithm = static_cast<int>(Algorithm::Default);
  int objective = 0, overlap = 0, schedule = 0, integerSolver = -1;
  int64_t perHost = 0;
  bool contiguous = true, contiguousGiven = false;
  FlagTable flags;
  addCommonFlags(flags, options.common);
  flags["--algorithm"] = choiceFlag(algorithm, algorithmNames);
  flags["--objective"] = choiceFlag(objective, {"throughput", "latency"});
  Flag setContiguous = booleanFlag(contiguous);
  flags["--milp-solver"] = choiceFlag(integerSolver, {"highs", "cbc"});
  flags["--contiguous"] = {false, [&](const std::string &value) {
                             contiguousGiven = true;
                             return setContiguous.set(value);
                           }};
  flags["--overlap"] = choiceFlag(overlap, {"none", "full"});
  flags["--schedule"] = choiceFlag(schedule, {"1f1b", "gpipe"});
  flags["--replication"] = booleanFlag(options.objective.replication);
  flags["--all-reduce-bandwidth"] =
      numberFlag(options.objective.allReduceBytesPerTime, 1e-6, 1e18);
  flags["--accelerators-per-host"] = integerFlag(perHost, 1, maxAccelerators);
  flags["--inside-host-factor"] =
      numberFlag(options.objective.insideHostFactor, 0, 1);
  flags["--show-schedule"] = booleanFlag(options.showSchedule);
  flags["--subgraphs"] = integerFlag(options.subgraphs, 1, 64);
  flags["--split"] = textFlag(options.split);
  flags["--accelerators"] =
      integerFlag(options.accelerators, 0, maxAccelerators);
  flags["--cpus"] = integerFlag(options.cpus, 0, maxCpus);
  flags["--memory"] = numberFlag(options.memoryBytes, 0, 1e300);
  flags["--help"] = flags["-h"] = booleanFlag(options.help);
  std::vector<std::string> files;
  if (MaybeError error = parseFlags(arguments, flags, files))
    return *error;
  if (options.help)
    return options;
  if (files.size() != 1)
    return Error{"expected one instance, got " + std::to_string(files.size()) +
                 " files"};
  options.instance = files[0];
  options.algorithm = static_cast<Algorithm>(algorithm);
  options.latency = objective == 1;
  options.objective.overlap = static_cast<Overlap>(overlap);
  options.objective.schedule = static_cast<Schedule>(schedule);
  options.objective.acceleratorsPerHost = static_cast<int>(perHost);
  options.objective.contiguous = contiguous;
  if (options.latency && options.showSchedule)
    return Error{"flags '--objective=latency' and '--show-schedule' exclude "
                 "each other"};
  if (integerSolver >= 0) {
    if (options.algorithm != Algorithm::Milp)
      return Error{"flag '--milp-solver' needs '--algorithm=milp'"};
    options.integerSolver =
        integerSolver == 0 ? IntegerSolver::Highs : IntegerSolver::Cbc;
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

std::string solve::placementHelp() {
  return std::string(
             R"(soap-solve placement: which device computes which operator

usage: soap-solve placement INSTANCE [flags]

  --objective=NAME      throughput (default): least maximum load of a device;
                        latency: least time of one sample
  --algorithm=NAME      throughput: dp (default for contiguous splits), dpl, greedy,
                        local-search (default for others), milp, pipedream, scotch,
                        expert; latency: local-search (default), milp, greedy,
                        max-load, expert
  --milp-solver=NAME    highs (default where it is there) or cbc
  --split=FILE          the split that expert judges: a solution, or a file of the
                        published programs (fpgas, cpus); classes are completed
  --contiguous=false    a device's nodes need not be contiguous
  --overlap=NAME        none (default): a load is computation plus transfers; full:
                        the greater of them
  --schedule=NAME       of training: 1f1b (default) or gpipe
  --replication         stages may be replicated (dp, dpl, pipedream, expert) ...
  --all-reduce-bandwidth=N   ... with all-reduces of N bytes per unit of time
  --accelerators-per-host=N  so many accelerators share a host, ...
  --inside-host-factor=F     ... in which transfers take F of their time, 0 to 1
  --show-schedule       prints what each device does in a round of the pipeline; the
                        solution holds stages and schedule, as those that are not
                        contiguous always do
  --subgraphs=Q         most subgraphs of an accelerator, for latencies (default 1)
  --accelerators=K, --cpus=L, --memory=BYTES   instead of what the instance says
)") + commonHelp();
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
