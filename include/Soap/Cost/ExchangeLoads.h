//===- ExchangeLoads.h - Messages that start together -----------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The load of each link, and the time, of messages that are one operation:
// `exchangeCost` (CollectiveCost.h) for messages that come one by one or from
// many devices to many others. In a hierarchy, single messages are summed by
// device and level first.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_COST_EXCHANGELOADS_H
#define SOAP_COST_EXCHANGELOADS_H

#include "Soap/Cost/CollectiveCost.h"
#include "Soap/Topology/RouteLevels.h"
#include "Soap/Topology/RouteSets.h"

#include <cassert>

namespace soap {

/// Keeps a reference to a topology with routes.
class ExchangeLoads {
public:
  /// `levels`: route levels of the topology, kept as a reference, or null.
  explicit ExchangeLoads(const Topology &topology,
                         const RouteLevels *levels = nullptr);

  /// Nothing, if it is to the same device or empty.
  void add(const Message &message) {
    assert(message.bytes >= 0 && "a negative message");
    if (message.from == message.to || message.bytes <= 0)
      return;
    if (!levels)
      return addRoute(message);
    auto level = static_cast<size_t>(levels->level(message.from, message.to));
    sent[static_cast<size_t>(message.from) * levelCount + level] +=
        message.bytes;
    received[static_cast<size_t>(message.to) * levelCount + level] +=
        message.bytes;
  }
  /// From each device of `from` to each other device of `to`, as many bytes
  /// (above 0) as stand beside the sender. `routes` are sets of the topology.
  void add(RouteSets &routes, std::span<const int> from,
           std::span<const int64_t> bytes, std::span<const int> to);
  /// The cost of all together; begins anew.
  CollectiveCost take();

private:
  const Topology &topology;
  const RouteLevels *levels; ///< null: messages are counted link by link
  size_t levelCount = 0;
  std::vector<int64_t> sent, received; ///< bytes by device and level
  std::vector<int64_t> load;           ///< bytes by link
  std::vector<int> used;               ///< links with any
  int64_t latencyNs = 0;

  void addRoute(const Message &message);
  void add(int link, int64_t bytes) {
    int64_t &known = load[static_cast<size_t>(link)];
    if (known == 0)
      used.push_back(link);
    known += bytes;
  }
  void addLevels();
};

} // namespace soap

#endif // SOAP_COST_EXCHANGELOADS_H
