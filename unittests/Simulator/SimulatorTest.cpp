//===- SimulatorTest.cpp - Simulation against a naive reference -----------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Algorithm 1 written down once more, without a queue, on random task graphs
// full of ties; and the invariants of schedules, memory and files on plans of
// real graphs.
//
//===----------------------------------------------------------------------===//

#include "Soap/Memory/PeakMemory.h"
#include "Soap/Simulator/Algorithm1Simulator.h"
#include "Soap/Simulator/Timeline.h"
#include "Support/Graphs.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <set>

using namespace soap;
using namespace soap::test;

/// The definition: of all tasks whose predecessors are done, the one with the
/// smallest (deferred, ready, key) goes next. Quadratic.
static int64_t simulateNaively(TaskGraph &graph) {
  std::vector<bool> done(graph.tasks.size());
  std::vector<int64_t> free(graph.resources.size());
  graph.makespanNs = 0;
  for (size_t step = 0; step < graph.tasks.size(); ++step) {
    int best = -1;
    for (size_t t = 0; t < graph.tasks.size(); ++t) {
      Task &task = graph.tasks[t];
      if (done[t] || !std::all_of(task.preds.begin(), task.preds.end(),
                                  [&](int p) { return done[p]; }))
        continue;
      task.readyNs = 0;
      for (int p : task.preds)
        task.readyNs = std::max(task.readyNs, graph.tasks[p].endNs);
      auto place = [](const Task &t) {
        return std::tuple(t.deferred, t.readyNs, t.key);
      };
      if (best < 0 || place(task) < place(graph.tasks[best]))
        best = static_cast<int>(t);
    }
    Task &task = graph.tasks[best];
    task.startNs = task.readyNs;
    for (int r : task.resources)
      task.startNs = std::max(task.startNs, free[r]);
    task.endNs = task.startNs + task.durationNs;
    for (int r : task.resources)
      free[r] = task.endNs;
    done[best] = true;
    graph.makespanNs = std::max(graph.makespanNs, task.endNs);
  }
  return graph.makespanNs;
}

/// Short durations: most ready times tie.
static TaskGraph randomTaskGraph(Random &random) {
  TaskGraph graph;
  graph.resources.resize(random(1, 6));
  int64_t longest = random(1, 4), count = random(0, 60);
  std::vector<int64_t> keys(count);
  std::iota(keys.begin(), keys.end(), 0);
  std::shuffle(keys.begin(), keys.end(), random.engine);
  for (int64_t t = 0; t < count; ++t) {
    Task task;
    task.durationNs = random(1, longest);
    task.key = {keys[t] % 3, keys[t], 0};
    for (size_t r = 0; r < graph.resources.size(); ++r)
      if (random.chance(30))
        task.resources.push_back(static_cast<int>(r));
    for (int64_t p = 0; p < t; ++p)
      if (random.chance(8))
        task.preds.push_back(static_cast<int>(p));
    // A deferred task has only deferred successors.
    task.deferred = random.chance(10);
    for (int pred : task.preds)
      task.deferred |= graph.tasks[pred].deferred;
    graph.tasks.push_back(std::move(task));
  }
  return graph;
}

static void expectSameTimes(const TaskGraph &a, const TaskGraph &b) {
  ASSERT_EQ(a.makespanNs, b.makespanNs);
  for (size_t t = 0; t < a.tasks.size(); ++t) {
    ASSERT_EQ(a.tasks[t].readyNs, b.tasks[t].readyNs) << t;
    ASSERT_EQ(a.tasks[t].startNs, b.tasks[t].startNs) << t;
    ASSERT_EQ(a.tasks[t].endNs, b.tasks[t].endNs) << t;
  }
}

static void expectTopological(const TaskGraph &graph,
                              const std::vector<int> &order) {
  std::vector<int> position(graph.tasks.size(), -1);
  for (size_t p = 0; p < order.size(); ++p)
    position[order[p]] = static_cast<int>(p);
  for (size_t t = 0; t < graph.tasks.size(); ++t) {
    ASSERT_GE(position[t], 0);
    for (int pred : graph.tasks[t].preds)
      ASSERT_LT(position[pred], position[t]);
  }
}

TEST(Simulator, EqualsNaiveReference) {
  Random random(10);
  for (int round = 0; round < 1500; ++round) {
    SCOPED_TRACE(random.trace(round));
    TaskGraph graph = randomTaskGraph(random), reference = graph;
    simulateFull(graph);
    simulateNaively(reference);
    expectSameTimes(graph, reference);
    if (HasFatalFailure())
      return;
    expectTopological(graph, scheduleOrder(graph));
    if (HasFatalFailure())
      return;
  }
}

TEST(Simulator, InsertionOrderDoesNotMatter) {
  Random random(11);
  for (int round = 0; round < 500; ++round) {
    SCOPED_TRACE(random.trace(round));
    TaskGraph graph = randomTaskGraph(random), shuffled;
    std::vector<int> place(graph.tasks.size());
    std::iota(place.begin(), place.end(), 0);
    std::shuffle(place.begin(), place.end(), random.engine);
    shuffled.resources = graph.resources;
    shuffled.tasks.resize(graph.tasks.size());
    for (size_t t = 0; t < place.size(); ++t) {
      Task &task = shuffled.tasks[place[t]];
      task = graph.tasks[t];
      for (int &pred : task.preds)
        pred = place[pred];
      std::sort(task.preds.begin(), task.preds.end());
    }
    ASSERT_EQ(simulateFull(graph), simulateFull(shuffled));
    for (size_t t = 0; t < place.size(); ++t)
      ASSERT_EQ(graph.tasks[t].startNs, shuffled.tasks[place[t]].startNs);
    std::vector<int> order = scheduleOrder(graph);
    for (int &t : order)
      t = place[t];
    ASSERT_EQ(order, scheduleOrder(shuffled));
  }
}

TEST(Simulator, RepeatsItself) {
  Random random(12);
  TaskGraph graph = randomTaskGraph(random), copy = graph;
  simulateFull(graph);
  simulateFull(graph); // leaves nothing behind
  simulateFull(copy);
  expectSameTimes(graph, copy);
}

//===----------------------------------------------------------------------===//
// On plans
//===----------------------------------------------------------------------===//

static Topology cpu(int count) {
  return *builtinTopology("cpu-" + std::to_string(count));
}

TEST(TaskGraph, OfRandomStrategies) {
  Random random(13);
  for (int round = 0; round < 150; ++round) {
    SCOPED_TRACE(random.trace(round));
    int devices = random(1, 6);
    Topology topology = cpu(devices);
    Mlp mlp =
        makeMlp(random(1, 9), {random(1, 8), random(1, 70), random(1, 5)});
    Strategy strategy = randomStrategy(random, mlp.graph, devices);
    Plan plan = buildPlan(mlp.graph, strategy, topology);
    TaskGraph graph = buildTaskGraph(mlp.graph, plan, CostModel(topology));
    ASSERT_EQ(graph.tasks.size() + 1, plan.taskStart.size());
    std::set<std::string> names;
    std::set<TaskKey> keys;
    for (size_t t = 0; t < graph.tasks.size(); ++t) {
      const Task &task = graph.tasks[t];
      ASSERT_TRUE(names.insert(task.name).second) << task.name;
      ASSERT_TRUE(keys.insert(task.key).second) << task.name;
      ASSERT_GE(task.durationNs, 1);
      ASSERT_FALSE(task.resources.empty());
      ASSERT_EQ(task.kind == "transfer", task.bytes > 0);
      for (int pred : task.preds)
        ASSERT_LT(pred, static_cast<int>(t));
    }
    TaskGraph unnamed =
                  buildTaskGraph(mlp.graph, plan, CostModel(topology), false),
              reference = graph;
    simulateFull(graph);
    simulateFull(unnamed);
    simulateNaively(reference);
    expectSameTimes(graph, reference);
    expectSameTimes(graph, unnamed);
    if (HasFatalFailure())
      return;
    expectTopological(graph, scheduleOrder(graph));
    if (HasFatalFailure())
      return;
    int64_t total = 0, between = 0;
    for (const Task &task : graph.tasks)
      total += task.bytes;
    for (const std::vector<int64_t> &row : transferBytes(graph, devices))
      for (int64_t bytes : row)
        between += bytes;
    ASSERT_EQ(total, between);
  }
}

TEST(TaskGraph, DataParallelOnTwoDevices) {
  Topology topology = cpu(2);
  Mlp mlp = makeMlp(8, {64, 64});
  Strategy strategy;
  for (size_t n = 0; n < mlp.graph.nodes.size(); ++n) {
    const IterationSpace &space = mlp.graph.nodes[n].whole.space;
    Config config = Config::single(space);
    int sample = space.findLoop("n");
    if (sample >= 0)
      config.degrees[sample] = 2;
    else
      config.replicas = 2;
    config.devices = {0, 1};
    strategy.push_back(config);
  }
  Plan plan = buildPlan(mlp.graph, strategy, topology);
  TaskGraph graph = buildTaskGraph(mlp.graph, plan, CostModel(topology));
  // The gradient of 64 x 64 floats is reduced and gathered in halves, both
  // ways; the output is gathered on device 0.
  int64_t half = 64 * 64 * 4 / 2;
  std::vector<std::vector<int64_t>> bytes = transferBytes(graph, 2);
  EXPECT_EQ(bytes[0][1], 2 * half);
  EXPECT_EQ(bytes[1][0], 2 * half + 4 * 64 * 4);
  std::map<std::string, int> kinds;
  for (const Task &task : graph.tasks)
    ++kinds[task.kind];
  EXPECT_EQ(kinds["matmul"], 4);
  EXPECT_EQ(kinds["sgd"], 2);
  EXPECT_EQ(kinds["combine"], 2);
  EXPECT_EQ(kinds["transfer"], 5);
  // A local copy occupies the link and the receiver.
  for (const Task &task : graph.tasks)
    if (task.kind == "transfer") {
      EXPECT_EQ(task.resources.size(), 2u);
      EXPECT_EQ(task.resources[0], task.device);
      EXPECT_TRUE(graph.resources[task.resources[1]].isLink);
    }
}

/// Everything that can be reached from `task`, and itself.
static void collectReachable(const std::vector<std::vector<int>> &successors,
                             int task, std::set<int> &reached) {
  if (reached.insert(task).second)
    for (int next : successors[task])
      collectReachable(successors, next, reached);
}

TEST(TaskGraph, CopiesForUpdatesAreDeferred) {
  Random random(16);
  int deferred = 0, overlapped = 0;
  for (int round = 0; round < 60; ++round) {
    SCOPED_TRACE(random.trace(round));
    int devices = random(1, 4);
    Topology topology = cpu(devices);
    bool links = random.chance(30); // that need no receiver
    if (links)
      topology.deviceTypes[0].copiesOccupyReceiver = false;
    Mlp mlp = makeMlp(random(1, 9), {random(1, 8), random(1, 70), 5});
    Plan plan = buildPlan(mlp.graph, randomStrategy(random, mlp.graph, devices),
                          topology);
    TaskGraph graph = buildTaskGraph(mlp.graph, plan, CostModel(topology));
    auto kindOf = [&](size_t t) {
      return plan.actions[plan.taskStart[t]].kind;
    };
    // The definition, by following all paths.
    std::set<int> updating;
    for (const std::vector<int> &buffers : plan.updates)
      for (int buffer : buffers)
        updating.insert(plan.actions[plan.buffers[buffer].action].task);
    std::vector<std::vector<int>> successors(graph.tasks.size());
    for (size_t t = 0; t < graph.tasks.size(); ++t)
      for (int pred : graph.tasks[t].preds)
        successors[pred].push_back(static_cast<int>(t));
    std::function<bool(int)> isForUpdates = [&](int t) {
      if (kindOf(t) != ActionKind::Compute)
        return false;
      return updating.count(t) == 1 ||
             (!successors[t].empty() &&
              std::all_of(successors[t].begin(), successors[t].end(),
                          isForUpdates));
    };
    auto isFollowedByNoKernel = [&](int t) {
      std::set<int> reached;
      collectReachable(successors, t, reached);
      return std::all_of(reached.begin(), reached.end(), [&](int r) {
        return kindOf(r) != ActionKind::Compute || isForUpdates(r);
      });
    };
    std::set<int> expected;
    for (size_t t = 0; t < graph.tasks.size(); ++t) {
      const Task &task = graph.tasks[t];
      int id = static_cast<int>(t);
      if (task.kind == "transfer" && !links && isFollowedByNoKernel(id))
        collectReachable(successors, id, expected);
    }
    simulateFull(graph);
    std::vector<int64_t> end(graph.resources.size());
    for (const Task &task : graph.tasks)
      if (!task.deferred)
        for (int r : task.resources)
          end[r] = std::max(end[r], task.endNs);
    for (size_t t = 0; t < graph.tasks.size(); ++t) {
      const Task &task = graph.tasks[t];
      ASSERT_EQ(task.deferred, expected.count(static_cast<int>(t)) == 1)
          << task.name;
      overlapped += task.kind == "sgd" && !task.deferred;
      deferred += task.deferred;
      if (task.deferred)
        for (int r : task.resources)
          ASSERT_GE(task.startNs, end[r]) << task.name;
    }
  }
  EXPECT_GT(deferred, 0);
  EXPECT_GT(overlapped, 0);
}

TEST(TaskGraph, FileReplays) {
  Random random(14);
  for (int round = 0; round < 20; ++round) {
    SCOPED_TRACE(random.trace(round));
    Topology topology = cpu(4);
    Mlp mlp = makeMlp(6, {5, 40, 3});
    mlp.graph.values[0].name = "quote\" and \\ and \n";
    Plan plan =
        buildPlan(mlp.graph, randomStrategy(random, mlp.graph, 4), topology);
    TaskGraph graph = buildTaskGraph(mlp.graph, plan, CostModel(topology));
    simulateFull(graph);
    nlohmann::json file = nlohmann::json::parse(printTaskGraph(graph));
    EXPECT_EQ(file["version"], 1);
    EXPECT_EQ(file["unit"], "ns");
    // A reader can replay Algorithm 1 from the file alone.
    TaskGraph replay;
    for (const nlohmann::json &resource : file["resources"])
      replay.resources.push_back(
          {resource["name"], resource["kind"] == "link"});
    for (const nlohmann::json &entry : file["tasks"]) {
      Task task;
      ASSERT_EQ(entry["id"], replay.tasks.size());
      task.resources = entry["resources"].get<std::vector<int>>();
      task.durationNs = entry["duration"];
      task.preds = entry["preds"].get<std::vector<int>>();
      task.key = entry["key"].get<TaskKey>();
      task.deferred = entry.value("deferred", false);
      replay.tasks.push_back(task);
    }
    simulateNaively(replay);
    expectSameTimes(graph, replay);
    ASSERT_EQ(file["makespan"], graph.makespanNs);
    for (size_t t = 0; t < graph.tasks.size(); ++t) {
      ASSERT_EQ(file["tasks"][t]["start"], graph.tasks[t].startNs);
      ASSERT_EQ(file["tasks"][t]["end"], graph.tasks[t].endNs);
      ASSERT_EQ(file["tasks"][t]["name"], graph.tasks[t].name);
    }

    nlohmann::json trace = nlohmann::json::parse(printChromeTrace(graph));
    size_t slices = 0, expected = 0;
    for (const nlohmann::json &event : trace["traceEvents"])
      slices += event["ph"] == "X";
    for (const Task &task : graph.tasks)
      expected += task.resources.size();
    EXPECT_EQ(slices, expected);
  }
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Live bytes recomputed from nothing at every step.
static std::vector<int64_t> peakNaively(const Graph &graph, const Plan &plan,
                                        const std::vector<int> &order,
                                        int deviceCount) {
  std::vector<int> first(plan.buffers.size(), -1),
      last(plan.buffers.size(), -1);
  int steps = static_cast<int>(order.size());
  for (int p = 0; p < steps; ++p) {
    const Action &action = plan.actions[order[p]];
    for (int b : action.outputs)
      first[b] = last[b] = p;
  }
  for (int p = 0; p < steps; ++p)
    for (int b : plan.actions[order[p]].inputs)
      if (b >= 0)
        last[b] = std::max(last[b], p);
  std::set<int> ends, inPlace;
  for (const PlanOutput &output : plan.outputs)
    ends.insert(output.buffers.begin(), output.buffers.end());
  for (const std::vector<int> &updates : plan.updates)
    inPlace.insert(updates.begin(), updates.end());
  std::vector<int64_t> peak(deviceCount);
  for (int p = 0; p < std::max(steps, 1); ++p) {
    std::vector<int64_t> live(deviceCount);
    for (size_t b = 0; b < plan.buffers.size(); ++b) {
      const Buffer &buffer = plan.buffers[b];
      int id = static_cast<int>(b);
      bool alive = buffer.action < 0 ||
                   (!inPlace.count(id) && first[b] >= 0 && first[b] <= p &&
                    (last[b] >= p || ends.count(id)));
      if (alive)
        live[buffer.device] +=
            buffer.region.volume() * graph.values[buffer.value].elementBytes;
    }
    if (p < steps && plan.actions[order[p]].kind == ActionKind::Transfer) {
      const Action &action = plan.actions[order[p]];
      const Buffer &message = plan.buffers[action.outputs[0]];
      live[action.sourceDevice] +=
          message.region.volume() * graph.values[message.value].elementBytes;
    }
    for (int d = 0; d < deviceCount; ++d)
      peak[d] = std::max(peak[d], live[d]);
  }
  return peak;
}

TEST(Memory, EqualsNaiveReference) {
  Random random(15);
  for (int round = 0; round < 60; ++round) {
    SCOPED_TRACE(random.trace(round));
    int devices = random(1, 5);
    Topology topology = cpu(devices);
    Mlp mlp =
        makeMlp(random(1, 9), {random(1, 8), random(1, 40), random(1, 5)});
    Plan plan = buildPlan(mlp.graph, randomStrategy(random, mlp.graph, devices),
                          topology);
    TaskGraph graph =
        buildTaskGraph(mlp.graph, plan, CostModel(topology), false);
    simulateFull(graph);
    std::vector<int> order = actionOrder(plan, scheduleOrder(graph));
    ASSERT_EQ(peakBytes(mlp.graph, plan, order, devices),
              peakNaively(mlp.graph, plan, order, devices));
  }
}

TEST(Memory, SingleDevice) {
  Topology topology = cpu(1);
  Mlp mlp = makeMlp(2, {3, 4});
  Strategy strategy;
  for (const GraphNode &node : mlp.graph.nodes)
    strategy.push_back(Config::single(node.whole.space));
  Plan plan = buildPlan(mlp.graph, strategy, topology);
  TaskGraph graph = buildTaskGraph(mlp.graph, plan, CostModel(topology));
  simulateFull(graph);
  int64_t inputs = (2 * 3 + 3 * 4 + 2 * 4) * 4;
  // fc0.out, relu0.out (an output) and relu0's gradient live at once; then the
  // weight gradient beside relu0.out and that gradient.
  EXPECT_EQ(
      peakBytes(mlp.graph, plan, actionOrder(plan, scheduleOrder(graph)), 1),
      (std::vector<int64_t>{inputs + std::max(3 * 8, 8 + 8 + 12) * 4}));
}
