//===- UpdateShards.cpp - Shards that only update parameters --------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See UpdateShards.h.
//
//===----------------------------------------------------------------------===//

#include "Simulator/UpdateShards.h"

#include <algorithm>

using namespace soap;

UpdateShards::UpdateShards(const PlanState &plan)
    : plan(plan), updatedResults(plan.getGraph().nodes.size()) {
  const Graph &graph = plan.getGraph();
  for (size_t o = 0; o < graph.outputs.size(); ++o) {
    int value = graph.outputs[o].value;
    for (int reference : plan.outputBinding(static_cast<int>(o)))
      if (reference >= 0 && reference < plan.valuePlan(value).sources)
        reported.insert({value, reference});
  }
  for (const GraphInput &input : graph.inputs)
    if (input.updateNode >= 0)
      updatedResults[static_cast<size_t>(input.updateNode)].push_back(
          input.updateResult);
}

bool UpdateShards::contains(int slot, size_t shard) const {
  const PlanState::Slot &info = plan.getSlots()[static_cast<size_t>(slot)];
  const std::vector<int> &updated =
      updatedResults[static_cast<size_t>(info.node)];
  for (size_t r = 0; r < info.kernel->results.size(); ++r)
    if (std::find(updated.begin(), updated.end(), static_cast<int>(r)) ==
            updated.end() ||
        reported.count({info.kernel->results[r], static_cast<int>(shard)}))
      return false;
  return true;
}
