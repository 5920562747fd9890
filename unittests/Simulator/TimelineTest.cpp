//===- TimelineTest.cpp - What a simulated timeline says ------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Critical paths and exposed communication by hand and on random graphs, kinds
// of tensors, memory over time beside peaks.
//
//===----------------------------------------------------------------------===//

#include "Soap/Simulator/Timeline.h"
#include "Soap/Memory/PeakMemory.h"
#include "Soap/Simulator/Algorithm1Simulator.h"
#include "Support/Graphs.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace soap;
using namespace soap::test;

static Task task(const std::string &name, const std::string &kind, int device,
                 std::vector<int> resources, int64_t ns, std::vector<int> preds,
                 int64_t key) {
  Task task;
  task.name = name;
  task.kind = kind;
  task.device = device;
  task.resources = std::move(resources);
  task.durationNs = ns;
  task.preds = std::move(preds);
  task.key = {key};
  return task;
}

/// Two devices and a link; 0 computes while a gradient is on the way to 1.
static TaskGraph smallGraph() {
  TaskGraph graph;
  graph.resources = {{"a", false}, {"b", false}, {"a->b", true}};
  graph.tasks = {task("x[0]", "matmul", 0, {0}, 10, {}, 0),
                 task("x.out:0>1#1.1", "transfer", 1, {2}, 20, {0}, 1),
                 task("y[0]", "matmul", 0, {0}, 12, {0}, 2),
                 task("x.out:assemble@1#1.2", "assemble", 1, {1}, 3, {1}, 3),
                 task("y[1]", "matmul", 1, {1}, 7, {3}, 4),
                 task("z[0]", "fill", 1, {1}, 33, {}, 5)};
  graph.tasks[1].sourceDevice = 0;
  simulateFull(graph);
  return graph;
}

TEST(Timeline, CriticalPathByHand) {
  TaskGraph graph = smallGraph();
  // `z` holds device 1 until 33, where the assemble waits since 30.
  EXPECT_EQ(graph.makespanNs, 43);
  EXPECT_EQ(criticalPath(graph), (std::vector<int>{5, 3, 4}));
  std::vector<PathStretch> path = stretchesOf(graph, criticalPath(graph));
  ASSERT_EQ(path.size(), 3u);
  EXPECT_EQ(path[0].subject, "z");
  EXPECT_EQ(path[0].taskClass, TaskClass::Movement);
  EXPECT_EQ(path[1].subject, "x.out");
  EXPECT_EQ(path[1].startNs, 33);
  EXPECT_EQ(path[1].endNs, 36);
  EXPECT_EQ(path[1].queuedNs, 3);
  EXPECT_EQ(path[2].subject, "y");
  EXPECT_EQ(path[2].taskClass, TaskClass::Compute);

  graph.tasks[5].durationNs = 1;
  simulateFull(graph);
  EXPECT_EQ(criticalPath(graph), (std::vector<int>{0, 1, 3, 4}));
}

TEST(Timeline, DevicesByHand) {
  TaskGraph graph = smallGraph();
  std::vector<DeviceTimes> times = deviceTimes(graph, 2);
  EXPECT_EQ(times[0].computeNs, 22);
  EXPECT_EQ(times[0].movementNs, 0);
  EXPECT_EQ(times[0].communicationNs, 20);
  EXPECT_EQ(times[0].exposedNs, 8); // from 22 to 30
  EXPECT_EQ(times[1].computeNs, 7);
  EXPECT_EQ(times[1].movementNs, 36);
  EXPECT_EQ(times[1].communicationNs, 20);
  EXPECT_EQ(times[1].exposedNs, 0);
}

/// A path without gaps that ends with the last task, whatever the graph; times
/// of devices against counting nanosecond by nanosecond.
TEST(Timeline, RandomStrategies) {
  Random random(71);
  for (int round = 0; round < 30; ++round) {
    SCOPED_TRACE(random.trace(round));
    int devices = random(1, 4);
    const char *const kinds[] = {"cpu-", "p100-1x", "k80-1x"};
    Topology topology =
        *builtinTopology(kinds[random(0, 2)] + std::to_string(devices));
    Mlp mlp = makeMlp(random(1, 9), {random(1, 9), random(1, 9), 4});
    Plan plan = buildPlan(mlp.graph, randomStrategy(random, mlp.graph, devices),
                          topology);
    TaskGraph graph = buildTaskGraph(mlp.graph, plan, CostModel(topology));
    for (Task &task : graph.tasks) // many ties, few nanoseconds
      task.durationNs = random(1, 9);
    simulateFull(graph);

    std::vector<int> path = criticalPath(graph);
    ASSERT_FALSE(path.empty());
    EXPECT_EQ(graph.tasks[path[0]].startNs, 0);
    EXPECT_EQ(graph.tasks[path.back()].endNs, graph.makespanNs);
    for (size_t i = 1; i < path.size(); ++i) {
      const Task &before = graph.tasks[path[i - 1]],
                 &after = graph.tasks[path[i]];
      EXPECT_EQ(before.endNs, after.startNs);
      bool depends =
          std::count(after.preds.begin(), after.preds.end(), path[i - 1]) > 0;
      bool shares = std::any_of(
          after.resources.begin(), after.resources.end(), [&](int r) {
            return std::count(before.resources.begin(), before.resources.end(),
                              r) > 0;
          });
      EXPECT_TRUE(depends || shares);
    }

    std::vector<DeviceTimes> times = deviceTimes(graph, devices);
    for (int device = 0; device < devices; ++device) {
      int64_t communication = 0, exposed = 0;
      for (int64_t ns = 0; ns < graph.makespanNs; ++ns) {
        bool any = false, own = false, works = false;
        for (const Task &task : graph.tasks) {
          if (ns < task.startNs || ns >= task.endNs)
            continue;
          bool transfer = task.sourceDevice >= 0 || !task.devices.empty();
          any |= transfer;
          own |= task.devices.empty()
                     ? transfer && (task.device == device ||
                                    task.sourceDevice == device)
                     : std::count(task.devices.begin(), task.devices.end(),
                                  device) > 0;
          works |= !transfer && task.device == device;
        }
        communication += own;
        exposed += any && !works;
      }
      EXPECT_EQ(times[device].communicationNs, communication);
      EXPECT_EQ(times[device].exposedNs, exposed);
    }
  }
}

TEST(Timeline, KindsOfTensors) {
  Mlp mlp = makeMlp(8, {6, 5, 4});
  std::vector<TensorKind> kinds = tensorKinds(mlp.graph);
  auto kind = [&](const std::string &name) {
    for (size_t v = 0; v < kinds.size(); ++v)
      if (mlp.graph.values[v].name == name)
        return std::string(tensorKindName(kinds[v]));
    return std::string("no such value");
  };
  EXPECT_EQ(kind("x"), "inputs");
  EXPECT_EQ(kind("w0"), "weights");
  EXPECT_EQ(kind("w1.new"), "weights");
  EXPECT_EQ(kind("fc0.out"), "activations");
  EXPECT_EQ(kind("relu1.out"), "activations");
  EXPECT_EQ(kind("relu1.input_grad.out"), "activation_gradients");
  EXPECT_EQ(kind("fc1.input_grad.out"), "activation_gradients");
  EXPECT_EQ(kind("fc0.weight_grad.out"), "weight_gradients");

  // Samples split: nothing but gradients of weights moves.
  Topology topology = *builtinTopology("cpu-2");
  Strategy strategy;
  for (size_t n = 0; n < mlp.graph.nodes.size(); ++n) {
    const IterationSpace &space = mlp.graph.nodes[n].whole.space;
    Config config = Config::single(space);
    bool samples = false;
    for (size_t l = 0; l < space.loops.size(); ++l)
      if (mlp.roles[n][l] == Role::Sample) {
        config.degrees[l] = 2;
        samples = true;
      }
    config.replicas = samples ? 1 : 2;
    config.devices = {0, 1};
    strategy.push_back(config);
  }
  Plan plan = buildPlan(mlp.graph, strategy, topology);
  auto bytes = bytesByKind(kinds, mlp.graph, plan);
  int64_t weights = (6 * 5 + 5 * 4) * 4;
  EXPECT_EQ(bytes[static_cast<int>(TensorKind::WeightGradient)], 2 * weights);
  EXPECT_EQ(bytes[static_cast<int>(TensorKind::Weight)], 0);
  EXPECT_EQ(bytes[static_cast<int>(TensorKind::ActivationGradient)], 0);
}

TEST(Timeline, MemoryOverTime) {
  Random random(72);
  for (int round = 0; round < 60; ++round) {
    SCOPED_TRACE(random.trace(round));
    int devices = random(1, 4);
    Topology topology = *builtinTopology(
        (random.chance(50) ? "cpu-" : "p100-1x") + std::to_string(devices));
    Mlp mlp = makeMlp(random(1, 9), {random(1, 9), random(1, 9), 4});
    Plan plan = buildPlan(mlp.graph, randomStrategy(random, mlp.graph, devices),
                          topology);
    TaskGraph graph = buildTaskGraph(mlp.graph, plan, CostModel(topology));
    simulateFull(graph);
    std::vector<int> order = scheduleOrder(graph);
    std::vector<int64_t> peak =
        peakBytes(mlp.graph, plan, actionOrder(plan, order), devices);
    auto memory = memoryOverTime(mlp.graph, plan, graph, order, devices);
    ASSERT_EQ(memory.size(), peak.size());
    for (int device = 0; device < devices; ++device) {
      ASSERT_FALSE(memory[device].empty());
      EXPECT_EQ(memory[device][0].timeNs, 0);
      int64_t most = 0, last = -1;
      for (const MemoryPoint &point : memory[device]) {
        EXPECT_GT(point.timeNs, last);
        EXPECT_LE(point.timeNs, graph.makespanNs);
        last = point.timeNs;
        most = std::max(most, point.bytes);
      }
      EXPECT_EQ(most, peak[device]);
    }
  }
}

TEST(Timeline, EmptyGraph) {
  TaskGraph graph;
  graph.resources = {{"a", false}};
  simulateFull(graph);
  EXPECT_TRUE(criticalPath(graph).empty());
  EXPECT_EQ(deviceTimes(graph, 1)[0].exposedNs, 0);
}
