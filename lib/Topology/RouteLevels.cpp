//===- RouteLevels.cpp - Topologies that are hierarchies ------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Levels are the latencies that occur; that they are a hierarchy is looked up
// in all routes.
//
//===----------------------------------------------------------------------===//

#include "Soap/Topology/RouteLevels.h"

#include <algorithm>
#include <tuple>
#include <utility>

using namespace soap;

/// Up to here all pairs are looked at.
static constexpr int maxDevices = 256;
static constexpr size_t maxLevels = 8;

RouteLevels::RouteLevels(const Topology &topology)
    : devices(topology.devices.size()) {
  if (topology.deviceCount() < 2 || topology.deviceCount() > maxDevices ||
      !findLevels(topology))
    return;
  levels = static_cast<int>(latencies.size()) - 1;
  if (findLists(topology))
    findUniform(topology);
  else
    levels = 0;
}

bool RouteLevels::findLevels(const Topology &topology) {
  int count = topology.deviceCount();
  latencies = {0};
  for (int a = 0; a < count; ++a)
    for (int b = 0; b < count; ++b)
      if (int64_t ns = topology.distance(a, b);
          a != b &&
          std::find(latencies.begin(), latencies.end(), ns) == latencies.end())
        latencies.push_back(ns);
  std::sort(latencies.begin(), latencies.end());
  if (latencies.size() > maxLevels || latencies[1] == 0)
    return false;
  for (int a = 0; a < count; ++a)
    for (int b = 0; b < count; ++b)
      levelOf.push_back(static_cast<uint8_t>(
          a == b ? 0
                 : std::lower_bound(latencies.begin(), latencies.end(),
                                    topology.distance(a, b)) -
                       latencies.begin()));
  // Groups are next to each other: two devices are as far apart as the
  // neighbours between them that are farthest apart.
  for (int a = 0; a < count; ++a) {
    int most = 0;
    for (int b = a + 1; b < count; ++b) {
      most = std::max(most, level(b - 1, b));
      if (level(a, b) != most || level(b, a) != most)
        return false;
    }
  }
  return true;
}

bool RouteLevels::findLists(const Topology &topology) {
  auto count = static_cast<int>(devices);
  size_t lists = devices * latencies.size();
  auto list = [&](int device, int level) {
    return static_cast<size_t>(device * static_cast<int>(latencies.size()) +
                               level);
  };
  // The links that all routes from (to) a device at a level share.
  std::vector<std::vector<int>> common[2];
  std::vector<bool> known[2];
  for (int end : {0, 1}) {
    common[end].resize(lists);
    known[end].resize(lists);
  }
  for (int a = 0; a < count; ++a)
    for (int b = 0; b < count; ++b) {
      if (a == b)
        continue;
      std::span<const int> route = topology.route(a, b);
      for (int end : {0, 1}) {
        size_t l = list(end == 0 ? a : b, level(a, b));
        std::vector<int> &links = common[end][l];
        if (!known[end][l])
          links.assign(route.begin(), route.end());
        else
          std::erase_if(links, [&](int link) {
            return std::find(route.begin(), route.end(), link) == route.end();
          });
        known[end][l] = true;
      }
    }
  // Every link is one of senders, or one of receivers.
  std::vector<bool> isOf[2] = {std::vector<bool>(topology.links.size(), true),
                               std::vector<bool>(topology.links.size(), true)};
  for (int a = 0; a < count; ++a)
    for (int b = 0; b < count; ++b)
      if (a != b)
        for (int link : topology.route(a, b))
          for (int end : {0, 1}) {
            const std::vector<int> &links =
                common[end][list(end == 0 ? a : b, level(a, b))];
            if (std::find(links.begin(), links.end(), link) == links.end())
              isOf[end][static_cast<size_t>(link)] = false;
          }
  for (size_t l = 0; l < topology.links.size(); ++l)
    if (!isOf[0][l] && !isOf[1][l])
      return false;
  auto keep = [&](int end, Lists &kept) {
    for (std::vector<int> &links : common[end]) {
      kept.start.push_back(kept.links.size());
      for (int link : links)
        if (isOf[end][static_cast<size_t>(link)] &&
            (end == 0 || !isOf[0][static_cast<size_t>(link)]))
          kept.links.push_back(link);
    }
    kept.start.push_back(kept.links.size());
  };
  keep(0, from);
  keep(1, to);
  std::vector<int> seen(topology.links.size(), -1);
  for (int device = 0; device < count; ++device)
    for (int m = 0; m < this->count(); ++m) {
      near.start.push_back(near.links.size());
      for (std::span<const int> links :
           {linksFrom(device, m), linksTo(device, m)})
        for (int link : links)
          if (std::exchange(seen[static_cast<size_t>(link)], device) != device)
            near.links.push_back(link);
    }
  near.start.push_back(near.links.size());
  return true;
}

void RouteLevels::findUniform(const Topology &topology) {
  auto count = static_cast<int>(devices);
  for (const Device &device : topology.devices)
    if (device.type != topology.devices[0].type)
      return;
  // All that two devices have, with links numbered as they appear: the same for
  // all pairs at one level.
  using Shape = std::vector<std::tuple<int, int64_t, double>>;
  std::vector<Shape> known(static_cast<size_t>(this->count()));
  std::vector<int> placeOf(topology.links.size()), links;
  Shape shape;
  for (int a = 0; a < count; ++a)
    for (int b = a + 1; b < count; ++b) {
      shape.clear();
      for (int device : {a, b})
        for (int m = 0; m < this->count(); ++m)
          for (std::span<const int> list :
               {linksFrom(device, m), linksTo(device, m)}) {
            for (int link : list) {
              int &place = placeOf[static_cast<size_t>(link)];
              if (place == 0) {
                links.push_back(link);
                place = static_cast<int>(links.size());
              }
              const Link &of = topology.links[static_cast<size_t>(link)];
              shape.emplace_back(place, of.latencyNs,
                                 of.bandwidthBytesPerSecond);
            }
            shape.emplace_back(0, 0, 0);
          }
      for (int link : links)
        placeOf[static_cast<size_t>(link)] = 0;
      links.clear();
      Shape &same = known[static_cast<size_t>(level(a, b))];
      if (same.empty())
        same = shape;
      else if (same != shape)
        return;
    }
  uniform = true;
}
