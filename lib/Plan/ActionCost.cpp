//===- ActionCost.cpp - Work of the actions of a plan ---------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ActionCost.h.
//
//===----------------------------------------------------------------------===//

#include "Soap/Plan/ActionCost.h"

#include <cassert>

using namespace soap;

Work soap::localWork(ActionKind kind, int64_t elements, int64_t elementBytes,
                     size_t inputs) {
  assert(elements >= 0 && elementBytes >= 0 && "a negative tile");
  Work work;
  work.elementBytes = elementBytes;
  work.bytes = elements * elementBytes;
  switch (kind) {
  case ActionKind::Assemble:
    work.kind = "assemble";
    work.bytes *= 2;
    break;
  case ActionKind::Combine:
    // Of every input, the part that the output covers.
    assert(inputs > 0 && "a combine has at least one input");
    work.kind = "combine";
    work.bytes *= static_cast<int64_t>(inputs + 1);
    work.flops =
        static_cast<double>(elements) * static_cast<double>(inputs - 1);
    break;
  case ActionKind::Fill:
    work.kind = "fill";
    break;
  case ActionKind::Transfer:
  case ActionKind::Collective:
  case ActionKind::Compute:
    work.kind = "transfer";
    break;
  }
  return work;
}

CopyPart soap::copyPart(const Graph &graph, const Plan &plan,
                        const Action &action, int input) {
  assert(input >= 0 && !action.outputs.empty() && "it reads and writes a tile");
  const Buffer &from = plan.buffers[input],
               &to = plan.buffers[action.outputs[0]];
  int64_t width = graph.values[from.value].elementBytes;
  Region part = from.region.intersect(to.region);
  // A message is a packed tile of its own.
  const Region &target = action.kind == ActionKind::Transfer ? part : to.region;
  return {part.volume() * width, contiguousRuns(part, from.region, target),
          from.region.volume() * width, target.volume() * width,
          from.action < 0};
}

/// Whether a sum adds what products on its device have computed, one of them
/// perhaps to what is added up already.
static bool addsProducts(const Graph &graph, const Plan &plan,
                         const Action &action) {
  size_t products = 0;
  for (int input : action.inputs) {
    int writer = plan.buffers[input].action;
    if (writer < 0)
      return false;
    const Action &from = plan.actions[static_cast<size_t>(writer)];
    if (from.kind == ActionKind::Compute &&
        kernelOf(graph, from).kind.starts_with("matmul"))
      ++products;
    else if (from.kind != ActionKind::Combine)
      return false;
  }
  return products > 0 && products + 1 >= action.inputs.size();
}

Work soap::workOf(const Graph &graph, const Plan &plan, const Action &action) {
  if (action.kind == ActionKind::Compute)
    return kernelWork(graph, kernelOf(graph, action), action.box);
  if (action.kind == ActionKind::Fill && action.node >= 0)
    return fillWork(graph, kernelOf(graph, action), action.box);
  const Buffer &output = plan.buffers[action.outputs[0]];
  Work work =
      localWork(action.kind, output.region.volume(),
                graph.values[output.value].elementBytes, action.inputs.size());
  if (action.kind == ActionKind::Combine)
    work.ofProducts = addsProducts(graph, plan, action);
  if (action.kind == ActionKind::Assemble)
    for (int input : action.inputs)
      work.parts.push_back(copyPart(graph, plan, action, input));
  return work;
}
