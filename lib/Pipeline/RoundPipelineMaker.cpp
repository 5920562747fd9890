//===- RoundPipelineMaker.cpp - Stages of any placement -------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops of a device, as they get ready, in stages of one pass each; what stages
// send each other.
//
//===----------------------------------------------------------------------===//

#include "Soap/Pipeline/RoundPipeline.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <set>

using namespace soap;

namespace {

class RoundPipelineMaker {
public:
  RoundPipelineMaker(const Graph &graph,
                     const std::vector<std::vector<Role>> &roles,
                     const std::vector<int> &deviceOf,
                     const std::vector<int> &replicas, int64_t microbatches,
                     const CostModel &cost)
      : graph(graph), roles(roles), deviceOf(deviceOf), replicas(replicas),
        cost(cost), producer(graph.values.size(), -1),
        bytes(microbatchBytes(graph, roles, microbatches)) {
    pipeline.microbatches = microbatches;
    pipeline.stageOf.assign(graph.nodes.size(), -1);
    for (size_t n = 0; n < graph.nodes.size(); ++n)
      for (int value : graph.nodes[n].whole.results)
        producer[value] = static_cast<int>(n);
    for (const Restore &restore : graph.restores)
      producer[restore.value] = producer[restore.of];
  }

  Expected<RoundPipeline> make() {
    if (MaybeError error = makeGroups())
      return *error;
    makeStages(Phase::Forward);
    makeStages(Phase::Backward);
    assert(std::ranges::is_sorted(pipeline.stages, {}, &RoundStage::backward) &&
           "forward stages come first");
    numberPassStages();
    addUpdates();
    addEdges();
    return std::move(pipeline);
  }

private:
  const Graph &graph;
  const std::vector<std::vector<Role>> &roles;
  const std::vector<int> &deviceOf;
  const std::vector<int> &replicas;
  const CostModel &cost;
  std::vector<int> producer;  ///< by value: node, or -1
  std::vector<int64_t> bytes; ///< by value, of a microbatch
  std::map<int, int> groupOf; ///< by device
  RoundPipeline pipeline;

  const Kernel &kernel(size_t node) const { return graph.nodes[node].whole; }
  int groupOfNode(size_t node) const { return groupOf.at(deviceOf[node]); }

  MaybeError makeGroups() {
    std::set<int> used(deviceOf.begin(), deviceOf.end());
    std::set<int> taken;
    for (int device : used) {
      RoundGroup group;
      group.first = device;
      if (!replicas.empty())
        group.replicas = replicas[device];
      for (int d = device; d < device + group.replicas; ++d)
        if (d >= cost.getTopology().deviceCount())
          return Error{"device " + std::to_string(device) + " shares with " +
                       std::to_string(group.replicas - 1) +
                       " after it, expected them in the topology of " +
                       std::to_string(cost.getTopology().deviceCount())};
        else if (!taken.insert(d).second || (d > device && used.count(d)))
          return Error{"device " + std::to_string(d) +
                       " shares the ops of another, expected no ops of its "
                       "own"};
      groupOf[device] = static_cast<int>(pipeline.groups.size());
      pipeline.groups.push_back(group);
    }
    return std::nullopt;
  }

  /// Nodes of a phase as they get ready: of one group as long as it has any,
  /// then of the group with the most. Recomputed ones are ready when the
  /// gradient is there for which they are.
  void makeStages(Phase phase) {
    std::vector<std::vector<int>> readers(graph.nodes.size());
    std::vector<int> waiting(graph.nodes.size());
    for (size_t n = 0; n < graph.nodes.size(); ++n)
      for (int value : kernel(n).operands)
        if (int from = producer[value]; from >= 0 && kernel(n).phase == phase &&
                                        kernel(from).phase == phase) {
          readers[from].push_back(static_cast<int>(n));
          ++waiting[n];
        }
    std::vector<std::vector<int>> readersOf(graph.values.size());
    for (size_t n = 0; n < graph.nodes.size(); ++n)
      for (int value : kernel(n).operands) {
        std::vector<int> &list = readersOf[static_cast<size_t>(value)];
        if (list.empty() || list.back() != static_cast<int>(n))
          list.push_back(static_cast<int>(n));
      }
    for (const Restore &restore : graph.restores) {
      int from = restore.delaysReaders && restore.trigger >= 0
                     ? producer[restore.trigger]
                     : -1;
      if (from < 0 || kernel(from).phase != phase)
        continue;
      for (int reader : readersOf[static_cast<size_t>(restore.value)])
        if (reader > from &&
            kernel(static_cast<size_t>(reader)).phase == phase) {
          readers[from].push_back(reader);
          ++waiting[static_cast<size_t>(reader)];
        }
    }
    std::vector<std::vector<int>> ready(pipeline.groups.size());
    for (size_t n = 0; n < graph.nodes.size(); ++n)
      if (kernel(n).phase == phase && waiting[n] == 0)
        ready[groupOfNode(n)].push_back(static_cast<int>(n));
    while (true) {
      auto most = std::max_element(
          ready.begin(), ready.end(),
          [](const auto &a, const auto &b) { return a.size() < b.size(); });
      if (most->empty())
        return;
      RoundStage stage;
      stage.group = static_cast<int>(most - ready.begin());
      stage.backward = phase == Phase::Backward;
      while (!most->empty()) {
        int node = most->back();
        most->pop_back();
        pipeline.stageOf[node] = static_cast<int>(pipeline.stages.size());
        ++stage.nodes;
        stage.ns += microbatchNs(graph, kernel(node), roles[node],
                                 pipeline.microbatches, cost, deviceOf[node]);
        for (int reader : readers[node])
          if (--waiting[reader] == 0)
            ready[groupOfNode(reader)].push_back(reader);
      }
      pipeline.stages.push_back(stage);
    }
  }

  void numberPassStages() {
    // By group: its forward stages that no backward stage has been put with.
    std::vector<std::vector<int>> open(pipeline.groups.size());
    int next = 0;
    for (RoundStage &stage : pipeline.stages) {
      std::vector<int> &own = open[stage.group];
      if (stage.backward && !own.empty()) {
        stage.passStage = own.back();
        own.pop_back();
        continue;
      }
      stage.passStage = next++;
      if (!stage.backward)
        own.push_back(stage.passStage);
    }
  }

  void addUpdates() {
    std::set<std::pair<int, int>> gradients; // group, value
    for (size_t n = 0; n < graph.nodes.size(); ++n) {
      if (kernel(n).phase != Phase::Update)
        continue;
      RoundGroup &group = pipeline.groups[groupOfNode(n)];
      group.updateNs +=
          microbatchNs(graph, kernel(n), roles[n], 1, cost, deviceOf[n]);
      for (int value : kernel(n).operands)
        if (int from = producer[value];
            from >= 0 && kernel(from).phase == Phase::Backward &&
            gradients.insert({groupOfNode(n), value}).second)
          group.weightBytes += graph.values[value].bytes();
    }
    for (const GraphInput &input : graph.inputs)
      if (input.updateNode >= 0 && !graph.values[input.value].inHost)
        pipeline.groups[groupOfNode(input.updateNode)].weightBytes +=
            graph.values[input.value].bytes();
    std::set<std::pair<int, int>> weights; // group, value
    std::vector<bool> isFrozen = frozenInputs(graph, roles);
    for (size_t n = 0; n < graph.nodes.size(); ++n)
      for (int value : kernel(n).operands)
        if (isFrozen[value] && weights.insert({groupOfNode(n), value}).second)
          pipeline.groups[groupOfNode(n)].weightBytes +=
              graph.values[value].bytes();
  }

  /// A value goes to a group once, to the first stage there that reads it, and
  /// all that read it wait for that one.
  void addEdges() {
    const std::vector<int> &stageOf = pipeline.stageOf;
    std::map<std::pair<int, int>, std::set<int>> readersOf; // value, group
    for (size_t n = 0; n < graph.nodes.size(); ++n)
      for (int value : kernel(n).operands)
        if (int from = producer[value];
            from >= 0 && stageOf[from] >= 0 && stageOf[n] >= 0)
          readersOf[{value, groupOfNode(n)}].insert(stageOf[n]);
    std::map<std::pair<int, int>, int64_t> edges;
    for (const auto &[key, stages] : readersOf) {
      auto [value, group] = key;
      int from = stageOf[producer[value]];
      if (pipeline.stages[from].group == group) {
        for (int stage : stages)
          if (stage != from)
            edges.try_emplace({from, stage}, 0);
        continue;
      }
      edges[{from, *stages.begin()}] += bytes[value];
      for (int stage : stages)
        if (stage != *stages.begin())
          edges.try_emplace({*stages.begin(), stage}, 0);
    }
    for (const auto &[key, sum] : edges)
      pipeline.edges.push_back({key.first, key.second, sum});
  }
};

} // namespace

Expected<RoundPipeline> soap::makeRoundPipeline(
    const Graph &graph, const std::vector<std::vector<Role>> &roles,
    const std::vector<int> &deviceOf, const std::vector<int> &replicas,
    int64_t microbatches, const CostModel &cost) {
  assert(deviceOf.size() == graph.nodes.size() && "a device a node");
  assert((replicas.empty() || static_cast<int>(replicas.size()) ==
                                  cost.getTopology().deviceCount()) &&
         "replicas of each device");
  return RoundPipelineMaker(graph, roles, deviceOf, replicas, microbatches,
                            cost)
      .make();
}
