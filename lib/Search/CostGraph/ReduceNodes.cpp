//===- ReduceNodes.cpp - Dominated states and node elimination ------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Part of Reducer.
//
//===----------------------------------------------------------------------===//

#include "Reducer.h"

#include <numeric>

using namespace soap;
using namespace soap::costgraph;

//===----------------------------------------------------------------------===//
// Dominance
//===----------------------------------------------------------------------===//

std::vector<char> Reducer::undominated(int n) const {
  const Node &node = nodes[n];
  size_t states = node.costs.size();
  /// Costs of each edge by states of this node.
  struct Rows {
    std::vector<int64_t> costs;
    size_t columns;
  };
  std::vector<Rows> rows;
  for (int e : node.edges) {
    const Edge &edge = edges[e];
    size_t others = nodes[otherEnd(edge, n)].costs.size();
    Rows &entry = rows.emplace_back(Rows{edge.costs, others});
    if (!isSource(edge, n))
      for (size_t s = 0; s < states; ++s)
        for (size_t o = 0; o < others; ++o)
          entry.costs[s * others + o] = edge.costs[o * states + s];
  }
  // Each term is at least 0 once edges are normalized, so a sum above 0 stays.
  auto replaces = [&](size_t t, size_t s) {
    int64_t sum = node.costs[t] - node.costs[s];
    if (sum > 0)
      return false;
    for (const Piece &piece : node.pieces)
      if (piece.bytes[t] > piece.bytes[s])
        return false;
    for (const Rows &edge : rows) {
      const int64_t *rowT = edge.costs.data() + t * edge.columns;
      const int64_t *rowS = edge.costs.data() + s * edge.columns;
      int64_t most = INT64_MIN;
      for (size_t o = 0; o < edge.columns; ++o) {
        if (rowS[o] >= infinite)
          continue;
        if (rowT[o] >= infinite)
          return false;
        most = std::max(most, rowT[o] - rowS[o]);
      }
      sum += std::max(most, int64_t(0));
      if (sum > 0)
        return false;
    }
    return true;
  };
  std::vector<size_t> order(states);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return node.costs[a] < node.costs[b];
  });
  std::vector<char> keep(states, 1);
  for (size_t s : order)
    for (size_t t : order)
      if (keep[s] && keep[t] && s != t && replaces(t, s))
        keep[s] = 0;
  return keep;
}

bool Reducer::dropDominated(bool &changed) {
  for (size_t n = 0; n < nodes.size() && !isInterrupted(); ++n) {
    if (!nodes[n].isAlive || nodes[n].costs.size() == 1)
      continue;
    std::vector<char> keep = undominated(static_cast<int>(n));
    if (std::find(keep.begin(), keep.end(), 0) == keep.end())
      continue;
    changed = true;
    if (!keepStates(static_cast<int>(n), keep))
      return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Elimination
//===----------------------------------------------------------------------===//

/// Costs of a new edge that are worth a node less.
static constexpr size_t maxEdgeCosts = size_t(1) << 20;

bool Reducer::eliminate(bool &changed) {
  std::vector<int> waiting(nodes.size());
  std::iota(waiting.rbegin(), waiting.rend(), 0);
  while (!waiting.empty() && !isInterrupted()) {
    int n = waiting.back();
    waiting.pop_back();
    const Node &node = nodes[n];
    if (!node.isAlive || !node.pieces.empty() || node.edges.size() > 2)
      continue;
    std::vector<int> others;
    size_t costs = 1;
    for (int e : node.edges) {
      others.push_back(otherEnd(edges[e], n));
      costs *= nodes[others.back()].costs.size();
    }
    if (others.size() == 2 && costs > maxEdgeCosts)
      continue;
    eliminateNode(n);
    if (constant >= infinite)
      return fail("no choice of configs is allowed");
    changed = true;
    waiting.insert(waiting.end(), others.begin(), others.end());
  }
  return true;
}

void Reducer::eliminateNode(int n) {
  Node &node = nodes[n];
  size_t states = node.costs.size();
  Record record;
  record.node = n;
  size_t counts[2] = {1, 1};
  // Costs by state of the other end, with states of this node innermost.
  std::vector<int64_t> toOther[2] = {std::vector<int64_t>(states),
                                     std::vector<int64_t>(states)};
  for (size_t i = 0; i < node.edges.size(); ++i) {
    const Edge &edge = edges[node.edges[i]];
    int other = otherEnd(edge, n);
    record.others[i] = other;
    record.otherConfigs[i] = nodes[other].configs;
    counts[i] = nodes[other].costs.size();
    toOther[i].resize(counts[i] * states);
    for (size_t o = 0; o < counts[i]; ++o)
      for (size_t s = 0; s < states; ++s)
        toOther[i][o * states + s] =
            edge.costs[isSource(edge, n) ? s * counts[i] + o : o * states + s];
  }
  std::vector<int64_t> costs(counts[0] * counts[1]), toFirst(states);
  for (size_t a = 0; a < counts[0]; ++a) {
    for (size_t s = 0; s < states; ++s)
      toFirst[s] = addCosts(node.costs[s], toOther[0][a * states + s]);
    for (size_t b = 0; b < counts[1]; ++b) {
      const int64_t *toSecond = toOther[1].data() + b * states;
      int64_t least = infinite;
      size_t best = 0;
      for (size_t s = 0; s < states; ++s)
        if (int64_t sum = toFirst[s] + toSecond[s]; sum < least) {
          least = sum;
          best = s;
        }
      costs[a * counts[1] + b] = least;
      record.configs.push_back(node.configs[best]);
    }
  }
  std::vector<int> old = node.edges;
  for (int e : old)
    removeEdge(e);
  if (old.empty())
    constant = addCosts(constant, costs[0]);
  else if (old.size() == 1)
    for (size_t a = 0; a < counts[0]; ++a)
      nodes[record.others[0]].costs[a] =
          addCosts(nodes[record.others[0]].costs[a], costs[a]);
  else
    addEdge(record.others[0], record.others[1], std::move(costs));
  node = Node();
  node.isAlive = false;
  records.push_back(std::move(record));
}
