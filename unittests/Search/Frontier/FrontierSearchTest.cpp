//===- FrontierSearchTest.cpp - Frontiers of models -----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cost graphs of perceptrons against their own peaks; the modes of the search
// against each other and against simulation.
//
//===----------------------------------------------------------------------===//

#include "Soap/Search/Frontier/FrontierSearch.h"

#include "Search/Problems.h"
#include "Soap/Memory/PlanMemory.h"
#include "Soap/Search/Presets/Presets.h"
#include "Soap/Search/Problem/SomeDevices.h"
#include "Soap/Simulator/StrategySimulator.h"
#include "Support/Random.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

using namespace soap;
using namespace soap::test;

namespace {

/// Time and the most that a device holds.
std::pair<int64_t, int64_t> simulate(const ParallelizationProblem &problem,
                                     const Strategy &strategy,
                                     const std::vector<KeptValue> &keeps = {}) {
  CostModel cost(problem.getTopology());
  Graph graph = problem.getGraph();
  for (const KeptValue &kept : keeps)
    restoreValue(graph, kept.value, kept.keep);
  StrategyPlan plan(graph, cost);
  plan.set(strategy);
  StrategySimulator simulator(plan);
  std::vector<int64_t> peaks = peakBytes(plan);
  return {simulator.makespan(), *std::max_element(peaks.begin(), peaks.end())};
}

FrontierSearchOptions smallOptions() {
  FrontierSearchOptions options;
  options.threads = 2;
  return options;
}

const FrontierStrategy *fastest(const DeviceFrontier &frontier, int64_t limit) {
  const FrontierStrategy *best = nullptr;
  for (const FrontierStrategy &point : frontier.points)
    if (point.memoryBytes <= limit)
      best = &point;
  return best;
}

} // namespace

TEST(FrontierCandidates, LieInTheirSpaces) {
  MlpProblem p(makeMlp(64, {48, 32, 10}), 8);
  const Kernel &leader =
      p.mlp.graph.nodes[p.problem.getGroups()[0].leader].whole;
  for (int devices : {1, 3, 4, 8})
    for (FrontierSpace space : {FrontierSpace::All, FrontierSpace::OptCnn,
                                FrontierSpace::ToFu, FrontierSpace::Mesh}) {
      FrontierGraphOptions options;
      options.devices = devices;
      options.space = space;
      options.meshSamples = devices % 2 == 0 ? 2 : 1;
      std::vector<Config> found = frontierCandidates(p.problem, 0, options);
      ASSERT_FALSE(found.empty());
      for (const Config &config : found) {
        EXPECT_EQ(checkConfig(leader.space, config, devices).message, "");
        auto pieces = static_cast<int>(config.devices.size());
        EXPECT_EQ(devices % pieces, 0);
        if (space == FrontierSpace::ToFu || space == FrontierSpace::Mesh ||
            config.replicas > 1) {
          EXPECT_EQ(pieces, devices);
        }
        if (space == FrontierSpace::ToFu || space == FrontierSpace::OptCnn) {
          EXPECT_EQ(config.replicas, 1);
        }
        EXPECT_EQ(std::count(found.begin(), found.end(), config), 1);
      }
    }
}

TEST(FrontierCandidates, BestComeInLayers) {
  //                            front   front   second  third
  std::vector<int64_t> times = {1, 5, 2, 6, 9}, bytes = {9, 2, 10, 3, 9};
  EXPECT_EQ(bestCandidates(times, bytes, 1), (std::vector<size_t>{0}));
  EXPECT_EQ(bestCandidates(times, bytes, 2), (std::vector<size_t>{0, 1}));
  EXPECT_EQ(bestCandidates(times, bytes, 4), (std::vector<size_t>{0, 1, 2, 3}));
  EXPECT_EQ(bestCandidates(times, bytes, 9).size(), 5U);
}

TEST(FrontierGraph, PeakIsTheMostOfAllPositions) {
  MlpProblem p(makeMlp(64, {48, 32, 16, 10}), 4);
  FrontierGraphOptions options;
  options.devices = 4;
  FrontierGraph graph(p.problem, options);
  ASSERT_TRUE(graph.isComplete());
  Random random(1);
  for (int round = 0; round < 30; ++round) {
    SCOPED_TRACE(random.trace(round));
    std::vector<int> choice;
    for (const std::vector<Config> &configs : graph.getConfigs())
      choice.push_back(static_cast<int>(
          random(0, static_cast<int64_t>(configs.size()) - 1)));
    MemoryPeak peak = graph.peakOf(choice);
    int64_t most = 0;
    for (size_t t = 0; t < p.mlp.graph.nodes.size(); ++t) {
      FrontierProblem problem = graph.problemAt(static_cast<int>(t), false);
      ASSERT_FALSE(problem.check());
      auto cost =
          problem.costOf(choice, std::vector<int>(problem.graph.edges.size()));
      ASSERT_TRUE(cost);
      most = std::max(most, cost->memoryBytes);
      if (static_cast<int64_t>(t) == peak.time) {
        EXPECT_EQ(cost->memoryBytes, peak.bytes);
      }
    }
    EXPECT_EQ(most, peak.bytes);
    // The bytes that a device holds, from sums over lifetimes in program order.
    auto [time, simulated] = simulate(p.problem, graph.strategy(choice));
    EXPECT_GT(2 * peak.bytes, simulated);
    EXPECT_LT(peak.bytes, 2 * simulated);
  }
}

TEST(FrontierSearch, PointsAreWhatSimulationSays) {
  MlpProblem p(makeMlp(256, {512, 256, 256, 10}), 4);
  FrontierSearchResult result = searchFrontier(p.problem, smallOptions());
  ASSERT_EQ(result.frontiers.size(), 1U);
  const DeviceFrontier &frontier = result.frontiers[0];
  EXPECT_TRUE(frontier.complete);
  EXPECT_EQ(frontier.guarantee, FrontierGuarantee::CostGraph);
  EXPECT_EQ(frontier.errorBound, 0);
  ASSERT_FALSE(frontier.points.empty());
  for (size_t i = 0; i < frontier.points.size(); ++i) {
    const FrontierStrategy &point = frontier.points[i];
    EXPECT_FALSE(p.problem.verify(point.strategy));
    EXPECT_EQ(simulate(p.problem, point.strategy, point.keeps),
              std::pair(point.timeNs, point.memoryBytes));
    if (i > 0) {
      EXPECT_GT(point.memoryBytes, frontier.points[i - 1].memoryBytes);
      EXPECT_LT(point.timeNs, frontier.points[i - 1].timeNs);
    }
  }
  EXPECT_EQ(result.search.bestEvaluation.makespanNs,
            frontier.points.back().timeNs);
  EXPECT_EQ(simulate(p.problem, result.search.best, result.keeps).first,
            frontier.points.back().timeNs);
  // No preset is better anywhere.
  for (const auto &[name, strategy] : presetStarts(p.problem)) {
    auto [time, bytes] = simulate(p.problem, strategy);
    const FrontierStrategy *point = fastest(frontier, bytes);
    ASSERT_TRUE(point) << name;
    EXPECT_LE(point->timeNs, time) << name;
  }
}

/// A part that is cut out of the whole space's graph equals the graph that is
/// priced for a space.
TEST(FrontierGraph, RestrictionsAreGraphsOfTheirSpaces) {
  for (int devices : {4, 6}) {
    MlpProblem p(makeMlp(96, {48, 36, 24, 12}), devices);
    FrontierGraphOptions options;
    options.devices = devices;
    for (const auto &[name, strategy] : presetStarts(p.problem))
      options.known.push_back(strategy);
    FrontierGraph whole(p.problem, options);
    std::vector<FrontierRestriction> all = frontierRestrictions(devices);
    ASSERT_EQ(all.size(), devices == 4 ? 5U : 6U);
    for (size_t r = 0; r < all.size(); ++r) {
      SCOPED_TRACE("restriction " + std::to_string(r) + ", devices " +
                   std::to_string(devices));
      FrontierGraphOptions own = options;
      own.known.clear();
      own.space = all[r].space;
      own.meshSamples = all[r].meshSamples;
      FrontierGraph alone(p.problem, own);
      std::optional<FrontierGraph> cut = whole.restrictedTo(r);
      ASSERT_TRUE(cut);
      EXPECT_EQ(cut->getConfigs(), alone.getConfigs());
      int nodes = static_cast<int>(p.mlp.graph.nodes.size());
      for (int position : {0, nodes / 2, nodes - 1}) {
        FrontierProblem a = cut->problemAt(position, false),
                        b = alone.problemAt(position, false);
        ASSERT_EQ(a.graph.nodeCount(), b.graph.nodeCount());
        for (int n = 0; n < a.graph.nodeCount(); ++n) {
          EXPECT_EQ(a.graph.nodes[n].costs, b.graph.nodes[n].costs);
          EXPECT_EQ(a.graph.nodes[n].memory, b.graph.nodes[n].memory);
        }
        ASSERT_EQ(a.alternatives.size(), b.alternatives.size());
        for (size_t e = 0; e < a.alternatives.size(); ++e) {
          EXPECT_EQ(a.graph.edges[e].costs, b.graph.edges[e].costs);
          ASSERT_EQ(a.alternatives[e].size(), b.alternatives[e].size());
          for (size_t k = 0; k < a.alternatives[e].size(); ++k) {
            EXPECT_EQ(a.alternatives[e][k].costs, b.alternatives[e][k].costs);
            EXPECT_EQ(a.alternatives[e][k].memory, b.alternatives[e][k].memory);
          }
        }
      }
    }
  }
}

/// No point of a restricted space's search is better in both than all of the
/// whole space's.
TEST(FrontierSearch, NoRestrictedSpaceIsBetter) {
  struct Case {
    std::vector<int64_t> widths;
    int devices;
    bool reuse;
    int64_t configs;
  };
  for (const Case &it : std::vector<Case>{{{512, 256, 256, 10}, 4, false, 16},
                                          {{64, 512, 64, 512, 64}, 8, false, 4},
                                          {{64, 512, 64, 512, 64}, 8, true, 16},
                                          {{96, 48, 36, 12}, 6, false, 2}}) {
    MlpProblem p(makeMlp(288, it.widths), it.devices);
    FrontierSearchOptions options = smallOptions();
    options.reuse = it.reuse;
    options.maxConfigs = it.configs;
    DeviceFrontier whole = searchFrontier(p.problem, options).frontiers[0];
    options.presets = false;
    options.initial = {dataParallelStrategy(p.problem)};
    for (const FrontierRestriction &own : frontierRestrictions(it.devices)) {
      options.space = own.space;
      options.meshSamples = own.meshSamples;
      DeviceFrontier found = searchFrontier(p.problem, options).frontiers[0];
      EXPECT_TRUE(found.complete);
      for (const FrontierStrategy &point : found.points) {
        const FrontierStrategy *best = fastest(whole, point.memoryBytes);
        ASSERT_TRUE(best);
        EXPECT_LE(best->timeNs, point.timeNs);
      }
    }
  }
}

TEST(FrontierSearch, MiniTimeIsThePointWithinTheLimit) {
  MlpProblem p(makeMlp(256, {512, 256, 256, 10}), 4);
  FrontierSearchOptions options = smallOptions();
  DeviceFrontier frontier = searchFrontier(p.problem, options).frontiers[0];
  ASSERT_GE(frontier.points.size(), 2U);
  for (size_t i = 0; i < frontier.points.size(); ++i) {
    options.limitBytes = frontier.points[i].memoryBytes;
    FrontierSearchResult within = searchFrontier(p.problem, options);
    EXPECT_EQ(within.devices, 4);
    EXPECT_EQ(within.search.bestEvaluation.excessBytes, 0);
    auto [time, bytes] = simulate(p.problem, within.search.best, within.keeps);
    EXPECT_LE(bytes, options.limitBytes);
    EXPECT_EQ(time, frontier.points[i].timeNs);
    EXPECT_EQ(time, fastest(within.frontiers[0], options.limitBytes)->timeNs);
  }
  options.limitBytes = frontier.points[0].memoryBytes / 4;
  FrontierSearchResult none = searchFrontier(p.problem, options);
  EXPECT_EQ(none.devices, 0);
  EXPECT_GT(none.search.bestEvaluation.excessBytes, 0);
}

TEST(FrontierSearch, MiniParallelismIsMinimal) {
  Mlp mlp = makeMlp(128, {1024, 1024, 10});
  MlpProblem whole(mlp, 8);
  int64_t alone = simulate(whole.problem, singleStrategy(whole.problem)).second;
  for (int share : {1, 2, 3, 5}) {
    FrontierSearchOptions options = smallOptions();
    options.mode = FrontierMode::MiniParallelism;
    options.limitBytes = alone / share;
    FrontierSearchResult result = searchFrontier(whole.problem, options);
    if (result.devices == 0)
      continue;
    EXPECT_EQ(result.search.bestEvaluation.excessBytes, 0);
    EXPECT_LE(simulate(whole.problem, result.search.best, result.keeps).second,
              options.limitBytes);
    for (const Config &config : result.search.best)
      for (int device : config.devices)
        EXPECT_LT(device, result.devices);
    // Every smaller number was looked at, and has no such strategy in a search
    // of its own, either.
    ASSERT_EQ(result.frontiers.size(), static_cast<size_t>(result.devices));
    for (int devices = 1; devices < result.devices; ++devices) {
      const DeviceFrontier &smaller = result.frontiers[devices - 1];
      EXPECT_EQ(smaller.devices, devices);
      EXPECT_TRUE(smaller.complete);
      EXPECT_FALSE(fastest(smaller, options.limitBytes));
      MlpProblem p(mlp, devices);
      FrontierSearchOptions miniTime = options;
      miniTime.mode = FrontierMode::MiniTime;
      EXPECT_EQ(searchFrontier(p.problem, miniTime).devices, 0);
    }
    EXPECT_GE(result.devices, share == 1 ? 1 : 2);
  }
}

/// Forms that are not kept hold less where the passes meet, and take longer.
TEST(FrontierGraph, KeptFormsAreAlternatives) {
  MlpProblem p(makeMlp(2048, {64, 512, 64, 512, 64}), 4);
  FrontierGraphOptions options;
  options.devices = 4;
  FrontierGraph graph(p.problem, options);
  int position = graph.turningPoint();
  FrontierProblem problem = graph.problemAt(position, false);
  ASSERT_FALSE(problem.check());
  int64_t saved = 0;
  for (size_t e = 0; e < problem.alternatives.size(); ++e)
    for (const EdgeAlternative &kept : problem.alternatives[e]) {
      const EdgeAlternative &both = problem.alternatives[e][0];
      for (size_t i = 0; i < kept.memory.size(); ++i) {
        EXPECT_LE(kept.memory[i], both.memory[i]);
        EXPECT_GE(kept.costs[i], both.costs[i]);
        saved += both.memory[i] - kept.memory[i];
      }
    }
  EXPECT_GT(saved, 0);
  options.reuse = false;
  FrontierGraph without(p.problem, options);
  for (const auto &list : without.problemAt(position, false).alternatives)
    EXPECT_EQ(list.size(), 1U);
}

/// Lifetimes of a cost graph say what sums over positions say.
TEST(FrontierGraph, LifetimeGraphHoldsTheSame) {
  MlpProblem p(makeMlp(64, {48, 32, 16, 10}), 4);
  FrontierGraphOptions options;
  options.devices = 4;
  options.reuse = false;
  FrontierGraph graph(p.problem, options);
  CostGraph all = graph.lifetimeGraph(std::nullopt);
  ASSERT_FALSE(all.check());
  FrontierProblem tracked = graph.problemAt(0, false);
  Random random(2);
  for (int round = 0; round < 30; ++round) {
    SCOPED_TRACE(random.trace(round));
    std::vector<int> choice;
    for (const std::vector<Config> &configs : graph.getConfigs())
      choice.push_back(static_cast<int>(
          random(0, static_cast<int64_t>(configs.size()) - 1)));
    // The others follow: of each the one state that all edges allow.
    std::vector<int> whole = choice;
    for (int n = static_cast<int>(choice.size()); n < all.nodeCount(); ++n) {
      std::vector<int> allowed;
      for (int state = 0; state < all.nodes[n].configCount(); ++state) {
        bool fits = true;
        for (const CostGraphEdge &edge : all.edges)
          if (edge.target == n)
            fits &= edge.costs[static_cast<size_t>(choice[edge.source]) *
                                   all.nodes[n].configCount() +
                               state] < CostGraph::forbidden;
        if (fits)
          allowed.push_back(state);
      }
      ASSERT_EQ(allowed.size(), 1U) << n;
      whole.push_back(allowed[0]);
    }
    EXPECT_EQ(all.peakOf(whole).bytes, graph.peakOf(choice).bytes);
    auto cost =
        tracked.costOf(choice, std::vector<int>(tracked.graph.edges.size()));
    ASSERT_TRUE(cost);
    EXPECT_EQ(all.costOf(whole), cost->timeNs);
  }
}

TEST(FrontierSearch, ProfilingHasAFrontierPerNumberOfDevices) {
  MlpProblem p(makeMlp(64, {48, 32, 10}), 6);
  FrontierSearchOptions options = smallOptions();
  options.mode = FrontierMode::Profiling;
  FrontierSearchResult result = searchFrontier(p.problem, options);
  std::vector<int> devices;
  for (const DeviceFrontier &frontier : result.frontiers)
    devices.push_back(frontier.devices);
  EXPECT_EQ(devices, (std::vector<int>{1, 2, 4, 6}));
  EXPECT_EQ(result.devices, 6);
  EXPECT_EQ(result.search.bestEvaluation.makespanNs,
            result.frontiers.back().points.back().timeNs);
  nlohmann::json file =
      nlohmann::json::parse(printFrontiers(p.problem, options, result));
  EXPECT_EQ(file["version"], 1);
  EXPECT_EQ(file["frontiers"].size(), 4U);
  EXPECT_EQ(file["frontiers"][3]["points"].size(),
            result.frontiers[3].points.size());
  std::string drawing = drawFrontiers(curvesOf(result), 0, "mlp");
  EXPECT_NE(drawing.find("6 devices"), std::string::npos);
}

TEST(FrontierSearch, StoppedHasItsStarts) {
  MlpProblem p(makeMlp(64, {48, 32, 10}), 4);
  std::atomic<bool> stop{true};
  for (FrontierMode mode :
       {FrontierMode::MiniTime, FrontierMode::MiniParallelism,
        FrontierMode::Profiling}) {
    FrontierSearchOptions options = smallOptions();
    options.mode = mode;
    options.stop = &stop;
    FrontierSearchResult result = searchFrontier(p.problem, options);
    EXPECT_FALSE(p.problem.verify(result.search.best)) << modeName(mode);
    EXPECT_EQ(result.search.bestEvaluation.excessBytes, 0);
  }
}

TEST(FrontierSearch, NothingDependsOnThreads) {
  MlpProblem p(makeMlp(256, {512, 256, 256, 10}), 4);
  FrontierSearchOptions options = smallOptions();
  options.threads = 1;
  FrontierSearchResult one = searchFrontier(p.problem, options);
  options.threads = 4;
  FrontierSearchResult four = searchFrontier(p.problem, options);
  ASSERT_EQ(one.frontiers[0].points.size(), four.frontiers[0].points.size());
  for (size_t i = 0; i < one.frontiers[0].points.size(); ++i)
    EXPECT_EQ(one.frontiers[0].points[i].strategy,
              four.frontiers[0].points[i].strategy);
}

TEST(FirstDevices, KeepTheirRoutes) {
  for (const char *name :
       {"cpu-6", "p3-2x8", "dgx1-2x8", "ring-6", "h100-2x4", "fat-tree-4"}) {
    Topology whole = *builtinTopology(name);
    for (int devices = 1; devices <= whole.deviceCount(); devices += 2) {
      Topology part = firstDevices(whole, devices, 12345);
      ASSERT_EQ(part.deviceCount(), devices);
      EXPECT_EQ(capacityOf(part, -1), 12345);
      for (int a = 0; a < devices; ++a)
        for (int b = 0; b < devices; ++b)
          EXPECT_EQ(part.transferNs(a, b, 1 << 20),
                    whole.transferNs(a, b, 1 << 20))
              << name << ' ' << a << ' ' << b;
    }
  }
}
