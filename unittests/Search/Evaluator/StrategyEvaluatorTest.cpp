//===- StrategyEvaluatorTest.cpp - Prices of neighbouring strategies ------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluators that take over what another one has accepted are as if they had
// priced it themselves; a proposal that is stopped leaves nothing behind;
// changes of several groups are priced as if from nothing.
//
//===----------------------------------------------------------------------===//

#include "Soap/Search/Evaluator/StrategyEvaluator.h"
#include "Search/MCMC/ProposalSampler.h"
#include "Search/Problems.h"
#include "Soap/Search/Presets/Presets.h"

#include <gtest/gtest.h>

using namespace soap;
using namespace soap::test;

namespace {

/// A copying receiver, links of their own, and collectives.
const char *const topologies[] = {"cpu-4", "p100-2x2", "k80-1x4"};

struct Proposals {
  MlpProblem p;
  Random random;

  Proposals(const char *topology, uint64_t salt)
      : p(makeMlp(64, {100, 80, 60, 10}), *builtinTopology(topology)),
        random(salt) {}

  Strategy dataParallel() { return dataParallelStrategy(p.problem); }

  GroupChange draw() {
    const std::vector<OpGroup> &groups = p.problem.getGroups();
    auto group =
        static_cast<int>(random(0, static_cast<int64_t>(groups.size()) - 1));
    int leader = groups[group].leader;
    return {group,
            randomConfig(random, p.mlp.graph.nodes[leader].whole.space, 4)};
  }
};

TEST(StrategyEvaluator, CopiesAreAsGoodAsSimulations) {
  for (const char *topology : topologies) {
    Proposals proposals(topology, 11);
    const ParallelizationProblem &problem = proposals.p.problem;
    StrategyEvaluator one(problem), other(problem);
    int64_t nowNs = one.start(proposals.dataParallel()).makespanNs;
    other.start(proposals.dataParallel());
    int accepted = 0;
    for (int i = 0; i < 300; ++i) {
      SCOPED_TRACE(topology + (", " + proposals.random.trace(i)));
      GroupChange change = proposals.draw();
      int64_t limitNs = nowNs + nowNs / 20;
      Evaluation priced = one.propose({&change, 1}, limitNs);
      bool isAccepted = priced.makespanNs <= limitNs;
      if (i % 3 == 0 || !isAccepted) {
        // The same from a state that was copied, with or without a limit.
        Evaluation again = i % 2 ? other.propose({&change, 1}, limitNs)
                                 : other.propose(change.group, change.config);
        if (isAccepted) {
          EXPECT_EQ(again.makespanNs, priced.makespanNs);
          EXPECT_EQ(again.excessBytes, priced.excessBytes);
        } else {
          EXPECT_GT(again.makespanNs, limitNs);
        }
        other.reject();
      }
      if (!isAccepted) {
        one.reject();
        continue;
      }
      ++accepted;
      nowNs = priced.makespanNs;
      // In any order.
      if (i % 2)
        other.copyProposal(one);
      other.planProposal({&change, 1});
      if (i % 2 == 0)
        other.copyProposal(one);
      one.accept();
      other.accept();
      EXPECT_EQ(one.getStrategy(), other.getStrategy());
      EXPECT_EQ(nowNs, problem.evaluate(other.getStrategy()).makespanNs);
    }
    EXPECT_GT(accepted, 10);
  }
}

/// Proposals for all mates of repeated blocks: one price, one decision, the
/// same as a plan and a simulation from nothing.
TEST(StrategyEvaluator, TiedProposalsAreAsIfFromNothing) {
  for (const char *topology : topologies)
    for (SimulatorKind kind :
         {SimulatorKind::Delta, SimulatorKind::Propagate}) {
      MlpProblem p(makeMlp(64, {100, 60, 60, 60, 60, 60, 10}),
                   *builtinTopology(topology));
      ProposalSampler sampler(p.problem, ProposalKind::Mixed);
      StrategyEvaluator evaluator(p.problem, kind);
      Strategy current = dataParallelStrategy(p.problem);
      int64_t nowNs = evaluator.start(current).makespanNs;
      RandomGenerator random(17);
      int tied = 0, accepted = 0;
      for (int i = 0; i < 250; ++i) {
        SCOPED_TRACE(topology + (" proposal " + std::to_string(i)));
        Proposal proposal =
            sampler.draw(random, evaluator.getStrategy(), {}, /*tied=*/0.8);
        Strategy next = current;
        for (const GroupChange &change : proposal)
          p.problem.assign(next, p.problem.getGroups()[change.group],
                           change.config);
        Evaluation expected = p.problem.evaluate(next);
        int64_t limitNs = i % 4 == 0 ? std::numeric_limits<int64_t>::max()
                                     : nowNs + nowNs / 20;
        Evaluation priced = evaluator.propose(proposal, limitNs);
        bool isWithin = expected.makespanNs <= limitNs;
        ASSERT_EQ(priced.makespanNs <= limitNs, isWithin);
        tied += proposal.size() > 3;
        if (isWithin) {
          ASSERT_EQ(priced.makespanNs, expected.makespanNs);
          ASSERT_EQ(priced.excessBytes, expected.excessBytes);
        }
        if (!isWithin || i % 4 == 0) {
          evaluator.reject();
          continue;
        }
        evaluator.accept();
        ASSERT_EQ(evaluator.getStrategy(), next);
        current = std::move(next);
        nowNs = expected.makespanNs;
        ++accepted;
      }
      EXPECT_GT(tied, 60);
      EXPECT_GT(accepted, 10);
    }
}

TEST(StrategyEvaluator, StoppedProposalsLeaveNothingBehind) {
  Proposals proposals("p100-2x2", 12);
  const ParallelizationProblem &problem = proposals.p.problem;
  StrategyEvaluator one(problem), other(problem);
  int64_t nowNs = one.start(proposals.dataParallel()).makespanNs;
  other.start(proposals.dataParallel());
  // Stops when it is asked for the nth time.
  int left = 0;
  other.setShouldStop([&] { return left-- == 0; });
  int stopped = 0;
  for (int i = 0; i < 200; ++i) {
    GroupChange change = proposals.draw();
    int64_t limitNs = nowNs + nowNs / 10;
    left = i % 3;
    Evaluation cut = other.propose({&change, 1}, limitNs);
    if (other.wasStopped()) {
      ++stopped;
      EXPECT_GT(cut.makespanNs, limitNs);
    }
    other.reject();
    // Searches take it for the next one's, which may change nothing.
    EXPECT_FALSE(other.wasStopped());
    left = -1; // never
    Evaluation priced = one.propose({&change, 1}, limitNs),
               again = other.propose({&change, 1}, limitNs);
    EXPECT_FALSE(other.wasStopped());
    EXPECT_EQ(priced.makespanNs <= limitNs, again.makespanNs <= limitNs);
    if (priced.makespanNs > limitNs) {
      one.reject();
      other.reject();
      continue;
    }
    EXPECT_EQ(priced.makespanNs, again.makespanNs);
    nowNs = priced.makespanNs;
    one.accept();
    other.accept();
  }
  EXPECT_GT(stopped, 10);
  // Without a limit there is nothing to return.
  left = 0;
  GroupChange change = proposals.draw();
  EXPECT_EQ(other.propose(change.group, change.config).makespanNs,
            one.propose(change.group, change.config).makespanNs);
  EXPECT_FALSE(other.wasStopped());
}

} // namespace
