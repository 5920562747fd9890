//===- RouteSets.h - Which devices send over which links --------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The routes of a topology by sets of devices. In a tree, and in many other
// networks, the pairs of devices whose routes take a link are all pairs of a
// sender of one set and a receiver of another. So the load of an exchange is
// counted link by link, from the numbers of senders and receivers, instead of
// message by message.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_TOPOLOGY_ROUTESETS_H
#define SOAP_TOPOLOGY_ROUTESETS_H

#include "Soap/Topology/Topology.h"

#include <span>

namespace soap {

/// Keeps a reference to a topology with routes. Not safe from several threads.
class RouteSets {
public:
  explicit RouteSets(const Topology &topology);

  /// Whether the pairs of every link are all pairs of two disjoint sets; false
  /// as well for more devices than are worth a table of all pairs. Nothing else
  /// may be asked then.
  bool areProducts() const { return !links.empty(); }
  /// Adds what links carry if each device of `to` gets from each other device
  /// of `from` the bytes (above 0) that stand beside it. `load` has an entry
  /// per link; those that were 0 and are not any more are appended to `used`.
  void addLoads(std::span<const int> from, std::span<const int64_t> bytes,
                std::span<const int> to, std::vector<int64_t> &load,
                std::vector<int> &used);
  /// The longest latency of a route from one list to the other, 0 if there is
  /// none.
  int64_t longestNs(std::span<const int> from, std::span<const int> to) const;

private:
  /// Sets are kept as they are, or as the devices that are not in them.
  struct Pairs {
    bool allSendersBut = false, allReceiversBut = false;
  };
  /// By device: links that have it in the list that is kept.
  struct Members {
    std::vector<size_t> start;
    std::vector<int> links;
    std::span<const int> of(int device) const {
      auto d = static_cast<size_t>(device);
      return std::span(links).subspan(start[d], start[d + 1] - start[d]);
    }
  };
  const Topology &topology;
  std::vector<Pairs> links;
  Members senders, receivers;
  std::vector<int> always; ///< links whose lists say what is not in both sets
  int64_t diameterNs = 0;
  /// Memory of `addLoads`: by link, what its lists say, and links with any.
  struct Listed {
    int64_t sent = 0, received = 0; ///< bytes, receivers
    bool isListed = false;
  };
  std::vector<Listed> listed;
  std::vector<int> listedLinks;

  static Members keep(const std::vector<std::vector<bool>> &sets,
                      size_t devices, bool Pairs::*allBut,
                      std::vector<Pairs> &links);
};

} // namespace soap

#endif // SOAP_TOPOLOGY_ROUTESETS_H
