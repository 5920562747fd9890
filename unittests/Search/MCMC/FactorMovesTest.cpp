//===- FactorMovesTest.cpp - Descent by factor moves ----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The factor moves of a config, and that descent ends where none gains,
// compared with pricing every factor move from nothing.
//
//===----------------------------------------------------------------------===//

#include "Search/MCMC/FactorMoves.h"
#include "Search/Problem/ConfigSpace.h"
#include "Search/Problems.h"
#include "Soap/Search/Presets/Presets.h"

#include <gtest/gtest.h>

using namespace soap;
using namespace soap::test;

/// Layers 1 and 2 use the same weights, as the steps of a recurrent layer do.
static Mlp recurrent() {
  Mlp mlp = makeMlp(64, {32, 48, 48, 48});
  Kernel &second = mlp.graph.nodes[mlp.layers[2].matmul].whole;
  second.operands[1] = mlp.graph.nodes[mlp.layers[1].matmul].whole.operands[1];
  return mlp;
}

TEST(FactorMoves, KeepPiecesAndDevices) {
  MlpProblem p(recurrent(), 12);
  Config config;
  config.degrees = {6, 1, 2};
  config.devices = {3, 1, 4, 5, 9, 2, 6, 8, 7, 0, 10, 11};
  std::vector<Config> factorMoves = factorMovesOf(p.problem, 0, config);
  // 2, 3 or 6 of the first loop, 2 of the third, to each of three others.
  EXPECT_EQ(factorMoves.size(), 12u);
  for (size_t i = 0; i < factorMoves.size(); ++i) {
    EXPECT_EQ(factorMoves[i].replicas * factorMoves[i].piecesPerReplica(), 12);
    EXPECT_EQ(factorMoves[i].devices, config.devices);
    EXPECT_NE(factorMoves[i], config);
    for (size_t j = 0; j < i; ++j)
      EXPECT_NE(factorMoves[i], factorMoves[j]);
  }
  config.degrees = {1, 1, 1};
  config.devices = {5};
  EXPECT_TRUE(factorMovesOf(p.problem, 0, config).empty());
}

/// The least time after a factor move of a group and its mates, priced from
/// nothing.
static int64_t fastestFactorMove(const ParallelizationProblem &problem,
                                 const GroupMates &mates,
                                 const Strategy &strategy) {
  int64_t fastest = INT64_MAX;
  int devices = problem.getTopology().deviceCount();
  for (int g = 0; g < static_cast<int>(problem.getGroups().size()); ++g) {
    int leader = problem.getGroups()[g].leader;
    for (const Config &moved : factorMovesOf(problem, g, strategy[leader])) {
      if (checkConfig(problem.getGraph().nodes[leader].whole.space, moved,
                      devices)
              .fault != ConfigFault::None)
        continue;
      Strategy changed = strategy;
      problem.assign(changed, problem.getGroups()[g], moved);
      for (int mate : mates.sharing(g))
        problem.assign(changed, problem.getGroups()[mate], moved);
      fastest = std::min(fastest, problem.evaluate(changed).makespanNs);
    }
  }
  return fastest;
}

/// Descends from all presets, and looks whether any factor move is left.
static void descendFromPresets(Mlp mlp, bool tied) {
  MlpProblem p(std::move(mlp), 4);
  GroupMates mates(p.problem);
  int gained = 0;
  for (const std::string &preset : presetNames()) {
    SCOPED_TRACE(preset);
    StrategyEvaluator evaluator(p.problem);
    Strategy start = *presetStrategy(preset, p.problem);
    Evaluation before = evaluator.start(start);
    Evaluation after =
        descendByFactorMoves(p.problem, mates, tied, evaluator, before,
                             [](const Evaluation &) { return false; });
    EXPECT_LE(after.makespanNs, before.makespanNs);
    EXPECT_FALSE(p.problem.verify(evaluator.getStrategy()));
    EXPECT_EQ(p.problem.evaluate(evaluator.getStrategy()).makespanNs,
              after.makespanNs);
    EXPECT_GE(fastestFactorMove(p.problem, mates, evaluator.getStrategy()),
              after.makespanNs);
    gained += after.makespanNs < before.makespanNs;
    // Stopped at once, nothing happens.
    EXPECT_EQ(evaluator.start(start).makespanNs, before.makespanNs);
    EXPECT_EQ(descendByFactorMoves(p.problem, mates, tied, evaluator, before,
                                   [](const Evaluation &) { return true; })
                  .makespanNs,
              before.makespanNs);
    EXPECT_EQ(evaluator.getStrategy(), start);
  }
  EXPECT_GT(gained, 0);
}

TEST(FactorMoves, DescentEndsWhereNoneGains) {
  descendFromPresets(recurrent(), /*tied=*/false);
}

TEST(FactorMoves, DescentOfMatesEndsWhereNoneGains) {
  descendFromPresets(makeMlp(64, {32, 48, 48, 48, 48, 10}), /*tied=*/true);
}
