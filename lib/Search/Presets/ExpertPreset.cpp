//===- ExpertPreset.cpp - What experts do for a family of networks --------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The baselines of the SOAP paper (section 8.2); transformers are in
// Megatron.h. The family is read off the graph; names do not matter.
//
//===----------------------------------------------------------------------===//

#include "Megatron.h"
#include "PresetSupport.h"
#include "Soap/Model/OpShape.h"
#include "Soap/Search/Presets/Presets.h"

#include <algorithm>
#include <map>
#include <set>

using namespace soap;

NetworkFamily soap::familyOf(const ParallelizationProblem &problem) {
  const Graph &graph = problem.getGraph();
  bool recurrent = false, attention = false;
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const Kernel &kernel = graph.nodes[n].whole;
    if (kernel.phase != Phase::Forward)
      continue;
    recurrent |= kernel.kind.starts_with("lstm");
    // A product of two activations, a matrix per sample at least.
    attention |=
        isAttention(kernel.kind) ||
        (kernel.kind.starts_with("matmul") && kernel.space.loops.size() > 3 &&
         loopsOf(problem, static_cast<int>(n), Role::Parameter).empty());
  }
  return recurrent   ? NetworkFamily::Recurrent
         : attention ? NetworkFamily::Transformer
                     : NetworkFamily::Feedforward;
}

namespace {

/// Samples split over machines, one on device `column` of its machine; without
/// samples the same on all machines.
Config overMachines(const ParallelizationProblem &problem, int node,
                    const MachineGrid &grid, int64_t column) {
  const IterationSpace &space = problem.getGraph().nodes[node].whole.space;
  Config config = Config::single(space);
  if (int loop = sampleLoop(problem, node); loop >= 0)
    config.degrees[loop] =
        std::clamp<int64_t>(space.loops[loop].extent, 1, grid.rows());
  else
    config.replicas = grid.rows();
  config.devices.clear();
  for (int64_t row = 0; row < config.replicas * config.piecesPerReplica();
       ++row)
    config.devices.push_back(grid.device(row, column));
  return config;
}

} // namespace

//===----------------------------------------------------------------------===//
// Feedforward
//===----------------------------------------------------------------------===//

/// "One weird trick" (Krizhevsky, 2014): layers with most of the weights and
/// little work, the linear ones, split by outputs, everything else by samples.
static Strategy feedforwardStrategy(const ParallelizationProblem &problem) {
  Strategy strategy = dataParallelStrategy(problem);
  int devices = problem.getTopology().deviceCount();
  for (const OpGroup &group : problem.getGroups()) {
    const Kernel &leader = problem.getGraph().nodes[group.leader].whole;
    int loop = largestOutputLoop(problem, group.leader);
    if (loop >= 0 && leader.kind.starts_with("matmul") &&
        leader.phase == Phase::Forward)
      problem.assign(strategy, group, cutLoops(leader.space, {loop}, devices));
  }
  return strategy;
}

//===----------------------------------------------------------------------===//
// Recurrent
//===----------------------------------------------------------------------===//

namespace {

/// Depth of groups: how many layers lie between them and the inputs. Time
/// steps of a layer share its weights and are at one depth, and a state that
/// one layer hands to another (an encoder to a decoder) makes nothing deeper.
class Depths {
public:
  explicit Depths(const ParallelizationProblem &problem)
      : problem(problem), graph(problem.getGraph()) {
    groupOf.assign(graph.nodes.size(), -1);
    const std::vector<OpGroup> &groups = problem.getGroups();
    for (size_t g = 0; g < groups.size(); ++g)
      for (int node : groups[g].nodes)
        groupOf[node] = static_cast<int>(g);
    producer.assign(graph.values.size(), -1);
    for (size_t n = 0; n < graph.nodes.size(); ++n)
      for (int value : graph.nodes[n].whole.results)
        producer[value] = static_cast<int>(n);
    // Producers first: leaders are in program order.
    std::vector<int> order(groups.size());
    for (size_t g = 0; g < groups.size(); ++g)
      order[g] = static_cast<int>(g);
    std::sort(order.begin(), order.end(), [&](int a, int b) {
      return groups[a].leader < groups[b].leader;
    });
    depth.assign(groups.size(), 0);
    for (int g : order)
      place(g);
  }

  const std::vector<int> &perGroup() const { return depth; }

private:
  const ParallelizationProblem &problem;
  const Graph &graph;
  std::vector<int> groupOf, producer, depth;
  std::map<int, int> firstUser; ///< weight to the first group that reads it

  const Kernel &leader(int group) const {
    return graph.nodes[problem.getGroups()[group].leader].whole;
  }

  void place(int g) {
    const Kernel &kernel = leader(g);
    int node = problem.getGroups()[g].leader;
    for (size_t o = 0; o < kernel.operands.size(); ++o) {
      int value = kernel.operands[o];
      if (producer[value] >= 0) {
        int h = groupOf[producer[value]];
        if (h == g)
          continue;
        bool state = o > 0 && kernel.kind == "lstm" && leader(h).kind == "lstm";
        depth[g] = std::max(depth[g], depth[h] + (state ? 0 : 1));
      }
    }
    for (size_t o = 0; o < kernel.operands.size(); ++o) {
      int value = kernel.operands[o];
      if (producer[value] >= 0 || !isWeight(node, static_cast<int>(o)))
        continue;
      auto [it, added] = firstUser.try_emplace(value, g);
      if (!added) {
        depth[g] = depth[it->second];
        return;
      }
    }
  }

  /// A graph input whose split is a split of parameters.
  bool isWeight(int node, int operand) const {
    const OperandAccess &access =
        graph.nodes[node].whole.space.operands[operand];
    const std::vector<Role> &roles = problem.getRoles()[node];
    bool parameter = false;
    for (const DimMap &dim : access.map)
      for (const Term &term : dim.terms) {
        if (roles[term.loop] == Role::Sample)
          return false;
        parameter |= roles[term.loop] == Role::Parameter;
      }
    return parameter;
  }
};

/// Blocks of consecutive depths, at most `count`, the largest as small as can
/// be: block of every depth.
std::vector<int> splitDepths(const std::vector<double> &work, int64_t count) {
  auto split = [&](double limit) {
    std::vector<int> block(work.size());
    double sum = 0;
    int current = 0;
    for (size_t d = 0; d < work.size(); ++d) {
      if (sum > 0 && sum + work[d] > limit) {
        ++current;
        sum = 0;
      }
      sum += work[d];
      block[d] = current;
    }
    return block;
  };
  double low = 0, high = 0;
  for (double w : work)
    high += w;
  for (int i = 0; i < 60; ++i) {
    double middle = (low + high) / 2;
    (split(middle).back() < count ? high : low) = middle;
  }
  return split(high);
}

} // namespace

/// As for GNMT (Wu et al., 2016): every machine has a copy and its share of the
/// samples; in a machine, ops of one depth are on one device, so that layers
/// work on different time steps at once.
static Strategy recurrentStrategy(const ParallelizationProblem &problem) {
  Strategy strategy = singleStrategy(problem);
  MachineGrid grid(problem.getTopology());
  const std::vector<OpGroup> &groups = problem.getGroups();
  if (groups.empty())
    return strategy;
  std::vector<int> depth = Depths(problem).perGroup();
  std::vector<double> work(*std::max_element(depth.begin(), depth.end()) + 1);
  for (size_t g = 0; g < groups.size(); ++g)
    work[depth[g]] += flopsOf(problem, groups[g]);
  std::vector<int> column = splitDepths(work, grid.columns());
  for (size_t g = 0; g < groups.size(); ++g)
    problem.assign(
        strategy, groups[g],
        overMachines(problem, groups[g].leader, grid, column[depth[g]]));
  return strategy;
}

Strategy soap::expertStrategy(const ParallelizationProblem &problem) {
  switch (familyOf(problem)) {
  case NetworkFamily::Feedforward:
    return feedforwardStrategy(problem);
  case NetworkFamily::Recurrent:
    return recurrentStrategy(problem);
  case NetworkFamily::Transformer:
    return megatronStrategy(problem);
  }
  return dataParallelStrategy(problem);
}
