//===- RepeatedDevicesTest.cpp - Starts with a device several times -------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A config may list a device several times, and so have more pieces than there
// are devices: an even split on devices of different speed. Every search takes
// such a start, prices it as the reference does, and is never worse.
//
//===----------------------------------------------------------------------===//

#include "Search/MCMC/FactorMoves.h"
#include "Search/MCMC/GroupMates.h"
#include "Search/Problem/ConfigSpace.h"
#include "Search/Problems.h"
#include "Soap/Search/Annealing/PlacementSearch.h"
#include "Soap/Search/Exact/Exact.h"
#include "Soap/Search/Frontier/FrontierSearch.h"
#include "Soap/Search/MCMC/MCMC.h"
#include "Soap/Search/MCMC/Polish.h"
#include "Soap/Search/OptCnn/OptCnn.h"
#include "Soap/Search/Presets/Presets.h"
#include "Soap/Search/Report/Explain.h"
#include "Soap/Search/Report/StrategyDrawing.h"

#include <gtest/gtest.h>

using namespace soap;
using namespace soap::test;

namespace {

/// Any pieces and replicas, up to three times as many as devices, on any list.
Strategy repeatedStart(const ParallelizationProblem &problem, Random &random) {
  int devices = problem.getTopology().deviceCount();
  Strategy strategy = singleStrategy(problem);
  for (const OpGroup &group : problem.getGroups())
    problem.assign(
        strategy, group,
        randomConfig(random, problem.getGraph().nodes[group.leader].whole.space,
                     devices, 3 * devices));
  return strategy;
}

/// Samples in six pieces on the devices 0, 0, 1, 1, 2, 3.
Strategy unevenStart(const MlpProblem &p) {
  Strategy strategy = singleStrategy(p.problem);
  for (const OpGroup &group : p.problem.getGroups())
    p.problem.assign(strategy, group, {{6, 1, 1}, 1, {0, 0, 1, 1, 2, 3}});
  return strategy;
}

class RepeatedDevices : public testing::TestWithParam<int> {
protected:
  MlpProblem p{makeMlp(48, {16, 24, 8}), 4};
  Strategy start = [this] {
    Random random(static_cast<uint64_t>(GetParam()));
    return GetParam() == 0 ? unevenStart(p) : repeatedStart(p.problem, random);
  }();
  int64_t startNs = p.problem.evaluate(start).makespanNs;

  template <typename Options>
  void budget(Options &options, int64_t proposals) const {
    options.initial = {start};
    options.proposals = proposals;
  }
  /// A solution that is priced as the reference prices it.
  void expectGood(const McmcResult &result) const {
    EXPECT_FALSE(p.problem.verify(result.best));
    EXPECT_EQ(result.bestEvaluation.makespanNs,
              p.problem.evaluate(result.best).makespanNs);
    EXPECT_LE(result.bestEvaluation.makespanNs, startNs);
    ASSERT_FALSE(result.initialNs.empty());
    EXPECT_EQ(result.initialNs[0], startNs);
  }
};

} // namespace

INSTANTIATE_TEST_SUITE_P(Starts, RepeatedDevices, testing::Range(0, 6));

TEST_P(RepeatedDevices, Mcmc) {
  for (ProposalKind kind : {ProposalKind::Uniform, ProposalKind::Mixed})
    for (int threads : {1, 2}) {
      McmcOptions options;
      budget(options, 600);
      options.kind = kind;
      options.threads = threads;
      options.chains = 1;
      // Hot: most proposals start from such lists.
      options.temperature = 0.5;
      options.seed = static_cast<uint64_t>(GetParam()) + 1;
      expectGood(searchMcmc(p.problem, options));
    }
}

TEST_P(RepeatedDevices, Polish) {
  for (int64_t arrangements : {1, 120}) {
    PolishOptions options;
    budget(options, 500);
    options.maxArrangements = arrangements;
    expectGood(searchPolish(p.problem, options).search);
  }
}

TEST_P(RepeatedDevices, DeviceListsOfPolish) {
  std::vector<std::vector<int>> lists;
  const Config &own = start[p.problem.getGroups()[0].leader];
  auto count = static_cast<int64_t>(own.devices.size());
  std::vector<int> others = {1};
  polishDeviceLists(p.problem, start, 0, others, std::min<int64_t>(count, 4), 1,
                    lists);
  for (const std::vector<int> &list : lists) {
    EXPECT_EQ(static_cast<int64_t>(list.size()), std::min<int64_t>(count, 4));
    for (int device : list)
      EXPECT_TRUE(device >= 0 && device < 4);
  }
}

TEST_P(RepeatedDevices, FactorMoves) {
  GroupMates mates(p.problem);
  StrategyEvaluator evaluator(p.problem);
  Evaluation now = evaluator.start(start);
  int64_t left = 300;
  now = descendByFactorMoves(p.problem, mates, /*tied=*/false, evaluator, now,
                             [&](const Evaluation &) { return left-- == 0; });
  EXPECT_LE(now.makespanNs, startNs);
  EXPECT_EQ(now.makespanNs,
            p.problem.evaluate(evaluator.getStrategy()).makespanNs);
}

TEST_P(RepeatedDevices, Exact) {
  MlpProblem small(makeMlp(48, {16, 8}), 2);
  Random random(static_cast<uint64_t>(GetParam()));
  ExactOptions options;
  options.initial = {repeatedStart(small.problem, random)};
  options.firstProposals = 100;
  int64_t firstNs = small.problem.evaluate(options.initial[0]).makespanNs;
  McmcResult found = searchExact(small.problem, options).search;
  EXPECT_TRUE(found.optimal);
  EXPECT_LE(found.bestEvaluation.makespanNs, firstNs);
  EXPECT_LE(found.boundNs, found.bestEvaluation.makespanNs);
  // The optimum of the space does not depend on a start outside of it.
  options.initial = {dataParallelStrategy(small.problem)};
  McmcResult other = searchExact(small.problem, options).search;
  EXPECT_EQ(found.bestEvaluation.makespanNs,
            std::min(other.bestEvaluation.makespanNs, firstNs));
}

TEST_P(RepeatedDevices, PlacementOptCnnAndFrontier) {
  PlacementOptions placement;
  budget(placement, 200);
  expectGood(searchPlacement(p.problem, placement).search);
  OptCnnOptions optCnn;
  budget(optCnn, 0);
  expectGood(searchOptCnn(p.problem, optCnn).search);
  FrontierSearchOptions frontier;
  budget(frontier, 0);
  expectGood(searchFrontier(p.problem, frontier).search);
}

TEST_P(RepeatedDevices, ExplanationAndDrawing) {
  for (int group = 0; group < 2; ++group) {
    Explanation explanation = explainGroup(p.problem, start, group, 300);
    const Alternative &current = explanation.alternatives[explanation.current];
    EXPECT_EQ(current.config, start[p.problem.getGroups()[group].leader]);
    EXPECT_EQ(current.evaluation.makespanNs, startNs);
    for (const Alternative &alternative : explanation.alternatives) {
      Strategy changed = start;
      p.problem.assign(changed, p.problem.getGroups()[group],
                       alternative.config);
      EXPECT_EQ(alternative.evaluation.makespanNs,
                p.problem.evaluate(changed).makespanNs);
    }
  }
  EXPECT_NE(drawStrategy(p.problem, start, "").find("<svg"), std::string::npos);
}

/// Presets are made for a number of devices, whatever the present strategy;
/// none gives a piece to a device twice.
TEST(RepeatedDevicesOfPresets, None) {
  for (int devices : {1, 2, 3, 4, 6, 7}) {
    MlpProblem p(makeMlp(5, {7, 3, 2}), devices);
    for (const std::string &name : presetNames()) {
      Strategy strategy = *presetStrategy(name, p.problem);
      for (const Config &config : strategy) {
        std::vector<int> sorted = config.devices;
        std::sort(sorted.begin(), sorted.end());
        EXPECT_EQ(std::adjacent_find(sorted.begin(), sorted.end()),
                  sorted.end())
            << name << " on " << devices;
      }
    }
  }
}
