//===- CostGraphSolverTest.cpp - Solvers against all choices --------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Agreement on random graphs; infeasible and odd ones; that a seed means the
// same result.
//
//===----------------------------------------------------------------------===//

#include "Search/CostGraph/BranchAndBound.h"
#include "Search/CostGraph/FirstSolution.h"
#include "Search/CostGraph/PriceAscent.h"
#include "Search/CostGraphs.h"
#include "Soap/Search/CostGraph/SolveCostGraph.h"
#include "Soap/Search/Frontier/RepeatedBlocks.h"

#include <gtest/gtest.h>

using namespace soap;
using namespace soap::test;

static CostGraphOptions plainOptions(CostGraphAlgorithm algorithm) {
  CostGraphOptions options;
  options.algorithm = algorithm;
  options.seconds = 1e6; // rounds end searches, not the clock
  options.rounds = 200;
  return options;
}

/// Solves random graphs with all solvers and compares with all choices; counts
/// graphs that are solved and that are infeasible.
static void compareWithEnumeration(bool isLarge, int graphs, int &solved,
                                   int &infeasible) {
  for (int seed = 0; seed < graphs; ++seed) {
    CostGraphGenerator generator(static_cast<uint64_t>(seed));
    CostGraph graph =
        isLarge ? generator.drawLarge(7, 4) : generator.draw(7, 4);
    ASSERT_FALSE(graph.check());
    std::vector<int> best = enumerateChoices(graph);
    for (CostGraphAlgorithm algorithm :
         {CostGraphAlgorithm::Auto, CostGraphAlgorithm::Elimination}) {
      CostGraphResult result = solveCostGraph(graph, plainOptions(algorithm));
      if (best.empty()) {
        EXPECT_EQ(result.status, CostGraphResult::Infeasible) << seed;
        EXPECT_FALSE(result.reason.empty()) << seed;
        ++infeasible;
        continue;
      }
      ASSERT_EQ(result.status, CostGraphResult::Solved) << seed;
      EXPECT_EQ(result.solution.cost, *graph.costOf(best)) << seed;
      EXPECT_TRUE(result.solution.optimal) << seed;
      EXPECT_FALSE(graph.verify(result.solution)) << seed;
      ++solved;
    }
  }
}

TEST(CostGraphSolver, AgreesWithEnumeration) {
  int solved = 0, infeasible = 0;
  compareWithEnumeration(false, 2000, solved, infeasible);
  EXPECT_GT(solved, 1000);
  EXPECT_GT(infeasible, 500);
}

TEST(CostGraphSolver, AgreesWithEnumerationUpToTheLargestCosts) {
  int solved = 0, infeasible = 0;
  compareWithEnumeration(true, 2000, solved, infeasible);
  EXPECT_GT(solved, 1000);
  EXPECT_GT(infeasible, 500);
}

/// A bound that is rounded up would prove what is wrong.
TEST(CostGraphSolver, BoundsOfLargeCostsHold) {
  int solved = 0;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    CostGraphGenerator generator(seed);
    CostGraph graph = generator.drawLarge(8, 4);
    std::vector<int> best = enumerateChoices(graph);
    if (best.empty())
      continue;
    for (int64_t rounds : {1, 2}) {
      CostGraphOptions options = plainOptions(CostGraphAlgorithm::Search);
      options.rounds = rounds;
      CostGraphResult result = solveCostGraph(graph, options);
      if (result.status != CostGraphResult::Solved)
        continue;
      ++solved;
      EXPECT_FALSE(graph.verify(result.solution)) << seed;
      EXPECT_GE(result.solution.cost, *graph.costOf(best)) << seed;
      EXPECT_LE(result.solution.bound, *graph.costOf(best)) << seed;
    }
    std::atomic<bool> stop{true};
    CostGraphOptions options;
    options.stop = &stop;
    CostGraphResult atOnce = solveCostGraph(graph, options);
    EXPECT_LE(atOnce.solution.bound, *graph.costOf(best)) << seed;
  }
  EXPECT_GT(solved, 40);
}

/// One node whose only cost is one more than what a double holds, and the most
/// there is.
TEST(CostGraphSolver, OneLargeCost) {
  for (int64_t cost : {(int64_t(1) << 53) + 1, int64_t(10'000'000'000'000'000),
                       CostGraph::forbidden - 1}) {
    CostGraph graph;
    graph.nodes.push_back({{cost}, {1}, 0, 1});
    for (CostGraphAlgorithm algorithm :
         {CostGraphAlgorithm::Auto, CostGraphAlgorithm::Elimination,
          CostGraphAlgorithm::Search}) {
      CostGraphResult result = solveCostGraph(graph, plainOptions(algorithm));
      ASSERT_EQ(result.status, CostGraphResult::Solved);
      EXPECT_EQ(result.solution.cost, cost);
      EXPECT_EQ(result.solution.bound, cost);
      EXPECT_TRUE(result.solution.optimal);
    }
  }
}

/// Circles of three nodes of two configs each, of which neighbours must differ:
/// every pair of nodes has choices, the circle has none. Several of them add up
/// to more than an int64_t.
TEST(CostGraphSolver, SeveralPartsWithoutAChoice) {
  CostGraph graph;
  for (int circle = 0; circle < 5; ++circle) {
    for (int i = 0; i < 3; ++i)
      graph.nodes.push_back({{1, 2}, {0, 0}, 0, 0});
    for (int i = 0; i < 3; ++i)
      graph.edges.push_back(
          {3 * circle + i,
           3 * circle + (i + 1) % 3,
           {CostGraph::forbidden, 0, 0, CostGraph::forbidden}});
  }
  ASSERT_FALSE(graph.check());
  for (CostGraphAlgorithm algorithm :
       {CostGraphAlgorithm::Auto, CostGraphAlgorithm::Elimination,
        CostGraphAlgorithm::Search}) {
    CostGraphResult result = solveCostGraph(graph, plainOptions(algorithm));
    EXPECT_EQ(result.status, CostGraphResult::Infeasible);
    EXPECT_FALSE(result.reason.empty());
  }
}

/// A state that prices exclude is in no solution that is cheaper than the
/// incumbent.
TEST(CostGraphBounds, NothingWorthHavingIsExcluded) {
  using namespace soap::costgraph;
  int solutions = 0, goneStates = 0, gonePairs = 0;
  for (uint64_t seed = 0; seed < 6000; ++seed) {
    SCOPED_TRACE(seed);
    CostGraphGenerator generator(seed);
    Reducer reducer(seed % 2 ? generator.drawLarge(8, 4)
                             : generator.draw(8, 4));
    if (!reducer.reduce())
      continue;
    Kernel kernel = reducer.kernel();
    MemoryProfile profile(kernel);
    std::vector<std::pair<int64_t, std::vector<int>>> all;
    std::vector<int> states(kernel.nodes.size());
    for (bool isMore = !states.empty(); isMore;) {
      profile.assign(states);
      if (int64_t cost = kernel.costOf(states);
          cost < infinite && profile.fits())
        all.emplace_back(cost, states);
      isMore = false;
      for (size_t n = 0; n < states.size() && !isMore; ++n)
        if (++states[n] < kernel.nodes[n].stateCount())
          isMore = true;
        else
          states[n] = 0;
    }
    if (all.empty())
      continue;
    int64_t incumbent = std::min_element(all.begin(), all.end())->first + 1 +
                        generator.below(5);
    Survivors survivors(kernel), before = survivors;
    PriceAscent ascent(kernel);
    for (int step = 0; step < 40; ++step) {
      ascent.step();
      ascent.exclude(incumbent, survivors);
    }
    for (const auto &[cost, choice] : all) {
      if (cost >= incumbent)
        continue;
      ++solutions;
      for (size_t n = 0; n < choice.size(); ++n)
        EXPECT_TRUE(survivors.states[n][choice[n]]);
      for (size_t e = 0; e < kernel.edges.size(); ++e) {
        const KernelEdge &edge = kernel.edges[e];
        EXPECT_TRUE(
            survivors.pairs[e][choice[edge.source] *
                                   kernel.nodes[edge.target].stateCount() +
                               choice[edge.target]]);
      }
    }
    goneStates += shareGone(before.states, survivors.states) > 0;
    gonePairs += shareGone(before.pairs, survivors.pairs) > 0;
  }
  EXPECT_GT(solutions, 100);
  EXPECT_GT(goneStates, 50);
  EXPECT_GT(gonePairs, 50);
}

TEST(CostGraphSolver, SearchFindsWhatEnumerationFinds) {
  int solved = 0;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    CostGraphGenerator generator(seed);
    CostGraph graph = generator.draw(8, 4);
    std::vector<int> best = enumerateChoices(graph);
    CostGraphOptions options = plainOptions(CostGraphAlgorithm::Search);
    options.rounds = 1;
    CostGraphResult result = solveCostGraph(graph, options);
    if (best.empty() || result.status != CostGraphResult::Solved)
      continue;
    ++solved;
    EXPECT_GE(result.solution.cost, *graph.costOf(best)) << seed;
    EXPECT_LE(result.solution.bound, *graph.costOf(best)) << seed;
  }
  EXPECT_GT(solved, 30);
}

TEST(CostGraphSolver, SmallestCapacity) {
  int checked = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    CostGraphGenerator generator(seed);
    CostGraph graph = generator.draw(6, 3);
    SmallestCapacity found =
        findSmallestCapacity(graph, plainOptions(CostGraphAlgorithm::Auto));
    graph.capacity.reset();
    if (enumerateChoices(graph).empty()) {
      EXPECT_TRUE(found.isImpossible) << seed;
      continue;
    }
    ASSERT_TRUE(found.found) << seed;
    ASSERT_EQ(*found.found, found.bound) << seed;
    graph.capacity = found.bound;
    EXPECT_FALSE(enumerateChoices(graph).empty()) << seed;
    if (found.bound == 0)
      continue;
    graph.capacity = found.bound - 1;
    EXPECT_TRUE(enumerateChoices(graph).empty()) << seed;
    ++checked;
  }
  EXPECT_GT(checked, 100);
}

TEST(CostGraphSolver, NothingToDecide) {
  CostGraphResult result =
      solveCostGraph(CostGraph(), plainOptions(CostGraphAlgorithm::Auto));
  ASSERT_EQ(result.status, CostGraphResult::Solved);
  EXPECT_EQ(result.solution.cost, 0);
  EXPECT_TRUE(result.solution.optimal);
}

/// A grid: its treewidth is its side.
static CostGraph makeGrid(int side, int configs, uint64_t seed) {
  CostGraphGenerator generator(seed);
  CostGraph graph;
  for (int n = 0; n < side * side; ++n) {
    CostGraphNode &node = graph.nodes.emplace_back();
    for (int c = 0; c < configs; ++c) {
      node.costs.push_back(generator.below(100));
      node.memory.push_back(generator.below(100));
    }
    node.liveFrom = n;
    node.liveTo = n + side;
  }
  auto join = [&](int a, int b) {
    CostGraphEdge edge{a, b, {}};
    for (int i = 0; i < configs * configs; ++i)
      edge.costs.push_back(generator.below(100));
    graph.edges.push_back(std::move(edge));
  };
  for (int n = 0; n < side * side; ++n) {
    if (n % side + 1 < side)
      join(n, n + 1);
    if (n + side < side * side)
      join(n, n + side);
  }
  return graph;
}

TEST(CostGraphSolver, SameSeedSameResult) {
  CostGraph graph = makeGrid(9, 5, 1);
  graph.capacity = 300;
  CostGraphOptions options = plainOptions(CostGraphAlgorithm::Auto);
  options.rounds = 3;
  options.threads = 3;
  CostGraphResult first = solveCostGraph(graph, options);
  ASSERT_EQ(first.status, CostGraphResult::Solved);
  EXPECT_FALSE(graph.verify(first.solution));
  for (int i = 0; i < 2; ++i) {
    CostGraphResult again = solveCostGraph(graph, options);
    EXPECT_EQ(again.solution.choice, first.solution.choice);
    EXPECT_EQ(again.solution.bound, first.solution.bound);
  }
}

/// Without a number of rounds, searches go on as long as the first task takes.
TEST(CostGraphSolver, ThreadsUntilTheTimeIsOver) {
  CostGraph graph = makeGrid(14, 6, 3);
  graph.capacity = 500;
  CostGraphOptions options;
  options.seconds = 0.5;
  options.threads = 3;
  CostGraphResult result = solveCostGraph(graph, options);
  ASSERT_EQ(result.status, CostGraphResult::Solved);
  EXPECT_FALSE(graph.verify(result.solution));
}

TEST(CostGraphSolver, EndsAtOnceWhenItIsToldTo) {
  CostGraph graph = makeGrid(30, 8, 2);
  graph.capacity = 1200;
  std::atomic<bool> stop{true};
  CostGraphOptions options;
  options.seconds = 1e6;
  options.stop = &stop;
  CostGraphResult result = solveCostGraph(graph, options);
  if (result.status == CostGraphResult::Solved) {
    EXPECT_FALSE(graph.verify(result.solution));
  }
  options.stop = nullptr;
  options.seconds = 0;
  result = solveCostGraph(graph, options);
  if (result.status == CostGraphResult::Solved) {
    EXPECT_FALSE(graph.verify(result.solution));
  }
}

TEST(RepeatedBlocks, EqualLayersDecideOnce) {
  // Layers of two nodes, each between equal layers.
  CostGraph graph;
  int layers = 12;
  for (int i = 0; i < layers; ++i) {
    graph.nodes.push_back({{3, 5, 4}, {1, 1, 1}, i, i + 1});
    graph.nodes.push_back({{1, 0}, {2, 3}, i, i + 1});
    graph.edges.push_back({2 * i, 2 * i + 1, {0, 4, 1, 0, 9, 2}});
    if (i > 0)
      graph.edges.push_back({2 * i - 1, 2 * i, {2, 0, 1, 3, 0, 7}});
  }
  TiedCostGraph tied = tieRepeatedBlocks(graph, 2);
  EXPECT_GT(tied.tiedNodes, layers);
  CostGraphOptions options = plainOptions(CostGraphAlgorithm::Auto);
  CostGraphResult once = solveCostGraph(tied.graph, options);
  CostGraphResult all = solveCostGraph(graph, options);
  ASSERT_EQ(once.status, CostGraphResult::Solved);
  ASSERT_EQ(all.status, CostGraphResult::Solved);
  EXPECT_EQ(graph.costOf(once.solution.choice), once.solution.cost);
  EXPECT_GE(once.solution.cost, all.solution.cost);
  // Layers in the middle are equal.
  EXPECT_EQ(once.solution.choice[12], once.solution.choice[14]);
  EXPECT_EQ(once.solution.choice[13], once.solution.choice[15]);
}

TEST(RepeatedBlocks, SayWhatTiesCost) {
  // Two equal nodes, of which one has room for its cheap config.
  CostGraph graph;
  for (int i = 0; i < 2; ++i)
    graph.nodes.push_back({{4, 0}, {0, 5}, 0, 2});
  graph.capacity = 5;
  CostGraphOptions options = plainOptions(CostGraphAlgorithm::Auto);
  CostGraphResult tied = solveTiedCostGraph(graph, options);
  ASSERT_EQ(tied.status, CostGraphResult::Solved);
  EXPECT_EQ(tied.solution.cost, 8);
  EXPECT_EQ(tied.solution.bound, 4);
  ASSERT_TRUE(tied.solution.ties);
  EXPECT_EQ(tied.solution.ties->nodes, 1);
  EXPECT_EQ(tied.solution.ties->untiedCost, 4);
  EXPECT_FALSE(graph.verify(tied.solution));
  CostGraphSolution wrong = tied.solution;
  wrong.ties->untiedCost = 3;
  EXPECT_TRUE(graph.verify(wrong));
  wrong.ties->untiedCost = 9;
  EXPECT_TRUE(graph.verify(wrong));
}

TEST(CostGraphSolver, StartsFromAChoice) {
  CostGraph graph;
  for (int i = 0; i < 3; ++i)
    graph.nodes.push_back({{4, 0, 9}, {0, 5, 0}, 0, 2});
  graph.capacity = 5;
  CostGraphOptions options = plainOptions(CostGraphAlgorithm::Auto);
  options.initial = {0, 1, 0};
  CostGraphResult result = solveCostGraph(graph, options);
  EXPECT_EQ(result.solution.cost, 8);
  EXPECT_TRUE(result.solution.optimal);
  // A choice that does not fit, or is none, is no start.
  for (const std::vector<int> &initial :
       {std::vector<int>{1, 1, 0}, {0, 0}, {0, 0, 7}}) {
    options.initial = initial;
    result = solveCostGraph(graph, options);
    EXPECT_EQ(result.solution.cost, 8);
    EXPECT_FALSE(graph.verify(result.solution));
  }
}

/// A graph that takes time to reduce, and no time to reduce it in.
TEST(CostGraphSolver, LargeGraphsHaveAnAnswerAtOnce) {
  CostGraph graph;
  constexpr int count = 150000;
  for (int n = 0; n < count; ++n) {
    graph.nodes.push_back({{n % 7, 3, n % 5}, {9, 4, n % 3}, n, n + 10});
    if (n > 0) {
      std::vector<int64_t> costs{0, 4, n % 3, 5, 0, CostGraph::forbidden,
                                 2, 1, n % 4};
      graph.edges.push_back({n - 1 - std::min(n - 1, n % 4), n, costs});
    }
  }
  ASSERT_FALSE(graph.check());
  std::atomic<bool> stop{true};
  CostGraphOptions options;
  options.stop = &stop;
  for (int64_t capacity : {-1, 60, 25}) {
    graph.capacity.reset();
    if (capacity >= 0)
      graph.capacity = capacity;
    CostGraphResult result = solveCostGraph(graph, options);
    ASSERT_EQ(result.status, CostGraphResult::Solved) << capacity;
    EXPECT_EQ(result.kernelNodes, 0); // nothing was reduced
    EXPECT_FALSE(graph.verify(result.solution));
    EXPECT_GT(result.solution.bound, 0);
  }
}

/// Colours for a random graph that has some: neighbours must differ, and what
/// is cheapest node by node leads into dead ends.
TEST(CostGraphSolver, AnAnswerWithoutTimeBehindDeadEnds) {
  int deadEnds = 0;
  for (uint64_t seed = 0; seed < 6; ++seed) {
    CostGraphGenerator generator(seed);
    CostGraph graph;
    constexpr int count = 400, colours = 3;
    std::vector<int> planted;
    for (int n = 0; n < count; ++n) {
      planted.push_back(generator.below(colours));
      CostGraphNode &node = graph.nodes.emplace_back();
      for (int c = 0; c < colours; ++c) {
        node.costs.push_back(generator.below(100));
        node.memory.push_back(generator.below(10));
      }
      node.liveFrom = n;
      node.liveTo = n + 20;
    }
    graph.capacity = 20 * 9;
    while (2 * graph.edges.size() < 3 * count) {
      int a = generator.below(count), b = generator.below(count);
      if (planted[a] == planted[b])
        continue;
      CostGraphEdge edge{a, b, {}};
      for (int i = 0; i < colours * colours; ++i)
        edge.costs.push_back(i % (colours + 1) ? generator.below(9)
                                               : CostGraph::forbidden);
      graph.edges.push_back(std::move(edge));
    }
    ASSERT_FALSE(graph.check());
    deadEnds += !costgraph::findFirstSolution(graph, [] { return false; });
    std::atomic<bool> stop{true};
    CostGraphOptions options;
    if (seed % 2)
      options.stop = &stop;
    else
      options.seconds = 0;
    CostGraphResult result = solveCostGraph(graph, options);
    ASSERT_EQ(result.status, CostGraphResult::Solved) << seed;
    EXPECT_FALSE(graph.verify(result.solution));
  }
  EXPECT_GT(deadEnds, 2);
}

/// The same for a graph that takes time to reduce: what is cheapest for each
/// first node of a pair has no partner.
TEST(CostGraphSolver, LargeGraphsAreReducedIfThereIsNoAnswer) {
  CostGraph graph;
  for (int n = 0; n < 300000; n += 2) {
    graph.nodes.push_back({{0, 5}, {0, 1}, n, n + 1});
    graph.nodes.push_back({{1, 3}, {0, 1}, n, n + 1});
    graph.edges.push_back(
        {n, n + 1, {CostGraph::forbidden, CostGraph::forbidden, 4, 1}});
  }
  graph.capacity = 2;
  ASSERT_FALSE(costgraph::findFirstSolution(graph, [] { return false; }));
  CostGraphOptions options;
  options.seconds = 0;
  CostGraphResult result = solveCostGraph(graph, options);
  ASSERT_EQ(result.status, CostGraphResult::Solved);
  EXPECT_EQ(result.solution.cost, 150000 * 9);
  EXPECT_FALSE(graph.verify(result.solution));
}

/// Ctrl-C before anything was found.
TEST(CostGraphSolver, StoppedAtOnceThereIsAnAnswerThatFits) {
  int solved = 0;
  for (uint64_t seed = 0; seed < 12; ++seed) {
    CostGraphGenerator generator(seed);
    CostGraph graph;
    int64_t least = 0;
    for (int n = 0; n < 120; ++n) {
      CostGraphNode &node = graph.nodes.emplace_back();
      for (int c = 0; c < 6; ++c) {
        node.costs.push_back(generator.below(100));
        node.memory.push_back(100 - node.costs.back());
      }
      node.liveFrom = n;
      node.liveTo = n + 30;
      least = std::max(
          least, *std::min_element(node.memory.begin(), node.memory.end()));
    }
    for (int e = 0; e < 360; ++e) {
      CostGraphEdge edge{generator.below(60), 60 + generator.below(60), {}};
      for (int i = 0; i < 36; ++i)
        edge.costs.push_back(generator.below(100));
      graph.edges.push_back(std::move(edge));
    }
    graph.capacity = 30 * least;
    std::atomic<bool> stop{true};
    CostGraphOptions options;
    options.stop = &stop;
    for (auto algorithm :
         {CostGraphAlgorithm::Auto, CostGraphAlgorithm::Elimination,
          CostGraphAlgorithm::Search}) {
      options.algorithm = algorithm;
      CostGraphResult result = solveCostGraph(graph, options);
      ASSERT_EQ(result.status, CostGraphResult::Solved) << seed;
      EXPECT_FALSE(graph.verify(result.solution));
      ++solved;
    }
  }
  EXPECT_EQ(solved, 36);
}
