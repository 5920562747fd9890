//===- EliminationOrder.cpp - In which order nodes are eliminated ---------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See EliminationOrder.h.
//
//===----------------------------------------------------------------------===//

#include "EliminationOrder.h"

#include <cassert>
#include <map>
#include <set>
#include <tuple>

using namespace soap;

namespace {

class Orderer {
public:
  Orderer(const CostGraph &graph, FrontierMethod method,
          int64_t maxMergedConfigs)
      : method(method), maxMerged(static_cast<double>(maxMergedConfigs)),
        neighbours(graph.nodes.size()) {
    for (const CostGraphNode &node : graph.nodes)
      sizes.push_back(node.configCount());
    for (const CostGraphEdge &edge : graph.edges)
      join(edge.source, edge.target, 0);
    weights.resize(sizes.size(), 1);
    ranks.resize(sizes.size());
    for (size_t v = 0; v < sizes.size(); ++v)
      enqueue(static_cast<int>(v));
  }

  std::vector<EliminationStep> order() {
    std::vector<EliminationStep> steps;
    while (!queue.empty()) {
      int node = std::get<2>(*queue.begin());
      if (neighbours[node].size() > 2)
        steps.push_back(resist(node));
      else
        steps.push_back(eliminate(node));
    }
    assert(steps.size() == sizes.size() && "all nodes, once each");
    return steps;
  }

private:
  using Rank = std::tuple<int, double, int>; ///< kind, work, node
  FrontierMethod method;
  double maxMerged;
  /// Neighbours, and how many nodes were eliminated into the edge.
  std::vector<std::map<int, int>> neighbours;
  std::vector<double> sizes;
  std::vector<int> weights; ///< nodes that were eliminated into it, and itself
  std::vector<Rank> ranks;
  std::set<Rank> queue;

  /// Smaller is earlier.
  Rank rank(int node) const {
    size_t degree = neighbours[node].size();
    // Frontiers of much that was eliminated have many points.
    double combinations = sizes[node];
    int points = weights[node];
    for (auto [other, weight] : neighbours[node]) {
      combinations *= sizes[other];
      points += weight;
    }
    combinations *= points;
    int kind = static_cast<int>(degree > 2 ? 3 : degree);
    if (method == FrontierMethod::Elimination && degree > 0 && degree < 3)
      kind = 3 - kind;
    return {kind, combinations, node};
  }

  void enqueue(int node) {
    ranks[node] = rank(node);
    queue.insert(ranks[node]);
  }
  void requeue(int node) {
    queue.erase(ranks[node]);
    enqueue(node);
  }

  void join(int a, int b, int weight) {
    neighbours[a][b] += weight;
    neighbours[b][a] = neighbours[a][b];
  }

  void drop(int node) {
    queue.erase(ranks[node]);
    for (auto [other, weight] : neighbours[node])
      neighbours[other].erase(node);
  }

  EliminationStep eliminate(int node) {
    std::vector<int> around;
    int weight = weights[node];
    for (auto [other, between] : neighbours[node]) {
      around.push_back(other);
      weight += between;
    }
    drop(node);
    EliminationStep step;
    step.node = node;
    if (around.size() == 1) {
      step.kind = EliminationStep::Kind::Leaf;
      step.first = around[0];
      weights[around[0]] += weight;
    } else if (around.size() == 2) {
      step.kind = EliminationStep::Kind::Node;
      step.first = around[0];
      step.second = around[1];
      join(around[0], around[1], weight);
    }
    for (int other : around)
      requeue(other);
    return step;
  }

  /// Every node has more than two neighbours: merges the one that is first in
  /// the queue, or fixes the one with the most neighbours.
  EliminationStep resist(int node) {
    int best = -1;
    for (auto [other, weight] : neighbours[node])
      if (best < 0 || sizes[other] < sizes[best])
        best = other;
    EliminationStep step;
    if (sizes[node] * sizes[best] > maxMerged) {
      step.kind = EliminationStep::Kind::Heuristic;
      step.node = node;
      for (const Rank &entry : queue)
        if (int other = std::get<2>(entry);
            neighbours[other].size() > neighbours[step.node].size())
          step.node = other;
      std::map<int, int> around = neighbours[step.node];
      drop(step.node);
      for (auto [other, weight] : around)
        requeue(other);
      return step;
    }
    step.kind = EliminationStep::Kind::Branch;
    step.node = node;
    step.first = best;
    std::map<int, int> around = neighbours[node];
    drop(node);
    sizes[best] *= sizes[node];
    weights[best] += weights[node];
    for (auto [other, weight] : around)
      if (other != best)
        join(best, other, weight);
    for (auto [other, weight] : neighbours[best])
      requeue(other);
    requeue(best);
    return step;
  }
};

} // namespace

std::vector<EliminationStep> soap::eliminationOrder(const CostGraph &graph,
                                                    FrontierMethod method,
                                                    int64_t maxMergedConfigs) {
  return Orderer(graph, method, maxMergedConfigs).order();
}
