//===- ExchangeLoads.cpp - Messages that start together -------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The longest latency of a route, plus the bytes of the slowest link over its
// bandwidth.
//
//===----------------------------------------------------------------------===//

#include "Soap/Cost/ExchangeLoads.h"

#include <algorithm>
#include <cmath>
#include <utility>

using namespace soap;

ExchangeLoads::ExchangeLoads(const Topology &topology,
                             const RouteLevels *levels)
    : topology(topology),
      levels(levels && levels->isHierarchy() ? levels : nullptr),
      load(topology.links.size()) {
  if (!this->levels)
    return;
  levelCount = static_cast<size_t>(levels->count());
  sent.resize(topology.devices.size() * levelCount);
  received.resize(sent.size());
}

void ExchangeLoads::addRoute(const Message &message) {
  latencyNs = std::max(latencyNs, topology.distance(message.from, message.to));
  for (int link : topology.route(message.from, message.to))
    add(link, message.bytes);
}

/// Puts what was added up by device and level on links.
void ExchangeLoads::addLevels() {
  int top = 0;
  for (size_t i = 0; i < sent.size(); ++i) {
    auto device = static_cast<int>(i / levelCount),
         level = static_cast<int>(i % levelCount);
    if (int64_t bytes = std::exchange(sent[i], 0)) {
      top = std::max(top, level);
      for (int link : levels->linksFrom(device, level))
        add(link, bytes);
    }
    if (int64_t bytes = std::exchange(received[i], 0))
      for (int link : levels->linksTo(device, level))
        add(link, bytes);
  }
  latencyNs = std::max(latencyNs, levels->latencyNs(top));
}

void ExchangeLoads::add(RouteSets &routes, std::span<const int> from,
                        std::span<const int64_t> bytes,
                        std::span<const int> to) {
  // Sets are worth it for several messages a device.
  constexpr size_t fewMessages = 4;
  if (!routes.areProducts() ||
      from.size() * to.size() < fewMessages * (from.size() + to.size())) {
    for (size_t i = 0; i < from.size(); ++i)
      for (int device : to)
        add({from[i], device, bytes[i]});
    return;
  }
  routes.addLoads(from, bytes, to, load, used);
  latencyNs = std::max(latencyNs, routes.longestNs(from, to));
}

CollectiveCost ExchangeLoads::take() {
  if (levels)
    addLevels();
  // In order: where there are many, a look at all is less than sorting.
  constexpr size_t manyOf = 8;
  if (used.size() * manyOf > load.size()) {
    used.clear();
    for (size_t link = 0; link < load.size(); ++link)
      if (load[link] > 0)
        used.push_back(static_cast<int>(link));
  } else {
    std::sort(used.begin(), used.end());
  }
  CollectiveCost cost;
  double ns = 0;
  for (int link : used) {
    int64_t &bytes = load[static_cast<size_t>(link)];
    ns = std::max(
        ns,
        static_cast<double>(bytes) * 1e9 /
            topology.links[static_cast<size_t>(link)].bandwidthBytesPerSecond);
    bytes = 0;
  }
  cost.links.swap(used);
  // Far below the largest int64, so that sums over many tasks cannot overflow.
  constexpr double longest = 1e15;
  cost.ns = static_cast<int64_t>(
      std::clamp(std::ceil(ns) + static_cast<double>(latencyNs), 1.0, longest));
  latencyNs = 0;
  return cost;
}
