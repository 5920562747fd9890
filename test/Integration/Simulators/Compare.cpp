//===- Compare.cpp - The three simulators against each other --------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chains of random proposals, of one op or of several at once, on random graphs
// or on a problem file. Of every proposal, the ready, start and end of every
// task by forward simulation of the changed plan (`delta`) and by propagation
// must equal the times of Algorithm 1 on a task graph built from nothing; and
// the decisions of all three, which stop as early as they do in a search, must
// be the same. On large models what takes longest is finding out again what the
// shards of a kernel touch and cost: with --fresh=N that is done for every Nth
// proposal, for the others only their plan, its actions, the task graph and its
// simulation are made from nothing.
//
//===----------------------------------------------------------------------===//

#include "Soap/Search/Evaluator/StrategyEvaluator.h"
#include "Soap/Search/Presets/Presets.h"
#include "Soap/Search/Problem/GroupBlocks.h"
#include "Soap/Search/Problem/ProblemFile.h"
#include "Soap/Simulator/Algorithm1Simulator.h"
#include "Support/MeasuredCopies.h"
#include "Support/RandomGraphs.h"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>

using namespace soap;
using namespace soap::randomgraphs;

namespace {

struct Options {
  int64_t random = 0;
  std::string problem, topology;
  int64_t proposals = 1000;
  uint64_t seed = 1;
  int64_t fresh = 1;  ///< so many proposals share what is known of shards
  double seconds = 0; ///< ends early, 0: never
};

struct Counts {
  int64_t proposals = 0, accepted = 0, differences = 0;
  int64_t tasks = 0, maxTasks = 0, propagated = 0, byDelta = 0;
  uint64_t timelines = 14695981039346656037u; ///< hash of all times

  void hash(int64_t number) {
    timelines = (timelines ^ static_cast<uint64_t>(number)) * 1099511628211u;
  }
};

/// One chain under all simulators.
class Chain {
public:
  Chain(const ParallelizationProblem &problem, const Strategy &start,
        std::string name, int64_t fresh, Counts &counts)
      : problem(problem), name(std::move(name)), fresh(fresh), counts(counts),
        cost(problem.getTopology()), plan(problem.getGraph(), cost),
        forward(plan), propagator(plan), delta(problem),
        propagate(problem, SimulatorKind::Propagate), current(start) {
    plan.set(start);
    TaskGraph expected = simulated(start);
    now = expected.makespanNs;
    std::vector<std::vector<TaskTimes>> times;
    compare(now, propagator.start(), "start");
    compare(now, delta.start(start).makespanNs, "start of the search");
    compare(now, propagate.start(start).makespanNs, "start of the search");
    propagator.timeline(times);
    compareTimes(expected, times, "propagate, start");
  }

  int64_t makespanNs() const { return now; }

  /// Decides on a proposal. False if anything differed.
  bool step(std::span<const GroupChange> changes, int64_t thresholdNs) {
    Strategy next = current;
    std::vector<int> nodes;
    for (const GroupChange &change : changes) {
      const OpGroup &members = problem.getGroups()[change.group];
      problem.assign(next, members, change.config);
      nodes.insert(nodes.end(), members.nodes.begin(), members.nodes.end());
    }
    TaskGraph expected = simulated(next);
    int64_t makespanNs = expected.makespanNs, before = counts.differences;

    std::vector<Config> configs;
    for (int node : nodes)
      configs.push_back(next[node]);
    plan.change(nodes, configs);
    plan.finish();
    compare(makespanNs, forward.timeline(times), "makespan, delta");
    compareTimes(expected, times, "delta");
    compare(makespanNs, propagator.propagate(), "makespan, propagate");
    propagator.timeline(times);
    compareTimes(expected, times, "propagate");

    ++counts.proposals;
    counts.tasks += static_cast<int64_t>(expected.tasks.size());
    counts.maxTasks =
        std::max(counts.maxTasks, static_cast<int64_t>(expected.tasks.size()));
    counts.propagated += propagator.simulatedTasks();
    for (const Task &task : expected.tasks)
      counts.hash(task.endNs);

    bool accept = makespanNs <= thresholdNs;
    Evaluation byDelta = delta.propose(changes, thresholdNs),
               byPropagation = propagate.propose(changes, thresholdNs);
    for (bool isDelta : {true, false}) {
      const Evaluation &evaluation = isDelta ? byDelta : byPropagation;
      const char *what =
          isDelta ? "decision of delta" : "decision of propagate";
      compare(accept, evaluation.makespanNs <= thresholdNs, what);
      if (accept)
        compare(makespanNs, evaluation.makespanNs, what);
    }
    if (accept)
      compare(byDelta.excessBytes, byPropagation.excessBytes, "memory");
    if (accept) {
      delta.accept();
      propagate.accept();
      propagator.commit();
      plan.commit();
      propagator.timeline(times);
      compareTimes(expected, times, "propagate, after commit");
      current = std::move(next);
      now = makespanNs;
      ++counts.accepted;
    } else {
      delta.reject();
      propagate.reject();
      plan.revert();
    }
    return counts.differences == before;
  }

  int64_t tasksByDelta() const { return delta.getStatistics().simulatedTasks; }

private:
  const ParallelizationProblem &problem;
  std::string name;
  int64_t fresh;
  Counts &counts;
  CostModel cost;
  std::unique_ptr<StrategyPlan> reference; ///< made anew now and then
  StrategyPlan plan;
  StrategySimulator forward;
  Algorithm2Simulator propagator;
  StrategyEvaluator delta, propagate;
  Strategy current;
  int64_t now = 0;
  std::vector<std::vector<TaskTimes>> times;

  /// Algorithm 1, from nothing.
  TaskGraph simulated(const Strategy &strategy) {
    if (!reference || counts.proposals % fresh == 0)
      reference = std::make_unique<StrategyPlan>(problem.getGraph(), cost);
    reference->set(strategy);
    TaskGraph graph =
        buildTaskGraph(problem.getGraph(),
                       buildPlan(*reference, /*expandCollectives=*/false), cost,
                       /*names=*/false);
    simulateFull(graph);
    return graph;
  }

  void compare(int64_t expected, int64_t actual, const char *what) {
    if (expected == actual)
      return;
    if (++counts.differences <= 20)
      std::printf("FAILED: %s, proposal %lld: %s: %lld, expected %lld\n",
                  name.c_str(), static_cast<long long>(counts.proposals), what,
                  static_cast<long long>(actual),
                  static_cast<long long>(expected));
  }

  void compareTimes(const TaskGraph &expected,
                    const std::vector<std::vector<TaskTimes>> &actual,
                    const char *what) {
    for (const Task &task : expected.tasks) {
      size_t block = static_cast<size_t>(task.key[0]),
             index = static_cast<size_t>(task.key[1]);
      if (block >= actual.size() || index >= actual[block].size() ||
          actual[block][index] !=
              TaskTimes{task.readyNs, task.startNs, task.endNs}) {
        compare(1, 0, what);
        return;
      }
    }
  }
};

/// The threshold of a search: the current time and an exponential slack.
int64_t drawThreshold(Random &random, int64_t nowNs, double scale) {
  double unit = static_cast<double>((random() >> 11) + 1) * 0x1p-53;
  return nowNs + static_cast<int64_t>(-std::log(unit) * scale *
                                      static_cast<double>(nowNs));
}

void compareOnRandomGraphs(const Options &options, Counts &counts) {
  constexpr int64_t proposalsPerGraph = 100;
  for (uint64_t seed = options.seed; counts.proposals < options.random;
       ++seed) {
    Random random(seed);
    int64_t maxNodes = uniform(random, 1, 24);
    RandomProblem made = randomProblem(random, maxNodes);
    // A cluster now and then, with links so slow that exchanges matter.
    bool isCluster = seed % 8 == 7;
    if (isCluster)
      made = randomProblem(random, maxNodes, 24);
    int kind = static_cast<int>(uniform(random, 0, 3));
    std::string n = std::to_string(made.devices),
                name = isCluster   ? kind < 2 ? "k80-4x4" : "p100-4x4"
                       : kind == 0 ? "cpu-" + n
                       : kind == 1 ? "p100-" + n + "x1"
                       : kind == 2 ? "k80-1x" + n
                                   : "h100-1x" + n;
    Topology topology = *builtinTopology(name);
    for (Link &link : topology.links)
      if (isCluster)
        link.bandwidthBytesPerSecond *= 1e-5;
    if (isCluster && topology.computeRoutes())
      continue;
    // Copies by their runs, on half of the machines of CPUs.
    if (kind == 0 && seed % 2 == 0)
      test::addMeasuredCopies(topology);
    std::vector<std::vector<Role>> roles;
    for (const GraphNode &node : made.graph.nodes)
      roles.emplace_back(node.whole.space.loops.size(), Role::Sample);
    ParallelizationProblem problem(made.graph, topology,
                                   untiedGroups(made.graph), std::move(roles));
    Chain chain(problem, made.strategy,
                "graph " + std::to_string(seed) + " on " + name, options.fresh,
                counts);
    for (int64_t i = 0;
         i < proposalsPerGraph && counts.proposals < options.random; ++i) {
      int group = static_cast<int>(uniform(
          random, 0, static_cast<int64_t>(problem.getGroups().size()) - 1));
      const IterationSpace &space = made.graph.nodes[group].whole.space;
      Config config = isCluster
                          ? wideConfig(random, space, topology.deviceCount())
                          : randomConfig(random, space, made.devices);
      std::vector<GroupChange> changes = {{group, config}};
      // Every third changes other groups with as many loops, too.
      for (size_t other = 0; i % 3 == 0 && other < made.graph.nodes.size();
           ++other) {
        const IterationSpace &its = made.graph.nodes[other].whole.space;
        if (static_cast<int>(other) != group &&
            its.loops.size() == space.loops.size() &&
            checkConfig(its, config, topology.deviceCount()).fault ==
                ConfigFault::None)
          changes.push_back({static_cast<int>(other), config});
      }
      // Of all temperatures: some chains take nearly everything.
      if (!chain.step(changes, drawThreshold(random, chain.makespanNs(),
                                             i % 3 == 0 ? 0.5 : 0.01)))
        break;
    }
    counts.byDelta += chain.tasksByDelta();
  }
}

/// A config with any legal degrees, and any devices.
Config drawConfig(Random &random, const ParallelizationProblem &problem,
                  const OpGroup &group) {
  int devices = problem.getTopology().deviceCount();
  const IterationSpace &space =
      problem.getGraph().nodes[group.leader].whole.space;
  Config config = Config::single(space);
  int64_t pieces = 1;
  for (size_t tries = uniform(random, 0, 3); tries-- > 0;) {
    size_t loop = static_cast<size_t>(
        uniform(random, 0, static_cast<int64_t>(space.loops.size())));
    bool replicas = loop == space.loops.size();
    if (!replicas && !problem.mayCut(group.leader, static_cast<int>(loop)))
      continue;
    int64_t &degree = replicas ? config.replicas : config.degrees[loop];
    int64_t most = replicas ? devices : space.loops[loop].extent,
            factor = uniform(random, 2, 4);
    if (degree * factor > most || pieces * factor > devices)
      continue;
    degree *= factor;
    pieces *= factor;
  }
  config.devices.clear();
  int64_t start = uniform(random, 0, devices - 1);
  bool inOrder = uniform(random, 0, 1);
  for (int64_t i = 0; i < pieces; ++i)
    config.devices.push_back(static_cast<int>(
        inOrder ? (start + i) % devices : uniform(random, 0, devices - 1)));
  return config;
}

/// Empty, or why not.
std::string compareOnProblem(const Options &options, Counts &counts) {
  Expected<ProblemFile> file = loadProblemFile(options.problem);
  if (!file)
    return file.error();
  Expected<Topology> topology = loadTopology(options.topology);
  if (!topology)
    return topology.error();
  ParallelizationProblem problem(file->graph, *topology, file->groups,
                                 file->roles);
  if (MaybeError error = problem.check())
    return error->message;
  Random random(options.seed);
  GroupBlocks blocks =
      findBlocks(file->graph, problem.getGroups(), problem.getRoles());
  Chain chain(problem, dataParallelStrategy(problem), options.problem,
              options.fresh, counts);
  auto begin = std::chrono::steady_clock::now();
  while (counts.proposals < options.proposals && counts.differences == 0) {
    int group = static_cast<int>(uniform(
        random, 0, static_cast<int64_t>(problem.getGroups().size()) - 1));
    Config config = drawConfig(random, problem, problem.getGroups()[group]);
    std::vector<GroupChange> changes = {{group, config}};
    // Half of them change all mates of repeated blocks.
    if (uniform(random, 0, 1) == 1)
      for (int mate : blocks.mates[group])
        if (mate != group)
          changes.push_back({mate, config});
    chain.step(changes, drawThreshold(random, chain.makespanNs(), 0.005));
    std::chrono::duration<double> spent =
        std::chrono::steady_clock::now() - begin;
    if (options.seconds > 0 && spent.count() > options.seconds)
      break;
  }
  counts.byDelta = chain.tasksByDelta();
  return "";
}

} // namespace

int main(int argc, char **argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    auto value = [&](const char *name) -> const char * {
      size_t length = std::strlen(name);
      return argument.compare(0, length, name) == 0 ? argv[i] + length
                                                    : nullptr;
    };
    if (const char *random = value("--random="))
      options.random = std::atoll(random);
    else if (const char *problem = value("--problem="))
      options.problem = problem;
    else if (const char *topology = value("--topology="))
      options.topology = topology;
    else if (const char *proposals = value("--proposals="))
      options.proposals = std::atoll(proposals);
    else if (const char *fresh = value("--fresh="))
      options.fresh = std::max<int64_t>(std::atoll(fresh), 1);
    else if (const char *seed = value("--seed="))
      options.seed = std::strtoull(seed, nullptr, 10);
    else if (const char *seconds = value("--seconds="))
      options.seconds = std::atof(seconds);
    else {
      std::printf(
          "usage: soap-simulators --random=PROPOSALS [--seed=N] [--fresh=N]\n"
          "       soap-simulators --problem=FILE --topology=NAME [--fresh=N]\n"
          "                       [--proposals=N] [--seconds=S] [--seed=N]\n");
      return argument == "--help" ? 0 : 2;
    }
  }
  Counts counts;
  if (options.random > 0)
    compareOnRandomGraphs(options, counts);
  else if (std::string error = compareOnProblem(options, counts);
           !error.empty()) {
    std::printf("%s\n", error.c_str());
    return 2;
  }
  auto per = [&](int64_t count) {
    return static_cast<double>(count) /
           static_cast<double>(std::max<int64_t>(counts.proposals, 1));
  };
  std::printf("%lld proposals, %lld accepted, %lld differences; tasks %.1f "
              "(at most %lld), given times: propagate %.1f, delta %.1f; "
              "timelines %016llx\n",
              static_cast<long long>(counts.proposals),
              static_cast<long long>(counts.accepted),
              static_cast<long long>(counts.differences), per(counts.tasks),
              static_cast<long long>(counts.maxTasks), per(counts.propagated),
              per(counts.byDelta),
              static_cast<unsigned long long>(counts.timelines));
  return counts.differences == 0 && counts.proposals > 0 ? 0 : 1;
}
