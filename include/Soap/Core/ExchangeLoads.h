//===- ExchangeLoads.h - Messages that start together -----------*- C++ -*-===//
//
// What links carry of messages that are one operation, and how long that takes:
// `exchangeCost` (CollectiveCost.h), for messages that come one by one or from
// many devices to many others.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_CORE_EXCHANGELOADS_H
#define SOAP_CORE_EXCHANGELOADS_H

#include "Soap/Core/CollectiveCost.h"
#include "Soap/Core/RouteSets.h"

namespace soap {

/// Keeps a reference to a topology with routes.
class ExchangeLoads {
public:
  explicit ExchangeLoads(const Topology &topology)
      : topology(topology), load(topology.links.size()) {}

  /// Nothing, if it is to the same device or empty.
  void add(const Message &message);
  /// From each device of `from` to each other device of `to`, as many bytes
  /// (above 0) as stand beside the sender. `routes` are those of the topology.
  void add(const RouteSets &routes, std::span<const int> from,
           std::span<const int64_t> bytes, std::span<const int> to);
  /// The cost of all together; begins anew.
  CollectiveCost take();

private:
  const Topology &topology;
  std::vector<int64_t> load; ///< bytes by link
  std::vector<int> used;     ///< links with any
  int64_t latencyNs = 0;
};

} // namespace soap

#endif // SOAP_CORE_EXCHANGELOADS_H
