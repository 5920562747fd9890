//===- LatencyTest.cpp - Latencies of splits ------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Latencies by hand and against the longest path, and the solvers against all
// placements.
//
//===----------------------------------------------------------------------===//

#include "Soap/Search/DevicePlacement/Latency.h"
#include "Problems.h"
#include "Search/DevicePlacement/Latency/LatencySimulation.h"
#include "Soap/Search/DevicePlacement/Files.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <set>

using namespace soap;
using namespace soap::placement;
using namespace soap::test;

namespace {

constexpr double rounding = 1e-9;

double latencyOf(const Problem &problem, std::vector<int> deviceOf,
                 std::vector<int> subgraphOf = {}) {
  auto evaluation = evaluateLatency(problem, {deviceOf, subgraphOf});
  return evaluation ? evaluation->latency
                    : std::numeric_limits<double>::infinity();
}

/// The latency as a longest path, for CPUs that are never too few: by repeated
/// relaxation, or infinite if that does not end.
double longestPath(const Problem &problem, const std::vector<int> &deviceOf) {
  size_t count = problem.nodes.size();
  std::vector<double> finish(count);
  auto isOn = [&](int node, int device) { return deviceOf[node] == device; };
  for (size_t round = 0; round < 3 * count + 3; ++round) {
    std::vector<double> before = finish;
    for (int device = 0; device < problem.accelerators; ++device) {
      double start = 0, time = 0;
      std::vector<char> moved(count);
      for (size_t i = 0; i < count; ++i)
        if (isOn(i, device))
          time += problem.nodes[i].acceleratorTime;
      for (const Edge &edge : problem.edges) {
        bool from = isOn(edge.source, device), to = isOn(edge.target, device);
        if (from == to)
          continue;
        if (to)
          start = std::max(start, finish[edge.source]);
        if (!moved[edge.source])
          time += problem.transferTime[edge.source];
        moved[edge.source] = true;
      }
      for (size_t i = 0; i < count; ++i)
        if (isOn(i, device))
          finish[i] = std::max(finish[i], start + time);
    }
    for (size_t i = 0; i < count; ++i) {
      if (problem.isAccelerator(deviceOf[i]))
        continue;
      double ready = 0;
      for (const Edge &edge : problem.edges)
        if (edge.target == static_cast<int>(i))
          ready = std::max(ready, finish[edge.source]);
      finish[i] = std::max(finish[i], ready + problem.nodes[i].cpuTime);
    }
    if (finish == before)
      return *std::max_element(finish.begin(), finish.end());
  }
  return std::numeric_limits<double>::infinity();
}

/// The latency by doing what is ready, round by round: with any number of CPUs
/// and subgraphs, and no data structure of the simulation. Infinite where
/// subgraphs wait for each other.
double simulateNaively(const Problem &problem,
                       const LatencyPlacement &placement) {
  struct Piece {
    std::vector<int> nodes;
    bool onCpu = false;
    double duration = 0, readySince = -1, end = -1;
    bool started = false;
  };
  std::vector<Piece> pieces;
  std::map<std::pair<int, int>, int>
      subgraphs; // in the order in which they run
  std::vector<int> pieceOf(problem.nodes.size());
  for (size_t i = 0; i < problem.nodes.size(); ++i) {
    int device = placement.deviceOf[i];
    bool onCpu = !problem.isAccelerator(device);
    int &piece = pieceOf[i];
    piece = static_cast<int>(pieces.size());
    if (!onCpu)
      piece =
          subgraphs.emplace(std::pair(device, placement.subgraphOf[i]), piece)
              .first->second;
    if (piece == static_cast<int>(pieces.size()))
      pieces.push_back({{}, onCpu});
    pieces[piece].nodes.push_back(static_cast<int>(i));
    pieces[piece].duration +=
        onCpu ? problem.nodes[i].cpuTime : problem.nodes[i].acceleratorTime;
  }
  std::vector<std::set<int>> before(pieces.size());
  for (size_t i = 0; i < problem.nodes.size(); ++i) {
    std::set<int> touched;
    for (const Edge &edge : problem.edges)
      if (edge.source == static_cast<int>(i) &&
          pieceOf[edge.source] != pieceOf[edge.target]) {
        before[pieceOf[edge.target]].insert(pieceOf[i]);
        touched.insert({pieceOf[edge.target], pieceOf[i]});
      }
    for (int piece : touched)
      if (!pieces[piece].onCpu)
        pieces[piece].duration += problem.transferTime[i];
  }
  for (auto it = subgraphs.begin(); it != subgraphs.end(); ++it)
    if (auto next = std::next(it);
        next != subgraphs.end() && next->first.first == it->first.first)
      before[next->second].insert(it->second);
  double now = 0, latest = 0;
  for (int freeCpus = problem.cpus;;) {
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t p = 0; p < pieces.size(); ++p) {
        Piece &piece = pieces[p];
        if (piece.started && piece.end == now && piece.duration >= 0) {
          freeCpus += piece.onCpu && piece.duration > 0;
          piece.duration = -1; // done
          latest = now;
          changed = true;
        }
        bool isReady = piece.readySince < 0 &&
                       std::all_of(
                           before[p].begin(), before[p].end(),
                           [&](int b) { return pieces[b].duration < 0; });
        if (!isReady)
          continue;
        piece.readySince = now;
        changed = true;
        if (!piece.onCpu || piece.duration == 0) {
          piece.started = true;
          piece.end = now + piece.duration;
        }
      }
    }
    while (freeCpus > 0) {
      int first = -1; // longest ready, ties by node
      for (size_t p = 0; p < pieces.size(); ++p)
        if (pieces[p].readySince >= 0 && !pieces[p].started &&
            (first < 0 ||
             std::pair(pieces[p].readySince, pieces[p].nodes[0]) <
                 std::pair(pieces[first].readySince, pieces[first].nodes[0])))
          first = static_cast<int>(p);
      if (first < 0)
        break;
      --freeCpus;
      pieces[first].started = true;
      pieces[first].end = now + pieces[first].duration;
    }
    double next = std::numeric_limits<double>::infinity();
    for (const Piece &piece : pieces)
      if (piece.started && piece.duration >= 0)
        next = std::min(next, piece.end);
    if (!std::isfinite(next))
      break;
    now = next;
  }
  for (const Piece &piece : pieces)
    if (piece.duration >= 0)
      return std::numeric_limits<double>::infinity();
  return latest;
}

/// How many subgraphs an accelerator may have: `subgraphs` of each pass.
int slotsOf(const Problem &problem, int subgraphs) {
  return subgraphs * (problem.isTraining() ? 2 : 1);
}

/// The least latency of so many subgraphs per accelerator (and pass).
double bestLatency(const Problem &problem, int subgraphs = 1) {
  double best = std::numeric_limits<double>::infinity();
  size_t count = problem.nodes.size();
  LatencyPlacement placement{std::vector<int>(count), std::vector<int>(count)};
  int devices = problem.accelerators + (problem.cpus > 0);
  int slots = slotsOf(problem, subgraphs);
  std::function<void(size_t)> place = [&](size_t node) {
    if (node == count) {
      if (auto evaluation = verifyLatency(problem, {subgraphs}, placement))
        best = std::min(best, evaluation->latency);
      return;
    }
    for (int device = 0; device < devices; ++device) {
      bool isApart = false; // from a node of its class
      for (size_t i = 0; i < node; ++i)
        isApart |=
            problem.nodes[node].colorClass &&
            problem.nodes[i].colorClass == problem.nodes[node].colorClass &&
            placement.deviceOf[i] != device;
      if (isApart)
        continue;
      placement.deviceOf[node] = device;
      for (int slot = 0; slot < (problem.isAccelerator(device) ? slots : 1);
           ++slot) {
        placement.subgraphOf[node] = slot;
        place(node + 1);
      }
    }
  };
  place(0);
  return best;
}

} // namespace

TEST(PlacementLatency, ByHand) {
  Problem problem = makePath({4, 2, 3}, 2, 1);
  EXPECT_EQ(latencyOf(problem, {0, 0, 0}), 9);
  // 4, write, read, 5.
  EXPECT_EQ(latencyOf(problem, {0, 1, 1}), 11);
  // The CPU waits for the write, and pays nothing.
  EXPECT_EQ(latencyOf(problem, {0, 0, 2}), 4 + 2 + 1 + 30);
  // In two subgraphs of one accelerator, around a node of the other.
  EXPECT_EQ(latencyOf(problem, {0, 1, 0}, {0, 0, 1}),
            4 + 1 + 1 + 2 + 1 + 1 + 3);
  EXPECT_TRUE(std::isinf(latencyOf(problem, {0, 1, 0})));
  EXPECT_TRUE(std::isinf(latencyOf(problem, {0, 1, 0}, {1, 0, 0})));
}

TEST(PlacementLatency, CpusTakeWhatGotReadyFirst) {
  Problem problem = makePath({1, 1, 1}, 0, 1);
  problem.edges.clear();
  EXPECT_EQ(latencyOf(problem, {0, 0, 0}), 30);
  problem.cpus = 2;
  EXPECT_EQ(latencyOf(problem, {0, 0, 0}), 20);
  problem.cpus = 3;
  EXPECT_EQ(latencyOf(problem, {0, 0, 0}), 10);
}

TEST(PlacementLatency, IsTheLongestPath) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    Problem problem = makeRandom(seed, 8);
    problem.cpus = 100;
    std::mt19937_64 random(seed);
    std::vector<int> deviceOf;
    for (size_t i = 0; i < problem.nodes.size(); ++i)
      deviceOf.push_back(
          static_cast<int>(random() % (problem.accelerators + 1)));
    double expected = longestPath(problem, deviceOf);
    double actual = latencyOf(problem, deviceOf);
    // A circle of tasks that take no time has a longest path, but no order.
    if (std::isfinite(actual))
      EXPECT_NEAR(actual, expected, rounding * expected);
    else
      EXPECT_FALSE(std::isfinite(expected) && expected == 0 && actual == 0);
    if (!std::isfinite(expected))
      EXPECT_FALSE(std::isfinite(actual));
  }
}

TEST(PlacementLatency, IsWhatIsSimulatedNaively) {
  int finite = 0, circles = 0;
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    SCOPED_TRACE(seed);
    Problem problem = makeRandom(seed, 8);
    problem.cpus = 1 + static_cast<int>(seed % 2);
    std::mt19937_64 random(seed);
    LatencyPlacement placement;
    for (size_t i = 0; i < problem.nodes.size(); ++i) {
      placement.deviceOf.push_back(
          static_cast<int>(random() % (problem.accelerators + 1)));
      // Mostly in an order that has no circles.
      placement.subgraphOf.push_back(static_cast<int>(
          random() % 4 ? i * 3 / problem.nodes.size() : random() % 3));
    }
    double expected = simulateNaively(problem, placement);
    auto actual = evaluateLatency(problem, placement);
    ASSERT_EQ(static_cast<bool>(actual), std::isfinite(expected));
    double fast = LatencySimulation(problem).run(placement);
    if (actual) {
      EXPECT_NEAR(actual->latency, expected, rounding * expected);
      EXPECT_EQ(actual->latency, fast);
    } else {
      EXPECT_TRUE(std::isinf(fast));
    }
    ++(actual ? finite : circles);
  }
  EXPECT_GT(finite, 100);
  EXPECT_GT(circles, 100);
}

/// A node that takes no time at the beginning: its readers are ready at once.
TEST(PlacementLatency, NodesWithoutTimeComeFirst) {
  Problem problem = makePath({0, 1, 2}, 0, 1);
  problem.edges = {{0, 1}};
  problem.nodes.push_back(problem.nodes[2]);
  problem.nodes[3].id = 20;
  problem.transferTime.push_back(1);
  problem.edges.push_back({2, 3});
  auto evaluation = evaluateLatency(problem, {{0, 0, 0, 0}, {0, 0, 0, 0}});
  ASSERT_TRUE(static_cast<bool>(evaluation));
  EXPECT_EQ(evaluation->finish, (std::vector<double>{0, 10, 30, 50}));
}

TEST(PlacementLatency, RulesAreChecked) {
  Problem problem = makePath({4, 2, 3}, 2, 1);
  auto expectBroken = [&](const LatencyPlacement &placement,
                          const std::string &message) {
    auto evaluation = verifyLatency(problem, {1}, placement);
    ASSERT_FALSE(evaluation);
    EXPECT_NE(evaluation.error().find(message), std::string::npos)
        << evaluation.error();
  };
  expectBroken({{0, 1, 0}, {}}, "in a circle");
  expectBroken({{0, 1, 0}, {0, 0, 1}}, "one of 1 subgraphs");
  expectBroken({{0, 1, 0}, {0}}, "a subgraph for each of 3 nodes");
  expectBroken({{0, 1, 5}, {}}, "expected a device");
  EXPECT_TRUE(
      static_cast<bool>(verifyLatency(problem, {2}, {{0, 1, 0}, {0, 0, 1}})));
}

TEST(PlacementLatency, BoundsAreBelowAllPlacements) {
  int feasible = 0, equal = 0, above = 0;
  for (uint64_t seed = 1000; seed < 1250; ++seed) {
    SCOPED_TRACE(seed);
    Problem problem = makeRandom(seed, seed % 2 ? 5 : 3);
    if (problem.nodes.size() > 5)
      continue;
    problem.cpus *= 20;
    // Plain paths are bounds of a problem without transfers.
    Problem free = problem;
    free.transferTime.assign(free.nodes.size(), 0);
    free.acceleratorMemoryBytes = 1e9;
    for (int subgraphs : {1, 2}) {
      double optimum = bestLatency(problem, subgraphs),
             bound = latencyBound(problem, {subgraphs});
      if (!std::isfinite(optimum))
        continue;
      EXPECT_LE(bound, optimum * (1 + rounding));
      ++feasible;
      equal += bound >= optimum * (1 - rounding);
      above += bound > latencyBound(free, {subgraphs}) * (1 + rounding);
    }
  }
  EXPECT_GT(feasible, 100);
  EXPECT_GT(equal, 20);
  EXPECT_GT(above, 10);
}

/// A path that does not fit on one accelerator is cut where that costs least.
TEST(PlacementLatency, BoundsCountTransfersOfFullAccelerators) {
  Problem problem = makePath({4, 2, 3, 5}, 2, 1);
  EXPECT_DOUBLE_EQ(latencyBound(problem, {1}), 14);
  problem.acceleratorMemoryBytes = 20; // two nodes
  EXPECT_DOUBLE_EQ(latencyBound(problem, {1}), 16);
  problem.transferTime[1] = 100; // cheaper: the first node on a CPU
  EXPECT_DOUBLE_EQ(latencyBound(problem, {1}), 14 + 36 + 3);
  problem.nodes[2].colorClass = problem.nodes[3].colorClass = 7;
  EXPECT_DOUBLE_EQ(latencyBound(problem, {2}), 14 + 18 + 27 + 2);
}

TEST(PlacementLatency, SolversAgainstAllPlacements) {
  for (uint64_t seed = 500; seed < 530; ++seed) {
    SCOPED_TRACE(seed);
    Problem problem = makeRandom(seed, 5);
    for (Node &node : problem.nodes)
      node.backward = false;
    problem.cpus = seed % 2 ? 20 : 1;
    double optimum = bestLatency(problem);
    Budget budget;
    budget.seconds = 0.02;
    EXPECT_LE(latencyBound(problem, {1}), optimum * (1 + rounding));
    std::vector<LatencyAnswer> answers = {
        solveLatencyGreedy(problem, {1}, budget),
        solveLatencyMaxLoad(problem, {1}, budget),
        searchLatencyLocally(problem, {1}, budget)};
    budget.seconds = 1e6;
    for (IntegerSolver solver : {IntegerSolver::Highs, IntegerSolver::Cbc}) {
      if (!haveMilp(solver))
        continue;
      auto milp = solveLatencyMilp(problem, {1}, budget, solver);
      ASSERT_TRUE(static_cast<bool>(milp)) << milp.error();
      answers.push_back(*milp);
      // The program knows no queues for CPUs, but there are enough in half of
      // the cases.
      if (seed % 2)
        EXPECT_NEAR(milp->value, optimum, 1e-5 * optimum + 1e-6);
    }
    for (const LatencyAnswer &answer : answers) {
      if (!answer.placement)
        continue;
      auto evaluation = verifyLatency(problem, {1}, *answer.placement);
      ASSERT_TRUE(static_cast<bool>(evaluation)) << evaluation.error();
      EXPECT_DOUBLE_EQ(evaluation->latency, answer.value);
      EXPECT_GE(answer.value, optimum * (1 - rounding));
      EXPECT_LE(answer.bound, optimum * (1 + 1e-6) + 1e-6);
    }
  }
}

/// More than one subgraph of an accelerator, and training, whose classes share
/// devices.
TEST(PlacementLatency, SubgraphsAndTrainingAgainstAllPlacements) {
  int trained = 0, several = 0, proven = 0;
  for (uint64_t seed = 600; trained < 8 || several < 8; ++seed) {
    SCOPED_TRACE(seed);
    Problem problem = makeRandom(seed, 4);
    problem.accelerators = std::min(problem.accelerators, 2);
    problem.cpus = 20; // so that none is waited for
    int subgraphs = 1 + static_cast<int>(seed % 2);
    double choices = 1;
    for (size_t i = 0; i < problem.nodes.size(); ++i)
      choices *= problem.accelerators * slotsOf(problem, subgraphs) + 1;
    if (choices > 2e5)
      continue;
    if (!(problem.isTraining() ? trained < 8 : subgraphs > 1 && several < 8))
      continue;
    ++(problem.isTraining() ? trained : several);
    double optimum = bestLatency(problem, subgraphs);
    Budget budget;
    budget.seconds = 0.02;
    std::vector<LatencyAnswer> answers = {
        solveLatencyGreedy(problem, {subgraphs}, budget),
        searchLatencyLocally(problem, {subgraphs}, budget)};
    budget.seconds = 1e6;
    if (haveMilp()) {
      auto milp = solveLatencyMilp(problem, {subgraphs}, budget);
      ASSERT_TRUE(static_cast<bool>(milp)) << milp.error();
      EXPECT_NEAR(milp->value, optimum, 1e-5 * optimum + 1e-6);
      proven += milp->optimal;
      answers.push_back(*milp);
    }
    for (const LatencyAnswer &answer : answers) {
      if (!answer.placement)
        continue;
      auto evaluation = verifyLatency(problem, {subgraphs}, *answer.placement);
      ASSERT_TRUE(static_cast<bool>(evaluation)) << evaluation.error();
      EXPECT_DOUBLE_EQ(evaluation->latency, answer.value);
      EXPECT_GE(answer.value, optimum * (1 - rounding));
      EXPECT_LE(answer.bound, optimum * (1 + 1e-6) + 1e-6);
    }
  }
  if (haveMilp())
    EXPECT_GT(proven, 0);
}

/// A solution for training, with subgraphs of its own for the backward
/// pass, is read as it was written.
TEST(PlacementLatency, FilesHaveTheSubgraphsOfTraining) {
  int several = 0;
  for (uint64_t seed = 700; seed < 760; ++seed) {
    SCOPED_TRACE(seed);
    Problem problem = makeRandom(seed, 4);
    Budget budget;
    budget.seconds = 0;
    for (int subgraphs : {1, 2}) {
      LatencyAnswer answer = searchLatencyLocally(problem, {subgraphs}, budget);
      if (!answer.placement)
        continue;
      auto evaluation = verifyLatency(problem, {subgraphs}, *answer.placement);
      ASSERT_TRUE(static_cast<bool>(evaluation)) << evaluation.error();
      SolutionFile solution;
      solution.placement.deviceOf = answer.placement->deviceOf;
      solution.subgraphOf = answer.placement->subgraphOf;
      solution.subgraphsPerDevice = subgraphs;
      solution.latency = answer.value;
      for (int device = 0; device < problem.deviceCount(); ++device) {
        solution.devices.push_back(device);
        solution.loads.push_back(evaluation->busyTimes[device]);
      }
      auto read = parseSolution(problem, printSolution(problem, solution), "s");
      ASSERT_TRUE(static_cast<bool>(read)) << read.error();
      auto verdict = verifySolution(problem, *read);
      EXPECT_TRUE(static_cast<bool>(verdict)) << verdict.error();
      several += subgraphs == 1 &&
                 *std::ranges::max_element(answer.placement->subgraphOf) > 0;
    }
  }
  EXPECT_GT(several, 0);
}

/// A split for the throughput says nothing of subgraphs: an accelerator runs
/// its part of either pass.
TEST(PlacementLatency, SplitsForTheThroughputAreJudged) {
  Problem problem = makePath({4, 2, 2, 4}, 2, 0);
  for (int node : {2, 3})
    problem.nodes[node].backward = true;
  problem.nodes[0].colorClass = problem.nodes[3].colorClass = 0;
  problem.nodes[1].colorClass = problem.nodes[2].colorClass = 1;
  ASSERT_FALSE(problem.check());
  LatencyPlacement split{{0, 1, 1, 0}, {0, 0, 0, 0}};
  EXPECT_FALSE(static_cast<bool>(verifyLatency(problem, {1}, split)));
  auto answer = evaluateLatencyExpert(problem, {1}, split);
  ASSERT_TRUE(static_cast<bool>(answer)) << answer.error();
  EXPECT_EQ(answer->value, 4 + 1 + 1 + 2 + 2 + 1 + 1 + 4);
  EXPECT_EQ(answer->placement->subgraphOf, (std::vector<int>{0, 0, 0, 1}));
}
