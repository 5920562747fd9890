//===- Experts.cpp - Mixtures of experts over devices ---------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Experts.h. What lies between dispatch and combine is split by experts.
//
//===----------------------------------------------------------------------===//

#include "Experts.h"

#include "PresetSupport.h"
#include "Soap/Model/DominantLoop.h"
#include "Soap/Search/Presets/Presets.h"

#include <algorithm>
#include <numeric>

using namespace soap;

std::vector<bool> soap::choosesExperts(const Graph &graph) {
  std::vector<bool> isLogit(graph.values.size()), result(graph.nodes.size());
  for (size_t n = graph.nodes.size(); n-- > 0;) {
    const Kernel &kernel = graph.nodes[n].whole;
    if (kernel.phase != Phase::Forward || kernel.operands.empty())
      continue;
    result[n] = std::any_of(kernel.results.begin(), kernel.results.end(),
                            [&](int value) { return isLogit[value]; });
    bool passes = kernel.kind == "softmax" || kernel.kind == "sigmoid" ||
                  kernel.kind == "bias_add" || kernel.kind == "cast";
    if (kernel.kind == "top_k" || (result[n] && passes))
      isLogit[kernel.operands[0]] = true;
  }
  return result;
}

static bool isDispatch(const Kernel &kernel) {
  return kernel.kind == "dispatch" && kernel.phase == Phase::Forward;
}

/// Ops of samples that read or write tokens in the places of experts.
static bool isRouting(const Kernel &kernel) {
  return kernel.kind == "dispatch" || kernel.kind == "combine_experts" ||
         kernel.kind == "gates_grad";
}

std::vector<int> soap::expertLoops(const Graph &graph) {
  std::vector<int> loops(graph.nodes.size(), -1);
  std::vector<int> dims(graph.values.size(), -1); // of experts, by value
  for (const GraphNode &node : graph.nodes)
    if (node.whole.kind == "dispatch")
      dims[node.whole.results[0]] = 0;
  // From an op to all that it reads and writes, weights and their conversions
  // included, until nothing is new.
  for (bool isNew = true; isNew;) {
    isNew = false;
    for (size_t n = 0; n < graph.nodes.size(); ++n) {
      const Kernel &kernel = graph.nodes[n].whole;
      const IterationSpace &space = kernel.space;
      if (isRouting(kernel))
        continue;
      auto forEachAccess = [&](auto visit) {
        for (size_t o = 0; o < kernel.operands.size(); ++o)
          visit(kernel.operands[o], space.operands[o].map);
        for (size_t r = 0; r < kernel.results.size(); ++r)
          visit(kernel.results[r], space.results[r].map);
      };
      if (loops[n] < 0)
        forEachAccess([&](int value, const AccessMap &map) {
          if (int dim = dims[value]; dim >= 0 && loops[n] < 0)
            loops[n] = dominantLoop(space, map[dim]);
        });
      if (loops[n] < 0)
        continue;
      forEachAccess([&](int value, const AccessMap &map) {
        for (size_t d = 0; d < map.size() && dims[value] < 0; ++d)
          if (dominantLoop(space, map[d]) == loops[n]) {
            dims[value] = static_cast<int>(d);
            isNew = true;
          }
      });
    }
  }
  for (size_t n = 0; n < loops.size(); ++n)
    if (loops[n] >= 0 &&
        graph.nodes[n].whole.space.loops[loops[n]].type == IteratorType::Serial)
      loops[n] = -1;
  return loops;
}

int64_t soap::commonExperts(const Graph &graph) {
  int64_t experts = 0;
  for (const GraphNode &node : graph.nodes)
    if (isDispatch(node.whole)) {
      const IterationSpace &space = node.whole.space;
      experts = std::gcd(experts, space.loops[space.findLoop("e")].extent);
    }
  return experts;
}

namespace {

class ExpertParallelism {
public:
  ExpertParallelism(const ParallelizationProblem &problem, int64_t columns)
      : problem(problem), graph(problem.getGraph()), columns(columns),
        rows(problem.getTopology().deviceCount() / columns),
        isPlaced(graph.values.size()) {}

  Strategy make() {
    Strategy strategy = dataParallelStrategy(problem);
    for (const OpGroup &group : problem.getGroups()) {
      if (int loop = expertLoop(group.leader); loop >= 0)
        problem.assign(strategy, group, config(group.leader, loop));
      for (int node : group.nodes)
        follow(node);
    }
    return strategy;
  }

private:
  const ParallelizationProblem &problem;
  const Graph &graph;
  int64_t columns, rows;
  std::vector<bool> isPlaced; ///< values with experts as their first dim

  /// The loop over experts of what computes with placed tokens; -1: none.
  int expertLoop(int node) const {
    const Kernel &kernel = graph.nodes[node].whole;
    if (kernel.phase != Phase::Forward || kernel.kind == "combine_experts")
      return -1;
    for (size_t o = 0; o < kernel.operands.size(); ++o)
      if (isPlaced[kernel.operands[o]])
        return dominantLoop(kernel.space, kernel.space.operands[o].map[0]);
    return -1;
  }

  /// Device `row * columns + column` has share `row` of the samples and share
  /// `column` of the experts.
  Config config(int node, int loop) const {
    const IterationSpace &space = graph.nodes[node].whole.space;
    Config config = Config::single(space);
    int samples = sampleLoop(problem, node);
    config.degrees[loop] = columns;
    if (samples >= 0)
      config.degrees[samples] =
          std::min<int64_t>(space.loops[samples].extent, rows);
    else
      config.replicas = rows;
    config.devices.assign(config.replicas * config.piecesPerReplica(), 0);
    std::vector<int> devices;
    for (const Shard &shard : enumerateShards(space, config)) {
      int64_t row = samples >= 0 ? shard.piece[samples] : shard.replica;
      devices.push_back(static_cast<int>(row * columns + shard.piece[loop]));
    }
    config.devices = std::move(devices);
    return config;
  }

  void follow(int node) {
    const Kernel &kernel = graph.nodes[node].whole;
    if (isDispatch(kernel) || expertLoop(node) >= 0)
      for (int value : kernel.results)
        isPlaced[value] = true;
  }
};

} // namespace

Expected<Strategy> soap::gshardStrategy(const ParallelizationProblem &problem,
                                        int64_t devices) {
  int64_t all = problem.getTopology().deviceCount(),
          fits = commonExperts(problem.getGraph());
  if (fits == 0)
    return Error{"no op dispatches tokens to experts, expected a mixture of "
                 "experts"};
  int64_t most = std::gcd(fits, all);
  if (devices == 0)
    devices = most;
  if (most % devices != 0)
    return Error{"ep=" + std::to_string(devices) + " does not divide the " +
                 std::to_string(all) + " devices of '" +
                 problem.getTopology().name +
                 "' and the experts of every layer: expected a divisor of " +
                 std::to_string(most)};
  return ExpertParallelism(problem, devices).make();
}
