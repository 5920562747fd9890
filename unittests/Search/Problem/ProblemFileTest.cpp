//===- ProblemFileTest.cpp - Parallelization problems as JSON -------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A written problem is read again; a damaged one is refused with a message.
//
//===----------------------------------------------------------------------===//

#include "Soap/Search/Problem/ProblemFile.h"
#include "Search/Problems.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace soap;
using namespace soap::test;

static ProblemFile smallProblem() {
  Mlp mlp = makeMlp(8, {6, 5, 4});
  mlp.graph.nodes[0].whole.space.neutral = -HUGE_VAL;
  mlp.graph.inputs[0].hasConfig = true;
  mlp.graph.inputs[0].config = {{2, 1}, 2, {0, 1, 1, 0}};
  return {mlp.graph, layerGroups(mlp), mlp.roles};
}

TEST(ProblemFile, RoundTrip) {
  ProblemFile problem = smallProblem();
  std::string text = printProblemFile(problem);
  Expected<ProblemFile> again = parseProblemFile(text, "p.json");
  ASSERT_TRUE(static_cast<bool>(again)) << again.error();
  EXPECT_EQ(printProblemFile(*again), text);
  Topology topology = *builtinTopology("cpu-2");
  ParallelizationProblem a(problem.graph, topology, problem.groups,
                           problem.roles),
      b(again->graph, topology, again->groups, again->roles);
  EXPECT_FALSE(b.check());
  Strategy strategy;
  for (const GraphNode &node : problem.graph.nodes)
    strategy.push_back(Config::single(node.whole.space));
  EXPECT_EQ(a.evaluate(strategy).makespanNs, b.evaluate(strategy).makespanNs);
}

TEST(ProblemFile, KeepsThePrecision) {
  ProblemFile problem = smallProblem();
  problem.graph.precision = ProductPrecision::TF32;
  std::string text = printProblemFile(problem);
  Expected<ProblemFile> again = parseProblemFile(text, "p.json");
  ASSERT_TRUE(static_cast<bool>(again)) << again.error();
  EXPECT_EQ(again->graph.precision, ProductPrecision::TF32);
  EXPECT_EQ(printProblemFile(*again), text);
  text.replace(text.find("\"tf32\""), 6, "\"f8\"");
  again = parseProblemFile(text, "p.json");
  ASSERT_FALSE(static_cast<bool>(again));
  EXPECT_EQ(again.error(), "p.json: at /precision: expected one of f32, tf32, "
                           "bf16, got \"f8\"");
}

/// The first op is split in one stage, whose loops have other names and another
/// order.
static ProblemFile problemWithStage() {
  ProblemFile problem = smallProblem();
  GraphNode &node = problem.graph.nodes[0];
  node.whole.space.loops[0].stage = true;
  Kernel &stage = node.stages.emplace_back(node.whole);
  stage.name += "/stage";
  for (size_t l = 0; l < stage.space.loops.size(); ++l) {
    Loop &loop = stage.space.loops[l];
    loop.name = "of_" + loop.name;
    loop.stage = false;
    stage.wholeLoops.push_back(static_cast<int>(l));
  }
  stage.wholeLoops.back() = -1;
  return problem;
}

TEST(ProblemFile, LoopsOfStages) {
  ProblemFile problem = problemWithStage();
  std::string text = printProblemFile(problem);
  Expected<ProblemFile> again = parseProblemFile(text, "p.json");
  ASSERT_TRUE(static_cast<bool>(again)) << again.error();
  EXPECT_EQ(printProblemFile(*again), text);
  const GraphNode &node = again->graph.nodes[0];
  EXPECT_EQ(node.stages[0].wholeLoops,
            problem.graph.nodes[0].stages[0].wholeLoops);
  EXPECT_EQ(node.stages[0].space.loops[0].name,
            "of_" + node.whole.space.loops[0].name);
  Config config = Config::single(node.whole.space);
  config.degrees[0] = 2;
  config.devices = {0, 1};
  EXPECT_EQ(stageConfig(node, config, node.stages[0]).degrees[0], 2);

  std::string name = node.whole.space.loops[0].name,
              whole = "\"whole\":\"" + name + "\"";
  ASSERT_NE(text.find(whole), std::string::npos) << text;
  text.replace(text.find(whole), whole.size(), "\"whole\":\"else\"");
  Expected<ProblemFile> wrong = parseProblemFile(text, "p.json");
  ASSERT_FALSE(static_cast<bool>(wrong));
  EXPECT_NE(wrong.error().find("has no loop 'else'"), std::string::npos)
      << wrong.error();
}

TEST(ProblemFile, RefusesWhatIsWrong) {
  std::string text = printProblemFile(smallProblem());
  auto expectError = [&](const std::string &from, const std::string &to,
                         const std::string &message) {
    std::string changed = text;
    size_t at = changed.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    changed.replace(at, from.size(), to);
    Expected<ProblemFile> result = parseProblemFile(changed, "p.json");
    ASSERT_FALSE(static_cast<bool>(result)) << to;
    EXPECT_NE(result.error().find(message), std::string::npos)
        << result.error();
  };
  expectError("\"version\":1", "\"version\":2", "version");
  expectError("\"kind\":\"radix\"", "\"kind\":\"round\"",
              "one of radix, window, whole");
  expectError("\"extent\":8", "\"extent\":-8", "extent");
  expectError("\"value\":0", "\"value\":700", "value");
  expectError("\"replicas\":2", "\"replicas\":3", "a device per piece");
  expectError("\"result\":0", "\"result\":1", "has 1 results");
  expectError("\"operand\":0", "\"operand\":9", "operands");
  expectError("\"leader\":0", "\"leader\":99", "leader");
  EXPECT_FALSE(
      static_cast<bool>(parseProblemFile(text.substr(0, 300), "p.json")));
  EXPECT_FALSE(static_cast<bool>(parseProblemFile("[]", "p.json")));
  EXPECT_EQ(loadProblemFile("nowhere.json").error(),
            "nowhere.json: no such file, expected a problem as "
            "--soap-print-op-graph=problem=FILE writes it");
}
