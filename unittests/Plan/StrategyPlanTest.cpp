//===- StrategyPlanTest.cpp - Plans changed op by op ----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// After any sequence of changes, kept or undone, a plan is that of a strategy
// planned from nothing, and its simulation gives the times of the written-out
// task graph, task by task; bounded simulation decides as the full one.
//
//===----------------------------------------------------------------------===//

#include "Support/Graphs.h"
#include "Support/MeasuredCopies.h"
#include "Support/RandomGraphs.h"

#include "Soap/Memory/PeakMemory.h"
#include "Soap/Memory/PlanMemory.h"
#include "Soap/Memory/PlanMemoryBound.h"
#include "Soap/Model/Reuse.h"
#include "Soap/Plan/StrategyPlan.h"
#include "Soap/Simulator/Algorithm1Simulator.h"
#include "Soap/Simulator/DeltaSimulator.h"
#include "Soap/Simulator/StrategySimulator.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace soap;
using namespace soap::randomgraphs;

namespace {

/// Tasks of two graphs, key by key.
void expectSameTasks(const TaskGraph &expected, const TaskGraph &actual) {
  ASSERT_EQ(expected.tasks.size(), actual.tasks.size());
  for (size_t t = 0; t < expected.tasks.size(); ++t) {
    const Task &a = expected.tasks[t], &b = actual.tasks[t];
    ASSERT_EQ(a.key, b.key);
    ASSERT_EQ(a.name, b.name);
    ASSERT_EQ(a.durationNs, b.durationNs) << a.name;
    ASSERT_EQ(a.resources, b.resources) << a.name;
    ASSERT_EQ(a.preds, b.preds) << a.name;
    ASSERT_EQ(a.deferred, b.deferred) << a.name;
  }
}

/// The plan of `plan` is that of its strategy; its times are the times of
/// Algorithm 1.
void check(StrategyPlan &plan, MakespanBounds &bounds,
           StrategySimulator &simulator, Random &random) {
  const Graph &graph = plan.getGraph();
  const CostModel &cost = plan.getCost();
  TaskGraph changed = buildTaskGraph(graph, buildPlan(plan), cost),
            fresh = buildTaskGraph(
                graph, buildPlan(graph, plan.getStrategy(), cost.getTopology()),
                cost);
  expectSameTasks(fresh, changed);
  if (::testing::Test::HasFatalFailure())
    return;
  simulateFull(fresh);
  std::vector<std::vector<TaskTimes>> times;
  ASSERT_EQ(simulator.timeline(times), fresh.makespanNs);
  ASSERT_EQ(static_cast<size_t>(plan.taskCount()), fresh.tasks.size());
  for (const Task &task : fresh.tasks) {
    const TaskTimes &t = times[task.key[0]][task.key[1]];
    ASSERT_EQ(t.readyNs, task.readyNs) << task.name;
    ASSERT_EQ(t.startNs, task.startNs) << task.name;
    ASSERT_EQ(t.endNs, task.endNs) << task.name;
  }
  ASSERT_EQ(simulator.makespan(), fresh.makespanNs);
  // Loads are sums over the tasks.
  std::vector<int64_t> load(plan.loadNs().size());
  for (const Task &task : fresh.tasks)
    for (int resource : task.resources)
      load[resource] += task.durationNs;
  ASSERT_EQ(load, plan.loadNs());
  // So are bytes, of all buffers, messages and temporaries.
  std::vector<int64_t> bytes(plan.tileBytes().size());
  Plan written = buildPlan(plan);
  for (const Buffer &buffer : written.buffers)
    bytes[buffer.device] +=
        buffer.region.volume() * graph.values[buffer.value].elementBytes;
  for (const Task &task : fresh.tasks)
    if (task.sourceDevice >= 0)
      bytes[task.sourceDevice] += task.bytes;
  for (const PlanCollective &collective : written.collectives)
    for (auto [device, count] : collective.temporaries)
      bytes[device] += count;
  ASSERT_EQ(bytes, plan.tileBytes());
  ASSERT_EQ(peakBytes(graph, written,
                      actionOrder(written, scheduleOrder(fresh)),
                      cost.getTopology().deviceCount()),
            peakBytes(plan));
  for (int i = 0; i < 3; ++i) {
    if (i == 1)
      bounds.findPaths();
    int64_t limit = fresh.makespanNs + uniform(random, -fresh.makespanNs / 2,
                                               fresh.makespanNs / 4);
    int64_t bounded = simulator.makespan(limit);
    if (fresh.makespanNs <= limit)
      ASSERT_EQ(bounded, fresh.makespanNs);
    else
      ASSERT_GT(bounded, limit);
  }
}

/// With copies that occupy their receiver; over links that all share, or
/// devices of a machine, or of a switch.
Topology randomTopology(Random &random, int count) {
  std::string devices = std::to_string(count);
  std::vector<std::string> names = {"cpu-" + devices, "p100-" + devices + "x1",
                                    "k80-1x" + devices};
  if (count % 2 == 0)
    names.push_back("p100-" + std::to_string(count / 2) + "x2");
  size_t name = uniform(random, 0, static_cast<int64_t>(names.size()) - 1);
  Topology topology = *builtinTopology(names[name]);
  // Copies by their runs, on half of the machines of CPUs.
  if (name == 0 && count % 2 == 1)
    test::addMeasuredCopies(topology);
  return topology;
}

/// Delays some readers of values of the forward pass, as if they were
/// recomputed ops, until a random node of the backward pass before them is
/// done.
void delaySome(Random &random, Graph &graph, size_t values) {
  std::vector<int> gradients; // values, by the nodes that write them
  std::vector<size_t> writers;
  for (size_t n = 0; n < graph.nodes.size(); ++n)
    if (const Kernel &kernel = graph.nodes[n].whole;
        kernel.phase == Phase::Backward && !kernel.results.empty()) {
      gradients.push_back(kernel.results[0]);
      writers.push_back(n);
    }
  for (size_t v = 0; v < values; ++v) {
    bool isForward = false;
    std::vector<int> readers;
    for (size_t n = 0; n < graph.nodes.size(); ++n) {
      const Kernel &kernel = graph.nodes[n].whole;
      auto has = [&](const std::vector<int> &list) {
        return std::find(list.begin(), list.end(), static_cast<int>(v)) !=
               list.end();
      };
      isForward |= kernel.phase == Phase::Forward && has(kernel.results);
      if (kernel.phase == Phase::Backward && has(kernel.operands))
        readers.push_back(static_cast<int>(n));
    }
    if (!isForward || readers.empty() || !uniform(random, 0, 1))
      continue;
    auto before = std::lower_bound(writers.begin(), writers.end(),
                                   static_cast<size_t>(readers.front())) -
                  writers.begin();
    if (before > 0)
      delayReaders(graph, static_cast<int>(v),
                   gradients[uniform(random, 0, before - 1)], readers);
  }
}

/// Makes the last part of a graph its backward pass, and keeps some values that
/// both passes read in one form, or delays readers of some.
RandomProblem withRestores(Random &random, RandomProblem problem, bool delays) {
  Graph &graph = problem.graph;
  auto count = static_cast<int64_t>(graph.nodes.size());
  int64_t turn = uniform(random, 0, count);
  for (int64_t n = turn; n < count; ++n) {
    Kernel &kernel = graph.nodes[n].whole;
    kernel.phase = kernel.kind == "update" ? Phase::Update : Phase::Backward;
  }
  size_t values = graph.values.size();
  if (delays)
    delaySome(random, graph, values);
  for (size_t v = 0; !delays && v < values; ++v) {
    Keep keep = uniform(random, 0, 1) ? Keep::Before : Keep::After;
    if (uniform(random, 0, 3) && !checkKeep(graph, static_cast<int>(v), keep))
      restoreValue(graph, static_cast<int>(v), keep);
  }
  return problem;
}

/// Some of a graph's ops become views, as the executor of the topology has
/// them.
const Topology &withViews(Topology &topology, Graph &graph) {
  for (GraphNode &node : graph.nodes)
    if (node.whole.kind == "copy")
      node.whole.kind = "reshape";
    else if (node.whole.kind == "flip")
      node.whole.kind = "transpose";
  topology.executor.views = true;
  return topology;
}

/// A random problem on a random topology, with a plan that has no strategy yet.
struct Planned {
  Random random;
  RandomProblem problem;
  Topology topology;
  CostModel cost;
  StrategyPlan plan;
  MakespanBounds bounds;

  Planned(uint64_t seed, int size, bool restores = false, bool delays = false)
      : random(seed),
        problem(restores
                    ? withRestores(random, randomProblem(random, size), delays)
                    : randomProblem(random, size)),
        topology(randomTopology(random, problem.devices)),
        cost(seed % 3 == 0 ? withViews(topology, problem.graph) : topology),
        plan(problem.graph, cost), bounds(plan) {
    if (seed % 2 == 0)
      plan.maxCacheBytes = 2000; // trimmed again and again
  }
};

/// Random configs for the nodes that `isChosen` draws.
template <typename IsChosen>
std::pair<std::vector<int>, std::vector<Config>>
randomChange(Random &random, const RandomProblem &problem, IsChosen isChosen) {
  std::vector<int> nodes;
  std::vector<Config> configs;
  for (size_t n = 0; n < problem.graph.nodes.size(); ++n)
    if (isChosen()) {
      nodes.push_back(static_cast<int>(n));
      configs.push_back(randomConfig(random, problem.graph.nodes[n].whole.space,
                                     problem.devices));
    }
  return {nodes, configs};
}

void checkChain(uint64_t seed, bool restores = false, bool delays = false) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  Planned planned(seed, restores ? 16 : 10, restores, delays);
  auto &[random, problem, topology, cost, plan, bounds] = planned;
  StrategySimulator simulator(plan, &bounds);
  plan.set(problem.strategy);
  check(plan, bounds, simulator, random);
  Strategy kept = problem.strategy;
  for (int step = 0; step < 6 && !::testing::Test::HasFatalFailure(); ++step) {
    auto [nodes, configs] = randomChange(
        random, problem, [&] { return uniform(random, 0, 3) == 0; });
    Strategy next = kept;
    for (size_t i = 0; i < nodes.size(); ++i)
      next[nodes[i]] = configs[i];
    int64_t before = simulator.makespan();
    // Before anything changes: as much, except replicas that may turn out to
    // have nothing to do.
    std::vector<int64_t> leastNs;
    bounds.loadWithoutNs(nodes, leastNs);
    for (size_t i = 0; i < nodes.size(); ++i)
      bounds.addShardNs(nodes[i], configs[i], leastNs);
    int64_t least = *std::max_element(leastNs.begin(), leastNs.end());
    plan.change(nodes, configs);
    int64_t load = bounds.loadBoundNs(0), bound = bounds.boundNs();
    if (std::none_of(plan.getSlots().begin(), plan.getSlots().end(),
                     [](const auto &s) { return s.kernel->space.linear; }))
      ASSERT_EQ(least, load);
    else
      ASSERT_LE(least, load);
    if (uniform(random, 0, 2) == 0) {
      // Given up only if the makespan is above the limit.
      int64_t limit = uniform(random, 1, 3 * before);
      if (uniform(random, 0, 1)) {
        // Bounds of a proposal that was refused say nothing of this one.
        plan.revert();
        auto [otherNodes, otherConfigs] = randomChange(
            random, problem, [&] { return uniform(random, 0, 1) == 0; });
        plan.change(otherNodes, otherConfigs);
        bounds.boundNs();
        plan.revert();
        plan.change(nodes, configs);
      }
      if (!plan.finish(limit)) {
        plan.revert();
        plan.change(nodes, configs);
        plan.finish();
        ASSERT_GT(simulator.makespan(), limit);
        plan.revert();
        check(plan, bounds, simulator, random);
        plan.change(nodes, configs);
      } else {
        plan.revert();
        plan.change(nodes, configs);
      }
    }
    bool finished = uniform(random, 0, 3) > 0;
    if (finished) {
      plan.finish();
      ASSERT_LE(load, simulator.makespan());
      ASSERT_LE(bound, simulator.makespan());
      ASSERT_EQ(plan.getStrategy(), next);
      check(plan, bounds, simulator, random);
    }
    if (finished && uniform(random, 0, 1)) {
      plan.commit();
      kept = next;
    } else {
      plan.revert();
      ASSERT_EQ(plan.getStrategy(), kept);
    }
    check(plan, bounds, simulator, random);
  }
}

/// Proposals are decided as from nothing, whatever was kept or undone before.
void checkProposals(uint64_t seed, bool restores = false) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  Planned planned(seed, 24, restores);
  auto &[random, problem, topology, cost, plan, bounds] = planned;
  // Few tasks between checkpoints: parts of timelines are reused.
  DeltaSimulator simulator(plan, bounds,
                           static_cast<int>(uniform(random, 1, 12)));
  StrategySimulator fresh(plan);
  plan.set(problem.strategy);
  int64_t makespanNs = simulator.start();
  ASSERT_EQ(makespanNs, fresh.makespan());
  for (int step = 0; step < 20; ++step) {
    auto [nodes, configs] = randomChange(random, problem, [&] {
      return uniform(random, 0,
                     static_cast<int64_t>(problem.strategy.size())) <= 1;
    });
    plan.change(nodes, configs);
    plan.finish();
    int64_t expected = fresh.makespan();
    plan.revert();
    // No limit, around the answer, or so close that any task that is missing
    // or too early is noticed.
    int64_t slack = expected / (uniform(random, 0, 1) ? 4 : 64),
            limit = uniform(random, 0, 3) == 0
                        ? std::numeric_limits<int64_t>::max()
                        : expected + uniform(random, -slack, slack);
    plan.change(nodes, configs);
    if (uniform(random, 0, 1))
      bounds.boundNs();
    int64_t actual = simulator.propose(limit);
    if (expected > limit) {
      ASSERT_GT(actual, limit);
      plan.revert();
      continue;
    }
    ASSERT_EQ(actual, expected);
    ASSERT_EQ(fresh.makespan(), expected);
    // It knows the starts of all tasks, those before its first difference, too.
    std::vector<TaskQueue::Entry> starts, freshStarts;
    simulator.starts(starts);
    fresh.starts(freshStarts);
    if (!restores) {
      using Detail = PlanMemoryBound::Detail;
      PlanMemoryBound memory(plan);
      std::vector<int64_t> rough =
                               memory.boundBytes(starts, Detail::LargeValues),
                           exact = memory.boundBytes(starts, Detail::AllValues),
                           peak = peakBytes(plan);
      for (size_t d = 0; d < peak.size(); ++d) {
        ASSERT_GE(exact[d], peak[d]);
        ASSERT_GE(rough[d], exact[d]);
        ASSERT_LE(rough[d], plan.tileBytes()[d]);
      }
      bool fits = plan.getCost().getTopology().excessBytes(rough) == 0;
      ASSERT_EQ(memory.boundBytes(starts), fits ? rough : exact);
    }
    ASSERT_EQ(PlanMemory(plan).peakBytes(starts), peakBytes(plan));
    ASSERT_EQ(starts.size(), freshStarts.size());
    std::sort(freshStarts.begin(), freshStarts.end());
    for (size_t t = 0; t < starts.size(); ++t) {
      ASSERT_EQ(starts[t].readyNs, freshStarts[t].readyNs);
      ASSERT_EQ(starts[t].key, freshStarts[t].key);
    }
    if (uniform(random, 0, 2) == 0) {
      plan.revert();
      continue;
    }
    simulator.commit();
    plan.commit();
  }
}

TEST(DeltaSimulator, ProposalsAreDecidedAsFromNothing) {
  for (uint64_t seed = 0; seed < 600 && !HasFatalFailure(); ++seed)
    checkProposals(seed);
}

TEST(StrategyPlan, ChangesEqualFreshPlans) {
  for (uint64_t seed = 0; seed < 400 && !HasFatalFailure(); ++seed)
    checkChain(seed);
}

TEST(StrategyPlan, RestoresEqualFreshPlans) {
  for (uint64_t seed = 0; seed < 150 && !HasFatalFailure(); ++seed)
    checkChain(seed, true);
}

TEST(StrategyPlan, DelaysEqualFreshPlans) {
  for (uint64_t seed = 0; seed < 100 && !HasFatalFailure(); ++seed)
    checkChain(seed, true, true);
}

TEST(DeltaSimulator, ProposalsWithRestoresAreDecidedAsFromNothing) {
  for (uint64_t seed = 0; seed < 100 && !HasFatalFailure(); ++seed)
    checkProposals(seed, true);
}

/// A tensor-parallel perceptron: fc1 reads relu0's samples-cut output whole.
struct ReuseCase {
  test::Mlp mlp = test::makeMlp(64, {32, 64, 48});
  Topology topology = *builtinTopology("cpu-4");
  CostModel cost{topology};
  int value = -1; ///< that is re-sharded

  ReuseCase() {
    for (size_t v = 0; v < mlp.graph.values.size(); ++v)
      if (mlp.graph.values[v].name == "relu0.out")
        value = static_cast<int>(v);
  }
  /// Samples of the first layer, columns of the second one are split.
  Strategy strategy() const {
    Strategy result;
    for (const GraphNode &node : mlp.graph.nodes) {
      bool second = node.whole.name.find('1') != std::string::npos;
      Config config = Config::single(node.whole.space);
      int loop = node.whole.space.findLoop(second ? "k" : "n");
      if (loop >= 0) {
        config.degrees[loop] = 4;
        config.devices = {0, 1, 2, 3};
      }
      result.push_back(std::move(config));
    }
    return result;
  }
};

TEST(StrategyPlan, BoundsOfRefusedProposalsAreForgotten) {
  test::Mlp mlp = test::makeMlp(256, std::vector<int64_t>(7, 1024));
  Topology topology = *builtinTopology("cpu-4");
  CostModel cost(topology);
  StrategyPlan plan(mlp.graph, cost);
  MakespanBounds bounds(plan);
  StrategySimulator simulator(plan, &bounds);
  Strategy strategy;
  for (const GraphNode &node : mlp.graph.nodes) {
    Config config = Config::single(node.whole.space);
    for (size_t l = 0; l < node.whole.space.loops.size(); ++l)
      if (node.whole.space.loops[l].type == IteratorType::Parallel) {
        config.degrees[l] = 4;
        config.devices = {0, 1, 2, 3};
        break;
      }
    strategy.push_back(std::move(config));
  }
  plan.set(strategy);
  // Nearly all on one device: far above the limit.
  std::vector<int> nodes;
  std::vector<Config> configs;
  for (size_t n = 1; n < strategy.size(); ++n) {
    nodes.push_back(static_cast<int>(n));
    configs.push_back(Config::single(mlp.graph.nodes[n].whole.space));
  }
  int node = 0;
  Config config = strategy[0];
  std::swap(config.devices[0], config.devices[1]);
  plan.change({&node, 1}, {&config, 1});
  plan.finish();
  int64_t limitNs = simulator.makespan();
  plan.revert();
  plan.change(nodes, configs);
  ASSERT_GT(bounds.boundNs(limitNs), limitNs);
  plan.revert();
  plan.change({&node, 1}, {&config, 1});
  EXPECT_TRUE(plan.finish(limitNs));
}

TEST(StrategyPlan, KeptFormsFreeTheOther) {
  ReuseCase both;
  ReuseCase before;
  ASSERT_FALSE(checkKeep(before.mlp.graph, before.value, Keep::Before));
  restoreValue(before.mlp.graph, before.value, Keep::Before);
  StrategyPlan plan(both.mlp.graph, both.cost),
      again(before.mlp.graph, before.cost);
  plan.set(both.strategy());
  again.set(before.strategy());
  // Each device gathers the rows of the other three, once or twice.
  auto moved = [](const StrategyPlan &p, int value) {
    int64_t bytes = 0;
    for (const PlannedTask &task : p.valuePlan(value).tasks)
      bytes += task.bytes;
    return bytes;
  };
  int restored = before.mlp.graph.restores[0].value;
  EXPECT_EQ(moved(plan, both.value), 4 * 48 * 64 * 4);
  EXPECT_EQ(moved(again, before.value), 4 * 48 * 64 * 4);
  EXPECT_EQ(moved(again, restored), 4 * 48 * 64 * 4);
  // No row comes back before the gradient of the second layer is there.
  StrategySimulator simulator(again);
  std::vector<std::vector<TaskTimes>> times;
  simulator.timeline(times);
  int64_t earliest = INT64_MAX, gradient = INT64_MAX;
  for (const TaskTimes &time : times[again.blockOf(restored)])
    earliest = std::min(earliest, time.startNs);
  for (const StrategyPlan::Slot &slot : again.getSlots())
    if (slot.kernel->name == "relu1.input_grad")
      for (const TaskTimes &time : times[slot.block])
        gradient = std::min(gradient, time.endNs);
  EXPECT_GE(earliest, gradient);
}

TEST(Reuse, SaysWhyNot) {
  ReuseCase p;
  Graph &graph = p.mlp.graph;
  auto message = [&](const std::string &name, Keep keep) {
    for (size_t v = 0; v < graph.values.size(); ++v)
      if (graph.values[v].name == name)
        if (auto error = checkKeep(graph, static_cast<int>(v), keep))
          return error->message.substr(error->message.find(": ") + 2);
    return std::string();
  };
  EXPECT_EQ(message("relu0.out", Keep::Both), "");
  EXPECT_EQ(message("w1", Keep::Before), "");
  EXPECT_EQ(message("w1", Keep::After),
            "an argument is there as it is given, expected 'before'");
  EXPECT_EQ(message("x", Keep::Before),
            "an argument without a place is wherever it is read");
  EXPECT_EQ(message("fc1.input_grad.out", Keep::Before),
            "it is not of the forward pass");
  EXPECT_EQ(message("relu1.out", Keep::Before),
            "no op of the forward pass reads it");
  EXPECT_EQ(message("fc1.out", Keep::Before),
            "no op of the backward pass that waits for another one there reads "
            "it first");
  restoreValue(graph, p.value, Keep::After);
  EXPECT_EQ(message("relu0.out", Keep::Before), "that is decided already");
  EXPECT_EQ(message("relu0.out'again", Keep::Before),
            "it is made again itself");
}

} // namespace
