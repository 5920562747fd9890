//===- SpaceBoundTest.cpp - What no strategy beats ------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bound against simulated times of random strategies, of presets and of
// proven optima.
//
//===----------------------------------------------------------------------===//

#include "Soap/Search/Problem/SpaceBound.h"
#include "Search/Problem/ConfigSpace.h"
#include "Search/Problems.h"
#include "Soap/Search/Exact/Exact.h"
#include "Soap/Search/Presets/Presets.h"
#include "Support/RandomGraphs.h"

#include <gtest/gtest.h>

using namespace soap;
using namespace soap::test;
using namespace soap::randomgraphs;

static int64_t below(randomgraphs::Random &random, size_t count) {
  return uniform(random, 0, static_cast<int64_t>(count) - 1);
}

TEST(SpaceBound, NoRandomStrategyBeatsIt) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    randomgraphs::Random random(seed);
    RandomProblem made = randomProblem(random, 12);
    std::string n = std::to_string(made.devices),
                name = seed % 3 == 0   ? "cpu-" + n
                       : seed % 3 == 1 ? "p100-" + n + "x1"
                                       : "h100-1x" + n;
    Topology topology = *builtinTopology(name);
    std::vector<std::vector<Role>> roles;
    for (const GraphNode &node : made.graph.nodes)
      roles.emplace_back(node.whole.space.loops.size(), Role::Sample);
    ParallelizationProblem problem(made.graph, topology,
                                   untiedGroups(made.graph), std::move(roles));
    int64_t bound = spaceBoundNs(problem);
    EXPECT_GT(bound, 0);
    for (int draw = 0; draw < 20; ++draw) {
      Strategy strategy = made.strategy;
      for (size_t node = 0; node < made.graph.nodes.size(); ++node) {
        std::vector<std::vector<int64_t>> degrees =
            legalDegrees(problem, static_cast<int>(node));
        const std::vector<int64_t> &choice =
            degrees[below(random, degrees.size())];
        std::vector<int> devices;
        for (int64_t i = 0; i < pieceCount(choice); ++i)
          devices.push_back(static_cast<int>(below(random, made.devices)));
        strategy[node] = makeConfig(choice, devices);
      }
      EXPECT_LE(bound, problem.evaluate(strategy).makespanNs)
          << "seed " << seed << " on " << name;
    }
  }
}

/// One device computes op after op, and copies nothing.
TEST(SpaceBound, IsTheTimeOfOneDevice) {
  MlpProblem p(makeMlp(32, {24, 16, 10}), 1);
  EXPECT_EQ(spaceBoundNs(p.problem),
            p.problem.evaluate(dataParallelStrategy(p.problem)).makespanNs);
}

TEST(SpaceBound, IsBelowPresetsAndOptima) {
  for (int devices : {2, 3, 40, 48}) {
    MlpProblem p(makeMlp(96, {60, 40, 10}), devices);
    int64_t bound = spaceBoundNs(p.problem);
    EXPECT_GT(bound, 0);
    for (const std::string &preset : presetNames())
      EXPECT_LE(
          bound,
          p.problem.evaluate(*presetStrategy(preset, p.problem)).makespanNs)
          << preset;
  }
  MlpProblem p(makeMlp(16, {12, 8}), 2);
  ExactResult exact = searchExact(p.problem, {});
  ASSERT_TRUE(exact.search.optimal);
  EXPECT_LE(spaceBoundNs(p.problem), exact.search.bestEvaluation.makespanNs);
}

/// Lists with a device several times may have more pieces than there are
/// devices, and so shorter ones: here the op that cannot be split waits for the
/// first row only, which a short piece has early.
TEST(SpaceBound, HoldsForMorePiecesThanDevices) {
  using enum Role;
  test::GraphBuilder b;
  int x = b.input("x", {1024, 64}), y = b.value("y", {1024, 64}),
      z = b.value("z", {1, 64});
  int all =
      b.node("all", "copy", Phase::Forward, {{"n", 1024}, {"k", 64}},
             {Sample, Attribute}, {{x, {0, 1}}}, y, {0, 1}, /*flops=*/1e6);
  int first = b.node("first", "copy", Phase::Forward,
                     {{"n", 1}, {"k", 64, IteratorType::Serial}},
                     {Sample, Attribute}, {{y, {0, 1}}}, z, {0, 1},
                     /*flops=*/1e9);
  Topology topology = *builtinTopology("cpu-2");
  ParallelizationProblem problem(b.graph, topology, untiedGroups(b.graph),
                                 b.roles);
  Strategy strategy = singleStrategy(problem);
  strategy[first].devices = {0};
  strategy[all] = {{2, 1}, 1, {0, 1}};
  EXPECT_EQ(maxPieces(strategy), 2);
  EXPECT_LE(spaceBoundNs(problem), problem.evaluate(strategy).makespanNs);
  strategy[all] = {{8, 1}, 1, {0, 1, 1, 1, 1, 1, 1, 1}};
  strategy[first].devices = {0};
  int64_t ns = problem.evaluate(strategy).makespanNs;
  EXPECT_EQ(maxPieces(strategy), 8);
  EXPECT_LT(ns, spaceBoundNs(problem));
  EXPECT_LE(spaceBoundNs(problem, nullptr, maxPieces(strategy)), ns);
}

TEST(SpaceBound, StopsWithoutAnAnswer) {
  MlpProblem p(makeMlp(16, {12, 8}), 2);
  std::atomic<bool> stop = true;
  EXPECT_EQ(spaceBoundNs(p.problem, &stop), 0);
}
