//===- FrontierEnumerationTest.cpp - Frontiers of small spaces ------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Frontiers of random graphs on two devices, compared with all strategies: each
// is planned from nothing and simulated by the reference. 40 graphs of each
// kind, or SOAP_TEST_FRONTIERS of them.
//
//===----------------------------------------------------------------------===//

#include "Search/Frontier/CandidateStrategies.h"
#include "Search/Problem/ConfigSpace.h"
#include "Search/Problems.h"
#include "Soap/Memory/PeakMemory.h"
#include "Soap/Search/Frontier/FrontierSearch.h"
#include "Soap/Search/Presets/Presets.h"
#include "Soap/Simulator/Algorithm1Simulator.h"
#include "Support/RandomGraphs.h"

#include <gtest/gtest.h>

using namespace soap;
using namespace soap::test;

namespace {

using Point = std::pair<int64_t, int64_t>; ///< bytes, ns

/// The most that a device holds, and the time of an iteration.
Point priceOf(const ParallelizationProblem &problem, const Strategy &strategy) {
  const Graph &graph = problem.getGraph();
  Plan plan = buildPlan(graph, strategy, problem.getTopology());
  TaskGraph tasks =
      buildTaskGraph(graph, plan, CostModel(problem.getTopology()),
                     /*names=*/false);
  int64_t ns = simulateFull(tasks);
  std::vector<int64_t> peaks =
      peakBytes(graph, plan, actionOrder(plan, scheduleOrder(tasks)),
                problem.getTopology().deviceCount());
  return {*std::max_element(peaks.begin(), peaks.end()), ns};
}

/// Every config of a group on two devices: whole on either, in two pieces or
/// replicas on both.
std::vector<Config> configsOf(const ParallelizationProblem &problem,
                              const OpGroup &group) {
  std::vector<Config> configs;
  for (const std::vector<int64_t> &degrees :
       legalDegrees(problem, group.leader)) {
    if (pieceCount(degrees) == 2) {
      configs.push_back(makeConfig(degrees, {0, 1}));
      continue;
    }
    configs.push_back(makeConfig(degrees, {0}));
    configs.push_back(makeConfig(degrees, {1}));
  }
  return configs;
}

/// The frontier of all strategies of these configs, and of presets, which may
/// give members of groups configs of their own.
std::vector<Point> enumerate(const ParallelizationProblem &problem,
                             const CandidateLists &configs) {
  std::vector<Point> points;
  for (const auto &[name, strategy] : presetStarts(problem))
    points.push_back(priceOf(problem, strategy));
  std::vector<size_t> choice(configs.size());
  Strategy strategy = singleStrategy(problem);
  for (bool isOver = false; !isOver;) {
    for (size_t g = 0; g < choice.size(); ++g)
      problem.assign(strategy, problem.getGroups()[g], configs[g][choice[g]]);
    points.push_back(priceOf(problem, strategy));
    size_t g = 0;
    while (g < choice.size() && ++choice[g] == configs[g].size())
      choice[g++] = 0;
    isOver = g == choice.size();
  }
  std::sort(points.begin(), points.end());
  std::vector<Point> frontier;
  for (const Point &point : points)
    if (frontier.empty() || point.second < frontier.back().second)
      frontier.push_back(point);
  return frontier;
}

DeviceFrontier search(const ParallelizationProblem &problem) {
  return searchFrontier(problem, FrontierSearchOptions()).frontiers.at(0);
}

std::vector<Point> pointsOf(const DeviceFrontier &frontier) {
  std::vector<Point> points;
  for (const FrontierStrategy &point : frontier.points)
    points.emplace_back(point.memoryBytes, point.timeNs);
  return points;
}

int64_t graphCount() {
  const char *text = std::getenv("SOAP_TEST_FRONTIERS");
  return text ? std::strtoll(text, nullptr, 10) : 40;
}

const char *const clusters[] = {"cpu-2",   "v100-1x2", "v100-2x1", "k80-1x2",
                                "k80-2x1", "pcie-1x2", "h100-1x2", "a100-2x1"};

} // namespace

/// Layers of any even sizes: all that two devices can do with them.
TEST(FrontierEnumeration, PerceptronsEqualEnumeration) {
  for (int64_t round = 0; round < graphCount(); ++round) {
    Random random(100 + static_cast<uint64_t>(round));
    SCOPED_TRACE(random.trace(round));
    auto size = [&] { return int64_t(2) << random(0, 9); };
    std::vector<int64_t> widths = {size(), size()};
    if (random.chance(70))
      widths.push_back(size());
    Topology topology = *builtinTopology(clusters[random(0, 7)]);
    SCOPED_TRACE(topology.name);
    MlpProblem p(makeMlp(size(), widths), topology);
    CandidateLists configs;
    for (const OpGroup &group : p.problem.getGroups())
      configs.push_back(configsOf(p.problem, group));
    DeviceFrontier found = search(p.problem);
    EXPECT_TRUE(found.complete);
    EXPECT_EQ(found.guarantee, FrontierGuarantee::Simulation);
    EXPECT_EQ(found.candidateStrategies, strategyCount(configs));
    EXPECT_EQ(pointsOf(found), enumerate(p.problem, configs));
  }
}

/// Ops of any kind, each a group of its own.
TEST(FrontierEnumeration, RandomGraphsEqualEnumeration) {
  int64_t compared = 0;
  for (uint64_t seed = 1; compared < graphCount(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    randomgraphs::Random random(seed);
    randomgraphs::RandomProblem made =
        randomgraphs::randomProblem(random, 3, 200);
    if (made.devices > 2)
      continue;
    Topology topology = *builtinTopology(clusters[seed % 8]);
    std::vector<std::vector<Role>> roles;
    for (const GraphNode &node : made.graph.nodes)
      roles.emplace_back(node.whole.space.loops.size(), Role::Sample);
    ParallelizationProblem problem(made.graph, topology,
                                   untiedGroups(made.graph), std::move(roles));
    CandidateLists configs;
    FrontierGraphOptions options;
    options.devices = 2;
    for (size_t g = 0; g < problem.getGroups().size(); ++g)
      configs.push_back(
          frontierCandidates(problem, static_cast<int>(g), options));
    if (strategyCount(configs) > 100)
      continue;
    ++compared;
    DeviceFrontier found = search(problem);
    EXPECT_EQ(found.guarantee, FrontierGuarantee::Simulation);
    EXPECT_EQ(pointsOf(found),
              enumerate(problem, addPlacements(problem, configs)));
  }
}

/// Where not all are simulated, the file does not say so, and neighbours of
/// what was found are.
TEST(FrontierEnumeration, LargerSpacesSaySo) {
  MlpProblem p(makeMlp(64, {32, 64, 32, 64, 32}), 2);
  FrontierSearchOptions options;
  DeviceFrontier found = searchFrontier(p.problem, options).frontiers.at(0);
  EXPECT_EQ(found.candidateStrategies, 6 * 6 * 6 * 6);
  EXPECT_EQ(found.guarantee, FrontierGuarantee::FirstDevices);
  options.maxEnumerated = 100;
  DeviceFrontier tracked = searchFrontier(p.problem, options).frontiers.at(0);
  EXPECT_EQ(tracked.guarantee, FrontierGuarantee::CostGraph);
  options.maxNeighbours = 0;
  DeviceFrontier less = searchFrontier(p.problem, options).frontiers.at(0);
  EXPECT_GT(tracked.simulated, less.simulated);
  EXPECT_LE(tracked.simulated, less.simulated + 128);
  options.maxEnumerated = 6 * 6 * 6 * 6;
  DeviceFrontier all = searchFrontier(p.problem, options).frontiers.at(0);
  EXPECT_EQ(all.guarantee, FrontierGuarantee::Simulation);
  // More is never worse.
  auto covers = [](const DeviceFrontier &better, const DeviceFrontier &other) {
    return std::all_of(other.points.begin(), other.points.end(),
                       [&](const FrontierStrategy &point) {
                         return std::any_of(
                             better.points.begin(), better.points.end(),
                             [&](const FrontierStrategy &own) {
                               return own.memoryBytes <= point.memoryBytes &&
                                      own.timeNs <= point.timeNs;
                             });
                       });
  };
  EXPECT_TRUE(covers(all, found) && covers(all, tracked));
  EXPECT_TRUE(covers(found, less) && covers(tracked, less));
  // Forms of values are no part of what is enumerated.
  options.reuse = true;
  EXPECT_EQ(searchFrontier(p.problem, options).frontiers.at(0).guarantee,
            FrontierGuarantee::CostGraph);
}

/// JSON has no infinity.
TEST(FrontierEnumeration, CountsStayFinite) {
  EXPECT_EQ(strategyCount(CandidateLists(500, std::vector<Config>(20))),
            maxStrategiesCounted);
  EXPECT_EQ(strategyCount(CandidateLists(3, std::vector<Config>(20))), 8000);
  EXPECT_EQ(strategyCount({}), 1);
}

/// Each neighbour once, and in the end all.
TEST(FrontierEnumeration, NeighboursDifferInOneGroup) {
  MlpProblem p(makeMlp(16, {8, 16, 8}), 2);
  CandidateLists configs;
  for (const OpGroup &group : p.problem.getGroups())
    configs.push_back(configsOf(p.problem, group));
  ASSERT_EQ(listStrategies(p.problem, configs).size(), 36U);
  Strategy first = listStrategies(p.problem, configs).front(),
           last = listStrategies(p.problem, configs).back();
  CandidateNeighbours neighbours(p.problem, configs);
  std::vector<Strategy> all;
  for (size_t left = 5; left > 0;) {
    std::vector<Strategy> next = neighbours.next({&first, &last}, 3);
    left = next.size();
    all.insert(all.end(), next.begin(), next.end());
  }
  // Ten of each; two are neighbours of both.
  EXPECT_EQ(all.size(), 18U);
  for (size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(std::count(all.begin(), all.end(), all[i]), 1);
    auto differing = [&](const Strategy &strategy) {
      int count = 0;
      for (const OpGroup &group : p.problem.getGroups())
        count += all[i][group.leader] != strategy[group.leader];
      return count;
    };
    EXPECT_EQ(std::min(differing(first), differing(last)), 1);
  }
}
