//===- CostGraph.cpp - Checks of cost graphs and their solutions ----------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plain sums in the order of the input: the reference that solvers are held to.
//
//===----------------------------------------------------------------------===//

#include "Soap/Search/CostGraph/CostGraph.h"

#include <algorithm>
#include <cassert>

using namespace soap;

// Sums of up to 2^31 values of 64 bits: no overflow.
using Wide = __int128;

static constexpr Wide maxCost = Wide(4) * 1'000'000'000'000'000'000;

static Error nodeError(size_t node, const std::string &message) {
  return Error{"node " + std::to_string(node) + ": " + message};
}

static Error edgeError(size_t edge, const std::string &message) {
  return Error{"edge " + std::to_string(edge) + ": " + message};
}

/// The first negative value; -1: none.
static int64_t findNegative(const std::vector<int64_t> &values) {
  auto found = std::find_if(values.begin(), values.end(),
                            [](int64_t value) { return value < 0; });
  return found == values.end() ? -1 : found - values.begin();
}

/// The largest cost that is not forbidden, or 0.
static int64_t largestAllowed(const std::vector<int64_t> &costs) {
  int64_t largest = 0;
  for (int64_t cost : costs)
    if (cost < CostGraph::forbidden)
      largest = std::max(largest, cost);
  return largest;
}

namespace {
/// Memory that begins or ends to be held.
struct Change {
  int64_t time;
  int64_t bytes;
};
} // namespace

/// The peak of what `bytesOf(node)` adds up to.
template <typename BytesOf>
static std::pair<Wide, int64_t> peak(const std::vector<CostGraphNode> &nodes,
                                     BytesOf bytesOf) {
  std::vector<Change> changes;
  for (size_t n = 0; n < nodes.size(); ++n)
    if (nodes[n].liveFrom < nodes[n].liveTo) {
      int64_t bytes = bytesOf(n);
      changes.push_back({nodes[n].liveFrom, bytes});
      changes.push_back({nodes[n].liveTo, -bytes});
    }
  std::sort(changes.begin(), changes.end(),
            [](const Change &a, const Change &b) { return a.time < b.time; });
  Wide held = 0, most = 0;
  int64_t when = changes.empty() ? 0 : changes.front().time;
  for (size_t i = 0; i < changes.size();) {
    int64_t time = changes[i].time;
    for (; i < changes.size() && changes[i].time == time; ++i)
      held += changes[i].bytes;
    assert(held >= 0 && "more ends than began");
    if (held > most) {
      most = held;
      when = time;
    }
  }
  return {most, when};
}

static MaybeError checkNode(const CostGraphNode &node, size_t n) {
  if (node.costs.empty())
    return nodeError(n, "expected at least one config");
  if (node.costs.size() != node.memory.size())
    return nodeError(n, "expected a memory for each of its " +
                            std::to_string(node.costs.size()) + " costs, got " +
                            std::to_string(node.memory.size()));
  if (int64_t i = findNegative(node.costs); i >= 0)
    return nodeError(n, "expected costs of at least 0, got " +
                            std::to_string(node.costs[i]));
  if (int64_t i = findNegative(node.memory); i >= 0)
    return nodeError(n, "expected memory of at least 0, got " +
                            std::to_string(node.memory[i]));
  return std::nullopt;
}

static MaybeError checkEdge(const CostGraph &graph, size_t e) {
  const CostGraphEdge &edge = graph.edges[e];
  for (int end : {edge.source, edge.target})
    if (end < 0 || end >= graph.nodeCount())
      return edgeError(e, "expected nodes of 0 to " +
                              std::to_string(graph.nodeCount() - 1) + ", got " +
                              std::to_string(end));
  if (edge.source == edge.target)
    return edgeError(e, "expected two different nodes, got " +
                            std::to_string(edge.source) + " twice");
  size_t rows = graph.nodes[edge.source].costs.size();
  size_t columns = graph.nodes[edge.target].costs.size();
  if (edge.costs.size() != rows * columns)
    return edgeError(e, "expected " + std::to_string(rows) + " * " +
                            std::to_string(columns) +
                            " costs, one for each pair of configs, got " +
                            std::to_string(edge.costs.size()));
  if (int64_t i = findNegative(edge.costs); i >= 0)
    return edgeError(e, "expected costs of at least 0, got " +
                            std::to_string(edge.costs[i]));
  return std::nullopt;
}

MaybeError CostGraph::check() const {
  if (nodes.size() > INT32_MAX || edges.size() > INT32_MAX)
    return Error{"expected fewer than 2^31 nodes and edges"};
  Wide sum = 0;
  for (size_t n = 0; n < nodes.size(); ++n) {
    if (MaybeError error = checkNode(nodes[n], n))
      return error;
    sum += largestAllowed(nodes[n].costs);
  }
  for (size_t e = 0; e < edges.size(); ++e) {
    if (MaybeError error = checkEdge(*this, e))
      return error;
    sum += largestAllowed(edges[e].costs);
  }
  if (sum >= maxCost)
    return Error{"the sum of the largest costs of all nodes and edges is 4e18 "
                 "or more: costs are to be scaled down"};
  auto [most, when] = peak(nodes, [&](size_t n) {
    return *std::max_element(nodes[n].memory.begin(), nodes[n].memory.end());
  });
  if (most > INT64_MAX)
    return Error{"the largest memory of all nodes live at time " +
                 std::to_string(when) + " adds up to 2^63 or more bytes"};
  if (capacity && *capacity < 0)
    return Error{"expected a capacity of at least 0, got " +
                 std::to_string(*capacity)};
  return std::nullopt;
}

MaybeError CostGraph::checkChoice(const std::vector<int> &choice) const {
  if (choice.size() != nodes.size())
    return Error{"expected a choice for each of " +
                 std::to_string(nodes.size()) + " nodes, got " +
                 std::to_string(choice.size())};
  for (size_t n = 0; n < nodes.size(); ++n)
    if (choice[n] < 0 || choice[n] >= nodes[n].configCount())
      return nodeError(n, "expected a choice of 0 to " +
                              std::to_string(nodes[n].configCount() - 1) +
                              ", got " + std::to_string(choice[n]));
  return std::nullopt;
}

std::optional<int64_t> CostGraph::costOf(const std::vector<int> &choice) const {
  assert(!checkChoice(choice) && "the choice must have passed checkChoice");
  int64_t sum = 0;
  bool isAllowed = true;
  auto add = [&](int64_t cost) {
    if (cost >= forbidden)
      isAllowed = false;
    else
      sum += cost;
  };
  for (size_t n = 0; n < nodes.size(); ++n)
    add(nodes[n].costs[choice[n]]);
  for (const CostGraphEdge &edge : edges)
    add(edge.costs[static_cast<size_t>(choice[edge.source]) *
                       nodes[edge.target].costs.size() +
                   choice[edge.target]]);
  if (!isAllowed)
    return std::nullopt;
  return sum;
}

MemoryPeak CostGraph::peakOf(const std::vector<int> &choice) const {
  assert(!checkChoice(choice) && "the choice must have passed checkChoice");
  auto [most, when] =
      peak(nodes, [&](size_t n) { return nodes[n].memory[choice[n]]; });
  return {static_cast<int64_t>(most), when};
}

/// The first forbidden cost of a choice that has one.
static Error forbiddenError(const CostGraph &graph,
                            const std::vector<int> &choice) {
  for (size_t n = 0; n < graph.nodes.size(); ++n)
    if (graph.nodes[n].costs[choice[n]] >= CostGraph::forbidden)
      return nodeError(n,
                       "config " + std::to_string(choice[n]) + " is forbidden");
  for (size_t e = 0; e < graph.edges.size(); ++e) {
    const CostGraphEdge &edge = graph.edges[e];
    int a = choice[edge.source], b = choice[edge.target];
    if (edge.costs[a * graph.nodes[edge.target].costs.size() + b] >=
        CostGraph::forbidden)
      return edgeError(e, "config " + std::to_string(a) + " of node " +
                              std::to_string(edge.source) + " with config " +
                              std::to_string(b) + " of node " +
                              std::to_string(edge.target) + " is forbidden");
  }
  return Error{"nothing is forbidden"};
}

MaybeError CostGraph::verify(const CostGraphSolution &solution) const {
  if (MaybeError error = checkChoice(solution.choice))
    return error;
  std::optional<int64_t> cost = costOf(solution.choice);
  if (!cost)
    return forbiddenError(*this, solution.choice);
  if (*cost != solution.cost)
    return Error{"the choice costs " + std::to_string(*cost) + ", not " +
                 std::to_string(solution.cost)};
  if (capacity)
    if (MemoryPeak peak = peakOf(solution.choice); peak.bytes > *capacity)
      return Error{"the choice holds " + std::to_string(peak.bytes) +
                   " bytes at time " + std::to_string(peak.time) +
                   ", more than the capacity of " + std::to_string(*capacity)};
  if (solution.bound > solution.cost)
    return Error{"the bound " + std::to_string(solution.bound) +
                 " is larger than the cost " + std::to_string(solution.cost)};
  if (solution.ties && (solution.ties->untiedCost > solution.cost ||
                        solution.ties->untiedCost < solution.bound))
    return Error{"the cost without ties " +
                 std::to_string(solution.ties->untiedCost) +
                 " is not between the bound " + std::to_string(solution.bound) +
                 " and the cost " + std::to_string(solution.cost)};
  if (solution.optimal && solution.bound != solution.cost)
    return Error{"the solution is called optimal, but its bound " +
                 std::to_string(solution.bound) + " is not its cost " +
                 std::to_string(solution.cost)};
  return std::nullopt;
}
