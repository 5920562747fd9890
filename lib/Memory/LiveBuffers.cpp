//===- LiveBuffers.cpp - Buffers of a plan, last task first ---------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A task touches what it reads and writes, which is live while it runs; what it
// writes is not there before.
//
//===----------------------------------------------------------------------===//

#include "Soap/Memory/LiveBuffers.h"

#include <algorithm>
#include <cassert>

using namespace soap;

LiveBuffers::LiveBuffers(const PlanState &plan, MemoryCourse *course)
    : plan(plan), course(course), updatedResults(plan.getGraph().nodes.size()) {
  for (const GraphInput &input : plan.getGraph().inputs)
    if (input.updateNode >= 0)
      updatedResults[input.updateNode].push_back(input.updateResult);
}

void LiveBuffers::start() {
  listBuffers();
  const Graph &graph = plan.getGraph();
  for (size_t o = 0; o < graph.outputs.size(); ++o)
    for (int reference : plan.outputBinding(static_cast<int>(o)))
      if (reference >= 0)
        touch(bufferOf(graph.outputs[o].value, reference));
  peak = live;
}

/// Buffers that a kernel's shards write.
void LiveBuffers::addKernelResults(int number) {
  const KernelPlan &kernel = plan.kernelPlan(number);
  const PlanState::Slot &slot = plan.getSlots()[number];
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
        if (course)
          buffer->kind = course->kindOf(value);
        if (isOnly)
          buffer->bytes = kernel.geometry->resultBytes[piece];
        else if (int b = set.blockOf[piece]; b >= 0)
          buffer->bytes = table.bytes(set.regions[b]);
      }
  }
}

void LiveBuffers::listBuffers() {
  const Graph &graph = plan.getGraph();
  live.assign(plan.getCost().getTopology().devices.size(), 0);
  first.assign(graph.values.size() + 1, 0);
  for (size_t v = 0; v < graph.values.size(); ++v) {
    const ValuePlan &planned = plan.valuePlan(static_cast<int>(v));
    first[v + 1] = first[v] + static_cast<size_t>(planned.sources) +
                   planned.actions.size();
  }
  buffers.assign(first.back(), Buffer{});
  bool areViews = plan.getCost().getTopology().executor.views;
  keptAt.assign(graph.restores.empty() && !areViews ? 0 : first.back(), -1);
  for (size_t s = 0; s < plan.getSlots().size(); ++s)
    if (plan.kernelPlan(static_cast<int>(s)).active)
      addKernelResults(static_cast<int>(s));
  for (size_t v = 0; v < graph.values.size(); ++v) {
    const ValuePlan &planned = plan.valuePlan(static_cast<int>(v));
    const RegionTable &table = plan.regionsOf(static_cast<int>(v));
    for (size_t t = 0; t < planned.tiles.size(); ++t)
      if (auto [device, region] = planned.tiles[t]; region >= 0) {
        add(device, table.bytes(region),
            course ? course->kindOf(static_cast<int>(v)) : uint8_t(0));
        buffers[first[v] + t] = {.bytes = table.bytes(region), .device = -1};
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
      if (course)
        buffer.kind = course->kindOf(static_cast<int>(v));
    }
  }
  for (size_t s = 0; areViews && s < plan.getSlots().size(); ++s)
    if (plan.kernelPlan(static_cast<int>(s)).active &&
        plan.isView(static_cast<int>(s)))
      addViews(static_cast<int>(s));
}

/// Results of a slot that are all of the buffer that it reads.
void LiveBuffers::addViews(int number) {
  const KernelPlan &kernel = plan.kernelPlan(number);
  const Kernel &op = *plan.getSlots()[number].kernel;
  const std::vector<int> &binding = plan.bindingOf(number, 0);
  for (size_t s = 0; s < kernel.states.size(); ++s) {
    if (kernel.states[s] != ShardState::Compute || binding[s] < 0)
      continue;
    size_t read = first[op.operands[0]] + static_cast<size_t>(binding[s]);
    size_t written = first[op.results[0]] + s;
    if (buffers[read].bytes == buffers[written].bytes)
      keptAt[written] = static_cast<int64_t>(read);
  }
}

void LiveBuffers::touch(Buffer &buffer) {
  if (buffer.isLive || buffer.isInPlace || buffer.device < 0)
    return;
  assert(buffer.bytes >= 0 && "a negative number of bytes");
  buffer.isLive = true;
  add(buffer.device, buffer.bytes, buffer.kind);
}

LiveBuffers::Buffer &LiveBuffers::readBuffer(size_t number) {
  while (!keptAt.empty() && keptAt[number] >= 0)
    number = static_cast<size_t>(keptAt[number]);
  return buffers[number];
}

void LiveBuffers::visitShard(int number, size_t shard) {
  const std::vector<int> &operands = plan.getSlots()[number].kernel->operands;
  if (plan.kernelPlan(number).states[shard] == ShardState::Compute)
    for (size_t i = 0; i < operands.size(); ++i)
      if (int reference = plan.bindingOf(number, static_cast<int>(i))[shard];
          reference >= 0)
        touch(bufferOf(operands[i], reference));
  const std::vector<int> &results = plan.getSlots()[number].kernel->results;
  for (int value : results)
    touch(readBuffer(first[value] + shard));
  // All are on its device, or there from the start.
  notePeak(plan.kernelPlan(number).devices[shard]);
  for (int value : results)
    if (size_t result = first[value] + shard;
        keptAt.empty() || keptAt[result] < 0)
      leave(buffers[result]);
}

template <typename Visit>
void LiveBuffers::forEachRead(int value, const PlannedAction &action,
                              Visit visit) {
  const ValuePlan &planned = plan.valuePlan(value);
  for (int i = 0; i < action.inputCount; ++i)
    visit(bufferOf(value, planned.inputs[action.firstInput + i]));
}

void LiveBuffers::visitAction(int value, size_t number) {
  const ValuePlan &planned = plan.valuePlan(value);
  const PlannedAction &action = planned.actions[number];
  Buffer &output = bufferOf(value, planned.sources + static_cast<int>(number));
  forEachRead(value, action, [&](Buffer &buffer) { touch(buffer); });
  touch(output);
  forEachRead(value, action, [&](Buffer &buffer) { notePeak(buffer.device); });
  notePeak(output.device);
  if (action.source >= 0 && action.kind == ActionKind::Transfer)
    // The message is packed on the sender while it runs.
    notePeak(action.source, output.bytes);
  leave(output);
}

/// All its devices are at it at once.
void LiveBuffers::visitCollective(int value,
                                  const PlannedCollective &collective,
                                  size_t begin, size_t end) {
  const ValuePlan &planned = plan.valuePlan(value);
  auto outputOf = [&](size_t a) -> Buffer & {
    return bufferOf(value, planned.sources + static_cast<int>(a));
  };
  // The first action has all inputs.
  forEachRead(value, planned.actions[begin],
              [&](Buffer &buffer) { touch(buffer); });
  for (size_t a = begin; a < end; ++a)
    touch(outputOf(a));
  forEachRead(value, planned.actions[begin],
              [&](Buffer &buffer) { notePeak(buffer.device); });
  for (size_t a = begin; a < end; ++a)
    notePeak(outputOf(a).device);
  for (auto [device, bytes] : collective.temporaries)
    notePeak(device, bytes);
  for (size_t a = begin; a < end; ++a)
    leave(outputOf(a));
}

void LiveBuffers::visitTask(int value, size_t task) {
  const ValuePlan &planned = plan.valuePlan(value);
  const PlannedTask &entry = planned.tasks[task];
  assert(planned.actions[static_cast<size_t>(entry.firstAction)].task ==
             static_cast<int>(task) &&
         "a task has actions");
  auto begin = static_cast<size_t>(entry.firstAction), end = begin;
  while (end < planned.actions.size() &&
         planned.actions[end].task == static_cast<int>(task))
    ++end;
  if (entry.collective >= 0)
    return visitCollective(
        value, planned.collectives[static_cast<size_t>(entry.collective)],
        begin, end);
  while (end-- > begin)
    visitAction(value, end);
}
