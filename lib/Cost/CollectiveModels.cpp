//===- CollectiveModels.cpp - Collectives that a search meets -------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model follows from the links of the routes between all pairs, in the order
// of device numbers: which routes share a link, how fast links are, and the
// types of devices. That is the pattern, with links numbered as they appear.
//
//===----------------------------------------------------------------------===//

#include "Soap/Cost/CollectiveModels.h"

#include "Soap/Support/VectorHash.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <utility>

using namespace soap;

/// Groups of up to so many devices are looked up by their patterns: of larger
/// ones, a search hardly meets two that are alike. Patterns of levels are
/// short.
static constexpr size_t maxForRoutes = 8, maxForLevels = 20;
static constexpr size_t maxPatterns = 20000;
static constexpr size_t groupPlaces = 2048; ///< a power of two
/// Numbers in patterns have 16 bits.
static constexpr size_t maxNumbers = 1 << 16;

CollectiveModels::CollectiveModels(const Topology &topology,
                                   TransferTable &transfers,
                                   const RouteLevels &levels)
    : topology(topology), transfers(transfers), levels(levels),
      workspace(topology),
      haveLevels(levels.isHierarchy() && levels.isUniform()),
      maxForPattern(haveLevels ? maxForLevels : maxForRoutes),
      groups(groupPlaces), placeOf(topology.links.size()) {
  std::map<std::pair<int64_t, double>, int> known;
  for (const Link &link : topology.links)
    classOf.push_back(
        known
            .try_emplace({link.latencyNs, link.bandwidthBytesPerSecond},
                         static_cast<int>(known.size()))
            .first->second);
  havePatterns =
      known.size() <= maxNumbers && topology.deviceTypes.size() <= maxNumbers;
}

void CollectiveModels::clear() {
  for (Group &group : groups)
    group.devices.clear();
  patterns.clear();
}

/// Sets `pattern` and `links`. Returns false where numbers do not fit.
bool CollectiveModels::findPattern(CollectiveKind kind,
                                   std::span<const int> list) {
  std::vector<int> &devices = sortedDevices;
  devices.assign(list.begin(), list.end());
  std::sort(devices.begin(), devices.end());
  devices.erase(std::unique(devices.begin(), devices.end()), devices.end());
  links.clear();
  pattern.clear();
  pattern.push_back(static_cast<char16_t>(kind));
  pattern.push_back(static_cast<char16_t>(
      std::find(devices.begin(), devices.end(), list.front()) -
      devices.begin()));
  if (haveLevels)
    addLevels(devices);
  else
    addRoutes(devices);
  addMachines(devices);
  for (int link : links)
    placeOf[static_cast<size_t>(link)] = 0;
  return havePatterns && links.size() < maxNumbers;
}

/// How far apart neighbours are says how far apart all are.
void CollectiveModels::addLevels(std::span<const int> devices) {
  int top = 0;
  for (size_t i = 1; i < devices.size(); ++i) {
    int level = levels.level(devices[i - 1], devices[i]);
    pattern.push_back(static_cast<char16_t>(level));
    top = std::max(top, level);
  }
  for (int device : devices)
    for (int link : levels.linksUpTo(device, top))
      if (std::exchange(placeOf[static_cast<size_t>(link)], 1) == 0)
        links.push_back(link);
}

/// Which routes share a link, and how fast links are.
void CollectiveModels::addRoutes(std::span<const int> devices) {
  auto add = [&](auto number) {
    pattern.push_back(static_cast<char16_t>(number));
  };
  add(devices.size());
  for (int device : devices)
    add(topology.devices[static_cast<size_t>(device)].type);
  for (int from : devices)
    for (int to : devices) {
      for (int link : topology.route(from, to)) {
        int &place = placeOf[static_cast<size_t>(link)];
        if (place == 0) {
          links.push_back(link);
          place = static_cast<int>(links.size());
        }
        add(place);
      }
      add(0);
    }
  for (int link : links)
    add(classOf[static_cast<size_t>(link)]);
}

/// Which devices share a machine: the place of the first that does.
void CollectiveModels::addMachines(std::span<const int> devices) {
  const std::vector<int> &machineOf = workspace.machineOf();
  for (int device : devices) {
    int machine = machineOf[static_cast<size_t>(device)];
    auto first = std::ranges::find_if(devices, [&](int other) {
      return machineOf[static_cast<size_t>(other)] == machine;
    });
    pattern.push_back(static_cast<char16_t>(first - devices.begin()));
  }
}

/// Links are places in `links`, or, if there are none, numbers.
void CollectiveModels::makePattern(CollectiveKind kind,
                                   std::span<const int> devices,
                                   Pattern &result) {
  result.model.emplace(workspace, kind, devices);
  result.links.clear();
  for (size_t i = 0; i < links.size(); ++i)
    placeOf[static_cast<size_t>(links[i])] = static_cast<int>(i);
  for (const CollectiveAlgorithm &algorithm : result.model->getAlgorithms()) {
    std::vector<int> &places = result.links.emplace_back();
    for (int link : algorithm.links)
      places.push_back(links.empty() ? link
                                     : placeOf[static_cast<size_t>(link)]);
  }
  for (int link : links)
    placeOf[static_cast<size_t>(link)] = 0;
}

/// The pattern of a small group, whose links are in `links`; null where it has
/// none.
const CollectiveModels::Pattern *
CollectiveModels::patternOf(CollectiveKind kind, std::span<const int> devices) {
  if (devices.size() > maxForPattern || !findPattern(kind, devices))
    return nullptr;
  if (patterns.size() > maxPatterns)
    clear();
  auto [known, isNew] = patterns.try_emplace(pattern);
  if (isNew)
    makePattern(kind, devices, known->second);
  return &known->second;
}

CollectiveModels::Group &
CollectiveModels::groupOf(CollectiveKind kind, std::span<const int> devices) {
  size_t hash = VectorHash()(devices) + static_cast<size_t>(kind);
  Group &group = groups[hash % groupPlaces];
  if (group.kind == kind && std::ranges::equal(group.devices, devices))
    return group;
  group.pattern = patternOf(kind, devices);
  if (!group.pattern) {
    // One of its own, with links as they are.
    links.clear();
    makePattern(kind, devices, group.own);
    group.pattern = &group.own;
  }
  group.kind = kind;
  group.devices.assign(devices.begin(), devices.end());
  group.links = links;
  group.resources.assign(group.pattern->links.size(), -1);
  return group;
}

/// The number of the list of an algorithm's links, `used` being the links of
/// the group.
int CollectiveModels::resourcesOf(std::span<const int> places,
                                  std::span<const int> used) {
  std::vector<int> &list = usedResources;
  list.clear();
  int firstLink = topology.deviceCount();
  for (int place : places)
    list.push_back(firstLink +
                   (used.empty() ? place : used[static_cast<size_t>(place)]));
  std::sort(list.begin(), list.end());
  return transfers.resourceNumber(list);
}

CollectiveModels::Price CollectiveModels::price(CollectiveKind kind,
                                                std::span<const int> devices,
                                                int64_t bytes) {
  assert(!devices.empty() && "at least one device");
  auto numberOf = [](const CollectiveModel &model,
                     const CollectiveAlgorithm &algorithm) {
    return static_cast<size_t>(&algorithm - model.getAlgorithms().data());
  };
  // The pattern of a few devices is found sooner than what is kept of them.
  constexpr size_t fewDevices = 6;
  if (haveLevels && devices.size() <= fewDevices)
    if (const Pattern *known = patternOf(kind, devices)) {
      const CollectiveModel &model = *known->model;
      const CollectiveAlgorithm *best = model.best(bytes);
      return {model.ns(bytes),
              best ? resourcesOf(known->links[numberOf(model, *best)], links)
                   : transfers.resourceNumber({})};
    }
  Group &group = groupOf(kind, devices);
  const CollectiveModel &model = *group.pattern->model;
  const CollectiveAlgorithm *best = model.best(bytes);
  if (!best)
    return {model.ns(bytes), transfers.resourceNumber({})};
  size_t number = numberOf(model, *best);
  assert(number < group.resources.size() && "an algorithm of the group");
  int &resources = group.resources[number];
  if (resources < 0)
    resources = resourcesOf(group.pattern->links[number], group.links);
  return {model.ns(bytes), resources};
}
