//===- GroupMates.cpp - Groups that are better changed together -----------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See GroupMates.h.
//
//===----------------------------------------------------------------------===//

#include "GroupMates.h"

#include "Soap/Search/Problem/GroupBlocks.h"

#include <algorithm>
#include <map>
#include <set>

using namespace soap;

GroupMates::GroupMates(const ParallelizationProblem &problem)
    : sharers(problem.getGroups().size()), likes(problem.getGroups().size()),
      mates(problem.getGroups().size()) {
  const Graph &graph = problem.getGraph();
  const std::vector<OpGroup> &groups = problem.getGroups();
  // Groups by what their leaders look like.
  std::map<std::pair<std::string, std::vector<std::string>>, std::vector<int>>
      kinds;
  for (size_t g = 0; g < groups.size(); ++g) {
    const Kernel &leader = graph.nodes[groups[g].leader].whole;
    std::vector<std::string> loops;
    for (const Loop &loop : leader.space.loops)
      loops.push_back(loop.name);
    kinds[{leader.kind, std::move(loops)}].push_back(static_cast<int>(g));
  }
  // Parameters are updated; views of them are computed from nothing else.
  std::vector<std::set<int>> parametersOf(graph.values.size());
  for (const GraphInput &input : graph.inputs)
    if (input.updateNode >= 0)
      parametersOf[input.value] = {input.value};
  for (const GraphNode &node : graph.nodes) {
    const Kernel &kernel = node.whole;
    bool isView = kernel.phase == Phase::Forward && !kernel.operands.empty() &&
                  std::all_of(kernel.operands.begin(), kernel.operands.end(),
                              [&](int v) { return !parametersOf[v].empty(); });
    for (int result : kernel.results)
      for (int operand : kernel.operands)
        if (isView)
          parametersOf[result].insert(parametersOf[operand].begin(),
                                      parametersOf[operand].end());
  }
  std::vector<std::set<int>> read(groups.size());
  for (size_t g = 0; g < groups.size(); ++g)
    for (int value : graph.nodes[groups[g].leader].whole.operands)
      read[g].insert(parametersOf[value].begin(), parametersOf[value].end());

  for (const auto &[kind, list] : kinds)
    for (int group : list)
      for (int other : list) {
        if (other == group)
          continue;
        likes[group].push_back(other);
        if (std::any_of(read[group].begin(), read[group].end(),
                        [&](int p) { return read[other].count(p) > 0; }))
          sharers[group].push_back(other);
      }

  auto hasMates = [&](int group) {
    return sharers[group].empty() && !problem.fixedConfig(groups[group].leader);
  };
  GroupBlocks blocks = findBlocks(graph, groups, problem.getRoles());
  for (size_t g = 0; g < groups.size(); ++g) {
    auto group = static_cast<int>(g);
    if (!hasMates(group))
      continue;
    for (int other : blocks.mates[g])
      if (other != group && hasMates(other))
        mates[g].push_back(other);
    std::sort(mates[g].begin(), mates[g].end());
  }
}
