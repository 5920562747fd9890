//===- MCMCTest.cpp - Search by Markov chain Monte Carlo ------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The search repeats for a seed, respects budgets, memory and roles, and finds
// the optimum where it can be enumerated.
//
//===----------------------------------------------------------------------===//

#include "Soap/Search/MCMC/MCMC.h"
#include "Search/Problems.h"
#include "Soap/Search/MCMC/McmcCheckpoint.h"
#include "Soap/Search/Presets/Presets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

using namespace soap;
using namespace soap::test;

static McmcOptions proposals(int64_t count, uint64_t seed = 1) {
  McmcOptions options;
  options.proposals = count;
  options.seed = seed;
  return options;
}

TEST(MCMC, RepeatsForASeed) {
  MlpProblem p(makeMlp(64, {100, 80, 10}), 4);
  McmcResult a = searchMcmc(p.problem, proposals(600, 7)),
             b = searchMcmc(p.problem, proposals(600, 7));
  EXPECT_EQ(a.best, b.best);
  EXPECT_EQ(a.bestEvaluation.makespanNs, b.bestEvaluation.makespanNs);
  EXPECT_EQ(a.proposals, b.proposals);
  EXPECT_EQ(a.accepted, b.accepted);
  EXPECT_EQ(a.initialNs, b.initialNs);
  McmcResult c = searchMcmc(p.problem, proposals(600, 8));
  EXPECT_NE(std::tuple(a.accepted, a.best), std::tuple(c.accepted, c.best));
}

TEST(MCMC, ThreadsDoNotChangeTheResult) {
  MlpProblem p(makeMlp(64, {100, 80, 10}), 4);
  McmcOptions options = proposals(900, 3);
  McmcResult one = searchMcmc(p.problem, options);
  EXPECT_GT(one.initialNs.size(), 3u);
  for (int threads : {2, 5, 64}) {
    options.threads = threads;
    McmcResult many = searchMcmc(p.problem, options);
    EXPECT_EQ(one.best, many.best);
    EXPECT_EQ(one.proposals, many.proposals);
    EXPECT_EQ(one.accepted, many.accepted);
    EXPECT_EQ(one.initialNames, many.initialNames);
    EXPECT_EQ(one.initialNs, many.initialNs);
  }
}

/// Draws in advance are as cool as those that are drawn one by one.
TEST(MCMC, CoolingDoesNotDependOnThreads) {
  MlpProblem p(makeMlp(64, {100, 80, 10}), 4);
  McmcOptions options = proposals(3000, 5);
  options.kind = ProposalKind::Mixed;
  options.chains = 1;
  options.temperature = 0.3;
  McmcResult warm = searchMcmc(p.problem, options);
  options.cooling = 0.01;
  McmcResult one = searchMcmc(p.problem, options);
  EXPECT_LT(one.accepted, warm.accepted);
  for (int threads : {2, 7}) {
    options.threads = threads;
    McmcResult many = searchMcmc(p.problem, options);
    EXPECT_EQ(one.best, many.best);
    EXPECT_EQ(one.proposals, many.proposals);
    EXPECT_EQ(one.accepted, many.accepted);
  }
}

static void expectSame(const McmcResult &a, const McmcResult &b) {
  EXPECT_EQ(a.best, b.best);
  EXPECT_EQ(a.bestEvaluation.makespanNs, b.bestEvaluation.makespanNs);
  EXPECT_EQ(a.proposals, b.proposals);
  EXPECT_EQ(a.accepted, b.accepted);
  EXPECT_EQ(a.initialNames, b.initialNames);
  EXPECT_EQ(a.initialNs, b.initialNs);
}

/// With more threads than chains, proposals are evaluated in advance.
TEST(MCMC, EvaluationInAdvanceDoesNotChangeTheResult) {
  MlpProblem p(makeMlp(64, {100, 80, 80, 80, 10}), 4);
  for (ProposalKind kind : {ProposalKind::Uniform, ProposalKind::Mixed})
    for (double temperature : {0.001, 0.2}) { // few and many acceptances
      McmcOptions options = proposals(700, 5);
      options.chains = 1;
      options.kind = kind;
      options.temperature = temperature;
      options.mates = 0.6;
      McmcResult one = searchMcmc(p.problem, options);
      // Factor moves may leave nothing to gain.
      if (kind == ProposalKind::Uniform || temperature > 0.1)
        EXPECT_GT(one.accepted, 0);
      for (int threads : {2, 3, 8}) {
        options.threads = threads;
        expectSame(one, searchMcmc(p.problem, options));
      }
    }
}

/// Where the timeline is copied from thread to thread, and what comes too late
/// is left.
TEST(MCMC, EvaluationInAdvanceByDeltas) {
  MlpProblem p(makeMlp(256, {100, 80, 60, 40, 10}),
               *builtinTopology("p100-4x4"));
  for (double temperature : {0.001, 0.05}) {
    McmcOptions options = proposals(900, 6);
    options.chains = 1;
    options.kind = ProposalKind::Uniform;
    options.temperature = temperature;
    options.initial = {dataParallelStrategy(p.problem)};
    McmcResult one = searchMcmc(p.problem, options);
    EXPECT_GT(one.accepted, 0);
    for (int threads : {2, 3, 8}) {
      options.threads = threads;
      expectSame(one, searchMcmc(p.problem, options));
    }
  }
}

TEST(MCMC, EvaluationInAdvanceWhereMemoryIsShort) {
  MlpProblem p(makeMlp(64, {256, 256, 256}), 4, 256 * 256 * 4 * 5 / 2);
  McmcOptions options = proposals(600, 2);
  options.initial = {singleStrategy(p.problem)};
  McmcResult one = searchMcmc(p.problem, options);
  options.threads = 3;
  expectSame(one, searchMcmc(p.problem, options));
}

TEST(MCMC, ChainsStartFromTheBest) {
  MlpProblem p(makeMlp(256, {300, 400, 10}), 4);
  McmcOptions options = proposals(400);
  options.chains = 2;
  std::vector<std::string> starts;
  options.checkpoint = [&](const McmcState &state) {
    starts.clear();
    for (const McmcChainState &chain : state.chains)
      starts.push_back(chain.start);
  };
  McmcResult result = searchMcmc(p.problem, options);
  EXPECT_GT(result.initialNs.size(), 3u);
  ASSERT_GE(starts.size(), 2u);
  std::vector<std::pair<int64_t, std::string>> order;
  for (size_t i = 0; i < result.initialNs.size(); ++i)
    order.emplace_back(result.initialNs[i], result.initialNames[i]);
  std::stable_sort(order.begin(), order.end(),
                   [](auto &a, auto &b) { return a.first < b.first; });
  EXPECT_EQ(starts[0], order[0].second);
  EXPECT_EQ(starts[1], order[1].second);
}

/// Further starts stand beside the presets, and chains begin from them if they
/// are better.
TEST(MCMC, FurtherStarts) {
  MlpProblem p(makeMlp(256, {300, 400, 10}), 4);
  McmcOptions options = proposals(2000, 3);
  options.chains = 1;
  McmcResult plain = searchMcmc(p.problem, options);
  ASSERT_LT(plain.bestEvaluation.makespanNs,
            *std::min_element(plain.initialNs.begin(), plain.initialNs.end()));
  options.proposals = 10;
  options.further = {{"mine", plain.best}};
  McmcResult further = searchMcmc(p.problem, options);
  EXPECT_NE(std::find(further.initialNames.begin(), further.initialNames.end(),
                      "mine"),
            further.initialNames.end());
  EXPECT_NE(std::find(further.initialNames.begin(), further.initialNames.end(),
                      "data-parallel"),
            further.initialNames.end());
  EXPECT_LE(further.bestEvaluation.makespanNs, plain.bestEvaluation.makespanNs);
  // Given starts stand alone.
  options.initial = {dataParallelStrategy(p.problem)};
  options.initialNames = {"data-parallel"};
  McmcResult given = searchMcmc(p.problem, options);
  EXPECT_EQ(
      std::find(given.initialNames.begin(), given.initialNames.end(), "mine"),
      given.initialNames.end());
}

TEST(MCMC, TemperingDoesNotDependOnThreads) {
  MlpProblem p(makeMlp(64, {100, 80, 10}), 4);
  McmcOptions options = proposals(6000, 3);
  options.chains = 3;
  McmcResult plain = searchMcmc(p.problem, options);
  options.tempering = 4;
  bool exchanged = false;
  options.checkpointSeconds = 0;
  options.checkpoint = [&](const McmcState &state) {
    exchanged |= state.chains[0].step != 0;
  };
  McmcResult one = searchMcmc(p.problem, options);
  EXPECT_TRUE(exchanged);
  EXPECT_NE(plain.accepted, one.accepted);
  options.threads = 2;
  expectSame(one, searchMcmc(p.problem, options));
}

/// Blocks repeat: where the budget is short, mates that go together get
/// further; at the end they may part.
TEST(MCMC, MatesGoTogetherFirst) {
  std::vector<int64_t> widths(14, 96);
  widths.back() = 10;
  MlpProblem p(makeMlp(64, widths), *builtinTopology("p100-2x2-p2p"));
  int64_t tiedNs = 0, untiedNs = 0;
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    McmcOptions options = proposals(150, seed);
    options.initial = {dataParallelStrategy(p.problem)};
    untiedNs += searchMcmc(p.problem, options).bestEvaluation.makespanNs;
    options.mates = 1;
    McmcResult tied = searchMcmc(p.problem, options);
    tiedNs += tied.bestEvaluation.makespanNs;
    EXPECT_EQ(tied.bestEvaluation.makespanNs,
              p.problem.evaluate(tied.best).makespanNs);
  }
  EXPECT_LT(tiedNs, untiedNs);
}

/// Stopped anywhere, written down, read and resumed: the same result.
TEST(MCMC, ResumesToTheSameResult) {
  MlpProblem p(makeMlp(64, {100, 80, 80, 80, 10}), 4);
  for (ProposalKind kind : {ProposalKind::Uniform, ProposalKind::Mixed}) {
    McmcOptions options = proposals(5000, 9);
    options.chains = 3;
    options.tempering = 2;
    options.cooling = 0.1;
    options.mates = 0.6;
    options.kind = kind;
    McmcResult expected = searchMcmc(p.problem, options);
    for (int64_t when : {1, 100, 777, 1500, 3100, 4000, 4999}) {
      SCOPED_TRACE(when);
      // Ends in the middle of a round, as by a signal.
      McmcOptions first = options;
      first.pauseAfter = when;
      std::string text;
      first.checkpoint = [&](const McmcState &state) {
        text = printMcmcCheckpoint(p.problem, options, state);
      };
      McmcResult part = searchMcmc(p.problem, first);
      Expected<McmcState> state =
          parseMcmcCheckpoint(text, "test", p.problem, options);
      ASSERT_TRUE(state) << state.error();
      EXPECT_EQ(state->factorMoves > 0, kind == ProposalKind::Mixed);
      EXPECT_EQ(part.proposals,
                std::min(when + state->factorMoves, expected.proposals));
      McmcOptions second = options;
      second.resume = &*state;
      expectSame(expected, searchMcmc(p.problem, second));
    }
  }
}

TEST(MCMC, StaysInItsSpace) {
  MlpProblem p(makeMlp(64, {100, 80, 10}), 4);
  p.problem.anyDevices = p.problem.replicas = false;
  p.problem.evenPieces = true;
  p.problem.searchedRoles = {Role::Sample, Role::Parameter};
  for (ProposalKind kind : {ProposalKind::Uniform, ProposalKind::Mixed}) {
    McmcOptions options = proposals(800, 4);
    options.kind = kind;
    McmcResult result = searchMcmc(p.problem, options);
    EXPECT_GT(result.accepted, 0);
    for (const OpGroup &group : p.problem.getGroups())
      EXPECT_TRUE(p.problem.contains(group.leader, result.best[group.leader]));
  }
}

TEST(MCMC, AllSimulatorsDecideAlike) {
  for (const char *name : {"cpu-4", "p100-2x2", "k80-2x4", "h100-1x8"})
    for (uint64_t seed = 1; seed <= 4; ++seed) {
      SCOPED_TRACE(name + std::string(" ") + std::to_string(seed));
      Topology topology = *builtinTopology(name);
      if (seed == 4) // memory decides, too
        for (DeviceType &type : topology.deviceTypes)
          type.memoryBytes = 70000;
      Mlp mlp = makeMlp(64, {100, 80, 10});
      ParallelizationProblem problem(mlp.graph, topology, layerGroups(mlp),
                                     mlp.roles);
      McmcOptions options = proposals(400, seed);
      if (seed % 2 == 0)
        options.kind = ProposalKind::Mixed;
      McmcResult delta = searchMcmc(problem, options);
      for (auto [kind, earlyRejection] :
           {std::pair(SimulatorKind::Delta, false),
            {SimulatorKind::Propagate, true},
            {SimulatorKind::Full, true}}) {
        options.simulator = kind;
        options.earlyRejection = earlyRejection;
        McmcResult other = searchMcmc(problem, options);
        EXPECT_EQ(delta.best, other.best);
        EXPECT_EQ(delta.accepted, other.accepted);
        EXPECT_EQ(delta.initialNs, other.initialNs);
        EXPECT_EQ(delta.bestEvaluation.makespanNs,
                  other.bestEvaluation.makespanNs);
        EXPECT_EQ(delta.bestEvaluation.excessBytes,
                  other.bestEvaluation.excessBytes);
        EXPECT_GT(other.statistics.simulatedTasks, 0);
      }
      EXPECT_EQ(problem.evaluate(delta.best).makespanNs,
                delta.bestEvaluation.makespanNs);
    }
}

TEST(MCMC, ResultIsASolutionAndNotWorseThanPresets) {
  MlpProblem p(makeMlp(256, {300, 400, 10}), 4);
  McmcResult result = searchMcmc(p.problem, proposals(1000));
  MaybeError error = p.problem.verify(result.best);
  EXPECT_FALSE(error) << error->message;
  EXPECT_EQ(p.problem.evaluate(result.best).makespanNs,
            result.bestEvaluation.makespanNs);
  for (const std::string &name : presetNames())
    EXPECT_LE(result.bestEvaluation.makespanNs,
              p.problem.evaluate(*presetStrategy(name, p.problem)).makespanNs)
        << name;
  for (int64_t ns : result.initialNs)
    EXPECT_LE(result.bestEvaluation.makespanNs, ns);
  EXPECT_LT(
      result.bestEvaluation.makespanNs,
      *std::min_element(result.initialNs.begin(), result.initialNs.end()));
  EXPECT_LE(result.proposals, 1000);
  EXPECT_GT(result.accepted, 0);
  EXPECT_LT(result.accepted, result.proposals);
}

/// All configs of both layers without repeated devices, priced one by one.
TEST(MCMC, FindsTheOptimumOfASmallSpace) {
  MlpProblem p(makeMlp(512, {64, 128}), 3);
  const OpGroup &group = p.problem.getGroups()[0];
  Strategy strategy = singleStrategy(p.problem);
  int64_t optimum = p.problem.evaluate(strategy).makespanNs;
  std::vector<std::vector<int>> lists = {{0},    {1},    {2},    {0, 1}, {1, 0},
                                         {0, 2}, {2, 0}, {1, 2}, {2, 1}};
  std::vector<int> all = {0, 1, 2};
  do
    lists.push_back(all);
  while (std::next_permutation(all.begin(), all.end()));
  for (int64_t n = 1; n <= 3; ++n)
    for (int64_t k = 1; k <= 3; ++k)
      for (int64_t c = 1; c <= 3; ++c)
        for (int64_t r = 1; r <= 3; ++r)
          for (const std::vector<int> &devices : lists)
            if (n * k * c * r == static_cast<int64_t>(devices.size())) {
              p.problem.assign(strategy, group, {{n, k, c}, r, devices});
              optimum =
                  std::min(optimum, p.problem.evaluate(strategy).makespanNs);
            }
  McmcOptions options = proposals(3000);
  options.initial = {singleStrategy(p.problem)};
  McmcResult result = searchMcmc(p.problem, options);
  EXPECT_LT(result.bestEvaluation.makespanNs, result.initialNs[0]);
  EXPECT_EQ(result.bestEvaluation.makespanNs, optimum);
}

TEST(MCMC, StopsAfterHalfTheBudgetWithoutGain) {
  // One device: there is nothing to gain.
  MlpProblem p(makeMlp(8, {6, 4}), 1);
  McmcOptions options = proposals(1000);
  options.initial = {singleStrategy(p.problem)};
  EXPECT_EQ(searchMcmc(p.problem, options).proposals, 500);
}

/// A chain that restarts uses up the budget that others leave, whatever it
/// finds.
TEST(MCMC, RestartsUseTheWholeBudget) {
  MlpProblem p(makeMlp(64, {100, 80, 10}), 4);
  McmcOptions options = proposals(6000, 2);
  options.chains = 2;
  options.cooling = 0.1;
  int64_t uniform = searchMcmc(p.problem, options).proposals;
  EXPECT_LT(uniform, 6000);
  options.kind = ProposalKind::Mixed;
  McmcResult one = searchMcmc(p.problem, options);
  EXPECT_EQ(one.proposals, 6000);
  for (int threads : {2, 4}) {
    options.threads = threads;
    expectSame(one, searchMcmc(p.problem, options));
  }
}

TEST(MCMC, SharesTheBudgetAmongInitialStrategies) {
  MlpProblem p(makeMlp(8, {6, 4}), 1);
  McmcOptions options = proposals(1000);
  options.initial = {singleStrategy(p.problem), singleStrategy(p.problem)};
  McmcResult result = searchMcmc(p.problem, options);
  // Half of 500, twice, then half of the 500 that are left.
  EXPECT_EQ(result.proposals, 250 + 250 + 250);
  EXPECT_EQ(result.initialNs.size(), 2u);
}

TEST(MCMC, RespectsTheTimeBudget) {
  MlpProblem p(makeMlp(256, {300, 400, 10}), 4);
  McmcOptions options;
  options.seconds = 0.3;
  auto begin = std::chrono::steady_clock::now();
  McmcResult result = searchMcmc(p.problem, options);
  EXPECT_LT(std::chrono::steady_clock::now() - begin,
            std::chrono::seconds(5)); // loaded machines
  EXPECT_GT(result.proposals, 0);
  EXPECT_FALSE(p.problem.verify(result.best));
}

TEST(MCMC, NoBudgetIsNoSearch) {
  MlpProblem p(makeMlp(8, {6, 4}), 2);
  EXPECT_EQ(searchMcmc(p.problem, {}).proposals, 0);
}

TEST(MCMC, StopFlag) {
  MlpProblem p(makeMlp(8, {6, 4}), 2);
  std::atomic<bool> stop = true;
  McmcOptions options = proposals(int64_t(1) << 60);
  options.stop = &stop;
  McmcResult result = searchMcmc(p.problem, options);
  EXPECT_EQ(result.proposals, 0);
  EXPECT_FALSE(p.problem.verify(result.best)); // the first initial strategy
}

TEST(MCMC, StopsAtTheTarget) {
  MlpProblem p(makeMlp(64, {100, 80, 10}), 4);
  McmcOptions options = proposals(5000);
  McmcResult whole = searchMcmc(p.problem, options);
  // The best one of all, which takes some proposals.
  ASSERT_GT(whole.curve.size(), 2u);
  options.targetNs = whole.bestEvaluation.makespanNs;
  McmcResult result = searchMcmc(p.problem, options);
  EXPECT_EQ(result.bestEvaluation.makespanNs, options.targetNs);
  EXPECT_GT(result.proposals, 0);
  EXPECT_LT(result.proposals, whole.proposals);
  // A start is enough.
  options.targetNs = int64_t(1) << 60;
  result = searchMcmc(p.problem, options);
  EXPECT_EQ(result.proposals, 0);
  EXPECT_FALSE(p.problem.verify(result.best));
}

TEST(MCMC, ReportsProgress) {
  MlpProblem p(makeMlp(64, {100, 80, 10}), 4);
  McmcOptions options = proposals(300);
  std::vector<McmcProgress> reports;
  options.progress = [&](const McmcProgress &progress) {
    reports.push_back(progress);
  };
  McmcResult result = searchMcmc(p.problem, options);
  ASSERT_FALSE(reports.empty());
  EXPECT_EQ(reports.back().proposals, result.proposals);
  EXPECT_EQ(reports.back().bestNs, result.bestEvaluation.makespanNs);
  EXPECT_GT(reports.back().proposalsPerSecond, 0);
}

/// Single does not fit; the search must end with what does, and say so where
/// nothing does.
TEST(MCMC, MemoryIsAHardLimit) {
  Mlp mlp = makeMlp(64, {256, 256, 256});
  int64_t weights = 256 * 256 * 4;
  MlpProblem tight(makeMlp(64, {256, 256, 256}), 4, weights * 5 / 2);
  McmcOptions options = proposals(4000);
  options.initial = {singleStrategy(tight.problem)};
  EXPECT_TRUE(tight.problem.verify(options.initial[0]));
  McmcResult result = searchMcmc(tight.problem, options);
  MaybeError error = tight.problem.verify(result.best);
  EXPECT_FALSE(error) << error->message;
  EXPECT_EQ(result.bestEvaluation.excessBytes, 0);

  MlpProblem hopeless(std::move(mlp), 4, 1000);
  options.proposals = 200;
  options.initial = {singleStrategy(hopeless.problem)};
  EXPECT_GT(searchMcmc(hopeless.problem, options).bestEvaluation.excessBytes,
            0);
}

TEST(MCMC, CutsOnlySearchedRoles) {
  MlpProblem p(makeMlp(256, {300, 400, 10}), 4);
  p.problem.searchedRoles = {Role::Sample};
  McmcOptions options = proposals(500);
  options.initial = {singleStrategy(p.problem)};
  McmcResult result = searchMcmc(p.problem, options);
  EXPECT_GT(result.accepted, 0);
  for (const MlpLayer &layer : p.mlp.layers) {
    EXPECT_EQ(result.best[layer.matmul].degrees[1], 1);
    EXPECT_EQ(result.best[layer.matmul].degrees[2], 1);
  }
}

TEST(MCMC, ManyDevices) {
  MlpProblem p(makeMlp(512, {300, 400, 10}), 100);
  McmcResult result = searchMcmc(p.problem, proposals(60));
  EXPECT_FALSE(p.problem.verify(result.best));
}

TEST(MCMC, SerialLoopsStayWhole) {
  MlpProblem p(makeMlp(64, {30, 40, 10}), 4);
  for (GraphNode &node : p.mlp.graph.nodes)
    for (Loop &loop : node.whole.space.loops)
      if (loop.name == "k" || loop.name == "d1")
        loop.type = IteratorType::Serial;
  ASSERT_FALSE(p.problem.check());
  McmcOptions options = proposals(300);
  options.initial = {singleStrategy(p.problem)};
  EXPECT_FALSE(p.problem.verify(searchMcmc(p.problem, options).best));
}

TEST(MCMC, EmptyGraph) {
  Graph graph;
  Topology topology = *builtinTopology("cpu-2");
  ParallelizationProblem problem(graph, topology, {}, {});
  EXPECT_FALSE(problem.check());
  EXPECT_EQ(searchMcmc(problem, proposals(10)).bestEvaluation.makespanNs, 0);
}
