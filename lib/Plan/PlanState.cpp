//===- PlanState.cpp - The plan of a strategy as it is --------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers slots and blocks in a topological order. That follows from the graph;
// StrategyPlan makes everything else.
//
//===----------------------------------------------------------------------===//

#include "Soap/Plan/PlanState.h"

#include "Soap/Model/OpShape.h"

#include <algorithm>
#include <cassert>
#include <set>

using namespace soap;

PlanState::PlanState(const Graph &graph, const CostModel &cost)
    : graph(graph), cost(cost), cuts(cost.getTopology()), classes(graph),
      transfers(cost.getTopology()), regions(graph),
      builder(graph, cost, classes, regions) {
  for (const Restore &restore : graph.restores)
    restoreOf[restore.value] = &restore;
  enumerate();
  kernels.resize(slots.size());
  counts.resize(slots.size());
  roots.resize(slots.size());
  hasRoots.resize(blocks.size());
  plans.resize(graph.values.size());
  kernelLoad.resize(cost.getTopology().devices.size());
  load.resize(kernelLoad.size() + cost.getTopology().links.size());
  bytes.resize(kernelLoad.size());
  passing.resize(cuts.count());
}

/// Numbers slots and blocks; finds writers and readers of values.
void PlanState::enumerate() {
  valueInfo.resize(graph.values.size());
  slotsOfNode.resize(graph.nodes.size());
  auto addBlock = [&](int value) {
    valueInfo[value].block = static_cast<int>(blocks.size());
    blocks.push_back({-1, value});
  };
  inputs.resize(graph.inputs.size());
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    const GraphInput &input = graph.inputs[i];
    valueInfo[input.value].input = static_cast<int>(i);
    addBlock(input.value);
    if (input.updateNode >= 0 || !input.hasConfig)
      continue;
    NeedSet unused;
    builder.buildTensor(input.value, input.config.degrees, unused,
                        inputs[i].blocks);
    inputs[i].devices = input.config.devices;
  }
  std::vector<int> lastWriter(graph.values.size(), -1);
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const GraphNode &node = graph.nodes[n];
    for (int stage = -1; stage < static_cast<int>(node.stages.size());
         ++stage) {
      slotsOfNode[n].push_back(static_cast<int>(slots.size()));
      const Kernel &kernel = stage < 0 ? node.whole : node.stages[stage];
      slots.push_back(
          {static_cast<int>(n), stage, &kernel, classes.of(kernel), -1});
    }
  }
  auto addReader = [&](int value, const Reader &reader) {
    valueInfo[value].readers.push_back(reader);
    return static_cast<int>(valueInfo[value].readers.size()) - 1;
  };
  for (size_t s = 0; s < slots.size(); ++s) {
    std::vector<int> &places = operandPlaces.emplace_back();
    for (size_t i = 0; i < slots[s].kernel->operands.size(); ++i)
      places.push_back(
          addReader(slots[s].kernel->operands[i],
                    {static_cast<int>(s), static_cast<int>(i), -1}));
    for (size_t r = 0; r < slots[s].kernel->results.size(); ++r) {
      int value = slots[s].kernel->results[r];
      valueInfo[value].producers.emplace_back(static_cast<int>(s),
                                              static_cast<int>(r));
      lastWriter[value] = static_cast<int>(s);
    }
  }
  fedBy.resize(slots.size());
  for (size_t s = 0; s < slots.size(); ++s) {
    // The block of a restored value lies before its first reader, and after all
    // kernels that it waits for.
    for (const Restore &restore : graph.restores) {
      assert(!valueInfo[restore.value].readers.empty() &&
             "a restored value has at least one reader");
      if (valueInfo[restore.value].readers.front().slot == static_cast<int>(s))
        addBlock(restore.value);
    }
    slots[s].block = static_cast<int>(blocks.size());
    blocks.push_back({static_cast<int>(s), -1});
    for (int value : slots[s].kernel->results)
      if (lastWriter[value] == static_cast<int>(s) &&
          valueInfo[value].block < 0)
        addBlock(value);
  }
  for (const Restore &restore : graph.restores) {
    std::set<int> feeding;
    for (auto [slot, result] : valueInfo[restore.of].producers)
      feeding.insert(slot);
    for (auto [slot, result] : valueInfo[restore.trigger].producers)
      feeding.insert(slot);
    for (const Reader &reader : valueInfo[restore.of].readers)
      if (reader.slot >= 0)
        feeding.insert(reader.slot);
    for (int slot : feeding)
      fedBy[slot].push_back(restore.value);
  }
  outputs.resize(graph.outputs.size());
  for (size_t o = 0; o < graph.outputs.size(); ++o) {
    const GraphOutput &output = graph.outputs[o];
    outputPlaces.push_back(
        addReader(output.value, {-1, -1, static_cast<int>(o)}));
    BlockSet unused;
    if (output.hasConfig) {
      builder.buildTensor(output.value, output.config.degrees, outputs[o].needs,
                          unused);
      outputs[o].devices = output.config.devices;
    } else {
      std::vector<int64_t> whole(graph.values[output.value].shape.size(), 1);
      builder.buildTensor(output.value, whole, outputs[o].needs, unused);
      outputs[o].devices = {0};
    }
  }
}

int PlanState::producerOf(int value) const {
  for (auto [slot, result] : valueInfo[value].producers)
    if (kernels[slot].active)
      return slot;
  return -1;
}

Combiner PlanState::combinerOf(int value) const {
  for (auto [slot, result] : valueInfo[graph.rootOf(value)].producers)
    if (kernels[slot].active)
      return slots[slot].kernel->space.results[result].combiner;
  return Combiner::Sum;
}

int64_t PlanState::taskCount() const {
  int64_t count = 0;
  for (const KernelPlan &kernel : kernels)
    for (ShardState state : kernel.states)
      count += state != ShardState::Absent;
  for (const ValuePlan &plan : plans)
    count += static_cast<int64_t>(plan.tasks.size());
  return count;
}

bool PlanState::isView(int slot) const {
  const Kernel &kernel = *slots[slot].kernel;
  assert((!isLayoutChange(kernel.kind) ||
          (kernel.operands.size() == 1 && kernel.results.size() == 1)) &&
         "a layout change has one operand and one result");
  return getCost().getTopology().executor.views && isLayoutChange(kernel.kind);
}

int PlanState::keptReference(int value, int source) const {
  const Restore &restore = *restoreOf.at(value);
  int slot = plans[value].sourceSlot;
  if (slot < 0 || producerOf(restore.of) == slot)
    return source;
  const std::vector<int> &operands = slots[slot].kernel->operands;
  auto operand = std::find(operands.begin(), operands.end(), restore.of);
  assert(operand != operands.end() && "the kernel reads what is kept");
  return bindingOf(slot, static_cast<int>(operand - operands.begin()))[source];
}
