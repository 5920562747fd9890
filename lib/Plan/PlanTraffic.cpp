//===- PlanTraffic.cpp - Bytes that devices send each other --------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collectives are counted by the messages that the runtime sends for them.
//
//===----------------------------------------------------------------------===//

#include "PlanTraffic.h"

#include "Soap/Plan/CollectiveGroup.h"

#include <cassert>

using namespace soap;

std::vector<std::vector<int64_t>>
soap::messageBytes(const Graph &graph, const Plan &plan, int deviceCount) {
  std::vector<std::vector<int64_t>> bytes(deviceCount,
                                          std::vector<int64_t>(deviceCount));
  for (const Action &action : plan.actions)
    if (action.kind == ActionKind::Transfer) {
      const Buffer &message = plan.buffers[action.outputs[0]];
      assert(action.sourceDevice != action.device &&
             "a device sends to others");
      bytes[action.sourceDevice][action.device] +=
          message.region.volume() * graph.values[message.value].elementBytes;
    }
  for (const PlanCollective &collective : plan.collectives) {
    std::optional<CollectiveGroup> group = collectiveGroup(plan, collective);
    if (!group)
      continue;
    // The part that each member gives to an all-gather, or gets of a
    // reduce-scatter, or what each gives to each.
    bool scatters = group->kind == CollectiveKind::ReduceScatter;
    std::vector<int64_t> pieces;
    for (int buffer : scatters ? group->outputs : group->inputs)
      pieces.push_back(buffer < 0 ? 0 : plan.buffers[buffer].region.volume());
    if (group->kind == CollectiveKind::Exchange) {
      pieces.clear();
      for (int input : group->inputs)
        for (int output : group->outputs)
          pieces.push_back(plan.buffers[input]
                               .region.intersect(plan.buffers[output].region)
                               .volume());
    }
    const Action &first = plan.actions[plan.taskStart[collective.task]];
    int64_t elementBytes =
        graph.values[plan.buffers[first.outputs[0]].value].elementBytes;
    for (const CollectiveStep &step : stepsOf(*group, first.combiner))
      forEachMessage(step.kind, static_cast<int>(step.members.size()),
                     step.root, group->elements, elementBytes, pieces,
                     [&](int from, int to, int64_t elements) {
                       bytes[step.members[from]][step.members[to]] +=
                           elements * elementBytes;
                     });
  }
  return bytes;
}
