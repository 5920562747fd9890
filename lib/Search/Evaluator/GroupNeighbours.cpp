//===- GroupNeighbours.cpp - Groups that hand values to each other --------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See GroupNeighbours.h.
//
//===----------------------------------------------------------------------===//

#include "GroupNeighbours.h"

#include "Soap/Model/DominantLoop.h"

#include <algorithm>

using namespace soap;

GroupNeighbours::GroupNeighbours(const ParallelizationProblem &problem)
    : problem(problem), producersOf(problem.getGroups().size()) {
  const Graph &graph = problem.getGraph();
  std::vector<int> groupOf(graph.nodes.size()),
      producer(graph.values.size(), -1);
  const std::vector<OpGroup> &groups = problem.getGroups();
  for (size_t g = 0; g < groups.size(); ++g)
    for (int node : groups[g].nodes)
      groupOf[node] = static_cast<int>(g);
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const Kernel &kernel = graph.nodes[n].whole;
    for (int value : kernel.results)
      producer[value] = static_cast<int>(n);
    if (kernel.phase != Phase::Forward)
      continue;
    for (int value : kernel.operands) {
      int from = producer[value];
      if (from < 0 || groupOf[from] == groupOf[n])
        continue;
      std::vector<int> &list = producersOf[groupOf[n]];
      if (std::find(list.begin(), list.end(), groupOf[from]) == list.end())
        list.push_back(groupOf[from]);
      Bridge &bridge = bridges[std::minmax(groupOf[from], groupOf[n])];
      if (graph.values[value].bytes() <= bridge.bytes)
        continue;
      bridge.value = value;
      bridge.bytes = graph.values[value].bytes();
      bridge.nodes = {{groupOf[from], from}, {groupOf[n], static_cast<int>(n)}};
    }
  }
}

std::vector<int> GroupNeighbours::of(int group) const {
  std::vector<std::pair<int64_t, int>> found;
  for (const auto &[groups, bridge] : bridges)
    if (groups.first == group || groups.second == group)
      found.push_back({-bridge.bytes,
                       groups.first == group ? groups.second : groups.first});
  std::sort(found.begin(), found.end());
  std::vector<int> result;
  for (const auto &[bytes, other] : found)
    result.push_back(other);
  return result;
}

std::vector<int> GroupNeighbours::loopsOverDims(int group, int node,
                                                int value) const {
  const OpGroup &own = problem.getGroups()[group];
  const Kernel &kernel = problem.getGraph().nodes[node].whole;
  const AccessMap *map = nullptr;
  for (size_t r = 0; r < kernel.results.size(); ++r)
    if (kernel.results[r] == value)
      map = &kernel.space.results[r].map;
  for (size_t o = 0; o < kernel.operands.size() && !map; ++o)
    if (kernel.operands[o] == value)
      map = &kernel.space.operands[o].map;
  size_t member =
      std::find(own.nodes.begin(), own.nodes.end(), node) - own.nodes.begin();
  std::vector<int> loops;
  for (const DimMap &dim : *map) {
    int loop = dominantLoop(kernel.space, dim);
    loops.push_back(loop < 0 ? -1 : own.loops[member][loop]);
  }
  return loops;
}

Config GroupNeighbours::translate(int from, const Config &config,
                                  int to) const {
  const std::vector<OpGroup> &groups = problem.getGroups();
  const IterationSpace
      &fromSpace = problem.getGraph().nodes[groups[from].leader].whole.space,
      &toSpace = problem.getGraph().nodes[groups[to].leader].whole.space;
  const Bridge &bridge = bridges.at(std::minmax(from, to));
  std::vector<int> fromLoops =
                       loopsOverDims(from, bridge.nodes.at(from), bridge.value),
                   toLoops =
                       loopsOverDims(to, bridge.nodes.at(to), bridge.value),
                   match(toSpace.loops.size(), -1);
  std::vector<bool> taken(fromSpace.loops.size());
  for (size_t d = 0; d < fromLoops.size(); ++d)
    if (fromLoops[d] >= 0 && toLoops[d] >= 0 && !taken[fromLoops[d]] &&
        match[toLoops[d]] < 0) {
      match[toLoops[d]] = fromLoops[d];
      taken[fromLoops[d]] = true;
    }
  return followConfig(fromSpace, config, toSpace, match);
}
