//===- SmallestCapacity.cpp - The least memory that would do --------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For a capacity that no solution meets: finds the smallest one by bisection
// over capacities, on the graph with nothing but its forbidden costs.
//
//===----------------------------------------------------------------------===//

#include "Soap/Search/CostGraph/SolveCostGraph.h"

#include <algorithm>
#include <chrono>

using namespace soap;

/// The peak of what nodes hold at least, each by itself.
static int64_t leastPeak(const CostGraph &graph) {
  CostGraph least;
  for (const CostGraphNode &node : graph.nodes) {
    int64_t bytes = INT64_MAX;
    for (size_t c = 0; c < node.costs.size(); ++c)
      if (node.costs[c] < CostGraph::forbidden)
        bytes = std::min(bytes, node.memory[c]);
    if (bytes < INT64_MAX)
      least.nodes.push_back({{0}, {bytes}, node.liveFrom, node.liveTo});
  }
  return least.peakOf(std::vector<int>(least.nodes.size())).bytes;
}

/// The same choices, without costs.
static CostGraph withoutCosts(const CostGraph &graph) {
  CostGraph result = graph;
  auto clear = [](std::vector<int64_t> &costs) {
    for (int64_t &cost : costs)
      cost = cost >= CostGraph::forbidden ? cost : 0;
  };
  for (CostGraphNode &node : result.nodes)
    clear(node.costs);
  for (CostGraphEdge &edge : result.edges)
    clear(edge.costs);
  return result;
}

SmallestCapacity soap::findSmallestCapacity(const CostGraph &graph,
                                            CostGraphOptions options) {
  auto begin = std::chrono::steady_clock::now();
  double seconds = options.seconds;
  CostGraph bare = withoutCosts(graph);
  bare.capacity.reset();
  options.extraRounds = 0; // each answer is a step of many
  SmallestCapacity result;
  result.bound = leastPeak(graph);
  for (;;) {
    std::chrono::duration<double> spent =
        std::chrono::steady_clock::now() - begin;
    options.seconds = seconds - spent.count();
    CostGraphResult attempt = solveCostGraph(bare, options);
    if (attempt.status == CostGraphResult::Solved) {
      result.found = bare.peakOf(attempt.solution.choice).bytes;
    } else if (attempt.status == CostGraphResult::Infeasible) {
      if (!bare.capacity) {
        result.isImpossible = true;
        return result;
      }
      result.bound = *bare.capacity + 1;
    } else {
      return result;
    }
    if (result.bound >= result.found.value_or(INT64_MAX))
      return result;
    bare.capacity = result.found
                        ? result.bound + (*result.found - result.bound) / 2
                        : result.bound;
  }
}
