//===- QuotientMachines.cpp - From several machines to the first ----------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A value that moves between machines is planned on two or four that stand for
// all. Here its plan becomes that of machine 0: tasks of other machines are
// left out, and collectives are priced for all machines that they span.
//
//===----------------------------------------------------------------------===//

#include "Soap/Mesh/QuotientPlan.h"

#include <algorithm>
#include <set>

using namespace soap;

namespace {

/// The devices of a collective by machine.
struct Members {
  std::map<int, std::vector<int>> insideOf; ///< ascending

  Members(const std::vector<int> &devices, int perMachine) {
    for (int device : devices)
      insideOf[device / perMachine].push_back(device % perMachine);
    for (auto &[machine, inside] : insideOf)
      std::sort(inside.begin(), inside.end());
  }
  bool areAlike() const {
    return std::all_of(insideOf.begin(), insideOf.end(), [&](auto &entry) {
      return entry.second == insideOf.begin()->second;
    });
  }
};

} // namespace

/// Prices a collective of the planned machines for all that they stand for, on
/// the links of machine 0; `index` is the number that its task gets. Returns
/// false with a reason where machines differ.
bool QuotientPlan::setPrice(int value, const PlannedTask &before,
                            const std::vector<std::vector<size_t>> &types,
                            int index, PlannedTask &task,
                            PlannedCollective &collective) {
  const Mesh &mesh = model.getMesh();
  const std::string &name = graph.values[value].name;
  int devices = model.getReducedTopology().deviceCount();
  auto setLinks = [&](std::vector<int> links) {
    for (int &link : links)
      link += devices;
    std::sort(links.begin(), links.end());
    task.resource = -1 - transfers.resourceNumber(links);
  };
  Members members(collective.devices, perMachine);
  bool isInside =
      members.insideOf.size() == 1 && members.insideOf.begin()->first == 0;
  if (isInside && collective.kind != CollectiveKind::Exchange)
    return true;
  if (collective.kind == CollectiveKind::Exchange) {
    std::vector<int> links;
    for (int resource : resourcesOf(before.resource)) {
      int link = resource - devices;
      if (model.isBetweenMachines(link)) {
        reason = "an exchange of '" + name + "' leads from machine to machine";
        return false;
      }
      if (model.machineOfReduced(link) == 0)
        links.push_back(link);
    }
    setLinks(std::move(links));
    return true;
  }
  if (!members.insideOf.count(0))
    return true; // of other machines
  auto fail = [&] {
    reason = std::string("'") + name + "' has a " +
             collectiveName(collective.kind) +
             " that differs from machine to machine";
    return false;
  };
  bool isReduce = collective.kind == CollectiveKind::Reduce;
  if (!members.areAlike() ||
      (collective.kind != CollectiveKind::AllReduce &&
       collective.kind != CollectiveKind::ReduceScatter &&
       collective.kind != CollectiveKind::AllGather && !isReduce))
    return fail();
  // Machines are numbered row-major over the twofold axes.
  std::vector<std::pair<size_t, const std::vector<size_t> *>> twofold;
  for (const std::vector<size_t> &axes : types)
    twofold.emplace_back(axes.back(), &axes);
  std::sort(twofold.begin(), twofold.end());
  QuotientModel::Group group;
  group.kind = collective.kind;
  group.spans.resize(mesh.axes.size());
  group.inside = members.insideOf[0];
  int64_t planned = 1, all = 1;
  for (size_t t = 0; t < twofold.size(); ++t) {
    int bit = 1 << (twofold.size() - 1 - t);
    if (std::none_of(members.insideOf.begin(), members.insideOf.end(),
                     [&](auto &entry) { return entry.first & bit; }))
      continue;
    planned *= 2;
    for (size_t a : *twofold[t].second) {
      group.spans[a] = true;
      all *= mesh.axes[a].size;
    }
  }
  if (planned != static_cast<int64_t>(members.insideOf.size()))
    return fail();
  if (isReduce) {
    group.root = collective.devices.front();
    if (group.root != 0)
      return fail();
  }
  // Each device has a part of its own.
  if (collective.kind == CollectiveKind::ReduceScatter)
    collective.bytes = collective.bytes / planned * all;
  QuotientModel::Price price = model.price(group, collective.bytes);
  if (!price.isEven && !isReduce)
    return fail();
  if (all == mesh.machineCount())
    spanning.insert({valueInfo[value].block, index});
  task.durationNs = price.ns;
  setLinks(model.linksAt(price.links));
  if (isReduce) {
    Uneven entry;
    entry.task.block = valueInfo[value].block;
    for (int link : model.linksAt(price.anyLinks))
      entry.resources.push_back(devices + link);
    uneven.push_back(std::move(entry));
  }
  return true;
}

/// Whether all planned machines take part in the same tasks in the same order,
/// as resources take them in the order of keys.
bool QuotientPlan::isInOrder() const {
  std::map<int, std::vector<std::vector<int64_t>>> tasksOf; // by machine
  for (const PlannedTask &task : planned.tasks) {
    const PlannedAction &action =
        planned.actions[static_cast<size_t>(task.firstAction)];
    if (task.collective < 0) {
      tasksOf[action.device / perMachine].push_back(
          {-1, static_cast<int64_t>(action.kind), action.device % perMachine,
           action.source < 0 ? -1 : action.source % perMachine,
           task.durationNs});
      continue;
    }
    const PlannedCollective &collective =
        planned.collectives[static_cast<size_t>(task.collective)];
    Members members(collective.devices, perMachine);
    for (auto &[machine, inside] : members.insideOf) {
      std::vector<int64_t> &entry = tasksOf[machine].emplace_back();
      entry = {static_cast<int64_t>(collective.kind), collective.bytes,
               static_cast<int64_t>(members.insideOf.size()), task.durationNs};
      entry.insert(entry.end(), inside.begin(), inside.end());
    }
  }
  return tasksOf.empty() ||
         std::all_of(tasksOf.begin(), tasksOf.end(), [&](auto &entry) {
           return entry.second == tasksOf.begin()->second;
         });
}

void QuotientPlan::restrict(int value,
                            const std::vector<std::vector<size_t>> &types) {
  const ValuePlan &from = planned;
  ValuePlan &plan = plans[value];
  const std::vector<Reader> &readers = valueInfo[value].readers;
  int block = valueInfo[value].block;
  auto isHere = [&](int device) { return device < perMachine; };
  if (!isInOrder()) {
    reason = "'" + graph.values[value].name +
             "' moves in another order on another machine";
    return;
  }
  plan.clear();
  plan.isInPlace = from.isInPlace;
  plan.sourcesAreTasks = from.sourcesAreTasks;
  std::vector<int> sourceTo(static_cast<size_t>(from.sources), -1);
  for (size_t s = 0; s < sourceTo.size(); ++s)
    if (isHere(plannedSource.devices[s])) {
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
  auto spansMachines = [&](const PlannedCollective &collective) {
    return collective.kind != CollectiveKind::Exchange &&
           Members(collective.devices, perMachine).insideOf.size() > 1;
  };
  for (size_t t = 0; t < from.tasks.size(); ++t) {
    PlannedTask task = from.tasks[t];
    auto first = static_cast<size_t>(task.firstAction), end = first;
    while (end < from.actions.size() &&
           from.actions[end].task == static_cast<int>(t))
      ++end;
    const PlannedAction &start = from.actions[first];
    bool isCollective = task.collective >= 0;
    size_t unevenBefore = uneven.size();
    if (isCollective) {
      PlannedCollective collective =
          from.collectives[static_cast<size_t>(task.collective)];
      if (std::none_of(collective.devices.begin(), collective.devices.end(),
                       isHere))
        continue;
      if (!setPrice(value, from.tasks[t], types,
                    static_cast<int>(plan.tasks.size()), task, collective))
        return;
      // All machines contribute alike, and all members read, except for the
      // reads of a graph output.
      if (spansMachines(collective)) {
        std::vector<int> holders;
        for (int i = 0; i < start.inputCount; ++i)
          holders.push_back(
              deviceOf(from.inputs[static_cast<size_t>(start.firstInput + i)]));
        Members writing(holders, perMachine),
            all(collective.devices, perMachine);
        if (!writing.areAlike() ||
            writing.insideOf.size() != all.insideOf.size()) {
          reason = "'" + graph.values[value].name +
                   "' is combined from some machines only";
          return;
        }
      }
      std::set<int> outputs,
          members(collective.devices.begin(), collective.devices.end());
      for (size_t a = first; a < end; ++a)
        outputs.insert(from.actions[a].device);
      bool isUneven = uneven.size() > unevenBefore;
      size_t node = static_cast<size_t>(from.sources) + t;
      if (isUneven ? from.successorStart[node] != from.successorStart[node + 1]
                   : spansMachines(collective) && outputs != members) {
        reason = "'" + graph.values[value].name +
                 "' is combined for some devices only";
        return;
      }
      task.collective = static_cast<int>(plan.collectives.size());
      plan.collectives.push_back(std::move(collective));
    } else if (start.kind == ActionKind::Transfer) {
      if (start.source / perMachine != start.device / perMachine) {
        reason = "a message of '" + graph.values[value].name +
                 "' leads from machine to machine";
        return;
      }
      if (!isHere(start.device))
        continue;
    } else if (!isHere(task.resource)) {
      continue;
    }
    taskTo[t] = static_cast<int>(plan.tasks.size());
    if (uneven.size() > unevenBefore)
      uneven.back().task.index = taskTo[t];
    task.firstAction = static_cast<int>(plan.actions.size());
    for (size_t a = first; a < end; ++a) {
      const PlannedAction &before = from.actions[a];
      if (!isHere(before.device))
        continue;
      PlannedAction action = before;
      bool isFirst = static_cast<int>(plan.actions.size()) == task.firstAction;
      // The first action of a collective has the inputs of all.
      const PlannedAction &reading = isCollective && isFirst ? start : before;
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
          reason =
              "'" + graph.values[value].name + "' is read from another machine";
          return;
        }
      }
      actionTo[a] = static_cast<int>(plan.actions.size());
      plan.actions.push_back(action);
    }
    if (static_cast<int>(plan.actions.size()) == task.firstAction) {
      reason = "'" + graph.values[value].name +
               "' is combined on other machines only";
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
      if (isOutput || isHere(plannedUses[r].devices[s])) {
        places[s] = static_cast<int>(plan.bindings[r].size());
        plan.bindings[r].push_back(referenceTo(binding[s]));
        if (binding[s] >= 0 && plan.bindings[r].back() < 0) {
          reason =
              "'" + graph.values[value].name + "' is read from another machine";
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
  for (size_t t = 0; t < plan.tasks.size(); ++t)
    if (plan.predecessorCounts[t] == 0)
      plan.roots.push_back(static_cast<int>(t));
}
