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
                  kernel.kind == "cast";
    if (kernel.kind == "top_k" || (result[n] && passes))
      isLogit[kernel.operands[0]] = true;
  }
  return result;
}

namespace {

bool isDispatch(const Kernel &kernel) {
  return kernel.kind == "dispatch" && kernel.phase == Phase::Forward;
}

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
  int64_t all = problem.getTopology().deviceCount(), fits = 0;
  for (const GraphNode &node : problem.getGraph().nodes)
    if (isDispatch(node.whole)) {
      const IterationSpace &space = node.whole.space;
      fits = std::gcd(fits, space.loops[space.findLoop("e")].extent);
    }
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
