//===- StageQuotientTasks.cpp - From two replicas to the first ------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A value that moves between replicas is planned on two that stand for all.
// Here its plan becomes that of replica 0: tasks of the other are left out, and
// collectives are priced for all replicas.
//
//===----------------------------------------------------------------------===//

#include "Soap/Mesh/StageQuotient.h"

#include <algorithm>

using namespace soap;

namespace {

/// The devices of a task by replica, as devices of replica 0 that correspond,
/// ascending.
std::map<int, std::vector<int>> byReplica(const std::vector<int> &devices,
                                          int group, int unit) {
  std::map<int, std::vector<int>> found;
  for (int device : devices) {
    int replica = device % group / unit;
    found[replica].push_back(device - replica * unit);
  }
  for (auto &[replica, list] : found)
    std::sort(list.begin(), list.end());
  return found;
}

} // namespace

/// Whether a resource is one of replica 0.
bool StageQuotient::isOfFirst(int resource) {
  int link = resource - topology.deviceCount();
  return link < 0 ? replicaOf(resource) == 0
                  : firstLinks[static_cast<size_t>(link)] == link;
}

/// The tasks of a value that was planned for replica 0 alone: what they occupy
/// must be its own.
void StageQuotient::checkTasks(int value) {
  for (const PlannedTask &task : plans[value].tasks)
    for (int resource : resourcesOf(task.resource))
      if (!isOfFirst(resource)) {
        reason = "'" + graph.values[static_cast<size_t>(value)].name +
                 "' moves over a link that is not of one replica alone";
        return;
      }
}

StageQuotient::Price StageQuotient::price(CollectiveKind kind,
                                          const std::vector<int> &devices,
                                          int64_t bytes) {
  std::unique_ptr<CollectiveModel> &model = models[{kind, devices}];
  if (!model)
    model = std::make_unique<CollectiveModel>(topology, kind, devices);
  Price price;
  price.ns = model->ns(bytes);
  std::map<int, int> counts; // by link of replica 0
  std::vector<int> own;
  if (const CollectiveAlgorithm *best = model->best(bytes))
    for (int link : best->links) {
      int first = firstLinks[static_cast<size_t>(link)];
      ++counts[first];
      if (first == link)
        own.push_back(link + topology.deviceCount());
    }
  for (auto [link, count] : counts) {
    price.anywhere.push_back(link + topology.deviceCount());
    price.isEven &= count == getReplicas();
  }
  std::sort(own.begin(), own.end());
  price.resources = transfers.resourceNumber(own);
  return price;
}

/// Prices a collective of two replicas for all that they stand for, on the
/// links of replica 0; `index` is the number that its task gets. Returns false
/// with a reason where replicas differ.
bool StageQuotient::setPrice(int value, int index, PlannedTask &task,
                             PlannedCollective &collective) {
  const std::string &name = graph.values[static_cast<size_t>(value)].name;
  auto fail = [&](const std::string &why) {
    reason = "'" + name + "' has a " + collectiveName(collective.kind) + why;
    return false;
  };
  bool isRooted = collective.kind == CollectiveKind::Reduce ||
                  collective.kind == CollectiveKind::Broadcast;
  std::map<int, std::vector<int>> members =
      byReplica(collective.devices, group, unit);
  if (members.size() == 1) {
    for (int resource : resourcesOf(task.resource))
      if (!isOfFirst(resource))
        return fail(" over a link that is not of one replica alone");
    return true;
  }
  if (!isRooted && collective.kind != CollectiveKind::AllReduce &&
      collective.kind != CollectiveKind::ReduceScatter &&
      collective.kind != CollectiveKind::AllGather)
    return fail(" between replicas");
  int root = isRooted ? collective.devices.front() : -1;
  if (root >= 0 && replicaOf(root) != 0)
    return fail(" whose root is not on the first replica");
  // Each device takes what is nearest of what replicas have, which is the same
  // for all of them only in another stage.
  if (collective.kind == CollectiveKind::Broadcast &&
      std::any_of(collective.devices.begin() + 1, collective.devices.end(),
                  [&](int device) { return device / group == root / group; }))
    return fail(" inside of a stage");
  std::vector<int> own = members[0], other = members[1];
  if (own != other) {
    // The root may be one more, or one that takes part only once.
    std::erase(own, root);
    std::erase(other, root);
    if (root < 0 || own != other)
      return fail(" that differs from replica to replica");
    other = members[1];
  }
  std::vector<int> devices;
  if (root >= 0)
    devices.push_back(root);
  for (int replica = 0; replica < getReplicas(); ++replica)
    for (int device : replica == 0 ? members[0] : other)
      if (int at = device + replica * unit; at != root)
        devices.push_back(at);
  std::sort(devices.begin() + (root >= 0), devices.end());
  // Each device has a part of its own.
  if (collective.kind == CollectiveKind::ReduceScatter)
    collective.bytes = collective.bytes / 2 * getReplicas();
  Price found = price(collective.kind, devices, collective.bytes);
  if (!isRooted && !found.isEven)
    return fail(" that occupies other links on one replica than on another");
  task.durationNs = found.ns;
  task.resource = -1 - found.resources;
  int block = valueInfo[value].block;
  if (isRooted)
    uneven.push_back({{block, index}, std::move(found.anywhere)});
  spanning[{block, index}] = std::move(devices);
  return true;
}

/// Whether both replicas take part in the same tasks in the same order, as
/// resources take them in the order of keys.
bool StageQuotient::isInOrder() const {
  std::map<int, std::vector<std::vector<int64_t>>> tasksOf; // by replica
  for (const PlannedTask &task : planned.tasks) {
    const PlannedAction &action =
        planned.actions[static_cast<size_t>(task.firstAction)];
    if (task.collective < 0) {
      tasksOf[replicaOf(action.device)].push_back(
          {-1, static_cast<int64_t>(action.kind), firstOf(action.device),
           action.source < 0 ? -1 : firstOf(action.source), task.durationNs});
      continue;
    }
    const PlannedCollective &collective =
        planned.collectives[static_cast<size_t>(task.collective)];
    bool isRooted = collective.kind == CollectiveKind::Reduce ||
                    collective.kind == CollectiveKind::Broadcast;
    std::map<int, std::vector<int>> members =
        byReplica(collective.devices, group, unit);
    for (int replica : {0, 1}) {
      if (!members.count(replica))
        continue;
      std::vector<int64_t> &entry = tasksOf[replica].emplace_back();
      entry = {static_cast<int64_t>(collective.kind), collective.bytes,
               static_cast<int64_t>(members.size()), task.durationNs};
      // The root is one of the first replica.
      if (!isRooted || members.size() == 1)
        entry.insert(entry.end(), members[replica].begin(),
                     members[replica].end());
    }
  }
  return tasksOf.size() < 2 || tasksOf[0] == tasksOf[1];
}

/// The plan of two replicas becomes that of replica 0.
void StageQuotient::restrict(int value) {
  const ValuePlan &from = planned;
  ValuePlan &plan = plans[value];
  const std::vector<Reader> &readers = valueInfo[value].readers;
  int block = valueInfo[value].block;
  const std::string &name = graph.values[static_cast<size_t>(value)].name;
  auto isHere = [&](int device) { return replicaOf(device) == 0; };
  if (!isInOrder()) {
    reason = "'" + name + "' moves in another order on another replica";
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
  auto replicasOf = [&](const PlannedCollective &collective) {
    return byReplica(collective.devices, group, unit);
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
      bool spans = replicasOf(collective).size() > 1;
      std::vector<int> members = collective.devices;
      if (!setPrice(value, static_cast<int>(plan.tasks.size()), task,
                    collective))
        return;
      bool isUneven = uneven.size() > unevenBefore;
      std::set<int> outputs;
      for (size_t a = first; a < end; ++a)
        outputs.insert(from.actions[a].device);
      // All replicas contribute alike, and all members read, except for what
      // goes to or comes from a root.
      if (spans && !isUneven) {
        std::vector<int> holders;
        for (int i = 0; i < start.inputCount; ++i)
          holders.push_back(
              deviceOf(from.inputs[static_cast<size_t>(start.firstInput + i)]));
        std::map<int, std::vector<int>> writing =
            byReplica(holders, group, unit);
        if (writing.size() != 2 || writing[0] != writing[1] ||
            outputs != std::set<int>(members.begin(), members.end())) {
          reason =
              "'" + name + "' is combined for, or from, some replicas only";
          return;
        }
      }
      size_t node = static_cast<size_t>(from.sources) + t;
      if (isUneven && collective.kind == CollectiveKind::Reduce &&
          from.successorStart[node] != from.successorStart[node + 1]) {
        reason = "'" + name + "' is combined for some devices only";
        return;
      }
      if (isUneven && collective.kind == CollectiveKind::Broadcast) {
        std::map<int, std::vector<int>> reading = byReplica(
            std::vector<int>(outputs.begin(), outputs.end()), group, unit);
        std::erase(reading[1], firstOf(members.front()));
        if (reading[0] != reading[1]) {
          reason = "'" + name + "' is sent to some replicas only";
          return;
        }
      }
      task.collective = static_cast<int>(plan.collectives.size());
      plan.collectives.push_back(std::move(collective));
    } else if (start.kind == ActionKind::Transfer) {
      if (replicaOf(start.source) != replicaOf(start.device)) {
        reason = "a message of '" + name + "' leads from replica to replica";
        return;
      }
      if (!isHere(start.device))
        continue;
      for (int resource : resourcesOf(task.resource))
        if (!isOfFirst(resource)) {
          reason = "a message of '" + name +
                   "' takes a link that is not of one replica alone";
          return;
        }
    } else if (!isHere(task.resource)) {
      continue;
    }
    taskTo[t] = static_cast<int>(plan.tasks.size());
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
          reason = "'" + name + "' is read from another replica";
          return;
        }
      }
      actionTo[a] = static_cast<int>(plan.actions.size());
      plan.actions.push_back(action);
    }
    if (static_cast<int>(plan.actions.size()) == task.firstAction) {
      reason = "'" + name + "' is combined on other replicas only";
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
          reason = "'" + name + "' is read from another replica";
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
