//===- PlanMemory.cpp - Peak memory of a strategy's plan ------------------===//
//
// Walks back in time: what an action touches is live while it runs, what it
// writes is not there before.
//
//===----------------------------------------------------------------------===//

#include "Soap/Core/PlanMemory.h"

#include "Soap/Core/StrategySimulator.h"

#include <algorithm>

using namespace soap;

PlanMemory::PlanMemory(const StrategyPlan &plan)
    : plan(plan), updatedResults(plan.getGraph().nodes.size()) {
  for (const GraphInput &input : plan.getGraph().inputs)
    if (input.updateNode >= 0)
      updatedResults[input.updateNode].push_back(input.updateResult);
}

/// Buffers that a kernel's shards write.
void PlanMemory::addKernelResults(int number) {
  const KernelPlan &kernel = plan.kernelPlan(number);
  const StrategyPlan::Slot &slot = plan.getSlots()[number];
  bool isOnly = slot.kernel->results.size() == 1;
  for (size_t r = 0; r < slot.kernel->results.size(); ++r) {
    int value = slot.kernel->results[r];
    const BlockSet &set = kernel.geometry->results[r];
    const RegionTable &table = plan.regionsOf(value);
    const std::vector<int> &updated = updatedResults[slot.node];
    bool isInPlace = std::find(updated.begin(), updated.end(),
                               static_cast<int>(r)) != updated.end();
    Buffer *buffer = buffers.data() + first[value];
    const int *device = kernel.devices.data();
    for (int replica = 0; replica < kernel.replicas; ++replica)
      for (size_t piece = 0; piece < set.blockOf.size(); ++piece, ++buffer) {
        buffer->device = *device++;
        buffer->isInPlace = isInPlace;
        if (isOnly)
          buffer->bytes = kernel.geometry->resultBytes[piece];
        else if (int b = set.blockOf[piece]; b >= 0)
          buffer->bytes = table.bytes(set.regions[b]);
      }
  }
}

void PlanMemory::listBuffers() {
  const Graph &graph = plan.getGraph();
  live.assign(plan.getCost().getTopology().devices.size(), 0);
  first.assign(graph.values.size() + 1, 0);
  for (size_t v = 0; v < graph.values.size(); ++v) {
    const ValuePlan &planned = plan.valuePlan(static_cast<int>(v));
    first[v + 1] = first[v] + static_cast<size_t>(planned.sources) +
                   planned.actions.size();
  }
  buffers.assign(first.back(), Buffer{});
  keptAt.assign(graph.restores.empty() ? 0 : first.back(), -1);
  for (size_t s = 0; s < plan.getSlots().size(); ++s)
    if (plan.kernelPlan(static_cast<int>(s)).active)
      addKernelResults(static_cast<int>(s));
  for (size_t v = 0; v < graph.values.size(); ++v) {
    const ValuePlan &planned = plan.valuePlan(static_cast<int>(v));
    const RegionTable &table = plan.regionsOf(static_cast<int>(v));
    for (size_t t = 0; t < planned.tiles.size(); ++t)
      if (auto [device, region] = planned.tiles[t]; region >= 0) {
        live[device] += table.bytes(region);
        buffers[first[v] + t].device = -1;
      }
    if (plan.restoreOfValue(static_cast<int>(v)))
      for (int s = 0; s < planned.sources; ++s)
        if (int kept = plan.keptReference(static_cast<int>(v), s); kept >= 0)
          keptAt[first[v] + static_cast<size_t>(s)] = static_cast<int64_t>(
              first[graph.values[v].restores] + static_cast<size_t>(kept));
    size_t at = first[v] + static_cast<size_t>(planned.sources);
    for (const PlannedAction &action : planned.actions) {
      Buffer &buffer = buffers[at++];
      buffer.device = action.device;
      buffer.bytes = table.bytes(action.region);
    }
  }
  for (size_t o = 0; o < graph.outputs.size(); ++o) {
    int value = graph.outputs[o].value;
    for (int reference : plan.outputBinding(static_cast<int>(o)))
      if (reference >= 0)
        buffers[first[value] + static_cast<size_t>(reference)].stays = true;
  }
  for (Buffer &buffer : buffers)
    if (buffer.stays && buffer.device >= 0 && !buffer.isInPlace) {
      live[buffer.device] += buffer.bytes;
      buffer.isLive = true;
    }
}

/// An action that reads `inputs` and writes `outputs`; `sender`: of a transfer,
/// else -1.
void PlanMemory::visit(int sender) {
  auto touch = [&](Buffer &buffer) {
    if (buffer.isLive || buffer.isInPlace || buffer.device < 0)
      return;
    buffer.isLive = true;
    live[buffer.device] += buffer.bytes;
  };
  if (!keptAt.empty())
    for (size_t &b : inputs)
      if (int64_t kept = keptAt[b]; kept >= 0)
        b = static_cast<size_t>(kept);
  for (size_t b : inputs)
    touch(buffers[b]);
  for (size_t b : outputs)
    touch(buffers[b]);
  for (const std::vector<size_t> *list : {&inputs, &outputs})
    for (size_t b : *list)
      if (int device = buffers[b].device; device >= 0)
        peak[device] = std::max(peak[device], live[device]);
  if (sender >= 0)
    // The message is packed on the sender while it runs.
    peak[sender] =
        std::max(peak[sender], live[sender] + buffers[outputs[0]].bytes);
  for (size_t b : outputs)
    if (!buffers[b].isInPlace)
      live[buffers[b].device] -= buffers[b].bytes;
}

std::vector<int64_t>
PlanMemory::peakBytes(std::vector<TaskQueue::Entry> &tasks) {
  listBuffers();
  peak = live;
  std::sort(tasks.begin(), tasks.end());
  const std::vector<StrategyPlan::Block> &list = plan.getBlocks();
  for (size_t t = tasks.size(); t-- > 0;) {
    auto [slot, value] = list[tasks[t].block()];
    auto index = static_cast<size_t>(tasks[t].index());
    if (slot >= 0) {
      inputs.clear();
      outputs.clear();
      const Kernel &op = *plan.getSlots()[slot].kernel;
      if (plan.kernelPlan(slot).states[index] == ShardState::Compute)
        for (size_t i = 0; i < op.operands.size(); ++i)
          if (int reference = plan.bindingOf(slot, static_cast<int>(i))[index];
              reference >= 0)
            inputs.push_back(first[op.operands[i]] +
                             static_cast<size_t>(reference));
      for (int result : op.results)
        outputs.push_back(first[result] + index);
      visit(-1);
      continue;
    }
    const ValuePlan &planned = plan.valuePlan(value);
    auto isOfTask = [&](size_t a) {
      return a < planned.actions.size() &&
             planned.actions[a].task == static_cast<int>(index);
    };
    auto begin = static_cast<size_t>(planned.tasks[index].firstAction);
    size_t end = begin;
    while (isOfTask(end))
      ++end;
    while (end-- > begin) {
      const PlannedAction &action = planned.actions[end];
      inputs.clear();
      for (int i = 0; i < action.inputCount; ++i)
        inputs.push_back(
            first[value] +
            static_cast<size_t>(planned.inputs[action.firstInput + i]));
      outputs.assign(1,
                     first[value] + static_cast<size_t>(planned.sources) + end);
      visit(action.kind == ActionKind::Transfer ? action.source : -1);
    }
  }
  return peak;
}

std::vector<int64_t> soap::peakBytes(const StrategyPlan &plan) {
  std::vector<TaskQueue::Entry> tasks;
  StrategySimulator(plan).starts(tasks);
  return PlanMemory(plan).peakBytes(tasks);
}
