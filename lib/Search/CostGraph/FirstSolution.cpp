//===- FirstSolution.cpp - An answer at once ------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See FirstSolution.h.
//
//===----------------------------------------------------------------------===//

#include "FirstSolution.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <utility>

using namespace soap;
using namespace soap::costgraph;

namespace {

class FirstSolution {
public:
  explicit FirstSolution(const CostGraph &graph)
      : graph(graph), begins(graph.nodes.size() + 1),
        incident(2 * graph.edges.size()) {
    for (const CostGraphEdge &edge : graph.edges) {
      ++begins[edge.source];
      ++begins[edge.target];
    }
    size_t sum = 0;
    for (size_t &begin : begins)
      begin = std::exchange(sum, sum + begin);
    std::vector<size_t> next(begins.begin(), begins.end() - 1);
    for (size_t e = 0; e < graph.edges.size(); ++e)
      for (int end : {graph.edges[e].source, graph.edges[e].target})
        incident[next[end]++] = static_cast<int>(e);
    assert(std::equal(next.begin(), next.end(), begins.begin() + 1) &&
           "each list is full");
  }

  /// A price at which memory alone counts.
  static constexpr double anyPrice = std::numeric_limits<double>::infinity();

  /// Keeps the choice that a price leads to if it is good; whether it fits.
  bool tryPrice(double price) {
    std::vector<int> choice(graph.nodes.size(), -1);
    for (size_t n = 0; n < choice.size(); ++n)
      if ((choice[n] = choose(static_cast<int>(n), price, choice)) < 0)
        return false;
    std::optional<int64_t> cost = graph.costOf(choice);
    if (!cost ||
        (graph.capacity && graph.peakOf(choice).bytes > *graph.capacity))
      return false;
    if (!best || *cost < best->cost) {
      best.emplace();
      best->choice = std::move(choice);
      best->cost = *cost;
    }
    return true;
  }

  /// Where a byte of all configs costs as much as all configs do.
  double middlePrice() const {
    double costs = 0, bytes = 0;
    for (const CostGraphNode &node : graph.nodes)
      for (size_t c = 0; c < node.costs.size(); ++c)
        if (node.costs[c] < CostGraph::forbidden) {
          costs += static_cast<double>(node.costs[c]);
          bytes += static_cast<double>(node.memory[c]);
        }
    return (costs + 1) / (bytes + 1);
  }

  std::optional<CostGraphSolution> best;

private:
  const CostGraph &graph;
  std::vector<size_t> begins; ///< per node, of its edges in `incident`
  std::vector<int> incident;

  int choose(int n, double price, const std::vector<int> &choice) const {
    const CostGraphNode &node = graph.nodes[n];
    std::vector<int64_t> costs = node.costs;
    for (size_t i = begins[n]; i < begins[n + 1]; ++i) {
      const CostGraphEdge &edge = graph.edges[incident[i]];
      bool isSource = edge.source == n;
      int other = choice[isSource ? edge.target : edge.source];
      if (other < 0)
        continue;
      size_t columns = graph.nodes[edge.target].costs.size();
      for (size_t c = 0; c < costs.size(); ++c) {
        int64_t cost =
            edge.costs[isSource ? c * columns + other : other * columns + c];
        costs[c] =
            costs[c] >= CostGraph::forbidden || cost >= CostGraph::forbidden
                ? CostGraph::forbidden
                : std::min(costs[c] + cost, CostGraph::forbidden - 1);
      }
    }
    bool holds = graph.capacity && node.liveFrom < node.liveTo;
    int result = -1;
    std::pair<double, double> least;
    for (size_t c = 0; c < costs.size(); ++c) {
      if (costs[c] >= CostGraph::forbidden)
        continue;
      auto cost = static_cast<double>(costs[c]);
      double bytes = holds ? static_cast<double>(node.memory[c]) : 0;
      std::pair<double, double> now =
          price == anyPrice ? std::pair(bytes, cost)
                            : std::pair(cost + price * bytes, bytes);
      if (result < 0 || now < least) {
        least = now;
        result = static_cast<int>(c);
      }
    }
    return result;
  }
};

} // namespace

std::optional<CostGraphSolution>
costgraph::findFirstSolution(const CostGraph &graph,
                             const std::function<bool()> &isOver) {
  FirstSolution search(graph);
  search.tryPrice(FirstSolution::anyPrice);
  if (!graph.capacity || (!isOver() && search.tryPrice(0)))
    return std::move(search.best);
  // Few bytes are worth much if they are the last ones.
  double price = search.middlePrice(), factor = 16;
  for (int i = 0; i < 6 && !isOver(); ++i) {
    bool fits = search.tryPrice(price);
    price = fits ? price / factor : price * factor;
    factor = std::sqrt(factor);
  }
  return std::move(search.best);
}

int64_t costgraph::simpleBound(const CostGraph &graph) {
  auto least = [](const std::vector<int64_t> &costs) {
    int64_t cost = *std::min_element(costs.begin(), costs.end());
    return cost >= CostGraph::forbidden ? 0 : cost;
  };
  int64_t sum = 0;
  for (const CostGraphNode &node : graph.nodes)
    sum += least(node.costs);
  for (const CostGraphEdge &edge : graph.edges)
    sum += least(edge.costs);
  return sum;
}

int64_t costgraph::costCount(const CostGraph &graph) {
  int64_t count = 0;
  for (const CostGraphNode &node : graph.nodes)
    count += static_cast<int64_t>(node.costs.size());
  for (const CostGraphEdge &edge : graph.edges)
    count += static_cast<int64_t>(edge.costs.size());
  return count;
}
