//===- ExchangeLoads.cpp - Messages that start together -------------------===//
//
// The longest latency of a route, plus the bytes of the slowest link over its
// bandwidth.
//
//===----------------------------------------------------------------------===//

#include "Soap/Core/ExchangeLoads.h"

#include <algorithm>
#include <cmath>

using namespace soap;

void ExchangeLoads::add(const Message &message) {
  if (message.from == message.to || message.bytes <= 0)
    return;
  latencyNs = std::max(latencyNs, topology.distance(message.from, message.to));
  for (int link : topology.route(message.from, message.to)) {
    int64_t &bytes = load[static_cast<size_t>(link)];
    if (bytes == 0)
      used.push_back(link);
    bytes += message.bytes;
  }
}

void ExchangeLoads::add(const RouteSets &routes, std::span<const int> from,
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
  std::sort(cost.links.begin(), cost.links.end());
  latencyNs = 0;
  return cost;
}
