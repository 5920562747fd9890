//===- ParallelizationProblemTest.cpp - Checking and pricing --------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How members follow leaders, what is refused, and that prices equal the
// simulator.
//
//===----------------------------------------------------------------------===//

#include "Search/Problems.h"
#include "Soap/Memory/PeakMemory.h"
#include "Soap/Simulator/Algorithm1Simulator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

using namespace soap;
using namespace soap::test;

TEST(FollowConfig, LoopsThatTheMemberLacksBecomeReplicas) {
  IterationSpace leader, member;
  leader.loops = {{"n", 8}, {"k", 8}, {"c", 8}};
  member.loops = {{"c", 8}, {"k", 8}, {"x", 3}};
  Config config{{2, 3, 1}, 1, {0, 1, 2, 3, 4, 5}};
  EXPECT_EQ(followConfig(leader, config, member, {2, 1, -1}),
            (Config{{1, 3, 1}, 2, {0, 1, 2, 3, 4, 5}}));
  EXPECT_EQ(followConfig(leader, config, member, {1, 0, -1}),
            (Config{{3, 2, 1}, 1, {0, 3, 1, 4, 2, 5}}));
  config.replicas = 2;
  config.devices = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  // The leader's replicas stay outermost.
  EXPECT_EQ(followConfig(leader, config, member, {-1, 1, -1}),
            (Config{{1, 3, 1}, 4, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}}));
  EXPECT_EQ(followConfig(leader, config, member, {0, -1, -1}),
            (Config{{2, 1, 1}, 6, {0, 3, 1, 4, 2, 5, 6, 9, 7, 10, 8, 11}}));
}

/// By definition: every shard of the leader has the shard of the member with
/// its coordinates on its device, in a replica of its own.
TEST(FollowConfig, RandomCorrespondences) {
  Random random(50);
  for (int round = 0; round < 2000; ++round) {
    SCOPED_TRACE(random.trace(round));
    IterationSpace leader, member;
    std::vector<int> loops;
    for (int l = 0, n = random(0, 4); l < n; ++l)
      leader.loops.push_back({"l" + std::to_string(l), 12});
    for (size_t l = 0; l < leader.loops.size(); ++l)
      if (random.chance(60))
        loops.push_back(static_cast<int>(l));
    if (random.chance(50))
      loops.push_back(-1);
    std::shuffle(loops.begin(), loops.end(), random.engine);
    for (size_t l = 0; l < loops.size(); ++l)
      member.loops.push_back({"m" + std::to_string(l), 12});
    Config config = randomConfig(random, leader, 9);
    Config follows = followConfig(leader, config, member, loops);
    ASSERT_EQ(checkConfig(member, follows, 9).message, "");
    ASSERT_EQ(follows.devices.size(), config.devices.size());
    std::vector<Shard> theirs = enumerateShards(leader, config),
                       ours = enumerateShards(member, follows);
    std::vector<bool> used(ours.size());
    for (const Shard &shard : theirs) {
      std::vector<int64_t> piece;
      for (int loop : loops)
        piece.push_back(loop < 0 ? 0 : shard.piece[loop]);
      auto match =
          std::find_if(ours.begin(), ours.end(), [&](const Shard &own) {
            return !used[own.index] && own.piece == piece &&
                   own.device == shard.device;
          });
      ASSERT_NE(match, ours.end());
      used[match->index] = true;
    }
    // One replica holds whole shards of the leader: the shards of one
    // coordinate of the loops that the member lacks.
    for (const Shard &own : ours) {
      std::vector<int64_t> devices;
      for (const Shard &shard : theirs) {
        bool same = true;
        for (size_t l = 0; l < loops.size(); ++l)
          same &= loops[l] < 0 || shard.piece[loops[l]] == own.piece[l];
        if (same)
          devices.push_back(shard.device);
      }
      ASSERT_EQ(devices.size(), static_cast<size_t>(follows.replicas));
      ASSERT_EQ(devices[own.replica], own.device);
    }
  }
}

TEST(ParallelizationProblem, ChecksInput) {
  MlpProblem p(makeMlp(8, {6, 5, 4}), 4);
  EXPECT_FALSE(p.problem.check());
  auto expectError = [&](const std::vector<OpGroup> &groups,
                         const std::vector<std::vector<Role>> &roles,
                         const std::string &message) {
    MaybeError error =
        ParallelizationProblem(p.mlp.graph, p.topology, groups, roles).check();
    ASSERT_TRUE(error.has_value()) << message;
    EXPECT_EQ(error->message, message);
  };
  std::vector<OpGroup> valid = layerGroups(p.mlp), groups = valid;
  groups[1].nodes.pop_back();
  expectError(groups, p.mlp.roles,
              "group 1: expected a loop correspondence per node");
  groups[1].loops.pop_back();
  expectError(groups, p.mlp.roles, "op 'w1.sgd' is in no group");
  groups = valid;
  groups[1].nodes[1] = groups[0].nodes[1];
  expectError(groups, p.mlp.roles, "group 1: op 'relu0' is in two groups");
  groups = valid;
  groups[0].nodes[1] = 99;
  expectError(groups, p.mlp.roles, "group 0: no node 99");
  groups = valid;
  groups[0].leader = groups[1].leader;
  expectError(groups, p.mlp.roles,
              "group 0: the leader is not one of its nodes");
  for (std::vector<int> loops : {std::vector<int>{0}, {0, 3}, {1, 1}}) {
    groups = valid;
    groups[0].loops[1] = loops;
    expectError(groups, p.mlp.roles,
                "group 0: op 'relu0' has a wrong loop correspondence");
  }
  std::vector<std::vector<Role>> roles = p.mlp.roles;
  roles[2].pop_back();
  expectError(valid, roles, "op 'fc1': expected a role per loop");
}

TEST(ParallelizationProblem, EvaluatesAsTheSimulator) {
  Random random(51);
  MlpProblem p(makeMlp(8, {6, 5, 4}), 4);
  for (int round = 0; round < 50; ++round) {
    SCOPED_TRACE(random.trace(round));
    Strategy strategy = randomStrategy(random, p.mlp.graph, 4);
    Plan plan = buildPlan(p.mlp.graph, strategy, p.topology);
    TaskGraph tasks = buildTaskGraph(p.mlp.graph, plan, CostModel(p.topology));
    ASSERT_EQ(p.problem.evaluate(strategy).makespanNs, simulateFull(tasks));
    // Memory is exactly what the simulator says.
    std::vector<int64_t> peak = peakBytes(
        p.mlp.graph, plan, actionOrder(plan, scheduleOrder(tasks)), 4);
    int64_t capacity =
                random(1, *std::max_element(peak.begin(), peak.end()) + 10),
            excess = 0;
    for (int64_t bytes : peak)
      excess += std::max<int64_t>(bytes - capacity, 0);
    MlpProblem small(makeMlp(8, {6, 5, 4}), 4, capacity);
    ASSERT_EQ(small.problem.evaluate(strategy).excessBytes, excess);
    MaybeError error = small.problem.verify(strategy);
    ASSERT_EQ(error.has_value(), excess > 0);
    if (error) {
      ASSERT_EQ(error->message, "the strategy needs " + std::to_string(excess) +
                                    " bytes more than the devices have");
    }
  }
}

TEST(ParallelizationProblem, VerifiesConfigs) {
  MlpProblem p(makeMlp(8, {6, 4}), 2);
  Strategy strategy;
  for (const GraphNode &node : p.mlp.graph.nodes)
    strategy.push_back(Config::single(node.whole.space));
  EXPECT_FALSE(p.problem.verify(strategy));
  strategy[1].devices = {2};
  EXPECT_EQ(p.problem.verify(strategy)->message,
            "op 'relu0': device 2 is not in the topology, which has 2 devices");
  strategy.pop_back();
  EXPECT_EQ(p.problem.verify(strategy)->message, "expected 5 configs, got 4");
}

TEST(ParallelizationProblem, UntiedGroups) {
  MlpProblem p(makeMlp(8, {6, 4}), 2);
  ParallelizationProblem untied(p.mlp.graph, p.topology,
                                untiedGroups(p.mlp.graph), p.mlp.roles);
  EXPECT_FALSE(untied.check());
  EXPECT_EQ(untied.getGroups().size(), p.mlp.graph.nodes.size());
}

/// Whatever ops are fixed, the groups stay well-formed, other members follow
/// with legal configs, and fixed ops have theirs.
TEST(ParallelizationProblem, FixedConfigs) {
  Random random(77);
  for (int round = 0; round < 200; ++round) {
    SCOPED_TRACE(random.trace(round));
    MlpProblem p(makeMlp(8, {6, 5, 4}), 4);
    auto nodes = static_cast<int>(p.mlp.graph.nodes.size());
    auto spaceOf = [&](int node) -> const IterationSpace & {
      return p.mlp.graph.nodes[node].whole.space;
    };
    std::map<int, Config> fixed;
    for (int i = random(1, 3); i > 0; --i) {
      int node = random(0, nodes - 1);
      fixed[node] = randomConfig(random, spaceOf(node), 4);
      p.problem.fix(node, fixed[node]);
    }
    ASSERT_FALSE(p.problem.check()) << p.problem.check()->message;
    EXPECT_EQ(p.problem.getFixed(), fixed);
    Strategy strategy(nodes);
    for (const OpGroup &group : p.problem.getGroups())
      p.problem.assign(strategy, group,
                       randomConfig(random, spaceOf(group.leader), 4));
    for (int node = 0; node < nodes; ++node) {
      auto it = fixed.find(node);
      if (it != fixed.end())
        EXPECT_EQ(strategy[node], it->second);
      EXPECT_EQ(checkConfig(spaceOf(node), strategy[node], 4).message, "");
      EXPECT_EQ(p.problem.fixedConfig(node) != nullptr, it != fixed.end());
    }
    for (const auto &[node, config] : fixed) {
      EXPECT_TRUE(p.problem.contains(node, config));
      Config other = config;
      other.devices.assign(config.devices.size(), (config.devices[0] + 1) % 4);
      EXPECT_EQ(p.problem.contains(node, other), other == config);
    }
    Strategy single;
    for (int node = 0; node < nodes; ++node)
      single.push_back(Config::single(spaceOf(node)));
    p.problem.keepFixed(single);
    for (int node = 0; node < nodes; ++node)
      EXPECT_EQ(single[node], fixed.contains(node)
                                  ? fixed[node]
                                  : Config::single(spaceOf(node)));
  }
}
