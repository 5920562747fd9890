//===- QuotientRestriction.cpp - From several copies to the first ---------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A value that moves between copies is planned on a few that stand for all.
// Here its plan becomes the plan of copy 0: tasks of other copies are left out,
// and collectives span all copies.
//
//===----------------------------------------------------------------------===//

#include "Soap/Mesh/Symmetry/QuotientState.h"

#include <algorithm>
#include <cassert>

using namespace soap;

bool QuotientState::isInOrder(bool mayRootsDiffer) const {
  std::map<int, std::vector<std::vector<int64_t>>> tasksOf; // by copy
  for (const PlannedTask &task : planned.tasks) {
    const PlannedAction &action =
        planned.actions[static_cast<size_t>(task.firstAction)];
    if (task.collective < 0) {
      tasksOf[copyOf(action.device)].push_back(
          {-1, static_cast<int64_t>(action.kind), firstOf(action.device),
           action.source < 0 ? -1 : firstOf(action.source), task.durationNs});
      continue;
    }
    const PlannedCollective &collective =
        planned.collectives[static_cast<size_t>(task.collective)];
    bool isRooted = collective.kind == CollectiveKind::Reduce ||
                    collective.kind == CollectiveKind::Broadcast;
    Members members = membersOf(collective.devices);
    for (auto &[copy, list] : members) {
      std::vector<int64_t> &entry = tasksOf[copy].emplace_back();
      entry = {static_cast<int64_t>(collective.kind), collective.bytes,
               static_cast<int64_t>(members.size()), task.durationNs};
      if (!mayRootsDiffer || !isRooted || members.size() == 1)
        entry.insert(entry.end(), list.begin(), list.end());
    }
  }
  return tasksOf.empty() ||
         std::all_of(tasksOf.begin(), tasksOf.end(), [&](auto &entry) {
           return entry.second == tasksOf.begin()->second;
         });
}

void QuotientState::restrict(int value, bool mayRootsDiffer) {
  const ValuePlan &from = planned;
  assert(static_cast<size_t>(from.sources) == plannedSource.devices.size() &&
         "the value must have been planned");
  ValuePlan &plan = plans[value];
  const std::vector<Reader> &readers = valueInfo[value].readers;
  int block = valueInfo[value].block;
  const std::string &name = nameOf(value), copy = copyName;
  if (!isInOrder(mayRootsDiffer)) {
    reason = "'" + name + "' moves in another order on another " + copy;
    return;
  }
  plan.clear();
  plan.isInPlace = from.isInPlace;
  plan.sourcesAreTasks = from.sourcesAreTasks;
  plan.ofProduct = from.ofProduct;
  std::vector<int> sourceTo(static_cast<size_t>(from.sources), -1);
  for (size_t s = 0; s < sourceTo.size(); ++s)
    if (isFirst(plannedSource.devices[s])) {
      sourceTo[s] = plan.sources++;
      if (!from.tiles.empty())
        plan.tiles.push_back(from.tiles[s]);
    }
  std::vector<int> taskTo(from.tasks.size(), -1),
      actionTo(from.actions.size(), -1);
  auto referenceTo = [&](int reference) {
    if (reference < from.sources)
      return reference < 0 ? -1 : sourceTo[static_cast<size_t>(reference)];
    int action = actionTo[static_cast<size_t>(reference - from.sources)];
    return action < 0 ? -1 : plan.sources + action;
  };
  auto deviceOf = [&](int reference) {
    return reference < from.sources
               ? plannedSource.devices[static_cast<size_t>(reference)]
               : from.actions[static_cast<size_t>(reference - from.sources)]
                     .device;
  };
  for (size_t t = 0; t < from.tasks.size(); ++t) {
    PlannedTask task = from.tasks[t];
    auto first = static_cast<size_t>(task.firstAction), end = first;
    while (end < from.actions.size() &&
           from.actions[end].task == static_cast<int>(t))
      ++end;
    const PlannedAction &start = from.actions[first];
    bool isCollective = task.collective >= 0;
    if (isCollective) {
      PlannedCollective collective =
          from.collectives[static_cast<size_t>(task.collective)];
      if (std::none_of(collective.devices.begin(), collective.devices.end(),
                       [&](int device) { return isFirst(device); }))
        continue;
      std::vector<int> holders;
      for (int i = 0; i < start.inputCount; ++i)
        holders.push_back(
            deviceOf(from.inputs[static_cast<size_t>(start.firstInput + i)]));
      std::set<int> outputs;
      for (size_t a = first; a < end; ++a)
        outputs.insert(from.actions[a].device);
      if (!takeCollective(value, static_cast<size_t>(from.sources) + t,
                          static_cast<int>(plan.tasks.size()), holders, outputs,
                          task, collective))
        return;
      std::erase_if(collective.temporaries, [&](const DeviceBytes &entry) {
        return !isFirst(entry.device);
      });
      task.collective = static_cast<int>(plan.collectives.size());
      plan.collectives.push_back(std::move(collective));
    } else if (start.kind == ActionKind::Transfer) {
      if (copyOf(start.source) != copyOf(start.device)) {
        reason =
            "a message of '" + name + "' leads from " + copy + " to " + copy;
        return;
      }
      if (!isFirst(start.device))
        continue;
      for (int resource : resourcesOf(task.resource))
        if (!isOfFirst(resource)) {
          reason = "a message of '" + name +
                   "' takes a link that is not of one " + copy + " alone";
          return;
        }
    } else if (!isFirst(task.resource)) {
      continue;
    }
    taskTo[t] = static_cast<int>(plan.tasks.size());
    task.firstAction = static_cast<int>(plan.actions.size());
    for (size_t a = first; a < end; ++a) {
      const PlannedAction &before = from.actions[a];
      if (!isFirst(before.device))
        continue;
      PlannedAction action = before;
      bool isFirstAction =
          static_cast<int>(plan.actions.size()) == task.firstAction;
      // The first action of a collective has the inputs of all.
      const PlannedAction &reading =
          isCollective && isFirstAction ? start : before;
      action.firstInput = static_cast<int>(plan.inputs.size());
      action.inputCount = 0;
      action.task = taskTo[t];
      for (int i = 0; i < reading.inputCount; ++i) {
        int input = referenceTo(
            from.inputs[static_cast<size_t>(reading.firstInput + i)]);
        if (input >= 0) {
          plan.inputs.push_back(input);
          ++action.inputCount;
        } else if (!isCollective) {
          reason = "'" + name + "' is read from another " + copy;
          return;
        }
      }
      actionTo[a] = static_cast<int>(plan.actions.size());
      plan.actions.push_back(action);
    }
    if (static_cast<int>(plan.actions.size()) == task.firstAction) {
      reason = "'" + name + "' is combined on another " + copy + " only";
      return;
    }
    plan.tasks.push_back(task);
  }
  // Readers.
  std::map<int, std::vector<int>> shardTo; // by block
  plan.bindings.resize(readers.size());
  for (size_t r = 0; r < readers.size(); ++r) {
    const std::vector<int> &binding = from.bindings[r];
    bool isOutput = readers[r].output >= 0;
    std::vector<int> places(binding.size(), -1);
    for (size_t s = 0; s < binding.size(); ++s)
      if (isOutput || isFirst(plannedUses[r].devices[s])) {
        places[s] = static_cast<int>(plan.bindings[r].size());
        plan.bindings[r].push_back(referenceTo(binding[s]));
        if (binding[s] >= 0 && plan.bindings[r].back() < 0) {
          reason = "'" + name + "' is read from another " + copy;
          return;
        }
      }
    if (!isOutput)
      shardTo[slots[readers[r].slot].block] = std::move(places);
  }
  // Edges.
  plan.predecessorCounts.assign(plan.tasks.size(), 0);
  auto addNode = [&](size_t node) {
    plan.successorStart.push_back(static_cast<int>(plan.successors.size()));
    for (int i = from.successorStart[node]; i < from.successorStart[node + 1];
         ++i) {
      TaskRef next = from.successors[static_cast<size_t>(i)];
      auto index = static_cast<size_t>(next.index);
      next.index =
          next.block == block ? taskTo[index] : shardTo[next.block][index];
      if (next.index < 0)
        continue;
      plan.successors.push_back(next);
      if (next.block == block)
        ++plan.predecessorCounts[static_cast<size_t>(next.index)];
    }
  };
  for (size_t s = 0; s < sourceTo.size(); ++s)
    if (sourceTo[s] >= 0)
      addNode(s);
  for (size_t t = 0; t < taskTo.size(); ++t)
    if (taskTo[t] >= 0)
      addNode(sourceTo.size() + t);
  plan.successorStart.push_back(static_cast<int>(plan.successors.size()));
  assert(plan.successorStart.size() ==
             static_cast<size_t>(plan.sources) + plan.tasks.size() + 1 &&
         "a list a source, and a list a task");
  for (size_t t = 0; t < plan.tasks.size(); ++t)
    if (plan.predecessorCounts[t] == 0)
      plan.roots.push_back(static_cast<int>(t));
}
