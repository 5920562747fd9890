//===- RoundPipelineTest.cpp ----------------------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pipelines of random placements, contiguous or not, with stages that devices
// share: the greatest load is the pace, and orders have no circles.
//
//===----------------------------------------------------------------------===//

#include "Soap/Pipeline/RoundPipeline.h"

#include "Soap/Pipeline/OneForwardOneBackward.h"

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
  for (int s = 0; trains && s < count; ++s)
    connect(s, 2 * count - 1 - s);
  for (size_t s = 0; s < pipeline.stages.size(); ++s)
    pipeline.stages[s].passStage = std::min<int>(s, 2 * count - 1 - s);
  return pipeline;
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
      RoundOrder result = orderRounds(pipeline, schedule, topology);
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

/// Devices take turns, do each of their passes once, and can do them in their
/// orders: passes that come later in a walk wait only for earlier ones.
TEST(RoundPipeline, OrdersHaveNoCircles) {
  Topology topology = *builtinTopology("h100-1x8");
  for (uint64_t seed = 500; seed < 540; ++seed)
    for (PipelineSchedule schedule : schedules) {
      SCOPED_TRACE(seed);
      RoundPipeline pipeline = drawPipeline(seed, 4);
      pipeline.microbatches = 7;
      RoundOrder result = orderRounds(pipeline, schedule, topology);
      auto passOf = [&](int s, int64_t m) {
        const RoundStage &stage = pipeline.stages[s];
        return PipelinePass{stage.passStage, m, stage.backward};
      };
      std::map<PipelinePass, int> deviceOf;
      for (size_t s = 0; s < pipeline.stages.size(); ++s)
        for (int64_t m = 0; m < 7; ++m) {
          const RoundGroup &group = pipeline.groups[pipeline.stages[s].group];
          deviceOf[passOf(static_cast<int>(s), m)] =
              group.first + static_cast<int>(m % group.replicas);
        }
      ASSERT_EQ(deviceOf.size(), pipeline.stages.size() * 7);
      std::map<PipelinePass, std::set<PipelinePass>> waits;
      for (const RoundEdge &edge : pipeline.edges)
        for (int64_t m = 0; m < 7; ++m)
          waits[passOf(edge.to, m)].insert(passOf(edge.from, m));
      std::set<PipelinePass> done;
      std::vector<size_t> next(result.order.size());
      for (bool isMoving = true; isMoving;) {
        isMoving = false;
        for (size_t d = 0; d < next.size(); ++d)
          for (; next[d] < result.order[d].size(); ++next[d]) {
            const PipelinePass &pass = result.order[d][next[d]];
            if (!std::includes(done.begin(), done.end(), waits[pass].begin(),
                               waits[pass].end()))
              break;
            EXPECT_EQ(deviceOf.at(pass), static_cast<int>(d));
            EXPECT_TRUE(done.insert(pass).second);
            isMoving = true;
          }
      }
      EXPECT_EQ(done.size(), deviceOf.size());
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
    rounds.groups.emplace_back().first = s;
  }
  for (bool backward : {false, true})
    for (int s = 0; s < count; ++s) {
      int owner = backward ? count - 1 - s : s;
      const PipelineStage &stage = pipeline.stages[owner];
      rounds.stages.push_back({owner, backward,
                               backward ? stage.backwardNs : stage.forwardNs, 1,
                               owner});
    }
  auto backwardOf = [&](int s) { return 2 * count - 1 - s; };
  for (int s = 0; s + 1 < count; ++s) {
    int64_t bytes = random(1, 100000000);
    pipeline.transfers.push_back({s, s + 1, false, bytes});
    pipeline.transfers.push_back({s + 1, s, true, bytes});
    rounds.edges.push_back({s, s + 1, bytes});
    rounds.edges.push_back({backwardOf(s + 1), backwardOf(s), bytes});
  }
  for (int s = 0; s < count; ++s)
    rounds.edges.push_back({s, backwardOf(s), 0});
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
      RoundOrder other = orderRounds(rounds, schedule, topology);
      EXPECT_EQ(result.loadNs, other.loadNs);
      std::vector<std::vector<int>> devices;
      for (const PipelineStage &stage : pipeline.stages)
        devices.push_back({stage.device});
      auto order = schedulePasses(schedule, devices, pipeline.microbatches,
                                  topology.deviceCount(), result.inFlight);
      ASSERT_TRUE(order) << order.error();
      if (schedule == PipelineSchedule::GPipe)
        EXPECT_EQ(*order, other.order);
      else
        equal += *order == other.order;
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
    RoundOrder result = orderRounds(*made, schedule, topology);
    EXPECT_GT(result.loadNs, 0);
    EXPECT_GE(result.steadyNs, result.loadNs);
    EXPECT_EQ(result.order[1].size(), result.order[2].size()); // four each
    EXPECT_EQ(result.order[0].size(), 2 * result.order[1].size());
    EXPECT_TRUE(result.order[3].empty());
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
