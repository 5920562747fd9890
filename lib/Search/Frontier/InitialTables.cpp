//===- InitialTables.cpp - Tables of a problem before eliminations --------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nodes and edges with the same numbers share a table: this is where identical
// layers are noticed.
//
//===----------------------------------------------------------------------===//

#include "FrontierTracker.h"

#include <algorithm>
#include <limits>

using namespace soap;

using Table = FrontierTracker::Table;

/// A table with at most one point per entry where there are no alternatives.
Table soap::initialTable(
    int rows, int columns, int slots,
    const std::function<void(size_t entry, std::vector<FrontierPoint> &)>
        &list) {
  auto table = std::make_shared<FrontierTable>();
  table->rows = rows;
  table->columns = columns;
  table->slots = slots;
  std::vector<FrontierPoint> points;
  int64_t least = std::numeric_limits<int64_t>::max();
  for (size_t e = 0;
       e < static_cast<size_t>(rows) * static_cast<size_t>(columns); ++e) {
    table->start.push_back(table->points.size());
    points.clear();
    list(e, points);
    for (const FrontierPoint &point : reduceToFrontier(points)) {
      table->points.push_back(point);
      least = std::min(least, point.memoryBytes);
    }
  }
  table->start.push_back(table->points.size());
  table->leastBytes = table->points.empty() ? 0 : least;
  return table;
}

Table FrontierTracker::makeEdgeTable(size_t number, bool &hasSlot) const {
  const CostGraph &graph = problem.graph;
  const CostGraphEdge &edge = graph.edges[number];
  std::vector<EdgeAlternative> own;
  if (number < problem.alternatives.size())
    own = problem.alternatives[number];
  if (own.empty())
    own.push_back({edge.costs, std::vector<int64_t>(edge.costs.size())});
  hasSlot = own.size() > 1;
  int rows = graph.nodes[edge.source].configCount(),
      columns = graph.nodes[edge.target].configCount();
  bool swap = edge.source > edge.target;
  if (swap)
    std::swap(rows, columns);
  return initialTable(
      rows, columns, hasSlot ? 1 : 0,
      [&](size_t e, std::vector<FrontierPoint> &points) {
        size_t row = e / static_cast<size_t>(columns),
               column = e % static_cast<size_t>(columns);
        size_t from = swap ? column * static_cast<size_t>(rows) + row : e;
        for (size_t i = 0; i < own.size(); ++i)
          if (own[i].costs[from] < CostGraph::forbidden)
            points.push_back({own[i].memory[from], own[i].costs[from],
                              hasSlot ? TraceArena::leaf(static_cast<int>(i))
                                      : TraceArena::nothing});
      });
}

void FrontierTracker::makeTables() {
  const CostGraph &graph = problem.graph;
  // Nodes and edges with the same numbers share a table.
  std::map<std::pair<std::vector<int64_t>, std::vector<int64_t>>, Table> nodeOf;
  for (size_t v = 0; v < graph.nodes.size(); ++v) {
    const CostGraphNode &node = graph.nodes[v];
    std::vector<int64_t> memory = node.memory;
    if (node.liveTo <= node.liveFrom)
      memory.assign(memory.size(), 0);
    Table &table = nodeOf[{node.costs, memory}];
    if (!table)
      table = initialTable(node.configCount(), 1, 1,
                           [&](size_t e, std::vector<FrontierPoint> &points) {
                             if (node.costs[e] < CostGraph::forbidden)
                               points.push_back(
                                   {memory[e], node.costs[e],
                                    TraceArena::leaf(static_cast<int>(e))});
                           });
    nodes.push_back({table, {static_cast<int>(v)}});
    limits.leastBytes += table->leastBytes;
  }
  neighbours.resize(graph.nodes.size());
  std::map<std::vector<int64_t>, std::pair<Table, bool>> edgeOf;
  for (size_t e = 0; e < graph.edges.size(); ++e) {
    const CostGraphEdge &edge = graph.edges[e];
    std::vector<int64_t> key = {edge.source < edge.target,
                                graph.nodes[edge.source].configCount()};
    auto append = [&](const std::vector<int64_t> &list) {
      key.insert(key.end(), list.begin(), list.end());
    };
    if (e < problem.alternatives.size() && !problem.alternatives[e].empty()) {
      for (const EdgeAlternative &alternative : problem.alternatives[e]) {
        append(alternative.costs);
        append(alternative.memory);
      }
    } else {
      append(edge.costs);
    }
    auto &[table, hasSlot] = edgeOf[std::move(key)];
    if (!table)
      table = makeEdgeTable(e, hasSlot);
    limits.leastBytes += table->leastBytes;
    std::vector<int> slots;
    if (hasSlot)
      slots.push_back(static_cast<int>(graph.nodes.size() + e));
    // Edge elimination of parallel edges as they come.
    addEdge(edge.source, edge.target, {table, slots});
  }
}

/// Follows the eliminations with numbers in place of tables.
int soap::trimDepth(const CostGraph &graph,
                    const std::vector<EliminationStep> &steps) {
  std::vector<int> ofNode(graph.nodes.size());
  std::map<std::pair<int, int>, int> ofEdge;
  std::map<std::pair<int, int>, int> count;
  for (const CostGraphEdge &edge : graph.edges) {
    auto pair = std::minmax(edge.source, edge.target);
    ofEdge[pair] = count[pair]++;
  }
  std::vector<std::map<int, int>> around(ofNode.size());
  for (auto &[pair, depth] : ofEdge) {
    around[pair.first][pair.second] = depth;
    around[pair.second][pair.first] = depth;
  }
  auto join = [&](int a, int b, int depth) {
    auto [it, isNew] = around[a].try_emplace(b, depth);
    if (!isNew)
      it->second = std::max(it->second, depth) + 1;
    around[b][a] = it->second;
  };
  int all = 0;
  for (const EliminationStep &step : steps) {
    int node = step.node, own = ofNode[node];
    std::map<int, int> mine;
    mine.swap(around[node]);
    for (auto &[other, depth] : mine)
      around[other].erase(node);
    switch (step.kind) {
    case EliminationStep::Kind::Isolated:
      all = std::max(all, own + 1) + 1;
      break;
    case EliminationStep::Kind::Leaf:
      ofNode[step.first] =
          std::max(ofNode[step.first], std::max(own, mine[step.first]) + 1) + 1;
      break;
    case EliminationStep::Kind::Node:
      join(step.first, step.second,
           std::max(std::max(own, mine[step.first]) + 1, mine[step.second]) +
               1);
      break;
    case EliminationStep::Kind::Branch:
      ofNode[step.first] =
          std::max(std::max(ofNode[step.first], own) + 1, mine[step.first]) + 1;
      for (auto &[other, depth] : mine)
        if (other != step.first)
          join(step.first, other, depth);
      break;
    case EliminationStep::Kind::Heuristic:
      all = std::max(all, own + 1) + 1;
      for (auto &[other, depth] : mine)
        ofNode[other] = std::max(ofNode[other], depth) + 1;
      break;
    }
  }
  return all;
}
