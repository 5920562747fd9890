//===- OptCnnTest.cpp - Dynamic programming over equal partitions ---------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The search against plain enumeration of its space; budgets and starts.
//
//===----------------------------------------------------------------------===//

#include "Soap/Search/OptCnn/OptCnn.h"
#include "Search/Evaluator/GroupCosts.h"
#include "Search/Problem/ConfigSpace.h"
#include "Search/Problems.h"
#include "Soap/Search/Presets/Presets.h"

#include <gtest/gtest.h>

using namespace soap;
using namespace soap::test;

TEST(OptCnn, MinimalOverTheSpace) {
  MlpProblem p(makeMlp(64, {48, 32, 10}), 4);
  OptCnnOptions options;
  options.maxConfigs = 1000;
  OptCnnResult result = searchOptCnn(p.problem, options);
  EXPECT_TRUE(result.minimal);
  EXPECT_FALSE(p.problem.verify(result.found));
  EXPECT_EQ(p.problem.evaluate(result.found).makespanNs,
            result.search.bestEvaluation.makespanNs);

  // All strategies of the space by the sum that the search claims to minimize.
  const std::vector<OpGroup> &groups = p.problem.getGroups();
  std::vector<std::vector<Config>> configs;
  for (const OpGroup &group : groups) {
    configs.emplace_back();
    for (const std::vector<int64_t> &degrees :
         legalDegrees(p.problem, group.leader)) {
      int64_t count = pieceCount(degrees);
      // Loop 2 is the reduction.
      if (degrees[2] > 1 || degrees[3] > 1 || count == 3)
        continue;
      std::vector<int> devices;
      for (int d = 0; d < count; ++d)
        devices.push_back(d);
      configs.back().push_back(makeConfig(degrees, devices));
    }
    EXPECT_EQ(configs.back().size(), 6u); // 1, 2 twice, 4 three times
  }
  GroupCosts costs(p.problem);
  auto never = [] { return false; };
  int64_t least = INT64_MAX, found = -1;
  for (const Config &a : configs[0])
    for (const Config &b : configs[1])
      for (const Config &c :
           configs.size() > 2 ? configs[2] : std::vector<Config>{{}}) {
        std::vector<Config> chosen = {a, b, c};
        int64_t sum = 0;
        for (size_t g = 0; g < groups.size(); ++g)
          sum += costs.alone(static_cast<int>(g), {chosen[g]})[0];
        for (auto [x, y] : costs.pairs())
          sum += costs.between(x, y, {chosen[x]}, {chosen[y]}, never)[0];
        least = std::min(least, sum);
        Strategy strategy = singleStrategy(p.problem);
        for (size_t g = 0; g < groups.size(); ++g)
          p.problem.assign(strategy, groups[g], chosen[g]);
        if (strategy == result.found)
          found = sum;
      }
  EXPECT_EQ(result.estimateNs, least);
  EXPECT_EQ(found, least);
}

TEST(OptCnn, NeverWorseThanItsStarts) {
  MlpProblem p(makeMlp(64, {100, 80, 10}), 4);
  OptCnnOptions options;
  for (const std::string &preset : presetNames())
    options.initial.push_back(*presetStrategy(preset, p.problem));
  OptCnnResult result = searchOptCnn(p.problem, options);
  EXPECT_EQ(result.search.initialNs.size(), presetNames().size());
  for (int64_t ns : result.search.initialNs)
    EXPECT_LE(result.search.bestEvaluation.makespanNs, ns);
  EXPECT_LE(result.search.bestEvaluation.makespanNs,
            result.foundEvaluation.makespanNs);
}

TEST(OptCnn, StoppedEarly) {
  MlpProblem p(makeMlp(64, {100, 80, 10}), 4);
  std::atomic<bool> stop = true;
  OptCnnOptions options;
  options.stop = &stop;
  OptCnnResult result = searchOptCnn(p.problem, options);
  EXPECT_TRUE(result.found.empty());
  EXPECT_FALSE(result.minimal);
  EXPECT_EQ(result.search.best, dataParallelStrategy(p.problem));
}

TEST(OptCnn, EmptyGraph) {
  Graph graph;
  Topology topology = *builtinTopology("cpu-2");
  ParallelizationProblem problem(graph, topology, {}, {});
  EXPECT_EQ(searchOptCnn(problem, {}).search.bestEvaluation.makespanNs, 0);
}
