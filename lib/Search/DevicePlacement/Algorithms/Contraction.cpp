//===- Contraction.cpp - Which nodes share a device -----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A union-find over nodes.
//
//===----------------------------------------------------------------------===//

#include "Contraction.h"
#include "Search/DevicePlacement/Rows.h"
#include "Soap/Support/DisjointSets.h"

#include <numeric>
#include <unordered_map>
#include <unordered_set>

using namespace soap;
using namespace soap::placement;

namespace {

/// Strongly connected components (Tarjan's algorithm with a stack of its own):
/// per vertex, a vertex that stands for its component.
class Components {
public:
  explicit Components(const Rows &successors)
      : successors(successors), number(successors.size(), -1),
        low(successors.size()), component(successors.size(), -1),
        next(successors.size()) {
    for (size_t i = 0; i < successors.size(); ++i)
      if (number[i] < 0)
        visit(static_cast<int>(i));
  }
  int operator[](int vertex) const { return component[vertex]; }

private:
  const Rows &successors;
  std::vector<int> number, low, component;
  std::vector<size_t> next; ///< the successor that a vertex looks at next
  std::vector<int> path, open;
  int count = 0;

  void enter(int vertex) {
    number[vertex] = low[vertex] = count++;
    path.push_back(vertex);
    open.push_back(vertex);
  }

  void visit(int start) {
    enter(start);
    while (!path.empty()) {
      int at = path.back();
      if (next[at] < successors[at].size()) {
        int to = successors[at][next[at]++];
        if (number[to] < 0)
          enter(to);
        else if (component[to] < 0)
          low[at] = std::min(low[at], number[to]);
        continue;
      }
      path.pop_back();
      if (!path.empty())
        low[path.back()] = std::min(low[path.back()], low[at]);
      if (low[at] == number[at])
        close(at);
    }
  }

  void close(int root) {
    int vertex;
    do {
      vertex = open.back();
      open.pop_back();
      component[vertex] = root;
    } while (vertex != root);
  }
};

void mergeClasses(const Problem &problem, DisjointSets &units) {
  std::unordered_map<int64_t, int> first;
  for (size_t i = 0; i < problem.nodes.size(); ++i)
    if (problem.nodes[i].colorClass)
      units.merge(static_cast<int>(i),
                  first.emplace(*problem.nodes[i].colorClass, i).first->second);
}

void mergeCycles(const Problem &problem, DisjointSets &units) {
  std::vector<std::pair<int, int>> order = orderingEdges(problem);
  for (auto &[from, to] : order) {
    from = units.find(from);
    to = units.find(to);
  }
  Rows successors(problem.nodes.size(), order);
  Components components(successors);
  for (size_t i = 0; i < problem.nodes.size(); ++i) {
    int root = units.find(static_cast<int>(i));
    if (components[root] != root)
      units.merge(root, components[root]);
  }
}

/// A unit that takes no time, and has one neighbour that runs wherever it runs,
/// is best placed there: nothing that others pay grows. The same for one
/// without neighbours, anywhere. Its memory must be none, or one accelerator
/// has enough for all nodes.
class IdleUnits {
public:
  IdleUnits(const Problem &problem, DisjointSets &units)
      : units(units), idle(problem.nodes.size(), true),
        acceleratable(problem.nodes.size(), true),
        neighbours(problem.nodes.size()) {
    double memory = 0;
    for (const Node &node : problem.nodes)
      memory += node.memoryBytes;
    bool enough = memory <= problem.acceleratorMemoryBytes;
    for (size_t i = 0; i < problem.nodes.size(); ++i) {
      const Node &node = problem.nodes[i];
      int root = units.find(static_cast<int>(i));
      if (node.acceleratorTime > 0 || node.cpuTime > 0 ||
          (node.memoryBytes > 0 && !enough))
        idle[root] = false;
      if (!node.acceleratable)
        acceleratable[root] = false;
    }
    for (size_t i = 0; i < idle.size(); ++i)
      any |= idle[i] && units.find(static_cast<int>(i)) == static_cast<int>(i);
    if (any)
      findNeighbours(problem);
  }

  void merge() {
    if (!any)
      return;
    int count = static_cast<int>(neighbours.size());
    std::vector<int> work;
    for (int i = 0; i < count; ++i)
      if (units.find(i) == i)
        work.push_back(i);
    int anywhere = work.front();
    while (!work.empty()) {
      int unit = work.back();
      work.pop_back();
      if (units.find(unit) != unit || !idle[unit] || neighbours[unit].count > 1)
        continue;
      bool isAlone = neighbours[unit].count == 0;
      int into = isAlone ? units.find(anywhere) : neighbours[unit].all;
      if (into == unit || (!acceleratable[unit] && acceleratable[into]))
        continue;
      units.merge(unit, into);
      if (!isAlone)
        neighbours[into].toggle(unit, -1);
      work.push_back(into);
    }
  }

private:
  /// Neighbours that are left: how many, and the exclusive or of all, which is
  /// the only one if it is one.
  struct Neighbours {
    int count = 0, all = 0;
    void toggle(int unit, int change) {
      count += change;
      all ^= unit;
    }
  };
  DisjointSets &units;
  std::vector<char> idle, acceleratable; ///< of roots
  std::vector<Neighbours> neighbours;
  bool any = false; ///< a root is idle

  void findNeighbours(const Problem &problem) {
    std::vector<std::pair<int, int>> pairs;
    for (const Edge &edge : problem.edges) {
      int from = units.find(edge.source), to = units.find(edge.target);
      if (from == to)
        continue;
      pairs.emplace_back(from, to);
      pairs.emplace_back(to, from);
    }
    Rows rows(neighbours.size(), pairs);
    for (size_t i = 0; i < neighbours.size(); ++i)
      for (int other : rows[i])
        neighbours[i].toggle(other, 1);
  }
};

} // namespace

std::vector<std::pair<int, int>>
placement::orderingEdges(const Problem &problem) {
  std::unordered_set<int64_t> forwardClasses;
  for (const Node &node : problem.nodes)
    if (!node.backward && node.colorClass)
      forwardClasses.insert(*node.colorClass);
  auto backwardOnly = [&](const Node &node) {
    return node.backward &&
           !(node.colorClass && forwardClasses.count(*node.colorClass));
  };
  std::vector<std::pair<int, int>> result;
  for (const Edge &edge : problem.edges) {
    const Node &source = problem.nodes[edge.source];
    const Node &target = problem.nodes[edge.target];
    if (!source.backward && !target.backward)
      result.emplace_back(edge.source, edge.target);
    else if (source.backward && (backwardOnly(source) || backwardOnly(target)))
      result.emplace_back(edge.target, edge.source);
  }
  return result;
}

std::vector<int> placement::contractNodes(const Problem &problem,
                                          bool ordered) {
  DisjointSets units(problem.nodes.size());
  mergeClasses(problem, units);
  if (ordered)
    mergeCycles(problem, units);
  IdleUnits(problem, units).merge();
  std::vector<int> rootOf(problem.nodes.size());
  for (size_t i = 0; i < rootOf.size(); ++i)
    rootOf[i] = units.find(static_cast<int>(i));
  return rootOf;
}
