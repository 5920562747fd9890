//===- GroupSubgraph.cpp - Groups cut out of a graph ----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See GroupSubgraph.h.
//
//===----------------------------------------------------------------------===//

#include "GroupSubgraph.h"

#include <algorithm>

using namespace soap;

GroupSubgraph::GroupSubgraph(const Graph &whole,
                             const std::vector<OpGroup> &groups) {
  graph.precision = whole.precision;
  std::map<int, std::pair<size_t, size_t>> member; // by node
  for (size_t g = 0; g < groups.size(); ++g) {
    nodes.emplace_back(groups[g].nodes.size());
    for (size_t m = 0; m < groups[g].nodes.size(); ++m)
      member[groups[g].nodes[m]] = {g, m};
  }
  std::map<int, int> nodeOf;
  std::vector<bool> written;
  auto number = [&](int value) {
    auto [it, isNew] =
        valueOf.try_emplace(value, static_cast<int>(graph.values.size()));
    if (isNew) {
      graph.values.push_back(whole.values[value]);
      written.push_back(false);
    }
    return it->second;
  };
  for (auto [n, place] : member) { // in program order
    nodeOf[n] = static_cast<int>(graph.nodes.size());
    nodes[place.first][place.second] = nodeOf[n];
    GraphNode node = whole.nodes[n];
    forEachKernel(node, [&](Kernel &kernel) {
      for (int &value : kernel.operands)
        value = number(value);
      for (int &value : kernel.results) {
        value = number(value);
        written[value] = true;
      }
    });
    graph.nodes.push_back(std::move(node));
  }
  for (const GraphInput &from : whole.inputs) {
    auto it = valueOf.find(from.value);
    if (it == valueOf.end())
      continue;
    GraphInput input = from;
    input.value = it->second;
    written[input.value] = true;
    if (auto update = nodeOf.find(from.updateNode); update != nodeOf.end())
      input.updateNode = update->second;
    else
      input.updateNode = input.updateOperand = input.updateResult = -1;
    graph.inputs.push_back(std::move(input));
  }
  for (size_t v = 0; v < written.size(); ++v)
    if (!written[v]) {
      GraphInput input;
      input.value = static_cast<int>(v);
      graph.inputs.push_back(input);
    }
}

void GroupSubgraph::keepOnly(const std::set<int> &values) {
  std::set<int> written;
  for (GraphNode &node : graph.nodes)
    forEachKernel(node, [&](Kernel &kernel) {
      written.insert(kernel.results.begin(), kernel.results.end());
    });
  std::map<int, int> copies;
  for (GraphNode &node : graph.nodes)
    forEachKernel(node, [&](Kernel &kernel) {
      for (int &value : kernel.operands) {
        if (values.count(value) || !written.count(value))
          continue;
        auto [it, isNew] =
            copies.try_emplace(value, static_cast<int>(graph.values.size()));
        if (isNew) {
          graph.values.push_back(GraphValue(graph.values[value]));
          GraphInput input;
          input.value = it->second;
          graph.inputs.push_back(input);
        }
        value = it->second;
      }
    });
  for (GraphInput &input : graph.inputs)
    if (!values.count(input.value))
      input.updateNode = input.updateOperand = input.updateResult = -1;
  dropOthers(values);
}

void GroupSubgraph::dropOthers(const std::set<int> &values) {
  std::vector<GraphNode> kept;
  std::vector<int> numberOf;
  for (GraphNode &node : graph.nodes) {
    bool touches = false;
    forEachKernel(node, [&](const Kernel &kernel) {
      for (const std::vector<int> *list : {&kernel.operands, &kernel.results})
        touches = touches ||
                  std::any_of(list->begin(), list->end(),
                              [&](int value) { return values.count(value); });
    });
    numberOf.push_back(touches ? static_cast<int>(kept.size()) : -1);
    if (touches)
      kept.push_back(std::move(node));
  }
  graph.nodes = std::move(kept);
  for (std::vector<int> &members : nodes)
    for (int &node : members)
      node = numberOf[node];
  for (GraphInput &input : graph.inputs)
    if (input.updateNode >= 0)
      input.updateNode = numberOf[input.updateNode];
}

PairCut::PairCut(const ParallelizationProblem &problem, int a, int b)
    : first(problem.getGraph(), {problem.getGroups()[a]}),
      second(problem.getGraph(), {problem.getGroups()[b]}),
      pair(problem.getGraph(),
           {problem.getGroups()[a], problem.getGroups()[b]}) {
  std::set<int> kept, keptFirst, keptSecond;
  for (auto [value, number] : pair.valueOf)
    if (first.valueOf.count(value) && second.valueOf.count(value)) {
      crossing.push_back(value);
      kept.insert(number);
      keptFirst.insert(first.valueOf.at(value));
      keptSecond.insert(second.valueOf.at(value));
    }
  // Of equal pairs in the same order.
  std::sort(crossing.begin(), crossing.end(), [&](int x, int y) {
    return first.valueOf.at(x) < first.valueOf.at(y);
  });
  pair.keepOnly(kept);
  first.keepOnly(keptFirst);
  second.keepOnly(keptSecond);
}
