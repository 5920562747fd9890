//===- CostGraphs.h - Random cost graphs of tests ---------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small graphs that have all there is: forbidden pairs, pairs that must match,
// parallel edges, memory over time. And what they are compared with: every
// choice.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_UNITTESTS_SEARCH_COSTGRAPHS_H
#define SOAP_UNITTESTS_SEARCH_COSTGRAPHS_H

#include "Soap/Search/CostGraph/CostGraph.h"

#include <random>

namespace soap::test {

class CostGraphGenerator {
public:
  explicit CostGraphGenerator(uint64_t seed) : engine(seed) {}

  int below(int n) { return static_cast<int>(engine() % n); }

  CostGraph draw(int maxNodes, int maxConfigs) {
    CostGraph graph;
    int count = 1 + below(maxNodes);
    for (int n = 0; n < count; ++n) {
      CostGraphNode &node = graph.nodes.emplace_back();
      for (int c = 1 + below(maxConfigs); c > 0; --c) {
        node.costs.push_back(below(20) ? below(30) : CostGraph::forbidden);
        node.memory.push_back(below(12));
      }
      node.liveFrom = below(8);
      node.liveTo = node.liveFrom + below(6);
    }
    for (int e = below(2 * count + 1); e > 0 && count > 1; --e)
      addEdge(graph);
    if (below(4))
      graph.capacity = below(8 * count);
    return graph;
  }

  /// The same with costs and memory whose sums are as large as `check` allows,
  /// and all bits of which matter: far beyond what doubles tell apart.
  CostGraph drawLarge(int maxNodes, int maxConfigs) {
    CostGraph graph = draw(maxNodes, maxConfigs);
    uint64_t lists = graph.nodes.size() + graph.edges.size();
    uint64_t most = std::min<uint64_t>(3'999'999'999'999'999'999 / lists,
                                       CostGraph::forbidden - 1);
    // Costs that differ much, and costs that differ in their last digits.
    uint64_t least = below(2) ? 0 : most - 50;
    auto enlarge = [&](std::vector<int64_t> &costs) {
      for (int64_t &cost : costs)
        if (cost > 0 && cost < CostGraph::forbidden)
          cost = static_cast<int64_t>(least + engine() % (most - least + 1));
    };
    // So is memory: up to 2^63 at a time.
    int64_t factor = INT64_MAX / static_cast<int64_t>(12 * graph.nodes.size());
    for (CostGraphNode &node : graph.nodes) {
      enlarge(node.costs);
      for (int64_t &bytes : node.memory)
        bytes = bytes * factor + below(2);
    }
    if (graph.capacity)
      *graph.capacity = *graph.capacity * factor + below(3);
    for (CostGraphEdge &edge : graph.edges)
      enlarge(edge.costs);
    return graph;
  }

private:
  std::mt19937_64 engine;

  void addEdge(CostGraph &graph) {
    CostGraphEdge edge;
    edge.source = below(graph.nodeCount());
    edge.target = below(graph.nodeCount());
    if (edge.source == edge.target)
      return;
    int rows = graph.nodes[edge.source].configCount();
    int columns = graph.nodes[edge.target].configCount();
    bool mustMatch = rows == columns && below(5) == 0;
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j)
        edge.costs.push_back(mustMatch  ? (i == j ? 0 : CostGraph::forbidden)
                             : below(8) ? below(25)
                                        : CostGraph::forbidden);
    graph.edges.push_back(std::move(edge));
  }
};

/// The cheapest choice that is allowed and fits; empty: there is none.
inline std::vector<int> enumerateChoices(const CostGraph &graph) {
  std::vector<int> choice(graph.nodes.size()), best;
  std::optional<int64_t> least;
  for (;;) {
    std::optional<int64_t> cost = graph.costOf(choice);
    if (cost && (!least || *cost < *least) &&
        (!graph.capacity || graph.peakOf(choice).bytes <= *graph.capacity)) {
      least = cost;
      best = choice;
    }
    size_t n = 0;
    while (n < choice.size() && ++choice[n] == graph.nodes[n].configCount())
      choice[n++] = 0;
    if (n == choice.size())
      return best;
  }
}

} // namespace soap::test

#endif // SOAP_UNITTESTS_SEARCH_COSTGRAPHS_H
