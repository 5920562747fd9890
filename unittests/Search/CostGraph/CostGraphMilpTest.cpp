//===- CostGraphMilpTest.cpp - Cost graphs as integer programs ------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The same problem in another form: a variable per config and per pair of
// configs of an edge, a row per point in time. All solvers, the integer program
// and the search through all choices agree.
//
//===----------------------------------------------------------------------===//

#include "Search/CostGraphs.h"
#include "Search/DevicePlacement/Solvers/IntegerProgram.h"
#include "Soap/Search/CostGraph/SolveCostGraph.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

using namespace soap;
using namespace soap::placement;
using namespace soap::test;

namespace {

/// The least cost, infinite if there is none.
double solveByMilp(const CostGraph &graph, IntegerSolver solver) {
  IntegerProgram program;
  std::vector<std::vector<int>> chosen;
  auto costOf = [](int64_t cost) { return static_cast<double>(cost); };
  for (const CostGraphNode &node : graph.nodes) {
    IntegerProgram::Terms one;
    std::vector<int> &variables = chosen.emplace_back();
    for (int64_t cost : node.costs) {
      bool isAllowed = cost < CostGraph::forbidden;
      variables.push_back(program.addVariable(
          0, isAllowed ? 1 : 0, isAllowed ? costOf(cost) : 0, true));
      one.emplace_back(variables.back(), 1);
    }
    program.addRow(1, 1, one);
  }
  for (const CostGraphEdge &edge : graph.edges) {
    size_t rows = chosen[edge.source].size(),
           columns = chosen[edge.target].size();
    std::vector<IntegerProgram::Terms> sums(rows + columns);
    for (size_t i = 0; i < rows; ++i)
      sums[i].emplace_back(chosen[edge.source][i], -1);
    for (size_t j = 0; j < columns; ++j)
      sums[rows + j].emplace_back(chosen[edge.target][j], -1);
    for (size_t i = 0; i < rows; ++i)
      for (size_t j = 0; j < columns; ++j) {
        int64_t cost = edge.costs[i * columns + j];
        bool isAllowed = cost < CostGraph::forbidden;
        int both = program.addVariable(0, isAllowed ? 1 : 0,
                                       isAllowed ? costOf(cost) : 0);
        sums[i].emplace_back(both, 1);
        sums[rows + j].emplace_back(both, 1);
      }
    for (IntegerProgram::Terms &terms : sums)
      program.addRow(0, 0, terms);
  }
  std::set<int64_t> times;
  for (const CostGraphNode &node : graph.nodes)
    times.insert(node.liveFrom);
  for (int64_t time : times) {
    IntegerProgram::Terms held;
    for (size_t n = 0; n < graph.nodes.size(); ++n)
      if (graph.nodes[n].liveFrom <= time && time < graph.nodes[n].liveTo)
        for (size_t c = 0; c < chosen[n].size(); ++c)
          held.emplace_back(chosen[n][c], costOf(graph.nodes[n].memory[c]));
    if (graph.capacity && !held.empty())
      program.atMost(held, costOf(*graph.capacity));
  }
  Budget budget;
  budget.seconds = 1e6;
  Deadline deadline(budget);
  double best = std::numeric_limits<double>::infinity();
  IntegerResult result = solveInteger(
      solver, program, {}, deadline, 1, [&](const std::vector<double> &values) {
        double value = 0;
        for (size_t v = 0; v < values.size(); ++v)
          value += program.variables[v].cost * values[v];
        best = std::min(best, value);
      });
  EXPECT_FALSE(result.failed);
  EXPECT_EQ(result.infeasible, !std::isfinite(best));
  return best;
}

} // namespace

TEST(CostGraphAgreement, BruteForceMilpEliminationAndBranchAndBound) {
  if (!haveMilp())
    GTEST_SKIP() << "built without a solver of integer programs";
  int infeasible = 0, solved = 0;
  for (uint64_t seed = 9000; seed < 9040; ++seed) {
    SCOPED_TRACE(seed);
    CostGraph graph = CostGraphGenerator(seed).draw(7, 4);
    ASSERT_FALSE(graph.check());
    std::vector<int> choice = enumerateChoices(graph);
    for (IntegerSolver solver : {IntegerSolver::Highs, IntegerSolver::Cbc}) {
      if (!haveMilp(solver))
        continue;
      double milp = solveByMilp(graph, solver);
      ASSERT_EQ(choice.empty(), !std::isfinite(milp));
      if (!choice.empty()) {
        EXPECT_NEAR(static_cast<double>(*graph.costOf(choice)), milp, 1e-4);
      }
    }
    for (auto algorithm :
         {CostGraphAlgorithm::Auto, CostGraphAlgorithm::Elimination}) {
      CostGraphOptions options;
      options.algorithm = algorithm;
      options.seconds = 1e6;
      CostGraphResult result = solveCostGraph(graph, options);
      if (choice.empty()) {
        EXPECT_EQ(result.status, CostGraphResult::Infeasible);
        continue;
      }
      ASSERT_EQ(result.status, CostGraphResult::Solved);
      EXPECT_TRUE(result.solution.optimal);
      EXPECT_EQ(result.solution.cost, graph.costOf(choice));
    }
    ++(choice.empty() ? infeasible : solved);
  }
  EXPECT_GT(infeasible, 0);
  EXPECT_GT(solved, 20);
}
