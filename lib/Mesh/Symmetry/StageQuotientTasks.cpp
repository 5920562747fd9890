//===- StageQuotientTasks.cpp - From two replicas to the first ------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A value that moves between replicas is planned on two that stand for all. Its
// collectives are priced for all replicas.
//
//===----------------------------------------------------------------------===//

#include "Soap/Mesh/Symmetry/StageQuotient.h"

#include <algorithm>

using namespace soap;

bool StageQuotient::isOfFirst(int resource) const {
  int link = resource - topology.deviceCount();
  return link < 0 ? copyOf(resource) == 0
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

StageQuotient::Known StageQuotient::makeKnown(const Group &group) {
  Known made{CollectiveModel(workspace, group.first, group.second), {}};
  std::vector<int> counts(topology.links.size()); // by link of replica 0
  for (const CollectiveAlgorithm &algorithm : made.model.getAlgorithms()) {
    Price &price = made.prices.emplace_back();
    std::vector<int> own, firsts;
    for (int link : algorithm.links) {
      int first = firstLinks[static_cast<size_t>(link)];
      if (counts[static_cast<size_t>(first)]++ == 0)
        firsts.push_back(first);
      if (first == link)
        own.push_back(link + topology.deviceCount());
    }
    std::sort(firsts.begin(), firsts.end());
    for (int link : firsts) {
      price.anywhere.push_back(link + topology.deviceCount());
      price.isEven &= counts[static_cast<size_t>(link)] == getReplicas();
      counts[static_cast<size_t>(link)] = 0;
    }
    std::sort(own.begin(), own.end());
    price.resources = transfers.resourceNumber(own);
  }
  return made;
}

StageQuotient::Price StageQuotient::price(const Known &known,
                                          int64_t bytes) const {
  Price price;
  if (const CollectiveAlgorithm *best = known.model.best(bytes))
    price = known.prices[static_cast<size_t>(
        best - known.model.getAlgorithms().data())];
  price.ns = known.model.ns(bytes);
  return price;
}

/// The messages of all replicas to all, on the links of replica 0. Returns
/// false with a reason where replicas differ.
bool StageQuotient::setExchange(int value, int index, PlannedTask &task,
                                const PlannedCollective &collective) {
  auto fail = [&](const char *why) {
    reason = "'" + graph.values[static_cast<size_t>(value)].name +
             "' has an exchange that " + why;
    return false;
  };
  Members members = membersOf(collective.devices);
  for (const auto &[replica, devices] : members)
    if (devices != members[0])
      return fail("differs from replica to replica");
  std::map<int, int> counts; // by link of replica 0
  std::vector<int> own;
  for (int resource : resourcesOf(task.resource)) {
    int link = resource - topology.deviceCount();
    int first = firstLinks[static_cast<size_t>(link)];
    ++counts[first];
    if (first == link)
      own.push_back(resource);
  }
  for (const auto &[link, count] : counts)
    if (count != getReplicas())
      return fail("occupies other links on one replica than on another");
  task.resource = -1 - transfers.resourceNumber(own);
  Group group{collective.kind, collective.devices};
  auto it = known.find(group);
  if (it == known.end()) {
    Known made = makeKnown(group);
    it = known.emplace(std::move(group), std::move(made)).first;
  }
  spanning[{valueInfo[value].block, index}] = &it->first;
  return true;
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
  Members members = membersOf(collective.devices);
  if (members.size() == 1) {
    for (int resource : resourcesOf(task.resource))
      if (!isOfFirst(resource))
        return fail(" over a link that is not of one replica alone");
    return true;
  }
  auto replicas = static_cast<int64_t>(members.size()); // that are planned
  // All are, with the price of all messages.
  if (collective.kind == CollectiveKind::Exchange && replicas == getReplicas())
    return setExchange(value, index, task, collective);
  if (!isRooted && collective.kind != CollectiveKind::AllReduce &&
      collective.kind != CollectiveKind::ReduceScatter &&
      collective.kind != CollectiveKind::AllGather)
    return fail(" between replicas");
  int root = isRooted ? collective.devices.front() : -1;
  if (root >= 0 && copyOf(root) != 0)
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
    collective.bytes = collective.bytes / replicas * getReplicas();
  // Each device gives a part to the root.
  if (collective.kind == CollectiveKind::AllReduce ||
      collective.kind == CollectiveKind::Reduce)
    for (DeviceBytes &entry : collective.temporaries)
      entry.bytes = entry.bytes / replicas * getReplicas();
  Group group{collective.kind, std::move(devices)};
  auto it = known.find(group);
  if (it == known.end()) {
    Known made = makeKnown(group);
    it = known.emplace(std::move(group), std::move(made)).first;
  }
  Price found = price(it->second, collective.bytes);
  if (!isRooted && !found.isEven)
    return fail(" that occupies other links on one replica than on another");
  task.durationNs = found.ns;
  task.resource = -1 - found.resources;
  int block = valueInfo[value].block;
  if (isRooted)
    uneven.push_back({{block, index}, std::move(found.anywhere)});
  spanning[{block, index}] = &it->first;
  return true;
}

bool StageQuotient::takeCollective(int value, size_t node, int index,
                                   const std::vector<int> &holders,
                                   const std::set<int> &outputs,
                                   PlannedTask &task,
                                   PlannedCollective &collective) {
  auto fail = [&](const char *why) {
    reason = "'" + nameOf(value) + "' is " + why;
    return false;
  };
  size_t unevenBefore = uneven.size();
  bool spans = membersOf(collective.devices).size() > 1;
  if (!setPrice(value, index, task, collective))
    return false;
  // All replicas contribute alike, and all members read, except for what goes
  // to or comes from a root.
  if (uneven.size() == unevenBefore) {
    Members writing = membersOf(holders);
    std::set<int> members(collective.devices.begin(), collective.devices.end());
    bool isAlike = writing.size() == membersOf(collective.devices).size() &&
                   std::ranges::all_of(writing, [&](const auto &entry) {
                     return entry.second == writing[0];
                   });
    return !spans || (isAlike && outputs == members) ||
           fail("combined for, or from, some replicas only");
  }
  if (collective.kind == CollectiveKind::Reduce)
    return planned.successorStart[node] == planned.successorStart[node + 1] ||
           fail("combined for some devices only");
  Members reading = membersOf(std::vector<int>(outputs.begin(), outputs.end()));
  std::erase(reading[1], firstOf(collective.devices.front()));
  return reading[0] == reading[1] || fail("sent to some replicas only");
}
