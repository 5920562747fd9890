//===- FrontierProblem.cpp - Input of frontier tracking, checked ----------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shares nothing with the algorithm: what a point claims is computed here from
// its choices.
//
//===----------------------------------------------------------------------===//

#include "Soap/Search/Frontier/FrontierTracking.h"

#include <algorithm>
#include <string>

using namespace soap;

static Error faultAt(size_t edge, size_t alternative, const std::string &what) {
  return Error{"edge " + std::to_string(edge) + ", alternative " +
               std::to_string(alternative) + ": " + what};
}

MaybeError FrontierProblem::check() const {
  if (MaybeError error = graph.check())
    return error;
  if (alternatives.empty())
    return std::nullopt;
  if (alternatives.size() != graph.edges.size())
    return Error{"expected alternatives for " +
                 std::to_string(graph.edges.size()) + " edges or none, got " +
                 std::to_string(alternatives.size())};
  // Sums of the largest numbers, the nodes' as the graph's check bounds them.
  constexpr __int128 maxCost = __int128(4'000'000'000'000'000'000);
  constexpr __int128 maxMemory = (__int128(1) << 63) - 1;
  __int128 costs = 0, memory = 0;
  auto largest = [](const std::vector<int64_t> &list) {
    int64_t most = 0;
    for (int64_t x : list)
      if (x < CostGraph::forbidden)
        most = std::max(most, x);
    return most;
  };
  for (const CostGraphNode &node : graph.nodes) {
    costs += largest(node.costs);
    int64_t most = 0;
    for (int64_t bytes : node.memory)
      most = std::max(most, bytes);
    memory += node.liveTo > node.liveFrom ? most : 0;
  }
  for (size_t e = 0; e < alternatives.size(); ++e) {
    const CostGraphEdge &edge = graph.edges[e];
    if (alternatives[e].empty())
      costs += largest(edge.costs);
    int64_t maxOfEdge = 0, maxHeld = 0;
    for (size_t i = 0; i < alternatives[e].size(); ++i) {
      const EdgeAlternative &alternative = alternatives[e][i];
      if (alternative.costs.size() != edge.costs.size() ||
          alternative.memory.size() != edge.costs.size())
        return faultAt(e, i,
                       "expected " + std::to_string(edge.costs.size()) +
                           " costs and as many bytes, got " +
                           std::to_string(alternative.costs.size()) + " and " +
                           std::to_string(alternative.memory.size()));
      for (size_t x = 0; x < edge.costs.size(); ++x)
        if (alternative.costs[x] < 0 || alternative.memory[x] < 0)
          return faultAt(e, i,
                         "expected numbers of at least 0, got " +
                             std::to_string(std::min(alternative.costs[x],
                                                     alternative.memory[x])));
      maxOfEdge = std::max(maxOfEdge, largest(alternative.costs));
      for (int64_t bytes : alternative.memory)
        maxHeld = std::max(maxHeld, bytes);
    }
    costs += maxOfEdge;
    memory += maxHeld;
  }
  if (costs >= maxCost)
    return Error{"costs add up to 4e18 or more, expected less"};
  if (memory > maxMemory)
    return Error{"memory adds up to 2^63 bytes or more, expected less"};
  return std::nullopt;
}

std::optional<FrontierPoint>
FrontierProblem::costOf(const std::vector<int> &choice,
                        const std::vector<int> &alternative) const {
  FrontierPoint point;
  auto add = [&](int64_t cost, int64_t bytes) {
    point.timeNs += cost;
    point.memoryBytes += bytes;
    return cost < CostGraph::forbidden;
  };
  for (size_t v = 0; v < graph.nodes.size(); ++v) {
    const CostGraphNode &node = graph.nodes[v];
    auto config = static_cast<size_t>(choice[v]);
    if (!add(node.costs[config],
             node.liveTo > node.liveFrom ? node.memory[config] : 0))
      return std::nullopt;
  }
  for (size_t e = 0; e < graph.edges.size(); ++e) {
    const CostGraphEdge &edge = graph.edges[e];
    size_t columns = graph.nodes[edge.target].costs.size();
    size_t entry = static_cast<size_t>(choice[edge.source]) * columns +
                   static_cast<size_t>(choice[edge.target]);
    bool hasOwn = e < alternatives.size() && !alternatives[e].empty();
    auto i = static_cast<size_t>(alternative[e]);
    if (!add(hasOwn ? alternatives[e][i].costs[entry] : edge.costs[entry],
             hasOwn ? alternatives[e][i].memory[entry] : 0))
      return std::nullopt;
  }
  return point;
}
