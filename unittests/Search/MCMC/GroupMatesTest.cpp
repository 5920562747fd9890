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
