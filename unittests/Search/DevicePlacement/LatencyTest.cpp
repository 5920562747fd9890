//===- LatencyTest.cpp - Latencies of splits ------------------------------===//
//
// Latencies by hand and against the longest path, and the solvers against all
// placements.
//
//===----------------------------------------------------------------------===//

#include "Soap/Search/DevicePlacement/Latency.h"
#include "Problems.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

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
    EXPECT_LE(latencyBound(problem), optimum * (1 + rounding));
    std::vector<LatencyAnswer> answers = {
        solveLatencyGreedy(problem, {1}, budget),
        solveLatencyMaxLoad(problem, {1}, budget),
        searchLatencyLocally(problem, {1}, budget)};
    budget.seconds = 1e6;
    if (haveMilp()) {
      auto milp = solveLatencyMilp(problem, {1}, budget);
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
