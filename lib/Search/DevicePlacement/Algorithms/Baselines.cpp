//===- Baselines.cpp - PipeDream's optimizer and given splits -------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The paper's baselines, except for Scotch (Scotch.cpp).
//
//===----------------------------------------------------------------------===//

#include "Splits.h"

#include <numeric>

using namespace soap;
using namespace soap::placement;

namespace {

/// Branchings as PipeDream contracts them: the biconnected components of the
/// edges, each of which is a part of the graph that branches and joins again,
/// or a single edge.
class Branchings {
public:
  /// Edges between vertices, in either direction.
  Branchings(size_t vertices, const std::vector<std::pair<int, int>> &edges)
      : edges(edges), number(vertices, -1), low(vertices), next(vertices),
        component(edges.size(), -1), edgesOf(vertices, endsOf(edges)) {
    for (size_t vertex = 0; vertex < vertices; ++vertex)
      if (number[vertex] < 0)
        visit(static_cast<int>(vertex));
  }

  /// Per edge.
  const std::vector<int> &components() const { return component; }

private:
  const std::vector<std::pair<int, int>> &edges;
  std::vector<int> number, low; ///< per vertex (Hopcroft and Tarjan)
  std::vector<size_t> next;     ///< the edge that a vertex looks at next
  std::vector<int> component;
  Rows edgesOf;
  std::vector<int> open; ///< edges of no component yet
  int vertexCount = 0, componentCount = 0;

  static std::vector<std::pair<int, int>>
  endsOf(const std::vector<std::pair<int, int>> &edges) {
    std::vector<std::pair<int, int>> ends;
    for (size_t e = 0; e < edges.size(); ++e)
      for (int vertex : {edges[e].first, edges[e].second})
        ends.emplace_back(vertex, static_cast<int>(e));
    return ends;
  }

  /// Depth first with a path of its own, as graphs may be deep.
  void visit(int start) {
    struct Step {
      int vertex, edge; ///< the edge that led there
    };
    std::vector<Step> path = {{start, -1}};
    number[start] = low[start] = vertexCount++;
    while (!path.empty()) {
      auto [at, cameBy] = path.back();
      if (next[at] < edgesOf[at].size()) {
        int edge = edgesOf[at][next[at]++];
        int other = edges[edge].first ^ edges[edge].second ^ at;
        if (edge == cameBy || number[other] > number[at])
          continue; // seen from its other end
        open.push_back(edge);
        if (number[other] >= 0) {
          low[at] = std::min(low[at], number[other]);
          continue;
        }
        number[other] = low[other] = vertexCount++;
        path.push_back({other, edge});
        continue;
      }
      path.pop_back();
      if (path.empty())
        return;
      int before = path.back().vertex;
      low[before] = std::min(low[before], low[at]);
      if (low[at] >= number[before])
        close(cameBy);
    }
  }

  void close(int first) {
    for (int edge = -1; edge != first;) {
      edge = open.back();
      open.pop_back();
      component[edge] = componentCount;
    }
    ++componentCount;
  }
};

} // namespace

/// Units that PipeDream leaves out where it looks for branchings: input layers,
/// layers without a size and the like, which many others read. They take no
/// time, and their outputs less than a tenth of the average transfer.
static std::vector<char> negligibleUnits(const Problem &problem,
                                         const UnitGraph &graph) {
  std::vector<char> isSent(problem.nodes.size()); // to another unit
  for (const Edge &edge : problem.edges)
    if (graph.unitOf[edge.source] != graph.unitOf[edge.target])
      isSent[edge.source] = !problem.nodes[edge.source].backward;
  std::vector<double> transfers(graph.size());
  double sum = 0;
  for (size_t i = 0; i < isSent.size(); ++i)
    if (isSent[i]) {
      transfers[graph.unitOf[i]] += problem.transferTime[i];
      sum += problem.transferTime[i];
    }
  auto producers =
      static_cast<double>(std::count_if(transfers.begin(), transfers.end(),
                                        [](double time) { return time > 0; }));
  std::vector<char> result(graph.size());
  for (size_t unit = 0; unit < graph.size(); ++unit)
    result[unit] = graph.units[unit].acceleratorTime() == 0 &&
                   graph.units[unit].cpuTime() == 0 &&
                   transfers[unit] * producers <= 0.1 * sum;
  return result;
}

/// By unit, the group that a branching is contracted to: the units that others
/// of their component read.
static std::vector<int> contractBranchings(const Problem &problem,
                                           const UnitGraph &graph) {
  std::vector<char> isNegligible = negligibleUnits(problem, graph);
  std::vector<std::pair<int, int>> edges;
  for (size_t unit = 0; unit < graph.size(); ++unit)
    if (!isNegligible[unit])
      for (int to : graph.successors[unit])
        edges.emplace_back(static_cast<int>(unit), to);
  std::vector<int> component = Branchings(graph.size(), edges).components();
  // Units that are joined by the components that they are sources in.
  std::vector<int> groupOf(graph.size()), firstOf(edges.size(), -1);
  std::iota(groupOf.begin(), groupOf.end(), 0);
  auto find = [&](int unit) {
    while (groupOf[unit] != unit)
      unit = groupOf[unit] = groupOf[groupOf[unit]];
    return unit;
  };
  for (size_t e = 0; e < edges.size(); ++e) {
    int &first = firstOf[component[e]];
    if (first < 0)
      first = edges[e].first;
    groupOf[find(edges[e].first)] = find(first);
  }
  for (size_t unit = 0; unit < graph.size(); ++unit)
    groupOf[unit] = find(static_cast<int>(unit));
  return groupOf;
}

Answer placement::solvePipeDream(const Problem &problem,
                                 const Objective &objective,
                                 const Budget &budget) {
  Deadline deadline(budget);
  UnitGraph graph(problem, objective, /*ordered=*/true);
  std::vector<int> groupOf = contractBranchings(problem, graph);
  std::vector<double> memory(graph.size());
  bool fits = true;
  for (size_t unit = 0; unit < graph.size(); ++unit) {
    memory[groupOf[unit]] += graph.units[unit].memoryBytes;
    fits &= memory[groupOf[unit]] <= problem.acceleratorMemoryBytes;
  }
  if (!fits) // it would on CPUs, which are far slower
    return solveDpl(problem, objective, deadline.rest());
  // The problem with groups as color classes.
  Problem path = problem;
  for (size_t i = 0; i < path.nodes.size(); ++i)
    path.nodes[i].colorClass = groupOf[graph.unitOf[i]];
  Answer found = solveDpl(path, objective, deadline.rest());
  if (!found.placement) // what is on one device of the path does not fit there
    return solveDpl(problem, objective, deadline.rest());
  Answer answer;
  improve(answer, problem, objective, *found.placement);
  finish(answer,
         objective.contiguous
             ? lowerBound(problem, objective, graph, deadline.rest())
             : lowerBound(problem, objective, deadline.rest()),
         deadline);
  return answer;
}

Expected<Answer> placement::evaluateExpert(const Problem &problem,
                                           const Objective &objective,
                                           const Placement &placement) {
  Budget budget;
  Deadline deadline(budget);
  Expected<Evaluation> evaluation = verify(problem, objective, placement);
  if (!evaluation)
    return evaluation.takeError();
  Answer answer;
  answer.placement = placement;
  answer.value = evaluation->maxLoad();
  finish(answer, lowerBound(problem, objective, budget), deadline);
  return answer;
}
