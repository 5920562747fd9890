//===- RoundPipelineTest.cpp ----------------------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pipelines of random placements, contiguous or not, with stages that devices
// share: the greatest load is the pace of the simulation, and what devices hold
// is what a count over the simulated tasks says.
//
//===----------------------------------------------------------------------===//

#include "Soap/Pipeline/RoundPipeline.h"

#include "Support/Graphs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

using namespace soap;
using namespace soap::test;

namespace {

constexpr PipelineSchedule schedules[] = {
    PipelineSchedule::GPipe, PipelineSchedule::OneForwardOneBackward};

/// Stages of random groups in an order that edges follow, with or without a
/// backward pass that mirrors them; transfers take little.
RoundPipeline drawPipeline(uint64_t seed, int devices) {
  Random random(seed);
  RoundPipeline pipeline;
  pipeline.microbatches = 24;
  int next = 0;
  while (next < devices) {
    RoundGroup group;
    group.first = next;
    group.replicas = static_cast<int>(
        std::min<int64_t>(random(0, 2) ? 1 : random(1, 3), devices - next));
    group.weightBytes = random(0, 1000);
    group.gradientBytes = group.weightBytes / 2;
    group.updateNs = random(0, 1) * random(1, 1000000);
    next += group.replicas;
    pipeline.groups.push_back(group);
  }
  int count = static_cast<int>(random(1, 9));
  bool trains = random(0, 2) > 0;
  for (int pass = 0; pass <= trains; ++pass)
    for (int s = 0; s < count; ++s) {
      RoundStage stage;
      stage.backward = pass == 1;
      stage.group =
          stage.backward
              ? pipeline.stages[count - 1 - s].group
              : static_cast<int>(random(
                    0, static_cast<int64_t>(pipeline.groups.size()) - 1));
      stage.ns = random(200000, 3000000);
      stage.nodes = 1;
      pipeline.stages.push_back(stage);
    }
  auto connect = [&](int from, int to) {
    bool isSame = pipeline.stages[from].group == pipeline.stages[to].group;
    pipeline.edges.push_back({from, to, isSame ? 0 : random(1, 100)});
  };
  for (int s = 1; s < count; ++s)
    for (int from = 0; from < s; ++from)
      if (from == s - 1 || random(0, 3) == 0) {
        connect(from, s);
        if (trains)
          connect(2 * count - 1 - s, 2 * count - 1 - from);
      }
  for (int s = 0; trains && s < count; ++s) {
    connect(s, 2 * count - 1 - s);
    pipeline.activations.push_back(
        {pipeline.stages[s].group, random(1, 1000), s, 2 * count - 1 - s});
  }
  return pipeline;
}

/// Bytes of a device over all points in time, one by one.
int64_t countPeak(const RoundPipeline &pipeline, const RoundResult &result,
                  int device) {
  const RoundGroup *owner = nullptr;
  for (const RoundGroup &group : pipeline.groups)
    if (device >= group.first && device < group.first + group.replicas)
      owner = &group;
  std::map<std::string, const Task *> byName;
  for (const Task &task : result.tasks.tasks)
    byName[task.name] = &task;
  auto taskOf = [&](int stage, int64_t m) {
    return byName.at(
        "stage" + std::to_string(stage) +
        (pipeline.stages[stage].backward ? ".backward[" : ".forward[") +
        std::to_string(m) + "]");
  };
  int64_t most = 0;
  for (const Task &now : result.tasks.tasks) {
    int64_t held = 0;
    for (const RoundActivation &activation : pipeline.activations)
      if (&pipeline.groups[activation.group] == owner)
        for (int64_t m = device - owner->first; m < pipeline.microbatches;
             m += owner->replicas)
          if (taskOf(activation.from, m)->startNs <= now.startNs &&
              now.startNs < taskOf(activation.to, m)->endNs)
            held += activation.bytes;
    most = std::max(most, held);
  }
  return most + owner->weightBytes;
}

} // namespace

TEST(RoundPipeline, TheGreatestLoadIsThePace) {
  Topology topology = *builtinTopology("h100-1x8");
  int shared = 0;
  for (uint64_t seed = 0; seed < 60; ++seed)
    for (PipelineSchedule schedule : schedules) {
      SCOPED_TRACE(seed);
      RoundPipeline pipeline =
          drawPipeline(seed, 1 + static_cast<int>(seed % 6));
      RoundResult result = simulateRounds(pipeline, schedule, topology);
      // Loads of shared stages are mean values; and the pace is the difference
      // of two long iterations, which end in different ways.
      auto load = static_cast<double>(result.loadNs);
      EXPECT_NEAR(static_cast<double>(result.steadyNs), load, 1e-3 * load);
      // The greatest load, from the stages alone.
      std::vector<double> loads[2];
      for (std::vector<double> &list : loads)
        list.resize(pipeline.groups.size());
      for (const RoundStage &stage : pipeline.stages)
        loads[stage.backward && schedule == PipelineSchedule::GPipe]
             [stage.group] += static_cast<double>(stage.ns) /
                              pipeline.groups[stage.group].replicas;
      double expected = 0;
      for (const std::vector<double> &list : loads)
        expected += *std::max_element(list.begin(), list.end());
      EXPECT_NEAR(load, expected, 1.0);
      for (const RoundGroup &group : pipeline.groups)
        shared += group.replicas > 1;
    }
  EXPECT_GT(shared, 20);
}

TEST(RoundPipeline, ActivationsInFlightAreHeld) {
  Topology topology = *builtinTopology("h100-1x8");
  for (uint64_t seed = 500; seed < 512; ++seed)
    for (PipelineSchedule schedule : schedules) {
      SCOPED_TRACE(seed);
      RoundPipeline pipeline = drawPipeline(seed, 4);
      pipeline.microbatches = 7;
      RoundResult result = simulateRounds(pipeline, schedule, topology);
      for (int device = 0; device < 4; ++device)
        EXPECT_EQ(result.peakBytes[device],
                  countPeak(pipeline, result, device));
      if (schedule == PipelineSchedule::GPipe)
        for (const RoundActivation &activation : pipeline.activations)
          EXPECT_EQ(result.inFlight[activation.from],
                    (7 + pipeline.groups[activation.group].replicas - 1) /
                        pipeline.groups[activation.group].replicas);
    }
}

/// A pipeline of one device a stage, as both kinds describe it.
std::pair<Pipeline, RoundPipeline> drawContiguous(uint64_t seed) {
  Random random(seed);
  Pipeline pipeline;
  RoundPipeline rounds;
  pipeline.microbatches = rounds.microbatches = random(1, 24);
  int count = static_cast<int>(random(1, 6));
  for (int s = 0; s < count; ++s) {
    PipelineStage &stage = pipeline.stages.emplace_back();
    stage.device = s;
    stage.forwardNs = random(200000, 1000000);
    stage.backwardNs = random(200000, 2000000);
    stage.activationBytes = 10;
    rounds.groups.emplace_back().first = s;
  }
  for (bool backward : {false, true})
    for (int s = 0; s < count; ++s) {
      int owner = backward ? count - 1 - s : s;
      const PipelineStage &stage = pipeline.stages[owner];
      rounds.stages.push_back(
          {owner, backward, backward ? stage.backwardNs : stage.forwardNs, 1});
    }
  auto backwardOf = [&](int s) { return 2 * count - 1 - s; };
  for (int s = 0; s + 1 < count; ++s) {
    int64_t bytes = random(1, 100000000);
    pipeline.transfers.push_back({s, s + 1, false, bytes});
    pipeline.transfers.push_back({s + 1, s, true, bytes});
    rounds.edges.push_back({s, s + 1, bytes});
    rounds.edges.push_back({backwardOf(s + 1), backwardOf(s), bytes});
  }
  for (int s = 0; s < count; ++s) {
    rounds.edges.push_back({s, backwardOf(s), 0});
    rounds.activations.push_back({s, 10, s, backwardOf(s)});
  }
  return {pipeline, rounds};
}

/// GPipe is the same in both kinds; 1F1B has another order in a few of them.
TEST(RoundPipeline, OneDeviceAStageIsAPipeline) {
  Topology topology = *builtinTopology("h100-1x8");
  int equal = 0;
  constexpr int cases = 60;
  for (uint64_t seed = 0; seed < cases; ++seed)
    for (PipelineSchedule schedule : schedules) {
      SCOPED_TRACE(seed);
      auto [pipeline, rounds] = drawContiguous(seed);
      PipelineResult result = simulatePipeline(pipeline, schedule, topology);
      RoundResult other = simulateRounds(rounds, schedule, topology);
      EXPECT_EQ(result.loadNs, other.loadNs);
      bool same = result.tasks.makespanNs == other.tasks.makespanNs;
      for (size_t s = 0; s < pipeline.stages.size(); ++s)
        same = same && result.inFlight[s] == other.inFlight[s];
      if (schedule == PipelineSchedule::GPipe)
        EXPECT_TRUE(same);
      else
        equal += same;
      EXPECT_LE(std::abs(result.tasks.makespanNs - other.tasks.makespanNs) * 5,
                result.tasks.makespanNs);
    }
  EXPECT_GE(equal * 10, cases * 9);
}

/// Two devices that take turns: the first and the third of four layers are on
/// one of them, the others on the other one, which two devices share.
TEST(RoundPipeline, StagesOfAPlacementInACircle) {
  Mlp mlp = makeMlp(64, {100, 80, 60, 40, 10});
  Topology topology = *builtinTopology("h100-1x8");
  CostModel cost(topology);
  std::vector<int> deviceOf(mlp.graph.nodes.size());
  for (size_t l = 0; l < mlp.layers.size(); ++l) {
    const MlpLayer &layer = mlp.layers[l];
    for (int node : {layer.matmul, layer.relu, layer.reluGrad, layer.inputGrad,
                     layer.weightGrad, layer.update})
      if (node >= 0)
        deviceOf[node] = static_cast<int>(l % 2);
  }
  ASSERT_FALSE(makePipeline(mlp.graph, mlp.roles, deviceOf, 8, cost));
  Expected<RoundPipeline> made = makeRoundPipeline(
      mlp.graph, mlp.roles, deviceOf, {1, 2, 1, 1, 1, 1, 1, 1}, 8, cost);
  ASSERT_TRUE(made) << made.error();
  ASSERT_EQ(made->groups.size(), 2u);
  EXPECT_EQ(made->groups[1].replicas, 2);
  // Weights and gradients of the first and the third layer.
  EXPECT_EQ(made->groups[0].weightBytes, 2 * 4 * (100 * 80 + 60 * 40));
  EXPECT_EQ(made->groups[0].gradientBytes, 4 * (100 * 80 + 60 * 40));
  int nodes = 0;
  for (const RoundStage &stage : made->stages)
    nodes += stage.nodes;
  int updates = 4;
  EXPECT_EQ(nodes + updates, static_cast<int>(mlp.graph.nodes.size()));
  for (const RoundEdge &edge : made->edges) {
    EXPECT_LT(edge.from, edge.to);
    bool isSame = made->stages[edge.from].group == made->stages[edge.to].group;
    EXPECT_EQ(edge.bytes == 0, isSame);
  }
  for (PipelineSchedule schedule : schedules) {
    RoundResult result = simulateRounds(*made, schedule, topology);
    EXPECT_GE(result.tasks.makespanNs, result.loadNs);
    EXPECT_GT(result.steadyNs, 0);
    EXPECT_GT(result.peakBytes[0], made->groups[0].weightBytes);
    EXPECT_EQ(result.peakBytes[1], result.peakBytes[2]); // four each
    EXPECT_EQ(result.peakBytes[3], 0);
  }
}

TEST(RoundPipeline, DevicesThatCanNotShareAreNamed) {
  Mlp mlp = makeMlp(64, {100, 80, 10});
  Topology topology = *builtinTopology("h100-1x8");
  CostModel cost(topology);
  std::vector<int> deviceOf(mlp.graph.nodes.size(), 6);
  deviceOf[0] = 7;
  std::vector<int> replicas(8, 1);
  replicas[6] = 2;
  Expected<RoundPipeline> made =
      makeRoundPipeline(mlp.graph, mlp.roles, deviceOf, replicas, 4, cost);
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().find("device 7 shares the ops of another"),
            std::string::npos)
      << made.error();
  deviceOf.assign(deviceOf.size(), 7);
  replicas[7] = 3;
  made = makeRoundPipeline(mlp.graph, mlp.roles, deviceOf, replicas, 4, cost);
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().find("in the topology of 8"), std::string::npos)
      << made.error();
}
