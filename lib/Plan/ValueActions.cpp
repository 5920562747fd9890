//===- ValueActions.cpp - Steps of a value's plan and their prices --------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transfers, assembled tiles, sums and fills, as tasks with a
// duration and what they occupy.
//
//===----------------------------------------------------------------------===//

#include "Soap/Plan/ActionCost.h"
#include "ValuePlannerScratch.h"

#include <cassert>

using namespace soap;

/// An input of the graph, as it is at the start.
bool ValuePlanner::isInput(int reference) const {
  return reference < out->sources && source->kind != ValueSource::Kind::Kernel;
}

/// Mirrors `copyPart` on numbers of regions.
CopyPart ValuePlanner::partOf(int reference, int region, bool isMessage) {
  int from = regionOf(reference), part = table->intersect(from, region),
      to = isMessage ? part : region;
  assert(part >= 0 && "nothing in common");
  CopyPart result{table->bytes(part), 1, table->bytes(from), table->bytes(to),
                  isInput(reference)};
  bool isWhole = true;
  for (size_t d = table->rank(); d-- > 0;) {
    IndexSetTable &sets = table->dim(d);
    int set = table->sets(part)[d], source = table->sets(from)[d],
        target = table->sets(to)[d];
    if (!isWhole) {
      result.runs *= sets.size(set);
      continue;
    }
    isWhole = set == source && set == target;
    if (!isWhole && !(sets[source].isInterval() && sets[target].isInterval())) {
      result.runs =
          contiguousRuns((*table)[part], (*table)[from], (*table)[to]);
      break;
    }
  }
  return result;
}

int64_t ValuePlanner::assembleNs(int device, int region,
                                 std::span<const int> inputs) {
  std::vector<int> &key = scratch->assembleKey;
  key = {cost.getTopology().devices[device].type, region};
  for (int input : inputs)
    key.push_back(2 * regionOf(input) + isInput(input));
  auto [it, isNew] = costs->assembleOf.try_emplace(key);
  if (isNew) {
    Work work = localWork(ActionKind::Assemble, table->volume(region),
                          elementBytes, inputs.size());
    for (int input : inputs)
      work.parts.push_back(partOf(input, region, false));
    it->second = cost.computeNs(device, work);
    overlapBytes += 100 + key.size() * sizeof(int);
  }
  return it->second;
}

int64_t ValuePlanner::packNs(int device, int reference, int region) {
  int type = cost.getTopology().devices[device].type;
  if (!knowsRuns[type] || regionOf(reference) == region)
    return 0;
  // Mostly one run, which is sent as it lies: that is found out sooner than
  // looked up.
  CopyPart part = partOf(reference, region, true);
  if (part.runs <= 1)
    return 0;
  std::vector<int> &key = scratch->packKey;
  key = {type, region, 2 * regionOf(reference) + part.isInput};
  auto [it, isNew] = costs->pack.try_emplace(key);
  if (isNew) {
    it->second = cost.packNs(device, part);
    overlapBytes += 100 + key.size() * sizeof(int);
  }
  return it->second;
}

int64_t ValuePlanner::localNs(ActionKind kind, int device, int region,
                              std::span<const int> inputs) {
  const Topology &topology = cost.getTopology();
  int type = topology.devices[device].type;
  auto compute = [&] {
    return cost.computeNs(device, localWork(kind, table->volume(region),
                                            elementBytes, inputs.size()));
  };
  if (kind == ActionKind::Combine && source->ofProduct &&
      topology.executor.accumulates &&
      std::ranges::all_of(inputs, [&](int i) { return i < out->sources; }))
    return 1;
  if (kind == ActionKind::Combine) {
    uint64_t key = (static_cast<uint64_t>(region) << 32) +
                   (static_cast<uint64_t>(inputs.size()) << 8) +
                   static_cast<uint64_t>(type);
    auto [it, isNew] = costs->combine.try_emplace(key);
    if (isNew)
      it->second = compute();
    return it->second;
  }
  if (kind == ActionKind::Assemble && knowsRuns[type])
    return assembleNs(device, region, inputs);
  std::vector<int64_t> &known =
      kind == ActionKind::Fill ? costs->fill : costs->assemble;
  size_t index = static_cast<size_t>(region) * topology.deviceTypes.size() +
                 static_cast<size_t>(type);
  if (known.size() <= index)
    known.resize(index + 1);
  if (known[index] == 0)
    known[index] = compute();
  return known[index];
}

/// Appends an action, as a task of its own or, a transfer, as part of the last
/// task. The reference of its output.
int ValuePlanner::addAction(ActionKind kind, int device, int from, int region,
                            std::span<const int> inputs, bool partial,
                            bool newTask) {
  assert(device >= 0 && device < deviceCount && region >= 0 &&
         "a tile on a device");
  assert((kind == ActionKind::Transfer) == (from >= 0) && from != device &&
         "a transfer has another sender");
  assert((newTask || !out->tasks.empty()) && "there is no task to add to");
  PlannedAction action;
  action.kind = kind;
  action.partial = partial;
  action.device = device;
  action.source = from;
  action.region = region;
  action.firstInput = static_cast<int>(out->inputs.size());
  action.inputCount = static_cast<int>(inputs.size());
  out->inputs.insert(out->inputs.end(), inputs.begin(), inputs.end());
  if (newTask) {
    PlannedTask &task = out->tasks.emplace_back();
    task.firstAction = static_cast<int>(out->actions.size());
    if (kind == ActionKind::Transfer) {
      task.resource = -1 - transfers.resources(from, device);
    } else if (kind != ActionKind::Collective) {
      task.resource = device;
      task.durationNs = localNs(kind, device, region, inputs);
    }
  }
  PlannedTask &task = out->tasks.back();
  if (kind == ActionKind::Transfer) {
    task.bytes += table->bytes(region);
    task.packNs += packNs(from, inputs[0], region);
    task.durationNs = cost.transferNs(from, device, task.bytes) + task.packNs;
    assert(task.packNs >= 0 && task.packNs < task.durationNs &&
           "a part of the transfer");
  }
  action.task = static_cast<int>(out->tasks.size()) - 1;
  out->actions.push_back(action);
  return out->sources + static_cast<int>(out->actions.size()) - 1;
}
