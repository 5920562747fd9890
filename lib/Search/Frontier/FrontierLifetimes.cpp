//===- FrontierLifetimes.cpp - A model's cost graph with all lifetimes ----===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Frontier tracking looks at one position of the program at a time; solvers of
// cost graphs know of intervals. What a group, or a copy between two groups,
// holds for a while becomes a node of its own, tied by edges that forbid
// everything else; reductions absorb it again.
//
//===----------------------------------------------------------------------===//

#include "Soap/Search/Frontier/FrontierGraph.h"

#include <algorithm>
#include <map>

using namespace soap;

namespace {

using Stretch = std::pair<int, int>; ///< half-open

/// An edge between a node and one that decides `decides[state]` for it.
CostGraphEdge agreeing(int node, size_t configs, int follower,
                       const std::vector<size_t> &decides) {
  CostGraphEdge edge{node, follower, {}};
  edge.costs.assign(configs * decides.size(), CostGraph::forbidden);
  for (size_t state = 0; state < decides.size(); ++state)
    edge.costs[decides[state] * decides.size() + state] = 0;
  return edge;
}

/// As above, where a state goes with several configs.
CostGraphEdge allowing(int node, size_t configs, int follower,
                       const std::vector<std::vector<size_t>> &allowed) {
  CostGraphEdge edge{node, follower, {}};
  edge.costs.assign(configs * allowed.size(), CostGraph::forbidden);
  for (size_t state = 0; state < allowed.size(); ++state)
    for (size_t config : allowed[state])
      edge.costs[config * allowed.size() + state] = 0;
  return edge;
}

CostGraphNode heldNode(Stretch stretch, std::vector<int64_t> bytes) {
  CostGraphNode node;
  node.liveFrom = stretch.first;
  node.liveTo = stretch.second;
  node.costs.assign(bytes.size(), 0);
  node.memory = std::move(bytes);
  return node;
}

} // namespace

CostGraph FrontierGraph::lifetimeGraph(std::optional<int64_t> capacity) const {
  CostGraph graph;
  graph.capacity = capacity;
  auto end = static_cast<int>(problem.getGraph().nodes.size());
  Stretch always{0, end};
  std::vector<std::map<Stretch, std::vector<int64_t>>> held(alone.size());
  for (size_t g = 0; g < alone.size(); ++g) {
    const Alone &group = alone[g];
    size_t count = group.values.size(), all = group.timesNs.size();
    auto hold = [&](const Lifetime &life, const std::vector<int64_t> &bytes,
                    size_t value) {
      std::vector<int64_t> &sums = held[g][{life.from, life.to + 1}];
      sums.resize(all);
      for (size_t c = 0; c < all; ++c)
        sums[c] += bytes[c * count + value];
    };
    for (size_t i = 0; i < count; ++i) {
      hold(group.sourceLives[i], group.sourceBytes, i);
      hold(group.copyLives[i], group.copyBytes, i);
    }
    CostGraphNode &node = graph.nodes.emplace_back();
    node.costs = group.timesNs;
    node.liveTo = end;
    node.memory = held[g][always];
    node.memory.resize(all);
  }
  auto isZero = [](const std::vector<int64_t> &bytes) {
    return std::all_of(bytes.begin(), bytes.end(),
                       [](int64_t b) { return b == 0; });
  };
  for (size_t g = 0; g < alone.size(); ++g)
    for (auto &[stretch, bytes] : held[g]) {
      if (stretch == always || isZero(bytes))
        continue;
      std::vector<size_t> own;
      for (size_t c = 0; c < bytes.size(); ++c)
        own.push_back(c);
      int number = graph.nodeCount();
      graph.nodes.push_back(heldNode(stretch, std::move(bytes)));
      graph.edges.push_back(
          agreeing(static_cast<int>(g), own.size(), number, own));
    }
  for (const Pair &pair : pairs) {
    graph.edges.push_back({pair.first, pair.second, pair.timesNs});
    size_t rows = configs[pair.first].size(),
           columns = configs[pair.second].size();
    std::map<Stretch, std::vector<int64_t>> copies;
    for (size_t i = 0; i < pair.values.size(); ++i) {
      std::vector<int64_t> &sums =
          copies[{pair.lives[i].from, pair.lives[i].to + 1}];
      sums.resize(rows * columns);
      for (size_t e = 0; e < rows * columns; ++e)
        sums[e] += pair.copyBytes[e * pair.values.size() + i];
    }
    for (const auto &[stretch, bytes] : copies) {
      if (isZero(bytes))
        continue;
      // States: a config of the second group, and all of the first with which
      // as much is copied.
      std::vector<int64_t> sizes;
      std::vector<size_t> seconds;
      std::vector<std::vector<size_t>> firsts;
      for (size_t b = 0; b < columns; ++b) {
        std::map<int64_t, std::vector<size_t>> bySize;
        for (size_t a = 0; a < rows; ++a)
          bySize[bytes[a * columns + b]].push_back(a);
        for (auto &[size, list] : bySize) {
          sizes.push_back(size);
          seconds.push_back(b);
          firsts.push_back(std::move(list));
        }
      }
      int number = graph.nodeCount();
      graph.edges.push_back(allowing(pair.first, rows, number, firsts));
      graph.edges.push_back(agreeing(pair.second, columns, number, seconds));
      graph.nodes.push_back(heldNode(stretch, std::move(sizes)));
    }
  }
  return graph;
}
