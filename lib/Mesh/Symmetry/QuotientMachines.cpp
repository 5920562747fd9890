//===- QuotientMachines.cpp - From several machines to the first ----------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A value that moves between machines is planned on two or four that stand for
// all. Its collectives are priced for all machines that they span.
//
//===----------------------------------------------------------------------===//

#include "Soap/Mesh/Symmetry/QuotientPlan.h"

#include <algorithm>
#include <set>

using namespace soap;

/// Whether the same devices of each machine take part.
template <typename Members>
static bool areAlike(const Members &members) {
  return std::all_of(members.begin(), members.end(), [&](auto &entry) {
    return entry.second == members.begin()->second;
  });
}

/// Prices a collective of the planned machines for all that they stand for, on
/// the links of machine 0; `index` is the number that its task gets. Returns
/// false with a reason where machines differ.
bool QuotientPlan::setPrice(int value, int index, PlannedTask &task,
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
  Members members = membersOf(collective.devices);
  bool isInside = members.size() == 1 && members.begin()->first == 0;
  if (isInside && collective.kind != CollectiveKind::Exchange)
    return true;
  if (collective.kind == CollectiveKind::Exchange) {
    std::vector<int> links;
    for (int resource : resourcesOf(task.resource)) {
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
  if (!members.count(0))
    return true; // of other machines
  auto fail = [&] {
    reason = std::string("'") + name + "' has a " +
             collectiveName(collective.kind) +
             " that differs from machine to machine";
    return false;
  };
  bool isReduce = collective.kind == CollectiveKind::Reduce;
  if (!areAlike(members) ||
      (collective.kind != CollectiveKind::AllReduce &&
       collective.kind != CollectiveKind::ReduceScatter &&
       collective.kind != CollectiveKind::AllGather && !isReduce))
    return fail();
  // Machines are numbered row-major over the twofold axes.
  std::vector<std::pair<size_t, const std::vector<size_t> *>> twofold;
  for (const std::vector<size_t> &axes : plannedTypes)
    twofold.emplace_back(axes.back(), &axes);
  std::sort(twofold.begin(), twofold.end());
  QuotientModel::Group group;
  group.kind = collective.kind;
  group.spans.resize(mesh.axes.size());
  group.inside = members[0];
  int64_t planned = 1, all = 1;
  for (size_t t = 0; t < twofold.size(); ++t) {
    int bit = 1 << (twofold.size() - 1 - t);
    if (std::none_of(members.begin(), members.end(),
                     [&](auto &entry) { return entry.first & bit; }))
      continue;
    planned *= 2;
    for (size_t a : *twofold[t].second) {
      group.spans[a] = true;
      all *= mesh.axes[a].size;
    }
  }
  if (planned != static_cast<int64_t>(members.size()))
    return fail();
  if (isReduce) {
    group.root = collective.devices.front();
    if (group.root != 0)
      return fail();
  }
  // Each device has a part of its own.
  if (collective.kind == CollectiveKind::ReduceScatter)
    collective.bytes = collective.bytes / planned * all;
  // Each device gives a part to the root.
  if (collective.kind == CollectiveKind::AllReduce || isReduce)
    for (DeviceBytes &entry : collective.temporaries)
      entry.bytes = entry.bytes / planned * all;
  QuotientModel::Price price = model.price(group, collective.bytes);
  if (!price.isEven && !isReduce)
    return fail();
  if (all == mesh.machineCount())
    spanning.insert({valueInfo[value].block, index});
  task.durationNs = price.ns;
  setLinks(model.linksAt(price.links));
  if (isReduce) {
    Uneven entry;
    entry.task = {valueInfo[value].block, index};
    for (int link : model.linksAt(price.anyLinks))
      entry.resources.push_back(devices + link);
    uneven.push_back(std::move(entry));
  }
  return true;
}

bool QuotientPlan::takeCollective(int value, size_t node, int index,
                                  const std::vector<int> &holders,
                                  const std::set<int> &outputs,
                                  PlannedTask &task,
                                  PlannedCollective &collective) {
  Members all = membersOf(collective.devices);
  bool spans = collective.kind != CollectiveKind::Exchange && all.size() > 1;
  size_t unevenBefore = uneven.size();
  if (!setPrice(value, index, task, collective))
    return false;
  // All machines contribute alike, and all members read, except for the reads
  // of a graph output.
  if (Members writing = membersOf(holders);
      spans && (!areAlike(writing) || writing.size() != all.size())) {
    reason = "'" + nameOf(value) + "' is combined from some machines only";
    return false;
  }
  std::set<int> members(collective.devices.begin(), collective.devices.end());
  if (uneven.size() > unevenBefore
          ? planned.successorStart[node] != planned.successorStart[node + 1]
          : spans && outputs != members) {
    reason = "'" + nameOf(value) + "' is combined for some devices only";
    return false;
  }
  return true;
}
