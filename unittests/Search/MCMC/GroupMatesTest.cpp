//===- GroupMatesTest.cpp -------------------------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Groups that proposals change together.
//
//===----------------------------------------------------------------------===//

#include "Search/MCMC/GroupMates.h"
#include "Search/MCMC/ProposalSampler.h"
#include "Search/Problems.h"
#include "Soap/Search/Presets/Presets.h"

#include <gtest/gtest.h>

using namespace soap;
using namespace soap::test;

/// Layers 1 and 2 use the same weights, as the steps of a recurrent layer do.
static Mlp recurrent() {
  Mlp mlp = makeMlp(64, {32, 48, 48, 48});
  Kernel &second = mlp.graph.nodes[mlp.layers[2].matmul].whole;
  second.operands[1] = mlp.graph.nodes[mlp.layers[1].matmul].whole.operands[1];
  return mlp;
}

TEST(GroupMates, SharedWeightsAndKinds) {
  MlpProblem p(recurrent(), 4);
  GroupMates mates(p.problem);
  EXPECT_EQ(mates.sharing(0), std::vector<int>());
  EXPECT_EQ(mates.sharing(1), std::vector<int>({2}));
  EXPECT_EQ(mates.sharing(2), std::vector<int>({1}));
  EXPECT_EQ(mates.alike(0), std::vector<int>({1, 2}));
  EXPECT_EQ(mates.alike(1), std::vector<int>({0, 2}));
}

/// Every proposal names each group once and is legal; some change several
/// groups, alike.
TEST(GroupMates, Proposals) {
  MlpProblem p(recurrent(), 4);
  ProposalSampler sampler(p.problem, ProposalKind::Mixed);
  Strategy current;
  for (const GraphNode &node : p.mlp.graph.nodes) {
    Config &config = current.emplace_back();
    config.degrees.assign(node.whole.space.loops.size(), 1);
    config.devices = {0};
  }
  RandomGenerator random(3);
  int together = 0, everywhere = 0;
  for (int i = 0; i < 2000; ++i) {
    Proposal proposal = sampler.draw(random, current, {});
    ASSERT_FALSE(proposal.empty());
    std::vector<bool> named(p.problem.getGroups().size());
    for (const GroupChange &change : proposal) {
      EXPECT_FALSE(named[change.group]);
      named[change.group] = true;
      int leader = p.problem.getGroups()[change.group].leader;
      EXPECT_EQ(
          checkConfig(p.mlp.graph.nodes[leader].whole.space, change.config, 4)
              .fault,
          ConfigFault::None);
      EXPECT_EQ(change.config, proposal[0].config);
      p.problem.assign(current, p.problem.getGroups()[change.group],
                       change.config);
    }
    together += proposal.size() > 1;
    everywhere += proposal[0].config.devices.size() == 4;
  }
  EXPECT_GT(together, 200);
  EXPECT_LT(together, 1000);
  EXPECT_GT(everywhere, 400);
}

TEST(GroupMates, PlacesOfBlocks) {
  MlpProblem p(makeMlp(64, {32, 48, 48, 48, 48, 10}), 4);
  GroupMates mates(p.problem);
  EXPECT_EQ(mates.inBlocks(0), std::vector<int>());
  EXPECT_EQ(mates.inBlocks(1), std::vector<int>({2, 3}));
  EXPECT_EQ(mates.inBlocks(3), std::vector<int>({1, 2}));
  EXPECT_EQ(mates.inBlocks(4), std::vector<int>());
  // Groups that share weights are no mates.
  EXPECT_EQ(GroupMates(MlpProblem(recurrent(), 4).problem).inBlocks(1),
            std::vector<int>());
  // Nor are those that no search decides on.
  int leader = p.problem.getGroups()[2].leader;
  Config own = Config::single(p.mlp.graph.nodes[leader].whole.space);
  p.problem.fix(leader, own);
  GroupMates others(p.problem);
  for (size_t g = 0; g < p.problem.getGroups().size(); ++g)
    for (int mate : others.inBlocks(static_cast<int>(g)))
      EXPECT_NE(p.problem.getGroups()[mate].leader, leader);
}

/// Whether a proposal changes a group and all of its mates, and no others.
static bool isTied(const GroupMates &mates, const Proposal &proposal) {
  std::vector<int> others;
  for (size_t i = 1; i < proposal.size(); ++i)
    others.push_back(proposal[i].group);
  return others == mates.inBlocks(proposal[0].group);
}

TEST(GroupMates, TiedProposals) {
  // All leaders have the same kind and the same loops, so that only blocks say
  // which groups go together; all configs are legal for all.
  MlpProblem p(makeMlp(64, {48, 48, 48, 48, 48, 48}), 4);
  for (ProposalKind kind : {ProposalKind::Uniform, ProposalKind::Mixed}) {
    ProposalSampler sampler(p.problem, kind);
    const GroupMates &mates = sampler.getMates();
    Strategy current = singleStrategy(p.problem);
    RandomGenerator plain(5), same(5), tied(5), half(5);
    int inBlocks = 0, halfTied = 0;
    for (int i = 0; i < 600; ++i) {
      // Nothing is drawn for mates that are not asked for.
      Proposal before = sampler.draw(plain, current, {}),
               untied = sampler.draw(same, current, {}, 0);
      ASSERT_EQ(before.size(), untied.size());
      EXPECT_EQ(before[0].group, untied[0].group);
      EXPECT_EQ(before[0].config, untied[0].config);
      Proposal all = sampler.draw(tied, current, {}, 1);
      if (!mates.inBlocks(all[0].group).empty())
        EXPECT_TRUE(isTied(mates, all));
      for (const GroupChange &change : all)
        EXPECT_EQ(change.config, all[0].config);
      Proposal some = sampler.draw(half, current, {}, 0.5);
      if (mates.inBlocks(some[0].group).empty())
        continue;
      ++inBlocks;
      halfTied += isTied(mates, some);
    }
    EXPECT_GT(inBlocks, 300);
    EXPECT_GT(halfTied, inBlocks * 2 / 5);
    EXPECT_LT(halfTied, inBlocks * 7 / 10);
  }
}
