//===- AgreementTest.cpp - Solvers against all placements -----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// On small random problems: the exact solvers find what a search through all
// placements finds, the others nothing better, and bounds hold.
//
//===----------------------------------------------------------------------===//

#include "Problems.h"
#include "Soap/Search/DevicePlacement/Throughput.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace soap;
using namespace soap::placement;
using namespace soap::test;

namespace {

constexpr double rounding = 1e-9;

Budget budgetOf(double seconds, int threads = 1) {
  Budget budget;
  budget.seconds = seconds;
  budget.threads = threads;
  return budget;
}

/// The variants of the objective, by number.
Objective variant(int number) {
  Objective objective;
  if (number % 2)
    objective.overlap = Overlap::Full;
  if (number / 2 % 2)
    objective.schedule = Schedule::GPipe;
  if (number / 4 % 2) {
    objective.replication = true;
    objective.allReduceBytesPerTime = 2;
  }
  return objective;
}

/// An answer is legal, not better than the optimum, and its bound holds.
void expectSound(const Problem &problem, const Objective &objective,
                 const Answer &answer, double optimum) {
  if (!answer.placement)
    return;
  auto evaluation = verify(problem, objective, *answer.placement);
  ASSERT_TRUE(static_cast<bool>(evaluation)) << evaluation.error();
  EXPECT_DOUBLE_EQ(evaluation->maxLoad(), answer.value);
  EXPECT_GE(answer.value, optimum * (1 - rounding));
  EXPECT_LE(answer.bound, optimum * (1 + rounding));
  EXPECT_EQ(answer.optimal, answer.bound >= answer.value * (1 - rounding));
}

/// The least memory with which there is a placement: what a problem's nodes
/// hold adds up to an integer.
double smallestMemory(Problem problem, const Objective &objective) {
  auto suffices = [&](int bytes) {
    problem.acceleratorMemoryBytes = bytes;
    return std::isfinite(BruteForce(problem, objective).best);
  };
  int low = 0, high = 0;
  for (const Node &node : problem.nodes)
    high += static_cast<int>(node.memoryBytes);
  if (!suffices(high))
    return std::numeric_limits<double>::infinity();
  while (low < high)
    if (int middle = (low + high) / 2; suffices(middle))
      high = middle;
    else
      low = middle + 1;
  return high;
}

void expectOptimal(const Answer &answer, double optimum) {
  ASSERT_EQ(answer.placement.has_value(), std::isfinite(optimum));
  if (!answer.placement)
    return;
  EXPECT_NEAR(answer.value, optimum, rounding * optimum);
  EXPECT_TRUE(answer.optimal);
}

} // namespace

TEST(PlacementAgreement, DpFindsTheBestContiguousSplit) {
  int infeasible = 0;
  for (uint64_t seed = 0; seed < 240; ++seed) {
    SCOPED_TRACE(seed);
    Problem problem = makeRandom(seed);
    Objective objective = variant(static_cast<int>(seed % 8));
    double optimum = BruteForce(problem, objective).best;
    Answer dp = solveDp(problem, objective, budgetOf(1e6, 1 + seed % 2));
    expectOptimal(dp, optimum);
    expectSound(problem, objective, dp, optimum);
    Answer dpl = solveDpl(problem, objective, budgetOf(1e6));
    expectSound(problem, objective, dpl, optimum);
    for (const Answer &answer :
         {solveGreedy(problem, objective, budgetOf(1e6)),
          solvePipeDream(problem, objective, budgetOf(1e6))}) {
      expectSound(problem, objective, answer, optimum);
      if (optimum > 0 && answer.placement) {
        EXPECT_GT(answer.bound, 0);
      }
    }
    infeasible += !std::isfinite(optimum);
  }
  EXPECT_GT(infeasible, 0); // some have too little memory
}

TEST(PlacementAgreement, BoundsHoldForSplitsThatAreNotContiguous) {
  for (uint64_t seed = 1000; seed < 1120; ++seed) {
    SCOPED_TRACE(seed);
    Problem problem = makeRandom(seed);
    Objective objective = variant(static_cast<int>(seed % 4));
    objective.contiguous = false;
    if (seed % 3 == 0) {
      objective.acceleratorsPerHost = 2;
      objective.insideHostFactor = 0.5;
    }
    double optimum = BruteForce(problem, objective).best;
    EXPECT_LE(lowerBound(problem, objective, budgetOf(1e6)),
              optimum * (1 + rounding));
    Answer local = searchLocally(problem, objective, budgetOf(0.02));
    expectSound(problem, objective, local, optimum);
    // All splits of a few nodes are looked at, whatever the limit.
    constexpr size_t few = 5;
    if (problem.nodes.size() <= few && std::isfinite(optimum)) {
      EXPECT_TRUE(local.optimal);
      EXPECT_NEAR(local.value, optimum, rounding * optimum);
    }
    if (haveScotch())
      if (auto answer = solveScotch(problem, objective, budgetOf(1e6)))
        expectSound(problem, objective, *answer, optimum);
  }
}

/// Every solver that there is, beside all placements.
static void expectMilpFindsBest(const Problem &problem,
                                const Objective &objective, double slack) {
  double optimum = BruteForce(problem, objective).best;
  for (IntegerSolver solver : {IntegerSolver::Highs, IntegerSolver::Cbc}) {
    if (!haveMilp(solver))
      continue;
    auto answer = solveMilp(problem, objective, budgetOf(1e6), solver);
    ASSERT_TRUE(static_cast<bool>(answer)) << answer.error();
    expectSound(problem, objective, *answer, optimum);
    ASSERT_EQ(answer->placement.has_value(), std::isfinite(optimum));
    if (answer->placement) {
      EXPECT_NEAR(answer->value, optimum, 1e-5 * optimum + slack);
    }
  }
}

TEST(PlacementAgreement, MilpFindsTheBestSplits) {
  if (!haveMilp())
    GTEST_SKIP() << "built without a solver of integer programs";
  for (uint64_t seed = 2000; seed < 2040; ++seed) {
    SCOPED_TRACE(seed);
    Problem problem = makeRandom(seed);
    Objective objective = variant(static_cast<int>(seed % 4));
    objective.contiguous = seed / 4 % 2;
    expectMilpFindsBest(problem, objective, 1e-6);
  }
}

/// Times in any unit, and nodes that take forever on a CPU: solvers' tolerances
/// are absolute.
TEST(PlacementAgreement, MilpTakesTimesInAnyUnit) {
  if (!haveMilp())
    GTEST_SKIP() << "built without a solver of integer programs";
  for (double unit : {1e-15, 1e-9, 1e9, 1e18})
    for (uint64_t seed = 2100; seed < 2108; ++seed) {
      SCOPED_TRACE(seed);
      Problem problem = makeRandom(seed);
      for (Node &node : problem.nodes) {
        node.acceleratorTime *= unit;
        node.cpuTime *= seed % 2 ? 1e30 * unit : unit;
      }
      for (double &time : problem.transferTime)
        time *= unit;
      Objective objective = variant(static_cast<int>(seed % 4));
      objective.contiguous = seed / 4 % 2;
      expectMilpFindsBest(problem, objective, 0);
    }
}

TEST(PlacementAgreement, InfeasibleProblemsNameTheSmallestMemory) {
  int seen = 0;
  for (uint64_t seed = 3000; seed < 3400; ++seed) {
    SCOPED_TRACE(seed);
    Problem problem = makeRandom(seed);
    Answer answer = solveDp(problem, {}, budgetOf(1e6));
    if (answer.placement)
      continue;
    ++seen;
    ASSERT_EQ(answer.smallestMemoryBytes, answer.smallestMemoryBound);
    ASSERT_TRUE(std::isfinite(answer.smallestMemoryBytes));
    EXPECT_GT(answer.smallestMemoryBytes, problem.acceleratorMemoryBytes);
    problem.acceleratorMemoryBytes = answer.smallestMemoryBytes;
    EXPECT_TRUE(solveDp(problem, {}, budgetOf(1e6)).placement);
    problem.acceleratorMemoryBytes = answer.smallestMemoryBytes * 0.999;
    EXPECT_FALSE(solveDp(problem, {}, budgetOf(1e6)).placement);
  }
  EXPECT_GT(seen, 0);
}

/// A split is found by all algorithms if there is any, and else all say which
/// memory would do.
TEST(PlacementAgreement, WhatFitsIsFoundByAll) {
  int fitting = 0, infeasible = 0;
  for (uint64_t seed = 5000; seed < 5300; ++seed) {
    SCOPED_TRACE(seed);
    Problem problem = makeRandom(seed);
    if (problem.cpus > 0 && seed % 8)
      continue; // a CPU holds everything
    if (seed % 5 == 0)
      problem.acceleratorMemoryBytes = 0;
    Objective contiguous, any;
    any.contiguous = false;
    if (seed % 3 == 0) {
      contiguous.acceleratorsPerHost = 2;
      contiguous.insideHostFactor = 0.5;
    }
    auto expectSame = [&](const Answer &answer, double optimum,
                          double smallest) {
      ASSERT_EQ(answer.placement.has_value(), std::isfinite(optimum));
      if (answer.placement)
        return;
      EXPECT_GT(answer.smallestMemoryBound, problem.acceleratorMemoryBytes);
      EXPECT_LE(answer.smallestMemoryBound, smallest);
      EXPECT_GE(answer.smallestMemoryBytes, smallest);
    };
    double optimum = BruteForce(problem, contiguous).best;
    double optimumOfAny = BruteForce(problem, any).best;
    double smallest = smallestMemory(problem, contiguous),
           smallestOfAny = smallestMemory(problem, any);
    ++(std::isfinite(optimum) ? fitting : infeasible);
    for (auto solve : {solveDpl, solveGreedy, solvePipeDream})
      expectSame(solve(problem, contiguous, budgetOf(1e6)), optimum, smallest);
    Answer local = searchLocally(problem, any, budgetOf(0.005));
    expectSame(local, optimumOfAny, smallestOfAny);
    if (!local.placement) {
      EXPECT_EQ(local.smallestMemoryBytes, local.smallestMemoryBound);
    }
    if (haveScotch()) {
      auto answer = solveScotch(problem, any, budgetOf(1e6));
      ASSERT_TRUE(static_cast<bool>(answer)) << answer.error();
      expectSame(*answer, optimumOfAny, smallestOfAny);
    }
    if (haveMilp() && seed % 4 == 0 && !contiguous.hasHosts())
      for (bool isContiguous : {true, false}) {
        auto answer =
            solveMilp(problem, isContiguous ? contiguous : any, budgetOf(1e6));
        ASSERT_TRUE(static_cast<bool>(answer)) << answer.error();
        expectSame(*answer, isContiguous ? optimum : optimumOfAny,
                   isContiguous ? smallest : smallestOfAny);
      }
  }
  EXPECT_GT(fitting, 20);
  EXPECT_GT(infeasible, 20);
}

TEST(PlacementAgreement, WithoutTimeThereIsAnAnswer) {
  std::atomic<bool> stop{true};
  for (uint64_t seed = 4000; seed < 4060; ++seed) {
    SCOPED_TRACE(seed);
    Problem problem = makeRandom(seed);
    problem.cpus = 1; // so that it is feasible
    Budget none = budgetOf(0), stopped = budgetOf(1e6);
    stopped.stop = &stop;
    for (const Budget &budget : {none, stopped}) {
      Objective any;
      any.contiguous = false;
      EXPECT_TRUE(solveDp(problem, {}, budget).placement);
      EXPECT_TRUE(solveDpl(problem, {}, budget).placement);
      EXPECT_TRUE(solveGreedy(problem, {}, budget).placement);
      EXPECT_TRUE(solvePipeDream(problem, {}, budget).placement);
      EXPECT_TRUE(searchLocally(problem, any, budget).placement);
    }
  }
}

TEST(PlacementAgreement, AMillionNodes) {
  Problem problem = makePath(std::vector<double>(1000000, 1), 6, 1);
  problem.acceleratorMemoryBytes = 1e9;
  ASSERT_FALSE(problem.check());
  Answer answer = solveDp(problem, {}, budgetOf(0));
  ASSERT_TRUE(answer.placement);
  // An equal split, except for the CPU's share and transfers.
  EXPECT_LT(answer.value, 1000000 / 6.0 * 1.3);
  EXPECT_GE(answer.value, answer.bound);
}
