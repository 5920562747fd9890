//===- Model.cpp - Models as placement problems ---------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Model.h.
//
//===----------------------------------------------------------------------===//

#include "Soap/Search/DevicePlacement/Model.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <numeric>
#include <set>

using namespace soap;
using namespace soap::placement;

static constexpr double nsPerMs = 1e6;

/// Forward nodes that read each parameter, in program order; by graph input,
/// empty for other inputs. Views of a parameter are it.
static std::vector<std::vector<int>> parameterReaders(const Graph &graph) {
  std::vector<std::vector<int>> readers(graph.inputs.size());
  std::vector<int> inputOf(graph.values.size(), -1);
  for (size_t i = 0; i < graph.inputs.size(); ++i)
    if (graph.inputs[i].updateNode >= 0)
      inputOf[graph.inputs[i].value] = static_cast<int>(i);
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const Kernel &kernel = graph.nodes[n].whole;
    if (kernel.phase != Phase::Forward)
      continue;
    for (int value : kernel.operands)
      if (int input = inputOf[value]; input >= 0) {
        readers[input].push_back(static_cast<int>(n));
        if (kernel.operands.size() == 1)
          for (int result : kernel.results)
            inputOf[result] = input;
      }
  }
  return readers;
}

namespace {
/// A weight without an update op, as in a model for inference.
struct FrozenWeight {
  double bytes = 0;
  std::vector<int> readers; ///< nodes of the graph that are no updates
  /// All readers share a device; else each may have a copy, and counts it.
  bool isTied = false;
};
} // namespace

/// All that is read. A copy for each reader says more than is held where
/// readers share a device: as long as that is in sum a small share of a
/// device's memory, least first. The readers of others share a device, as those
/// of parameters do.
static std::vector<FrozenWeight>
frozenWeights(const Graph &graph, const std::vector<std::vector<Role>> &roles,
              double memoryBytes) {
  constexpr double spareShare = 0.05;
  std::vector<bool> isFrozen = frozenInputs(graph, roles);
  std::vector<int> weightOf(graph.values.size(), -1);
  std::vector<FrozenWeight> weights;
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const Kernel &kernel = graph.nodes[n].whole;
    if (kernel.phase == Phase::Update)
      continue;
    for (int value : kernel.operands) {
      if (!isFrozen[value])
        continue;
      if (weightOf[value] < 0) {
        weightOf[value] = static_cast<int>(weights.size());
        weights.push_back(
            {static_cast<double>(graph.values[value].bytes()), {}, false});
      }
      std::vector<int> &readers = weights[weightOf[value]].readers;
      if (readers.empty() || readers.back() != static_cast<int>(n))
        readers.push_back(static_cast<int>(n));
    }
  }
  auto spare = [](const FrozenWeight &weight) {
    return weight.bytes * static_cast<double>(weight.readers.size() - 1);
  };
  std::stable_sort(weights.begin(), weights.end(),
                   [&](const FrozenWeight &a, const FrozenWeight &b) {
                     return spare(a) < spare(b);
                   });
  double sum = 0;
  for (FrozenWeight &weight : weights) {
    sum += spare(weight);
    weight.isTied = sum > spareShare * memoryBytes;
  }
  return weights;
}

/// Devices of a machine, if there are several machines of as many devices, one
/// after the other; else 0.
static int devicesPerMachine(const Topology &topology) {
  std::vector<std::vector<int>> machines = topology.machines();
  if (machines.size() < 2 || machines[0].size() < 2)
    return 0;
  int next = 0;
  for (const std::vector<int> &machine : machines) {
    if (machine.size() != machines[0].size())
      return 0;
    for (int device : machine)
      if (device != next++)
        return 0;
  }
  return static_cast<int>(machines[0].size());
}

Expected<ModelProblem>
placement::makeModelProblem(const ParallelizationProblem &model,
                            const std::vector<int> &forwardOf,
                            int64_t microbatches, PipelineSchedule schedule) {
  const Graph &graph = model.getGraph();
  assert(forwardOf.size() == graph.nodes.size() && "an entry a node");
  assert(microbatches > 0 && "at least one microbatch");
  const Topology &topology = model.getTopology();
  for (int device = 1; device < topology.deviceCount(); ++device)
    if (topology.devices[device].type != topology.devices[0].type)
      return Error{"device '" + topology.devices[device].name +
                   "' is of another type than '" + topology.devices[0].name +
                   "', expected devices of one type"};
  CostModel cost(topology);
  ModelProblem made;
  Problem &problem = made.problem;
  problem.accelerators = topology.deviceCount();
  problem.acceleratorMemoryBytes = static_cast<double>(topology.memoryBytes(0));

  std::vector<int64_t> bytes =
      microbatchBytes(graph, model.getRoles(), microbatches);
  int perMachine = devicesPerMachine(topology);
  double insideNs = 0, betweenNs = 0;
  std::vector<int> nodeOf(graph.nodes.size(), -1);
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const Kernel &kernel = graph.nodes[n].whole;
    if (kernel.phase == Phase::Update)
      continue;
    nodeOf[n] = static_cast<int>(problem.nodes.size());
    made.graphNodes.push_back(static_cast<int>(n));
    Node &node = problem.nodes.emplace_back();
    node.id = static_cast<int64_t>(n);
    node.name = kernel.name;
    node.gradientBytes = 0;
    node.backward = kernel.phase == Phase::Backward;
    node.acceleratorTime =
        static_cast<double>(microbatchNs(graph, kernel, model.getRoles()[n],
                                         microbatches, cost, 0)) /
        nsPerMs;
    int64_t sent = 0;
    for (int value : kernel.results)
      sent += bytes[value];
    double ns = 0;
    if (topology.deviceCount() > 1)
      ns = static_cast<double>(
          topology.transferNs(0, std::max(perMachine, 1), sent));
    if (perMachine > 0)
      insideNs += static_cast<double>(topology.transferNs(0, 1, sent));
    betweenNs += ns;
    problem.transferTime.push_back(ns / nsPerMs);
  }
  if (topology.deviceCount() > 1) {
    constexpr int64_t sent = int64_t(1) << 28; // long enough for any latency
    made.allReduceBytesPerTime =
        nsPerMs * static_cast<double>(sent * microbatches) /
        static_cast<double>(topology.transferNs(0, 1, sent));
  } else {
    made.allReduceBytesPerTime = 1; // no device shares a stage
  }
  if (perMachine > 0 && insideNs < betweenNs) {
    made.acceleratorsPerHost = perMachine;
    made.insideHostFactor = insideNs / betweenNs;
  }
  // Classes as trees: each node is in that of its parent.
  std::vector<int> parent(graph.nodes.size());
  std::iota(parent.begin(), parent.end(), 0);
  auto classOf = [&](int node) {
    while (parent[node] != node)
      node = parent[node] = parent[parent[node]];
    return node;
  };
  for (size_t n = 0; n < graph.nodes.size(); ++n)
    if (forwardOf[n] >= 0)
      parent[classOf(static_cast<int>(n))] = classOf(forwardOf[n]);
  std::vector<std::vector<int>> readers = parameterReaders(graph);
  for (const std::vector<int> &list : readers)
    for (int node : list)
      parent[classOf(node)] = classOf(list[0]);
  std::vector<FrozenWeight> frozen =
      frozenWeights(graph, model.getRoles(), problem.acceleratorMemoryBytes);
  for (const FrozenWeight &weight : frozen)
    if (weight.isTied)
      for (int node : weight.readers)
        parent[classOf(node)] = classOf(weight.readers[0]);
  std::vector<int> members(graph.nodes.size());
  for (int node : made.graphNodes)
    ++members[classOf(node)];
  for (size_t n = 0; n < made.graphNodes.size(); ++n)
    if (int c = classOf(made.graphNodes[n]); members[c] > 1)
      problem.nodes[n].colorClass = c;

  int64_t inFlight =
      schedule == PipelineSchedule::GPipe
          ? microbatches
          : std::min<int64_t>(microbatches, topology.deviceCount());
  std::vector<int> producer(graph.values.size(), -1);
  for (size_t n = 0; n < graph.nodes.size(); ++n)
    for (int value : graph.nodes[n].whole.results)
      producer[value] = static_cast<int>(n);
  std::set<std::pair<int, int>> edges;
  std::set<int> kept;
  for (size_t n = 0; n < graph.nodes.size(); ++n)
    for (int value : graph.nodes[n].whole.operands) {
      int from = producer[value] < 0 ? -1 : nodeOf[producer[value]];
      if (from < 0 || nodeOf[n] < 0)
        continue;
      if (edges.insert({from, nodeOf[n]}).second)
        problem.edges.push_back({from, nodeOf[n]});
      if (!problem.nodes[from].backward && problem.nodes[nodeOf[n]].backward &&
          kept.insert(value).second)
        problem.nodes[from].memoryBytes +=
            static_cast<double>(bytes[value] * inFlight);
    }
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    const GraphInput &input = graph.inputs[i];
    if (readers[i].empty())
      continue;
    const GraphValue &kept = graph.values[input.value];
    int64_t size = kept.inHost ? 0 : kept.bytes(), gradient = 0;
    for (int value : graph.nodes[input.updateNode].whole.operands)
      if (producer[value] >= 0) // its gradient
        gradient += graph.values[value].bytes();
    Node &node = problem.nodes[nodeOf[readers[i][0]]];
    node.memoryBytes += static_cast<double>(size + gradient);
    *node.gradientBytes += static_cast<double>(gradient);
  }
  for (const FrozenWeight &weight : frozen)
    for (int node : weight.readers) {
      problem.nodes[nodeOf[node]].memoryBytes += weight.bytes;
      if (weight.isTied)
        break; // they share a device
    }
  if (MaybeError error = problem.check())
    return *error;
  return made;
}

Expected<ModelPlacement>
placement::placeModel(const ParallelizationProblem &model,
                      const ModelProblem &made,
                      const std::vector<int> &deviceOf,
                      const std::vector<int> &replicas, int64_t microbatches) {
  const Graph &graph = model.getGraph();
  assert(deviceOf.size() == made.graphNodes.size() && "a device a node");
  std::vector<int> placed(graph.nodes.size(), -1);
  for (size_t n = 0; n < made.graphNodes.size(); ++n)
    placed[made.graphNodes[n]] = deviceOf[n];
  // Updates are where their parameters are, or the gradients that they read:
  // no other op reads an optimizer's state.
  std::vector<int> producer(graph.values.size(), -1);
  for (size_t n = 0; n < graph.nodes.size(); ++n)
    for (int value : graph.nodes[n].whole.results)
      producer[value] = static_cast<int>(n);
  std::vector<std::vector<int>> readers = parameterReaders(graph);
  for (size_t i = 0; i < graph.inputs.size(); ++i)
    if (int node = graph.inputs[i].updateNode;
        node >= 0 && placed[node] < 0 && !readers[i].empty())
      placed[node] = placed[readers[i][0]];
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    if (placed[n] >= 0)
      continue;
    for (int value : graph.nodes[n].whole.operands)
      if (int from = producer[value]; from >= 0 && placed[from] >= 0)
        placed[n] = placed[from];
    placed[n] = std::max(placed[n], 0);
  }
  CostModel cost(model.getTopology());
  std::map<int, int> renumbered;
  int next = 0;
  auto number = [&](int device) {
    if (renumbered.emplace(device, next).second)
      next += replicas.empty() ? 1 : replicas[device];
  };
  bool isReplicated = std::any_of(replicas.begin(), replicas.end(),
                                  [](int count) { return count > 1; });
  Expected<Pipeline> pipeline =
      makePipeline(graph, model.getRoles(), placed, microbatches, cost);
  if (pipeline && !isReplicated)
    for (const soap::PipelineStage &stage : pipeline->stages)
      number(stage.device);
  ModelPlacement result;
  if (!pipeline || isReplicated) {
    Expected<RoundPipeline> rounds = makeRoundPipeline(
        graph, model.getRoles(), placed, {}, microbatches, cost);
    if (!rounds)
      return rounds.takeError();
    for (const RoundStage &stage : rounds->stages)
      number(rounds->groups[stage.group].first);
    for (int device : placed) // those that only update
      number(device);
  }
  if (isReplicated) {
    result.replicas.assign(model.getTopology().deviceCount(), 1);
    for (auto [from, to] : renumbered)
      result.replicas[to] = replicas[from];
  }
  for (int &device : placed)
    device = renumbered.at(device);
  result.deviceOf = std::move(placed);
  return result;
}
