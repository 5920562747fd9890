//===- CollectiveGroup.cpp - Collectives that programs run as one ---------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See CollectiveGroup.h.
//
//===----------------------------------------------------------------------===//

#include "Soap/Plan/CollectiveGroup.h"

#include <algorithm>
#include <cassert>

using namespace soap;

int CollectiveGroup::placeOf(int device) const {
  auto it = std::find(members.begin(), members.end(), device);
  return it == members.end() ? -1 : static_cast<int>(it - members.begin());
}

/// Entries by place of their device in the group; false if a device has two, or
/// is no member.
static bool sortByMember(const std::vector<int> &devices,
                         const CollectiveGroup &group,
                         std::vector<int> &result) {
  result.assign(group.members.size(), -1);
  for (size_t i = 0; i < devices.size(); ++i) {
    int place = group.placeOf(devices[i]);
    if (place < 0 || result[place] >= 0)
      return false;
    result[place] = static_cast<int>(i);
  }
  return true;
}

static bool isComplete(const std::vector<int> &entries) {
  return std::find(entries.begin(), entries.end(), -1) == entries.end();
}

bool CollectiveGroup::isSpread() const {
  return (kind == CollectiveKind::AllReduce &&
          !(isComplete(inputs) && isComplete(outputs))) ||
         (kind == CollectiveKind::Reduce && !isComplete(inputs));
}

/// The first that contributes and reads, else the first that contributes.
static int spreadRoot(const CollectiveGroup &group) {
  for (size_t i = 0; i < group.members.size(); ++i)
    if (group.inputs[i] >= 0 && group.outputs[i] >= 0)
      return static_cast<int>(i);
  return 0;
}

std::optional<CollectiveGroup>
soap::regularGroup(CollectiveKind kind, const std::vector<int> &inputDevices,
                   const std::vector<int> &outputDevices) {
  CollectiveGroup group;
  group.kind = kind;
  // In the order of the contributions or pieces.
  group.members = inputDevices;
  if (kind == CollectiveKind::Broadcast) {
    group.root = 0;
    group.members.insert(group.members.end(), outputDevices.begin(),
                         outputDevices.end());
  }
  if (kind == CollectiveKind::AllReduce || kind == CollectiveKind::Reduce)
    for (int device : outputDevices)
      if (group.placeOf(device) < 0)
        group.members.push_back(device);
  if (group.members.size() < 2 || inputDevices.empty() ||
      outputDevices.empty() ||
      !sortByMember(inputDevices, group, group.inputs) ||
      !sortByMember(outputDevices, group, group.outputs))
    return std::nullopt;
  switch (kind) {
  case CollectiveKind::ReduceScatter:
  case CollectiveKind::AllGather:
    if (!isComplete(group.inputs) || !isComplete(group.outputs))
      return std::nullopt;
    return group;
  case CollectiveKind::AllReduce:
    if (group.isSpread())
      group.root = spreadRoot(group);
    return group;
  case CollectiveKind::Reduce:
    if (outputDevices.size() != 1)
      return std::nullopt;
    group.root =
        group.isSpread() ? spreadRoot(group) : group.placeOf(outputDevices[0]);
    return group;
  case CollectiveKind::Broadcast:
    if (inputDevices.size() != 1 || group.outputs[0] >= 0)
      return std::nullopt;
    return group;
  case CollectiveKind::Exchange:
    // Nothing is folded, so the order of the devices does.
    std::sort(group.members.begin(), group.members.end());
    if (!sortByMember(inputDevices, group, group.inputs) ||
        !sortByMember(outputDevices, group, group.outputs) ||
        !isComplete(group.inputs) || !isComplete(group.outputs))
      return std::nullopt;
    return group;
  case CollectiveKind::AllToAll:
    break;
  }
  return std::nullopt;
}

bool soap::isAllToAll(const std::vector<Region> &inputs,
                      const std::vector<Region> &outputs) {
  return std::all_of(outputs.begin(), outputs.end(), [&](const Region &output) {
    int64_t covered = 0;
    for (const Region &input : inputs) {
      int64_t part = input.intersect(output).volume();
      if (part == 0)
        return false;
      covered += part;
    }
    return covered == output.volume();
  });
}

std::optional<CollectiveGroup>
soap::collectiveGroup(const Plan &plan, const PlanCollective &entry) {
  int first = plan.taskStart[entry.task], last = plan.taskStart[entry.task + 1];
  if (plan.actions[first].kind != ActionKind::Collective)
    return std::nullopt;
  assert(first < last && !plan.actions[first].inputs.empty() &&
         "the first action has all inputs");
  const std::vector<int> &inputs = plan.actions[first].inputs;
  std::vector<int> outputs;
  for (int a = first; a < last; ++a)
    outputs.push_back(plan.actions[a].outputs[0]);
  auto devicesOf = [&](const std::vector<int> &buffers) {
    std::vector<int> devices;
    for (int buffer : buffers)
      devices.push_back(plan.buffers[buffer].device);
    return devices;
  };
  auto group = regularGroup(entry.kind, devicesOf(inputs), devicesOf(outputs));
  if (!group)
    return std::nullopt;
  for (int &place : group->inputs)
    place = place < 0 ? -1 : inputs[place];
  for (int &place : group->outputs)
    place = place < 0 ? -1 : outputs[place];
  // Of a reduce-scatter, what is summed; of an all-gather, what all get.
  int whole =
      entry.kind == CollectiveKind::ReduceScatter ? inputs[0] : outputs[0];
  group->elements = plan.buffers[whole].region.volume();
  return group;
}

std::vector<CollectiveStep> soap::stepsOf(const CollectiveGroup &group,
                                          Combiner combiner) {
  if (group.isSpread()) {
    assert(group.root >= 0 &&
           static_cast<size_t>(group.root) < group.members.size() &&
           "a spread group has a root");
    // Contributors are first among the members.
    CollectiveStep fold{combiner == Combiner::Sum ? CollectiveKind::Reduce
                                                  : CollectiveKind::AllToAll,
                        group.root,
                        {}};
    CollectiveStep spread{
        CollectiveKind::Broadcast, 0, {group.members[group.root]}};
    for (size_t i = 0; i < group.members.size(); ++i) {
      if (group.inputs[i] >= 0)
        fold.members.push_back(group.members[i]);
      if (group.outputs[i] >= 0 && static_cast<int>(i) != group.root)
        spread.members.push_back(group.members[i]);
    }
    if (spread.members.size() == 1)
      return {fold};
    return {fold, spread};
  }
  if (combiner != Combiner::Sum && group.kind == CollectiveKind::AllReduce)
    return {{CollectiveKind::AllToAll, 0, group.members},
            {CollectiveKind::Broadcast, 0, group.members}};
  if (combiner != Combiner::Sum && group.kind == CollectiveKind::Reduce)
    return {{CollectiveKind::AllToAll, group.root, group.members}};
  if (group.kind == CollectiveKind::Exchange)
    return {{CollectiveKind::AllToAll, -1, group.members}};
  return {{group.kind, group.root, group.members}};
}

Interval soap::sumSlice(int64_t elements, int64_t elementBytes, int64_t n,
                        int64_t piece) {
  assert(elements >= 0 && piece >= 0 && piece < n && "no such piece");
  // Below, messages cost more than bytes.
  constexpr int64_t minimumSplitBytes = 4096;
  if (elements * elementBytes < minimumSplitBytes)
    return piece == 0 ? Interval{0, elements} : Interval{elements, elements};
  return cut(elements, n, piece);
}

void soap::forEachMessage(CollectiveKind kind, int n, int root,
                          int64_t elements, int64_t elementBytes,
                          const std::vector<int64_t> &pieceElements,
                          const std::function<void(int, int, int64_t)> &visit) {
  assert(root < n && "the root is a member");
  assert((kind != CollectiveKind::AllGather &&
              kind != CollectiveKind::ReduceScatter ||
          pieceElements.size() == static_cast<size_t>(n)) &&
         "a piece a member");
  assert((kind != CollectiveKind::AllToAll || root >= 0 ||
          pieceElements.size() == static_cast<size_t>(n * n)) &&
         "a piece a pair of members");
  for (int from = 0; from < n; ++from)
    for (int to = 0; to < n; ++to) {
      if (from == to)
        continue;
      int64_t count = 0;
      switch (kind) {
      case CollectiveKind::AllReduce:
        // The part that `to` sums, then the part that `from` has summed.
        count = sumSlice(elements, elementBytes, n, to).size() +
                sumSlice(elements, elementBytes, n, from).size();
        break;
      case CollectiveKind::ReduceScatter:
        count = pieceElements[static_cast<size_t>(to)];
        break;
      case CollectiveKind::AllGather:
        count = pieceElements[static_cast<size_t>(from)];
        break;
      case CollectiveKind::Reduce:
        count = to == root ? elements : 0;
        break;
      case CollectiveKind::Broadcast:
        count = from == root ? elements : 0;
        break;
      case CollectiveKind::AllToAll: // with a root: a gather
        count = root < 0     ? pieceElements[(static_cast<size_t>(from) *
                                              static_cast<size_t>(n)) +
                                             static_cast<size_t>(to)]
                : to == root ? elements
                             : 0;
        break;
      case CollectiveKind::Exchange:
        break;
      }
      if (count > 0)
        visit(from, to, count);
    }
}
