//===- RouteLevels.h - Topologies that are hierarchies ----------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The levels of a hierarchical topology. In a cluster two devices share a
// board, a machine or a switch of the network; the level at which they meet
// says which links a message between them takes: links up from its sender and
// links down to its receiver. So the loads of many messages are counted by
// device and level, and groups of devices with equal levels between them are
// alike.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_TOPOLOGY_ROUTELEVELS_H
#define SOAP_TOPOLOGY_ROUTELEVELS_H

#include "Soap/Topology/Topology.h"

#include <cassert>
#include <span>

namespace soap {

/// A copy of what it needs of a topology with routes.
class RouteLevels {
public:
  explicit RouteLevels(const Topology &topology);

  /// Whether the topology is a hierarchy: devices at each level are next to
  /// each other by number, and the links of a route are some that follow from
  /// the sender and the level, and some that follow from the receiver and the
  /// level. False as well for more devices than are worth a table of all pairs,
  /// or many levels. Nothing else may be asked then.
  bool isHierarchy() const { return levels > 0; }
  /// Levels are numbered from 0, the device itself, to `count() - 1`.
  int count() const { return levels + 1; }
  int level(int a, int b) const {
    assert(a >= 0 && static_cast<size_t>(a) < devices && b >= 0 &&
           static_cast<size_t>(b) < devices && "no such device");
    return levelOf[static_cast<size_t>(a) * devices + static_cast<size_t>(b)];
  }
  /// Latency of routes at a level.
  int64_t latencyNs(int level) const {
    return latencies[static_cast<size_t>(level)];
  }
  /// Links that a message from a device to any other at this level takes
  /// because of its sender, and those to a device because of its receiver.
  std::span<const int> linksFrom(int device, int level) const {
    return from.of(device, level, count());
  }
  std::span<const int> linksTo(int device, int level) const {
    return to.of(device, level, count());
  }

  /// Whether all devices are of one type, and their links alike: for pairs at
  /// one level the same links are shared, and as fast.
  bool isUniform() const { return uniform; }
  /// All links of `linksFrom` and `linksTo` of a device up to a level, each
  /// once, links of lower levels first.
  std::span<const int> linksUpTo(int device, int level) const {
    assert(isHierarchy() && level >= 0 && level < count() && "no such level");
    size_t first = near.start[static_cast<size_t>(device * count())];
    return std::span(near.links)
        .subspan(first,
                 near.start[static_cast<size_t>(device * count() + level + 1)] -
                     first);
  }

private:
  /// Links by device and level.
  struct Lists {
    std::vector<size_t> start;
    std::vector<int> links;
    std::span<const int> of(int device, int level, int count) const {
      auto i = static_cast<size_t>(device * count + level);
      return std::span(links).subspan(start[i], start[i + 1] - start[i]);
    }
  };
  size_t devices;
  int levels = 0; ///< beyond that of the device itself
  bool uniform = false;
  std::vector<uint8_t> levelOf; ///< by pair
  std::vector<int64_t> latencies;
  Lists from, to, near;

  bool findLevels(const Topology &topology);
  bool findLists(const Topology &topology);
  void findUniform(const Topology &topology);
};

} // namespace soap

#endif // SOAP_TOPOLOGY_ROUTELEVELS_H
