//===- ParallelizationProblem.cpp - What a search solves ------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checking, verifying and pricing.
//
//===----------------------------------------------------------------------===//

#include "Soap/Search/Problem/ParallelizationProblem.h"
#include "Soap/Search/Problem/PricedStrategy.h"

#include <algorithm>
#include <cassert>
#include <numeric>

using namespace soap;

Config soap::followConfig(const IterationSpace & /*leaderSpace*/,
                          const Config &leader,
                          const IterationSpace & /*space*/,
                          const std::vector<int> &loops) {
  return followLoops(leader, loops);
}

std::vector<OpGroup> soap::untiedGroups(const Graph &graph) {
  std::vector<OpGroup> groups;
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    std::vector<int> loops;
    for (size_t l = 0; l < graph.nodes[n].whole.space.loops.size(); ++l)
      loops.push_back(static_cast<int>(l));
    int node = static_cast<int>(n);
    groups.push_back({{node}, node, {std::move(loops)}});
  }
  return groups;
}

//===----------------------------------------------------------------------===//
// Checking
//===----------------------------------------------------------------------===//

/// Whether a member's loops refer to loops of the leader, each at most once.
static bool validLoops(const std::vector<int> &loops, const Kernel &member,
                       const Kernel &leader, bool isLeader) {
  if (loops.size() != member.space.loops.size())
    return false;
  std::vector<bool> taken(leader.space.loops.size());
  for (size_t l = 0; l < loops.size(); ++l) {
    int loop = loops[l];
    if (isLeader && loop != static_cast<int>(l))
      return false;
    if (loop < 0)
      continue;
    if (loop >= static_cast<int>(taken.size()) || taken[loop])
      return false;
    taken[loop] = true;
    if (member.space.loops[l].type == IteratorType::Serial &&
        leader.space.loops[loop].type != IteratorType::Serial)
      return false; // following would split it
  }
  return true;
}

MaybeError ParallelizationProblem::check() const {
  std::vector<bool> grouped(graph.nodes.size());
  for (size_t g = 0; g < groups.size(); ++g) {
    const OpGroup &group = groups[g];
    std::string where = "group " + std::to_string(g) + ": ";
    if (group.loops.size() != group.nodes.size())
      return Error{where + "expected a loop correspondence per node"};
    if (std::find(group.nodes.begin(), group.nodes.end(), group.leader) ==
        group.nodes.end())
      return Error{where + "the leader is not one of its nodes"};
    for (int node : group.nodes) {
      if (node < 0 || node >= static_cast<int>(graph.nodes.size()))
        return Error{where + "no node " + std::to_string(node)};
      if (grouped[node])
        return Error{where + "op '" + graph.nodes[node].whole.name +
                     "' is in two groups"};
      grouped[node] = true;
    }
    for (size_t m = 0; m < group.nodes.size(); ++m) {
      const Kernel &member = graph.nodes[group.nodes[m]].whole;
      if (!validLoops(group.loops[m], member, graph.nodes[group.leader].whole,
                      group.nodes[m] == group.leader))
        return Error{where + "op '" + member.name +
                     "' has a wrong loop correspondence"};
    }
  }
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const Kernel &kernel = graph.nodes[n].whole;
    if (!grouped[n])
      return Error{"op '" + kernel.name + "' is in no group"};
    if (n >= roles.size() || roles[n].size() != kernel.space.loops.size())
      return Error{"op '" + kernel.name + "': expected a role per loop"};
  }
  return std::nullopt;
}

MaybeError ParallelizationProblem::verify(const Strategy &strategy) const {
  if (strategy.size() != graph.nodes.size())
    return Error{"expected " + std::to_string(graph.nodes.size()) +
                 " configs, got " + std::to_string(strategy.size())};
  for (size_t n = 0; n < strategy.size(); ++n) {
    const Kernel &kernel = graph.nodes[n].whole;
    ConfigCheck result =
        checkConfig(kernel.space, strategy[n], topology.deviceCount());
    if (result.fault != ConfigFault::None)
      return Error{"op '" + kernel.name + "': " + result.message};
  }
  if (int64_t excess = evaluate(strategy).excessBytes)
    return Error{"the strategy needs " + std::to_string(excess) +
                 " bytes more than the devices have"};
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Fixed configs
//===----------------------------------------------------------------------===//

/// Loops of the members as loops of another leader, the first member that is
/// left. Loops that it lacks, or that following it would split although they
/// are serial, are not split.
static void chooseLeader(OpGroup &group, const Graph &graph) {
  std::vector<int> ownOf; // loop of the new leader by loop of the former one
  const std::vector<Loop> &own = graph.nodes[group.nodes[0]].whole.space.loops;
  for (size_t l = 0; l < own.size(); ++l) {
    int former = group.loops[0][l];
    if (former < 0)
      continue;
    ownOf.resize(std::max<size_t>(ownOf.size(), former + 1), -1);
    ownOf[former] = static_cast<int>(l);
  }
  group.leader = group.nodes[0];
  for (size_t m = 0; m < group.nodes.size(); ++m) {
    const std::vector<Loop> &loops =
        graph.nodes[group.nodes[m]].whole.space.loops;
    for (size_t l = 0; l < loops.size(); ++l) {
      int &loop = group.loops[m][l];
      if (m == 0) {
        loop = static_cast<int>(l);
        continue;
      }
      loop =
          loop < 0 || loop >= static_cast<int>(ownOf.size()) ? -1 : ownOf[loop];
      if (loop >= 0 && loops[l].type == IteratorType::Serial &&
          own[loop].type != IteratorType::Serial)
        loop = -1;
    }
  }
}

void ParallelizationProblem::fix(int node, Config config) {
  assert(node >= 0 && static_cast<size_t>(node) < graph.nodes.size() &&
         "no node of the graph");
  fixed[node] = std::move(config);
  for (size_t g = 0; g < groups.size(); ++g) {
    OpGroup &group = groups[g];
    auto it = std::find(group.nodes.begin(), group.nodes.end(), node);
    if (it == group.nodes.end())
      continue;
    if (group.nodes.size() == 1)
      return;
    group.loops.erase(group.loops.begin() + (it - group.nodes.begin()));
    group.nodes.erase(it);
    if (group.leader == node)
      chooseLeader(group, graph);
    break;
  }
  std::vector<int> loops(graph.nodes[node].whole.space.loops.size());
  std::iota(loops.begin(), loops.end(), 0);
  groups.push_back({{node}, node, {std::move(loops)}});
}

//===----------------------------------------------------------------------===//
// Pricing
//===----------------------------------------------------------------------===//

Evaluation ParallelizationProblem::evaluate(const Strategy &strategy,
                                            int64_t limitNs) const {
  assert(strategy.size() == graph.nodes.size() && "a config a node");
  PricedStrategy priced = priceStrategy(graph, strategy, cost, /*names=*/false);
  Evaluation evaluation;
  evaluation.makespanNs = priced.tasks.makespanNs;
  evaluation.tasks = static_cast<int64_t>(priced.tasks.tasks.size());
  if (evaluation.makespanNs > limitNs)
    return evaluation;

  // Where all tiles together fit, and each message once more on its sender,
  // lifetimes need not be looked at.
  std::vector<int64_t> total(topology.deviceCount());
  for (const Buffer &buffer : priced.plan.buffers)
    total[buffer.device] += buffer.region.volume() *
                            graph.values[buffer.value].deviceElementBytes();
  for (const Task &task : priced.tasks.tasks)
    if (task.sourceDevice >= 0)
      total[task.sourceDevice] += task.bytes;
  if (topology.excessBytes(total) > 0)
    evaluation.excessBytes = topology.excessBytes(
        priced.peakBytes(graph, priced.schedule(), topology.deviceCount()));
  return evaluation;
}

void ParallelizationProblem::assign(Strategy &strategy, const OpGroup &group,
                                    const Config &leaderConfig) const {
  assert(strategy.size() == graph.nodes.size() && "a config a node");
  // Ops with fixed configs are groups of their own.
  if (const Config *own = fixedConfig(group.leader)) {
    strategy[group.leader] = *own;
    return;
  }
  const IterationSpace &leader = graph.nodes[group.leader].whole.space;
  for (size_t m = 0; m < group.nodes.size(); ++m)
    strategy[group.nodes[m]] =
        group.nodes[m] == group.leader
            ? leaderConfig
            : followConfig(leader, leaderConfig,
                           graph.nodes[group.nodes[m]].whole.space,
                           group.loops[m]);
}

bool ParallelizationProblem::contains(int node, const Config &config) const {
  if (const Config *own = fixedConfig(node))
    return config == *own;
  const IterationSpace &space = graph.nodes[node].whole.space;
  for (size_t l = 0; l < config.degrees.size(); ++l)
    if (config.degrees[l] > 1 &&
        (!mayCut(node, static_cast<int>(l)) ||
         (evenPieces && space.loops[l].extent % config.degrees[l] != 0)))
      return false;
  if (!replicas && config.replicas > 1)
    return false;
  for (size_t i = 0; !anyDevices && i < config.devices.size(); ++i)
    if (config.devices[i] != static_cast<int>(i))
      return false;
  return true;
}

bool ParallelizationProblem::mayCut(int node, int loop) const {
  assert(loop >= 0 && "no loop");
  return graph.nodes[node].whole.space.loops[loop].type !=
             IteratorType::Serial &&
         std::find(searchedRoles.begin(), searchedRoles.end(),
                   roles[node][loop]) != searchedRoles.end();
}
