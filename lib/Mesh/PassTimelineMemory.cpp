//===- PassTimelineMemory.cpp - Peak memory of microbatches ---------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks back in time: where it meets a buffer first, the buffer is used last.
//
//===----------------------------------------------------------------------===//

#include "PassTimelineMemory.h"

#include "Soap/Mesh/PassTimeline.h"

#include <algorithm>

using namespace soap;

PassMemory::PassMemory(const PlanState &plan,
                       const std::vector<uint32_t> &firstSum)
    : plan(plan), isSumLive(firstSum.back()),
      live(plan.getCost().getTopology().devices.size()) {
  const Graph &graph = plan.getGraph();
  first.push_back(0);
  for (size_t v = 0; v < graph.values.size(); ++v) {
    const ValuePlan &planned = plan.valuePlan(static_cast<int>(v));
    first.push_back(first.back() + static_cast<size_t>(planned.sources) +
                    planned.actions.size());
  }
  buffers.resize(first.back());
  listKernels();
  listValues();
  for (size_t o = 0; o < graph.outputs.size(); ++o)
    for (int reference : plan.outputBinding(static_cast<int>(o)))
      if (reference >= 0)
        touch(bufferOf(graph.outputs[o].value, reference));
  peak = live;
}

void PassMemory::listKernels() {
  std::vector<std::vector<int>> updated(plan.getGraph().nodes.size());
  for (const GraphInput &input : plan.getGraph().inputs)
    if (input.updateNode >= 0)
      updated[static_cast<size_t>(input.updateNode)].push_back(
          input.updateResult);
  for (size_t s = 0; s < plan.getSlots().size(); ++s) {
    const KernelPlan &kernel = plan.kernelPlan(static_cast<int>(s));
    const PlanState::Slot &slot = plan.getSlots()[s];
    for (size_t r = 0; kernel.active && r < slot.kernel->results.size(); ++r) {
      int value = slot.kernel->results[r];
      const BlockSet &set = kernel.geometry->results[r];
      const RegionTable &table = plan.regionsOf(value);
      const std::vector<int> &list = updated[static_cast<size_t>(slot.node)];
      bool isInPlace = std::find(list.begin(), list.end(),
                                 static_cast<int>(r)) != list.end();
      for (size_t i = 0; i < kernel.devices.size(); ++i) {
        Buffer &buffer = buffers[first[static_cast<size_t>(value)] + i];
        buffer.device = kernel.devices[i];
        buffer.isInPlace = isInPlace;
        if (int b = set.blockOf[i % set.blockOf.size()]; b >= 0)
          buffer.bytes = table.bytes(set.regions[static_cast<size_t>(b)]);
      }
    }
  }
}

void PassMemory::listValues() {
  for (size_t v = 0; v + 1 < first.size(); ++v) {
    const ValuePlan &planned = plan.valuePlan(static_cast<int>(v));
    const RegionTable &table = plan.regionsOf(static_cast<int>(v));
    for (size_t t = 0; t < planned.tiles.size(); ++t)
      if (auto [device, region] = planned.tiles[t]; region >= 0) {
        live[static_cast<size_t>(device)] += table.bytes(region);
        buffers[first[v] + t].device = -1;
      }
    size_t at = first[v] + static_cast<size_t>(planned.sources);
    for (const PlannedAction &action : planned.actions) {
      buffers[at].device = action.device;
      buffers[at++].bytes = table.bytes(action.region);
    }
  }
}

void PassMemory::visitShard(int number, size_t shard) {
  const Kernel &kernel = *plan.getSlots()[static_cast<size_t>(number)].kernel;
  const KernelPlan &planned = plan.kernelPlan(number);
  bool reads = planned.states[shard] == ShardState::Compute;
  for (size_t i = 0; reads && i < kernel.operands.size(); ++i)
    if (int reference = plan.bindingOf(number, static_cast<int>(i))[shard];
        reference >= 0)
      touch(bufferOf(kernel.operands[i], reference));
  auto resultOf = [&](int value) -> Buffer & {
    return buffers[first[static_cast<size_t>(value)] + shard];
  };
  for (int value : kernel.results)
    touch(resultOf(value));
  notePeak(planned.devices[shard]);
  for (int value : kernel.results)
    leave(resultOf(value));
}

void PassMemory::visitTask(int value, size_t task, int steps, int step,
                           size_t sumsBefore) {
  const ValuePlan &planned = plan.valuePlan(value);
  auto begin = static_cast<size_t>(planned.tasks[task].firstAction),
       end = begin;
  while (end < planned.actions.size() &&
         planned.actions[end].task == static_cast<int>(task))
    ++end;
  if (steps == 1) {
    while (end-- > begin)
      visitAction(value, end);
    return;
  }
  const PlannedAction &sum = planned.actions[begin];
  std::vector<int> inputs = inputsInOrder(planned, sum);
  int64_t bytes = plan.regionsOf(value).bytes(sum.region);
  auto device = static_cast<size_t>(sum.device);
  int at = step > 0 ? step : steps; // 1, 2, ..., the last
  auto sumOf = [&](int number) {
    return sumsBefore + static_cast<size_t>(number - 1);
  };
  Buffer &last = bufferOf(value, inputs[static_cast<size_t>(at)]);
  touch(last);
  int other = -1;
  if (at == 1) {
    Buffer &one = bufferOf(value, inputs[0]);
    touch(one);
    other = one.device;
  } else if (!isSumLive[sumOf(at - 1)]) {
    isSumLive[sumOf(at - 1)] = true;
    live[device] += bytes;
  }
  if (step > 0) { // the sum so far
    notePeak(last.device);
    notePeak(other);
    notePeak(sum.device);
    live[device] -= bytes;
    return;
  }
  Buffer &output = bufferOf(value, planned.sources + static_cast<int>(begin));
  touch(output);
  notePeak(last.device);
  notePeak(sum.device);
  leave(output);
}

void PassMemory::visitAction(int value, size_t number) {
  const ValuePlan &planned = plan.valuePlan(value);
  const PlannedAction &action = planned.actions[number];
  auto forEachRead = [&](auto visit) {
    for (int i = 0; i < action.inputCount; ++i)
      visit(bufferOf(
          value, planned.inputs[static_cast<size_t>(action.firstInput + i)]));
  };
  Buffer &output = bufferOf(value, planned.sources + static_cast<int>(number));
  forEachRead([&](Buffer &buffer) { touch(buffer); });
  touch(output);
  forEachRead([&](Buffer &buffer) { notePeak(buffer.device); });
  notePeak(output.device);
  if (action.source >= 0 && action.kind == ActionKind::Transfer) {
    // The message is packed on the sender while it runs.
    auto sender = static_cast<size_t>(action.source);
    peak[sender] = std::max(peak[sender], live[sender] + output.bytes);
  }
  leave(output);
}
