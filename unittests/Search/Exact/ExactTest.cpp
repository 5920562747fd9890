//===- ExactTest.cpp - Optimal strategies by branch and bound -------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Against plain enumeration of the space; bounds against the simulator.
//
//===----------------------------------------------------------------------===//

#include "Soap/Search/Exact/Exact.h"
#include "Search/Exact/ExactTimeline.h"
#include "Search/Problem/ConfigSpace.h"
#include "Search/Problems.h"
#include "Soap/Search/Presets/Presets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

using namespace soap;
using namespace soap::test;

/// The space as Exact.h describes it; loop 2 of a layer is its reduction.
static std::vector<std::vector<Config>>
spaceOf(const ParallelizationProblem &problem, bool anyDevices) {
  int devices = problem.getTopology().deviceCount();
  std::vector<std::vector<Config>> result;
  for (const OpGroup &group : problem.getGroups()) {
    result.emplace_back();
    for (const std::vector<int64_t> &degrees :
         legalDegrees(problem, group.leader)) {
      if (degrees[2] > 1 || degrees[3] > 1)
        continue;
      int64_t count = pieceCount(degrees);
      if (anyDevices) {
        for (const std::vector<int> &list : arrangements(devices, count))
          result.back().push_back(makeConfig(degrees, list));
        continue;
      }
      for (int64_t start = 0; start + count <= devices; start += count) {
        std::vector<int> list(count);
        std::iota(list.begin(), list.end(), static_cast<int>(start));
        result.back().push_back(makeConfig(degrees, list));
      }
    }
  }
  return result;
}

/// Calls `visit` with all strategies of the space.
template <typename Visit>
static void forEachStrategy(const ParallelizationProblem &problem,
                            const std::vector<std::vector<Config>> &configs,
                            Visit visit) {
  std::vector<int> choice(configs.size());
  Strategy strategy = singleStrategy(problem);
  for (bool more = true; more;) {
    for (size_t g = 0; g < configs.size(); ++g)
      problem.assign(strategy, problem.getGroups()[g], configs[g][choice[g]]);
    visit(strategy, choice);
    more = false;
    for (size_t g = 0; g < configs.size() && !more; ++g) {
      more = ++choice[g] < static_cast<int>(configs[g].size());
      if (!more)
        choice[g] = 0;
    }
  }
}

static constexpr int64_t noLimit = INT64_MAX / 4;

static Topology topologyOf(uint64_t seed) {
  const char *names[] = {"cpu-2", "cpu-3", "p100-1x2", "k80-1x2", "p100-1x3"};
  return *builtinTopology(names[seed % 5]);
}

TEST(Exact, EnumerationAgrees) {
  for (uint64_t seed = 0; seed < 10; ++seed) {
    std::mt19937_64 engine(seed);
    auto size = [&] { return static_cast<int64_t>(8 + engine() % 400); };
    Mlp mlp = makeMlp(size(), {size(), size(), size()});
    Topology topology = topologyOf(seed);
    ParallelizationProblem problem(mlp.graph, topology, layerGroups(mlp),
                                   mlp.roles);
    bool anyDevices = seed % 2;
    int64_t best = INT64_MAX, count = 0;
    forEachStrategy(problem, spaceOf(problem, anyDevices),
                    [&](const Strategy &strategy, const auto &) {
                      ++count;
                      best =
                          std::min(best, problem.evaluate(strategy).makespanNs);
                    });
    ExactOptions options;
    options.anyDevices = anyDevices;
    options.firstProposals = 0;
    options.initial = {singleStrategy(problem)};
    ExactResult result = searchExact(problem, options);
    EXPECT_TRUE(result.search.optimal);
    EXPECT_EQ(result.spaceSize, static_cast<double>(count));
    EXPECT_EQ(result.search.bestEvaluation.makespanNs, best) << "seed " << seed;
    EXPECT_EQ(result.search.boundNs, best);
    EXPECT_LE(result.rootBoundNs, best);
    EXPECT_LE(result.leaves, count);
    EXPECT_FALSE(problem.verify(result.search.best));
  }
}

/// Groups are assigned in a random order; what the others can still do must
/// never be bounded above the strategy that is being assigned.
TEST(Exact, BoundsHold) {
  for (uint64_t seed = 0; seed < 10; ++seed) {
    std::mt19937_64 engine(seed);
    auto size = [&] { return static_cast<int64_t>(8 + engine() % 600); };
    Mlp mlp = makeMlp(size(), {size(), size(), size()});
    Topology topology = topologyOf(seed);
    ParallelizationProblem problem(mlp.graph, topology, layerGroups(mlp),
                                   mlp.roles);
    std::vector<std::vector<Config>> configs = spaceOf(problem, seed % 2);
    ExactTables tables(problem, configs);
    ExactTimeline timeline(problem, configs, tables);
    int64_t root = ExactBounds(tables, configs).propagate(noLimit);
    EXPECT_GT(root, 0);
    int tight = 0;
    std::vector<int> order(configs.size());
    std::iota(order.begin(), order.end(), 0);
    forEachStrategy(
        problem, configs,
        [&](const Strategy &strategy, const std::vector<int> &choice) {
          if (engine() % 4)
            return; // some of them will do
          int64_t ns = problem.evaluate(strategy).makespanNs, last = 0;
          std::shuffle(order.begin(), order.end(), engine);
          // Without a limit, and with one that the strategy just keeps: then
          // none of its configs may leave its domain.
          for (int64_t limitNs : {noLimit, ns}) {
            ExactBounds bounds(tables, configs);
            ASSERT_LE(bounds.propagate(limitNs), ns) << "seed " << seed;
            for (int g : order) {
              const std::vector<int> &domain = bounds.domain(g);
              ASSERT_TRUE(std::find(domain.begin(), domain.end(), choice[g]) !=
                          domain.end())
                  << "seed " << seed;
              ASSERT_LE(bounds.boundNs(g, choice[g]), ns) << "seed " << seed;
              bounds.push(g, choice[g]);
              ASSERT_LE(bounds.propagate(limitNs), ns) << "seed " << seed;
              ASSERT_LE(timeline.boundNs(bounds, limitNs), ns)
                  << "seed " << seed;
              last = bounds.propagate(limitNs);
              ASSERT_LE(last, ns) << "seed " << seed;
            }
            for (size_t n = order.size(); n-- > 0;)
              bounds.pop();
            EXPECT_LE(bounds.propagate(limitNs), ns);
          }
          tight += last > ns * 9 / 10;
        });
    EXPECT_GT(tight, 0) << "seed " << seed;
  }
}

TEST(Exact, StoppedEarly) {
  MlpProblem p(makeMlp(64, {100, 80, 10}), 4);
  std::atomic<bool> stop = true;
  ExactOptions options;
  options.stop = &stop;
  ExactResult result = searchExact(p.problem, options);
  EXPECT_FALSE(p.problem.verify(result.search.best));
  EXPECT_LE(result.search.boundNs, result.search.bestEvaluation.makespanNs);
  EXPECT_GE(result.search.boundNs, result.rootBoundNs);
}

TEST(Exact, ProvesWithMarkovChainsFirst) {
  MlpProblem p(makeMlp(64, {100, 80, 10}), 4);
  ExactOptions options;
  options.firstProposals = 500;
  ExactResult result = searchExact(p.problem, options);
  EXPECT_TRUE(result.search.optimal);
  EXPECT_EQ(result.search.boundNs, result.search.bestEvaluation.makespanNs);
  EXPECT_FALSE(p.problem.verify(result.search.best));
}

/// Placements are no strategies of a space without a choice of devices.
TEST(Exact, StaysInTheSpace) {
  MlpProblem p(makeMlp(64, {100, 80, 10}), *builtinTopology("p100-1x2"));
  p.problem.anyDevices = p.problem.replicas = false;
  p.problem.searchedRoles = {Role::Sample};
  ExactOptions options;
  options.firstProposals = 500;
  ExactResult result = searchExact(p.problem, options);
  EXPECT_TRUE(result.search.optimal);
  for (const OpGroup &group : p.problem.getGroups())
    EXPECT_TRUE(
        p.problem.contains(group.leader, result.search.best[group.leader]));
}

TEST(Exact, EmptyGraph) {
  Graph graph;
  Topology topology = *builtinTopology("cpu-2");
  ParallelizationProblem problem(graph, topology, {}, {});
  EXPECT_TRUE(searchExact(problem, {}).search.optimal);
}
