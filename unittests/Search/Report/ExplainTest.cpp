//===- ExplainTest.cpp - Why an op has its config -------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prices equal the simulator's, all configs of a small space are found,
// and drawings hold what they should.
//
//===----------------------------------------------------------------------===//

#include "Soap/Search/Report/Explain.h"
#include "Search/Problems.h"
#include "Soap/Search/MCMC/MCMC.h"
#include "Soap/Search/Presets/Presets.h"
#include "Soap/Search/Report/ProgressDrawing.h"
#include "Soap/Search/Report/StrategyDrawing.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace soap;
using namespace soap::test;

static size_t count(const std::string &text, const std::string &what) {
  size_t n = 0;
  for (size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + 1))
    ++n;
  return n;
}

TEST(Explain, PricesAreThoseOfTheProblem) {
  MlpProblem p(makeMlp(64, {256, 512, 64}), 4);
  Strategy strategy = dataParallelStrategy(p.problem);
  Explanation explanation = explainGroup(p.problem, strategy, 1, 1000);
  EXPECT_FALSE(explanation.bounded);
  const Alternative &current = explanation.alternatives[explanation.current];
  EXPECT_EQ(current.origin, "current");
  EXPECT_EQ(current.config, strategy[p.mlp.layers[1].matmul]);
  EXPECT_EQ(current.evaluation.makespanNs,
            p.problem.evaluate(strategy).makespanNs);
  bool neighbour = false;
  for (size_t i = 0; i < explanation.alternatives.size(); ++i) {
    const Alternative &alternative = explanation.alternatives[i];
    Strategy changed = strategy;
    p.problem.assign(changed, p.problem.getGroups()[1], alternative.config);
    EXPECT_EQ(alternative.evaluation.makespanNs,
              p.problem.evaluate(changed).makespanNs);
    EXPECT_TRUE(alternative.detailed);
    EXPECT_FALSE(alternative.limit.empty());
    if (i > 0)
      EXPECT_GE(alternative.evaluation.makespanNs,
                explanation.alternatives[i - 1].evaluation.makespanNs);
    neighbour |= alternative.origin.starts_with("as 'fc0'") ||
                 alternative.config.degrees == std::vector<int64_t>{4, 1, 1};
  }
  EXPECT_TRUE(neighbour);
  // n, k and c into at most four pieces, with replicas: 25 vectors of four
  // factors, each on several lists.
  EXPECT_GT(explanation.alternatives.size(), 25u);
  for (const Pairing &pairing : explanation.pairings)
    EXPECT_LT(
        pairing.evaluation.makespanNs,
        explanation.alternatives[pairing.alternative].evaluation.makespanNs);
}

/// Pairs, too, and several changes leave nothing behind.
TEST(Explain, PairsArePricedAsTheProblem) {
  MlpProblem p(makeMlp(512, {256, 512, 300, 64}), 4);
  size_t pairs = 0;
  for (const Strategy &strategy :
       {modelParallelStrategy(p.problem), zeroStrategy(p.problem)})
    for (int group = 0; group < 3; ++group) {
      Explanation explanation = explainGroup(p.problem, strategy, group, 1000);
      EXPECT_EQ(
          explanation.alternatives[explanation.current].evaluation.makespanNs,
          p.problem.evaluate(strategy).makespanNs);
      pairs += explanation.pairings.size();
      for (const Pairing &pairing : explanation.pairings) {
        Strategy changed = strategy;
        p.problem.assign(changed, p.problem.getGroups()[group],
                         explanation.alternatives[pairing.alternative].config);
        for (size_t i = 0; i < pairing.groups.size(); ++i)
          p.problem.assign(changed, p.problem.getGroups()[pairing.groups[i]],
                           pairing.configs[i]);
        EXPECT_EQ(pairing.evaluation.makespanNs,
                  p.problem.evaluate(changed).makespanNs);
      }
    }
  EXPECT_GT(pairs, 0u);
}

/// Both layers on one device. One alone gains little on two, since its input
/// has to be moved.
TEST(Explain, NeighboursCutTheSameWay) {
  MlpProblem p(makeMlp(4096, {512, 512, 512}), 2);
  Strategy strategy = singleStrategy(p.problem);
  Explanation explanation = explainGroup(p.problem, strategy, 0, 1000);
  ASSERT_FALSE(explanation.pairings.empty());
  const Pairing &best = explanation.pairings[0];
  EXPECT_EQ(best.groups, std::vector<int>{1});
  EXPECT_EQ(explanation.alternatives[best.alternative].config.degrees,
            (std::vector<int64_t>{2, 1, 1}));
  EXPECT_EQ(best.configs[0].degrees, (std::vector<int64_t>{2, 1, 1}));
  EXPECT_LT(best.evaluation.makespanNs,
            explanation.alternatives[0].evaluation.makespanNs);
}

TEST(Explain, Bounded) {
  MlpProblem p(makeMlp(64, {100, 80, 10}), 64);
  Strategy strategy = dataParallelStrategy(p.problem);
  Explanation explanation = explainGroup(p.problem, strategy, 0, 7);
  EXPECT_EQ(explanation.alternatives.size(), 7u);
  EXPECT_TRUE(explanation.bounded);
  explanation = explainGroup(p.problem, strategy, 0, 0);
  EXPECT_EQ(explanation.alternatives.size(), 1u);
  EXPECT_EQ(explanation.current, 0u);
}

/// A config that does not fit comes last, however fast.
TEST(Explain, Memory) {
  int64_t weights = 256 * 256 * 4;
  MlpProblem p(makeMlp(64, {256, 256, 256}), 4, weights * 5 / 2);
  Explanation explanation =
      explainGroup(p.problem, modelParallelStrategy(p.problem), 0, 1000);
  bool over = false;
  for (const Alternative &alternative : explanation.alternatives) {
    EXPECT_FALSE(over && alternative.evaluation.excessBytes == 0);
    over |= alternative.evaluation.excessBytes > 0;
  }
  EXPECT_TRUE(over);
}

TEST(Explain, Names) {
  MlpProblem p(makeMlp(8, {6, 4, 3}), 2);
  EXPECT_EQ(groupOfOp(p.problem, "w1.sgd"), 1);
  EXPECT_EQ(groupOfOp(p.problem, "w2.sgd"), -1);
  EXPECT_EQ(nearNames(p.mlp.graph, "fc7", 2),
            (std::vector<std::string>{"fc0", "fc1"}));
  EXPECT_EQ(nearNames(p.mlp.graph, "1.weight", 1),
            (std::vector<std::string>{"fc1.weight_grad"}));
  EXPECT_TRUE(nearNames(p.mlp.graph, "conv2_3", 3).empty());
  const IterationSpace &space =
      p.mlp.graph.nodes[p.mlp.layers[0].matmul].whole.space;
  EXPECT_EQ(describeConfig(
                space, {{2, 1, 3}, 2, {0, 1, 2, 3, 4, 5, 9, 8, 2, 3, 7, 7}}),
            "{n = 2, c = 3} x2 on 0-5,9,8,2,3,7,7");
  EXPECT_EQ(describeConfig(space, {{1, 1, 1}, 1, {3}}), "{} on 3");
  EXPECT_EQ(describeConfig(space, {{1, 1, 1}, 5, {0, 4, 8, 12, 16}}),
            "{} x5 on 0,4,...,16");
  EXPECT_EQ(describeConfig(space, {{1, 1, 1}, 8, {7, 7, 0, 2, 4, 5, 6, 9}}),
            "{} x8 on 7,7,0,2,4-6,9");
}

TEST(Drawing, StrategyOfAPerceptron) {
  MlpProblem p(makeMlp(8, {16, 8, 2}), 4);
  std::string svg =
      drawStrategy(p.problem, modelParallelStrategy(p.problem), "<title>");
  // The first layer on four devices, the second on one.
  EXPECT_EQ(count(svg, "<g>"), 2u);
  // The legend has each device once.
  EXPECT_EQ(count(svg, "class=\"device0\""), 3u);
  EXPECT_EQ(count(svg, "class=\"device3\""), 2u);
  EXPECT_NE(svg.find("&lt;title&gt;"), std::string::npos);
  EXPECT_NE(svg.find(">fc0</text>"), std::string::npos);
  EXPECT_NE(svg.find(">channels/4</text>"), std::string::npos);
}

TEST(Drawing, NoOps) {
  Graph graph;
  Topology topology = *builtinTopology("cpu-2");
  ParallelizationProblem problem(graph, topology, {}, {});
  std::string svg = drawStrategy(problem, {}, "nothing");
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
}

TEST(Drawing, Progress) {
  MlpProblem p(makeMlp(256, {300, 400, 10}), 4);
  McmcOptions options;
  options.proposals = 300;
  McmcResult result = searchMcmc(p.problem, options);
  ASSERT_EQ(result.initialNames.size(), result.initialNs.size());
  EXPECT_EQ(result.initialNames[0], "data-parallel");
  ASSERT_FALSE(result.curve.empty());
  EXPECT_EQ(result.curve.back().bestNs, result.bestEvaluation.makespanNs);
  EXPECT_EQ(result.curve.back().proposals, result.proposals);
  std::string svg = drawProgress(result, "mlp on cpu-4");
  // The curve, and its entry in the legend.
  EXPECT_EQ(count(svg, "class=\"line0\""), 2u);
  EXPECT_NE(svg.find(">mlp on cpu-4</text>"), std::string::npos);
  EXPECT_NE(svg.find(">data-parallel "), std::string::npos);
  // Nothing fits: a drawing that says so.
  EXPECT_NE(drawProgress({}, "").find("No strategy"), std::string::npos);
}
