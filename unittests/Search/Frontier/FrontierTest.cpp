//===- FrontierTest.cpp - Frontier tracking against enumeration -----------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random small graphs with many ties, forbidden pairs, parallel edges and
// alternatives, whose strategies are all enumerated.
//
//===----------------------------------------------------------------------===//

#include "Soap/Search/Frontier/FrontierTracking.h"

#include "Search/Frontier/FrontierTracker.h"
#include "Support/Random.h"

#include <gtest/gtest.h>

using namespace soap;
using soap::test::Random;

namespace {

std::vector<int64_t> randomCosts(Random &random, size_t count, int64_t most,
                                 int forbiddenPercent) {
  std::vector<int64_t> costs;
  for (size_t i = 0; i < count; ++i)
    costs.push_back(random.chance(forbiddenPercent) ? CostGraph::forbidden
                                                    : random(0, most));
  return costs;
}

std::vector<int64_t> randomBytes(Random &random, size_t count, int64_t most) {
  return randomCosts(random, count, most, 0);
}

/// `edges`: about how many per node.
FrontierProblem randomProblem(Random &random, int maxNodes, int maxConfigs,
                              double edges) {
  FrontierProblem problem;
  CostGraph &graph = problem.graph;
  int64_t most = random.chance(50) ? 5 : 1000;
  int forbidden = random.chance(20) ? 15 : 0;
  auto nodes = static_cast<int>(random(1, maxNodes));
  for (int v = 0; v < nodes; ++v) {
    auto configs = static_cast<size_t>(random(1, maxConfigs));
    CostGraphNode node;
    node.costs = randomCosts(random, configs, most, forbidden);
    node.memory = randomBytes(random, configs, most);
    node.liveTo = random.chance(90) ? 1 : 0;
    graph.nodes.push_back(std::move(node));
  }
  bool chain = random.chance(30);
  for (int i = 0; nodes > 1 && i < static_cast<int>(edges * nodes); ++i) {
    CostGraphEdge edge;
    edge.source = static_cast<int>(random(0, nodes - 1));
    edge.target = static_cast<int>(random(0, nodes - 2));
    if (chain) {
      edge.source = i % (nodes - 1);
      edge.target = edge.source;
    }
    edge.target += edge.target >= edge.source;
    size_t entries = graph.nodes[edge.source].costs.size() *
                     graph.nodes[edge.target].costs.size();
    edge.costs = randomCosts(random, entries, most, forbidden);
    std::vector<EdgeAlternative> &own = problem.alternatives.emplace_back();
    for (int64_t a = random.chance(50) ? 0 : random(1, 3); a > 0; --a)
      own.push_back({randomCosts(random, entries, most, forbidden),
                     randomBytes(random, entries, most)});
    graph.edges.push_back(std::move(edge));
  }
  if (random.chance(30))
    problem.alternatives.clear();
  return problem;
}

/// Calls `visit` with every list of numbers below `bounds`.
template <typename Visit>
void enumerate(const std::vector<int> &bounds, Visit visit) {
  std::vector<int> values(bounds.size());
  while (true) {
    visit(values);
    size_t i = 0;
    while (i < values.size() && ++values[i] == bounds[i])
      values[i++] = 0;
    if (i == values.size())
      return;
  }
}

std::vector<FrontierPoint> allPoints(const FrontierProblem &problem) {
  std::vector<int> bounds;
  for (const CostGraphNode &node : problem.graph.nodes)
    bounds.push_back(node.configCount());
  size_t nodes = bounds.size();
  for (size_t e = 0; e < problem.graph.edges.size(); ++e)
    bounds.push_back(
        problem.alternatives.empty()
            ? 1
            : std::max<int>(1,
                            static_cast<int>(problem.alternatives[e].size())));
  std::vector<FrontierPoint> points;
  enumerate(bounds, [&](const std::vector<int> &values) {
    if (auto point = problem.costOf(
            {values.begin(), values.begin() + static_cast<long>(nodes)},
            {values.begin() + static_cast<long>(nodes), values.end()}))
      points.push_back(*point);
  });
  return points;
}

size_t combinations(const FrontierProblem &problem) {
  double count = 1;
  for (const CostGraphNode &node : problem.graph.nodes)
    count *= node.configCount();
  for (const auto &own : problem.alternatives)
    count *= std::max<double>(1, static_cast<double>(own.size()));
  return static_cast<size_t>(std::min(count, 1e9));
}

std::vector<std::pair<int64_t, int64_t>> pairs(const Frontier &frontier) {
  std::vector<std::pair<int64_t, int64_t>> result;
  for (const FrontierPoint &point : frontier)
    result.emplace_back(point.memoryBytes, point.timeNs);
  return result;
}

/// That every point is what its own choices cost.
void expectReal(const FrontierProblem &problem, const FrontierResult &result) {
  EXPECT_TRUE(isFrontier(result.points));
  for (size_t i = 0; i < result.points.size(); ++i) {
    FrontierChoice choice = result.unroll(i);
    ASSERT_FALSE(problem.graph.checkChoice(choice.choice));
    std::optional<FrontierPoint> cost =
        problem.costOf(choice.choice, choice.alternative);
    ASSERT_TRUE(cost);
    EXPECT_EQ(cost->memoryBytes, result.points[i].memoryBytes);
    EXPECT_EQ(cost->timeNs, result.points[i].timeNs);
  }
}

/// That some point is within `error` of each of `exact`.
void expectWithin(const Frontier &exact, const Frontier &points, double error) {
  for (const FrontierPoint &point : exact) {
    const FrontierPoint *found = fastestWithin(points, point.memoryBytes);
    ASSERT_TRUE(found);
    EXPECT_LE(static_cast<double>(found->timeNs),
              static_cast<double>(point.timeNs) * (1 + error) * (1 + 1e-12));
  }
}

/// Draws problems with at most `most` strategies.
template <typename Check>
void forRandomProblems(uint64_t salt, int rounds, int maxNodes, int maxConfigs,
                       double edges, Check check, size_t most = 20'000) {
  Random random(salt);
  for (int round = 0; round < rounds; ++round) {
    SCOPED_TRACE(random.trace(round));
    FrontierProblem problem;
    do
      problem = randomProblem(random, maxNodes, maxConfigs, edges);
    while (combinations(problem) > most);
    ASSERT_FALSE(problem.check());
    check(random, problem);
    if (::testing::Test::HasFailure())
      return;
  }
}

} // namespace

TEST(Frontier, ReducesAndTrims) {
  Random random(1);
  for (int round = 0; round < 300; ++round) {
    SCOPED_TRACE(random.trace(round));
    std::vector<FrontierPoint> points;
    for (int64_t i = random(0, 12); i > 0; --i)
      points.push_back({random(0, 20), random(0, 20), 0});
    Frontier frontier = reduceToFrontier(points);
    ASSERT_TRUE(isFrontier(frontier));
    for (const FrontierPoint &point : points) {
      int dominating = 0;
      for (const FrontierPoint &kept : frontier)
        dominating += kept.dominates(point);
      EXPECT_GE(dominating, 1);
    }
    Frontier trimmed = frontier;
    trimFrontier(trimmed, 0.3);
    expectWithin(frontier, trimmed, 0.3);
    for (size_t count = 2; count < 5; ++count) {
      trimmed = frontier;
      trimFrontier(trimmed, toleranceFor(frontier, count));
      EXPECT_LE(trimmed.size(), count);
    }
  }
}

/// An entry of a table is the frontier of all sums, with none that another one
/// dominates: as many bytes and less time, too.
TEST(Frontier, TablesHaveFrontiersOfSums) {
  Random random(12);
  for (int round = 0; round < 500; ++round) {
    SCOPED_TRACE(random.trace(round));
    auto randomTable = [&] {
      return initialTable(3, 1, 0,
                          [&](size_t, std::vector<FrontierPoint> &points) {
                            for (int64_t i = random(1, 5); i > 0; --i)
                              points.push_back({random(0, 6), random(0, 6), 0});
                          });
    };
    std::shared_ptr<const FrontierTable> left = randomTable(),
                                         right = randomTable();
    TraceArena arena;
    TableBuilder builder(arena, 1, {}, [] { return false; });
    auto table = builder.build(
        1, 1, *left, *right, 1,
        [&](int, int, std::vector<TableBuilder::Product> &products) {
          for (int row = 0; row < 3; ++row)
            products.push_back({left->at(row), right->at(row)});
        });
    std::vector<FrontierPoint> sums;
    for (int row = 0; row < 3; ++row)
      for (const FrontierPoint &a : left->at(row))
        for (const FrontierPoint &b : right->at(row))
          sums.push_back(
              {a.memoryBytes + b.memoryBytes, a.timeNs + b.timeNs, 0});
    Frontier built(table->at(0).begin(), table->at(0).end());
    EXPECT_EQ(pairs(built), pairs(reduceToFrontier(sums)));
  }
}

TEST(FrontierTracking, EqualsEnumeration) {
  forRandomProblems(2, 2500, 7, 4, 1.4, [](Random &random, auto &problem) {
    Frontier expected = reduceToFrontier(allPoints(problem));
    FrontierOptions options;
    options.method =
        random.chance(50) ? FrontierMethod::Ldp : FrontierMethod::Elimination;
    options.threads = random.chance(10) ? 3 : 1;
    FrontierResult result = trackFrontier(problem, options);
    ASSERT_TRUE(result.complete);
    EXPECT_TRUE(result.guaranteed);
    EXPECT_EQ(result.errorBound, 0);
    EXPECT_EQ(pairs(result.points), pairs(expected));
    expectReal(problem, result);
  });
}

/// Many edges: branch eliminations.
TEST(FrontierTracking, MergesBranches) {
  int64_t branches = 0;
  forRandomProblems(3, 300, 8, 3, 3, [&](Random &, auto &problem) {
    FrontierResult result = trackFrontier(problem, {});
    branches += result.branchEliminations;
    EXPECT_EQ(pairs(result.points),
              pairs(reduceToFrontier(allPoints(problem))));
    expectReal(problem, result);
  });
  EXPECT_GT(branches, 100);
}

TEST(FrontierTracking, KeepsItsEpsilon) {
  int64_t dropped = 0;
  forRandomProblems(4, 500, 7, 5, 1.4, [&](Random &random, auto &problem) {
    Frontier exact = reduceToFrontier(allPoints(problem));
    FrontierOptions options;
    options.epsilon = 0.01 * static_cast<double>(random(1, 50));
    FrontierResult result = trackFrontier(problem, options);
    ASSERT_TRUE(result.complete && result.guaranteed);
    EXPECT_LE(result.errorBound, options.epsilon);
    expectReal(problem, result);
    expectWithin(exact, result.points, result.errorBound);
    dropped += static_cast<int64_t>(exact.size() - result.points.size());
  });
  EXPECT_GT(dropped, 100);
}

TEST(FrontierTracking, SaysWhatFewPointsCost) {
  forRandomProblems(5, 300, 7, 5, 1.4, [&](Random &random, auto &problem) {
    FrontierOptions options;
    options.maxPoints = random(2, 4);
    FrontierResult result = trackFrontier(problem, options);
    ASSERT_TRUE(result.complete);
    EXPECT_LE(result.largestFrontier, options.maxPoints);
    expectReal(problem, result);
    expectWithin(reduceToFrontier(allPoints(problem)), result.points,
                 result.errorBound);
  });
}

TEST(FrontierTracking, LooksWithinALimitOnly) {
  forRandomProblems(6, 500, 7, 4, 1.6, [&](Random &random, auto &problem) {
    Frontier exact = reduceToFrontier(allPoints(problem));
    if (exact.empty())
      return;
    FrontierOptions options;
    options.limitBytes =
        random(exact.front().memoryBytes - 2, exact.back().memoryBytes + 2);
    if (options.limitBytes < 0)
      return;
    FrontierResult result = trackFrontier(problem, options);
    std::erase_if(exact, [&](const FrontierPoint &point) {
      return point.memoryBytes > options.limitBytes;
    });
    EXPECT_EQ(pairs(result.points), pairs(exact));
    expectReal(problem, result);
  });
}

TEST(FrontierTracking, ChoosesConfigsWhereAGraphResists) {
  int64_t chosen = 0, found = 0, all = 0;
  forRandomProblems(7, 300, 8, 3, 3, [&](Random &, auto &problem) {
    FrontierOptions options;
    options.maxMergedConfigs = 2;
    FrontierResult result = trackFrontier(problem, options);
    ASSERT_TRUE(result.complete);
    expectReal(problem, result);
    EXPECT_EQ(result.guaranteed, result.heuristicEliminations == 0);
    chosen += result.heuristicEliminations;
    Frontier exact = reduceToFrontier(allPoints(problem));
    if (result.guaranteed) {
      EXPECT_EQ(pairs(result.points), pairs(exact));
    }
    for (const FrontierPoint &point : result.points)
      EXPECT_TRUE(fastestWithin(exact, point.memoryBytes) &&
                  fastestWithin(exact, point.memoryBytes)->timeNs <=
                      point.timeNs);
    found += static_cast<int64_t>(result.points.size());
    all += static_cast<int64_t>(exact.size());
  });
  EXPECT_GT(chosen, 20);
  EXPECT_GT(found, all / 4);
}

/// A chain of layers, each with a branch around it.
static FrontierProblem layers(int count, int configs) {
  Random random(8);
  FrontierProblem problem;
  CostGraph &graph = problem.graph;
  auto size = static_cast<size_t>(configs);
  CostGraphNode node;
  node.liveTo = 1;
  node.costs = randomCosts(random, size, 1000, 0);
  node.memory = randomBytes(random, size, 1000);
  std::vector<std::vector<int64_t>> costs;
  for (int i = 0; i < 3; ++i)
    costs.push_back(randomCosts(random, size * size, 1000, 0));
  graph.nodes.assign(static_cast<size_t>(2 * count + 1), node);
  for (int l = 0; l < count; ++l) {
    graph.edges.push_back({2 * l, 2 * l + 1, costs[0]});
    graph.edges.push_back({2 * l + 1, 2 * l + 2, costs[1]});
    graph.edges.push_back({2 * l, 2 * l + 2, costs[2]});
  }
  return problem;
}

TEST(FrontierTracking, SharesTablesOfIdenticalLayers) {
  FrontierProblem problem = layers(12, 4);
  ASSERT_FALSE(problem.check());
  FrontierOptions options;
  FrontierResult ldp = trackFrontier(problem, options);
  EXPECT_GE(ldp.sharedTables, 9);
  expectReal(problem, ldp);
  options.method = FrontierMethod::Elimination;
  FrontierResult elimination = trackFrontier(problem, options);
  expectReal(problem, elimination);
  EXPECT_EQ(pairs(ldp.points), pairs(elimination.points));
  options.method = FrontierMethod::Ldp;
  for (int threads : {2, 5}) {
    options.threads = threads;
    FrontierResult result = trackFrontier(problem, options);
    EXPECT_EQ(pairs(result.points), pairs(ldp.points));
    for (size_t i = 0; i < result.points.size(); ++i)
      EXPECT_EQ(result.unroll(i).choice, ldp.unroll(i).choice);
  }
}

TEST(FrontierTracking, StopsWhenTold) {
  FrontierProblem problem = layers(40, 8);
  std::atomic<bool> stop{true};
  FrontierOptions options;
  options.stop = &stop;
  FrontierResult result = trackFrontier(problem, options);
  EXPECT_FALSE(result.complete);
  EXPECT_TRUE(result.points.empty());
  options.stop = nullptr;
  options.maxBytes = 1000;
  EXPECT_FALSE(trackFrontier(problem, options).complete);
}

TEST(FrontierTracking, EmptyAndForbidden) {
  FrontierProblem problem;
  FrontierResult nothing = trackFrontier(problem, {});
  ASSERT_TRUE(nothing.complete);
  EXPECT_EQ(pairs(nothing.points), pairs({{0, 0, 0}}));
  EXPECT_TRUE(nothing.unroll(0).choice.empty());
  problem.graph.nodes = {{{CostGraph::forbidden}, {1}, 0, 1}};
  FrontierResult result = trackFrontier(problem, {});
  EXPECT_TRUE(result.complete);
  EXPECT_TRUE(result.points.empty());
}

TEST(FrontierProblem, SaysWhatIsWrong) {
  FrontierProblem good;
  good.graph.nodes = {{{1, 2}, {3, 4}, 0, 1}, {{5}, {6}, 0, 1}};
  good.graph.edges = {{0, 1, {7, 8}}};
  good.alternatives = {{{{1, 1}, {0, 0}}}};
  EXPECT_FALSE(good.check());
  auto message = [&](auto change) {
    FrontierProblem problem = good;
    change(problem);
    MaybeError error = problem.check();
    return error ? error->message : "";
  };
  EXPECT_EQ(message([](auto &p) { p.alternatives.emplace_back(); }),
            "expected alternatives for 1 edges or none, got 2");
  EXPECT_EQ(message([](auto &p) { p.alternatives[0][0].costs.pop_back(); }),
            "edge 0, alternative 0: expected 2 costs and as many bytes, got 1 "
            "and 2");
  EXPECT_EQ(message([](auto &p) { p.alternatives[0][0].memory[1] = -4; }),
            "edge 0, alternative 0: expected numbers of at least 0, got -4");
  EXPECT_EQ(
      message([](auto &p) { p.alternatives[0][0].memory[1] = INT64_MAX; }),
      "memory adds up to 2^63 bytes or more, expected less");
  EXPECT_NE(message([](auto &p) { p.graph.nodes[0].costs.clear(); }), "");
}
