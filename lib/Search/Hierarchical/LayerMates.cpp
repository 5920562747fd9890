//===- LayerMates.cpp - A step with fewer layers --------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See LayerMates.h.
//
//===----------------------------------------------------------------------===//

#include "LayerMates.h"

#include <algorithm>
#include <cassert>
#include <numeric>

using namespace soap;

namespace {

class MateFinder {
public:
  MateFinder(const Graph &graph, const std::vector<std::vector<Role>> &roles,
             const ModelSegments &segments)
      : graph(graph), roles(roles), segments(segments),
        nodesOf(static_cast<size_t>(segments.layers)),
        firstSegment(nodesOf.size() + 1, segments.count) {
    for (int s = segments.count; s-- > 0;)
      firstSegment[segments.layerOf[s]] = s;
    for (size_t n = 0; n < graph.nodes.size(); ++n)
      nodesOf[segments.layerOf[segments.ofNode[n]]].push_back(
          static_cast<int>(n));
  }

  LayerMates run() const {
    LayerMates mates = withoutMates(graph, segments);
    int longest = 0, first = 0;
    for (int begin = 0; begin < segments.layers;) {
      int end = begin + 1;
      while (end < segments.layers && areAlike(begin, end))
        ++end;
      if (end - begin > longest) {
        longest = end - begin;
        first = begin;
      }
      begin = end;
    }
    constexpr int planned = 3;
    if (longest <= planned)
      return mates;
    mates.first = first + planned - 1;
    mates.end = first + longest - 1;
    // The layer before stands for those that are left out.
    auto mate = static_cast<size_t>(mates.first) - 1;
    for (auto layer = static_cast<size_t>(mates.first);
         layer < static_cast<size_t>(mates.end); ++layer) {
      for (size_t i = 0; i < nodesOf[mate].size(); ++i)
        mates.ofNode[nodesOf[layer][i]] = nodesOf[mate][i];
      for (int s = firstSegment[layer]; s < firstSegment[layer + 1]; ++s)
        mates.ofSegment[s] = firstSegment[mate] + s - firstSegment[layer];
    }
    return mates;
  }

private:
  const Graph &graph;
  const std::vector<std::vector<Role>> &roles;
  const ModelSegments &segments;
  std::vector<std::vector<int>> nodesOf; ///< by layer, in program order
  std::vector<int> firstSegment;         ///< by layer, and the end

  bool areAlike(int a, int b) const {
    int count = firstSegment[a + 1] - firstSegment[a];
    if (count != firstSegment[b + 1] - firstSegment[b] ||
        nodesOf[a].size() != nodesOf[b].size())
      return false;
    for (size_t i = 0; i < nodesOf[a].size(); ++i) {
      int ofA = nodesOf[a][i], ofB = nodesOf[b][i];
      if (segments.ofNode[ofA] - firstSegment[a] !=
              segments.ofNode[ofB] - firstSegment[b] ||
          roles[ofA] != roles[ofB] ||
          !areAlike(graph.nodes[ofA].whole, graph.nodes[ofB].whole))
        return false;
    }
    return true;
  }

  bool areAlike(const Kernel &a, const Kernel &b) const {
    auto shapesAreEqual = [&](const std::vector<int> &of,
                              const std::vector<int> &and_) {
      return std::equal(
          of.begin(), of.end(), and_.begin(), and_.end(), [&](int v, int w) {
            return graph.values[v].shape == graph.values[w].shape &&
                   graph.values[v].elementBytes == graph.values[w].elementBytes;
          });
    };
    return a.kind == b.kind && a.phase == b.phase &&
           a.space.flopsPerPoint == b.space.flopsPerPoint &&
           a.space.band == b.space.band &&
           std::equal(a.space.loops.begin(), a.space.loops.end(),
                      b.space.loops.begin(), b.space.loops.end(),
                      [](const Loop &l, const Loop &m) {
                        return l.extent == m.extent && l.type == m.type;
                      }) &&
           shapesAreEqual(a.operands, b.operands) &&
           shapesAreEqual(a.results, b.results);
  }
};

} // namespace

LayerMates soap::withoutMates(const Graph &graph,
                              const ModelSegments &segments) {
  LayerMates mates;
  mates.ofNode.resize(graph.nodes.size());
  mates.ofSegment.resize(static_cast<size_t>(segments.count));
  std::iota(mates.ofNode.begin(), mates.ofNode.end(), 0);
  std::iota(mates.ofSegment.begin(), mates.ofSegment.end(), 0);
  return mates;
}

LayerMates soap::findLayerMates(const Graph &graph,
                                const std::vector<OpGroup> &groups,
                                const std::vector<std::vector<Role>> &roles,
                                const ModelSegments &segments) {
  LayerMates mates = MateFinder(graph, roles, segments).run();
  for (const OpGroup &group : groups)
    for (int node : group.nodes)
      if (mates.leavesOut(group.leader) && !mates.leavesOut(node))
        return withoutMates(graph, segments);
  return mates;
}

void soap::leaveOut(const LayerMates &mates, const Graph &step,
                    ModelSegments &segments, MicrobatchGraph &passes) {
  // By value of layers that are left out: the one in the layer before them, and
  // in the layer after them.
  std::vector<int> before(passes.graph.values.size(), -1), after = before;
  auto layerOf = [&](int node) {
    return segments.layerOf[segments.ofNode[node]];
  };
  // Nodes of the layer after in program order, as its mate's nodes are.
  std::vector<int> ofAfter, ofMate;
  for (int n = 0; n < static_cast<int>(step.nodes.size()); ++n) {
    if (layerOf(n) == mates.end)
      ofAfter.push_back(n);
    else if (layerOf(n) == mates.first - 1)
      ofMate.push_back(n);
  }
  assert(ofMate.size() == ofAfter.size() && "layers that are alike");
  std::vector<int> afterOf(step.nodes.size(), -1);
  for (size_t i = 0; i < ofMate.size(); ++i)
    afterOf[ofMate[i]] = ofAfter[i];
  for (int n = 0; n < static_cast<int>(step.nodes.size()); ++n) {
    if (!mates.leavesOut(n))
      continue;
    const std::vector<int> &own = step.nodes[n].whole.results;
    const std::vector<int> &first = step.nodes[mates.ofNode[n]].whole.results;
    const std::vector<int> &last =
        step.nodes[afterOf[mates.ofNode[n]]].whole.results;
    for (size_t r = 0; r < own.size(); ++r) {
      before[own[r]] = first[r];
      after[own[r]] = last[r];
    }
  }
  for (std::vector<int> &boundary : segments.boundary)
    for (int &value : boundary)
      if (before[value] >= 0)
        value = before[value];
  Graph &graph = passes.graph;
  std::vector<GraphNode> nodes;
  std::vector<std::vector<Role>> roles;
  std::vector<int> numbers(graph.nodes.size(), -1);
  for (size_t n = 0; n < passes.nodeOf.size(); ++n) {
    int &number = passes.nodeOf[n];
    if (number < 0)
      continue;
    int old = number;
    number = -1;
    if (mates.leavesOut(static_cast<int>(n)))
      continue;
    number = numbers[old] = static_cast<int>(nodes.size());
    nodes.push_back(std::move(graph.nodes[old]));
    roles.push_back(std::move(passes.roles[old]));
    const std::vector<int> &other =
        layerOf(static_cast<int>(n)) < mates.first ? after : before;
    auto read = [&](Kernel &kernel) {
      for (int &value : kernel.operands)
        if (other[value] >= 0)
          value = other[value];
    };
    read(nodes.back().whole);
    for (Kernel &stage : nodes.back().stages)
      read(stage);
  }
  graph.nodes = std::move(nodes);
  passes.roles = std::move(roles);
  std::erase_if(graph.outputs, [&](const GraphOutput &output) {
    return before[output.value] >= 0;
  });
  std::vector<OpGroup> groups;
  for (const OpGroup &group : passes.groups) {
    OpGroup kept;
    for (size_t m = 0; m < group.nodes.size(); ++m)
      if (int node = numbers[group.nodes[m]]; node >= 0) {
        kept.nodes.push_back(node);
        kept.loops.push_back(group.loops[m]);
      }
    kept.leader = numbers[group.leader];
    if (!kept.nodes.empty())
      groups.push_back(std::move(kept));
  }
  passes.groups = std::move(groups);
}
