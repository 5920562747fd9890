//===- RepeatedBlocks.cpp - Equal parts of a cost graph decide once -------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Colour refinement (Weisfeiler and Leman): nodes start with a colour for their
// candidates, and get a new one for their own and those around, `radius` times.
//
//===----------------------------------------------------------------------===//

#include "Soap/Search/Frontier/RepeatedBlocks.h"

#include <algorithm>
#include <array>
#include <map>

using namespace soap;

namespace {

/// Numbers equal keys equally, in the order of their first use.
template <typename Key>
class Colours {
public:
  int operator()(Key key) {
    return numbers.try_emplace(std::move(key), static_cast<int>(numbers.size()))
        .first->second;
  }

private:
  std::map<Key, int> numbers;
};

using Numbers = std::vector<int64_t>;

/// Colours of nodes by what is up to `radius` edges away.
std::vector<int> colourNodes(const CostGraph &graph, int radius) {
  Colours<std::pair<Numbers, Numbers>> ofCandidates;
  std::vector<int> colours;
  for (const CostGraphNode &node : graph.nodes)
    colours.push_back(ofCandidates({node.costs, node.memory}));
  Colours<Numbers> ofCosts;
  std::vector<int> edgeColours;
  for (const CostGraphEdge &edge : graph.edges)
    edgeColours.push_back(ofCosts(edge.costs));
  for (int i = 0; i < radius; ++i) {
    /// Of an edge: its colour, its direction, the colour of its other end.
    std::vector<std::vector<std::array<int, 3>>> around(graph.nodes.size());
    for (size_t e = 0; e < graph.edges.size(); ++e) {
      const CostGraphEdge &edge = graph.edges[e];
      around[edge.source].push_back({edgeColours[e], 0, colours[edge.target]});
      around[edge.target].push_back({edgeColours[e], 1, colours[edge.source]});
    }
    Colours<std::pair<int, std::vector<std::array<int, 3>>>> refined;
    for (size_t n = 0; n < around.size(); ++n) {
      std::sort(around[n].begin(), around[n].end());
      colours[n] = refined({colours[n], std::move(around[n])});
    }
  }
  return colours;
}

} // namespace

TiedCostGraph soap::tieRepeatedBlocks(const CostGraph &graph, int radius) {
  TiedCostGraph result{graph, 0};
  std::vector<int> colours = colourNodes(graph, radius);
  std::map<int, int> first; // node by colour
  for (int n = 0; n < graph.nodeCount(); ++n) {
    auto [found, isNew] = first.try_emplace(colours[n], n);
    int count = graph.nodes[n].configCount();
    if (isNew || count == 1)
      continue;
    CostGraphEdge edge{found->second, n, {}};
    edge.costs.assign(static_cast<size_t>(count) * count, CostGraph::forbidden);
    for (int c = 0; c < count; ++c)
      edge.costs[static_cast<size_t>(c) * count + c] = 0;
    result.graph.edges.push_back(std::move(edge));
    ++result.tiedNodes;
  }
  return result;
}

CostGraphResult soap::solveTiedCostGraph(const CostGraph &graph,
                                         CostGraphOptions options) {
  constexpr double tiedShare = 0.7; // of the time
  TiedCostGraph tied = tieRepeatedBlocks(graph);
  double all = options.seconds;
  options.seconds = tiedShare * all;
  CostGraphResult result = solveCostGraph(tied.graph, options);
  if (result.status != CostGraphResult::Solved) {
    if (tied.tiedNodes > 0 && !result.reason.empty())
      result.reason = "with repeated blocks tied, " + result.reason;
    return result;
  }
  CostGraphSolution &solution = result.solution;
  options.seconds = std::max(all - solution.seconds, 0.0);
  options.initial = solution.choice;
  CostGraphSolution untied = solveCostGraph(graph, options).solution;
  solution.bound = untied.bound;
  solution.optimal = untied.bound == solution.cost;
  solution.seconds += untied.seconds;
  solution.ties = {tied.tiedNodes, untied.cost};
  return result;
}
