//===- CollectiveCost.h - Time of collectives over a topology ---*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prices of an all-reduce, all-gather, ... of a list of devices: for each
// algorithm that libraries use (single hop, ring, tree, hierarchical over
// nodes) a latency and a time per byte, from the routes that its messages take
// and the links that they share; the cheapest is taken. docs/CostModel.md has
// the formulas and where they come from.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_COST_COLLECTIVECOST_H
#define SOAP_COST_COLLECTIVECOST_H

#include "Soap/Model/CollectiveKind.h"
#include "Soap/Topology/Topology.h"

#include <memory>
#include <optional>
#include <span>

namespace soap {

class CollectiveCurve;
class RouteSets;
struct Profile;

struct CollectiveCost {
  int64_t ns = 1;         ///< at least 1, never less for more bytes
  std::vector<int> links; ///< ids of the links that are occupied, ascending
};

/// Whether measured collectives of a profile may hold for a type of device: it
/// is the measured one, or links decide, whose bandwidth is known.
bool knowsCollectives(const Profile &profile, const DeviceType &type);
/// Whether a topology has links as fast as the ones with which collectives of a
/// profile were measured.
bool hasMeasuredLinks(const Topology &topology, const Profile &profile);

/// Bytes from one device to another.
struct Message {
  int from = 0, to = 0;
  int64_t bytes = 0;
};

/// Messages of any devices that start together, as grouped sends and receives
/// of a library do: the longest latency of a route, plus the bytes of the
/// slowest link over its bandwidth.
CollectiveCost exchangeCost(const Topology &topology,
                            std::span<const Message> messages);

class CollectiveWorkspace;
/// The same, and where the profile has measured all-to-alls of one machine, at
/// least as long as the one that moves as much inside of a machine.
CollectiveCost exchangeCost(CollectiveWorkspace &workspace,
                            std::span<const Message> messages);

/// One way of doing a collective: `latencyNs + bytes * nsPerByte`, or, with a
/// measured curve of a machine, `latencyNs` and the longer of what the curve
/// and `nsPerByte` say.
struct CollectiveAlgorithm {
  const char *name = ""; ///< "direct", "ring", "rings", "tree", "hierarchical",
                         ///< "scatter", "measured", "machines"
  double latencyNs = 0;
  double nsPerByte = 0;
  std::vector<int> links; ///< ascending
  /// As measured in one machine; null: not measured.
  std::shared_ptr<const CollectiveCurve> inside = nullptr;
  double insideShare = 1; ///< of the tensor's bytes, what the curve counts
};

/// Shared by models over one topology: facts about its routes, and memory to
/// build the models. Keeps a reference to a topology with routes. Not safe from
/// several threads.
class CollectiveWorkspace {
public:
  explicit CollectiveWorkspace(const Topology &topology);
  ~CollectiveWorkspace();
  const Topology &getTopology() const;
  /// The sets of the topology, made when they are first asked for.
  RouteSets &routeSets();
  /// By device the number of its machine (`Topology::machines`), likewise.
  const std::vector<int> &machineOf();
  struct Parts; ///< lib/Cost/CollectiveWorkspace.h

private:
  friend class CollectiveModel;
  friend CollectiveCost exchangeCost(CollectiveWorkspace &workspace,
                                     std::span<const Message> messages);
  std::unique_ptr<Parts> parts;
};

/// All ways of doing one collective over one list of devices, to be asked for
/// any number of bytes: building it is what takes time (some microseconds for
/// 8 devices, some ten for 64), asking is a few nanoseconds.
class CollectiveModel {
public:
  /// Devices may come in any order and repeatedly; the numbers must be in
  /// range. With one device there is nothing to do: 1 ns, no links.
  CollectiveModel(CollectiveWorkspace &workspace, CollectiveKind kind,
                  std::span<const int> devices);
  /// With a workspace of its own: for a single model of a topology.
  CollectiveModel(const Topology &topology, CollectiveKind kind,
                  std::span<const int> devices);
  /// The algorithm that is cheapest by the links for this many bytes: it
  /// occupies its links. Null for a single device.
  const CollectiveAlgorithm *best(int64_t bytes) const;
  /// The price where a profile has measured the collective, without links; null
  /// where the links tell.
  const CollectiveAlgorithm *getMeasured() const {
    return measured ? &*measured : nullptr;
  }
  /// Duration for a whole tensor of `bytes` (negative counts as 0), at least 1.
  int64_t ns(int64_t bytes) const;
  /// Algorithms that no other one beats in both latency and time per byte.
  const std::vector<CollectiveAlgorithm> &getAlgorithms() const {
    return algorithms;
  }

private:
  std::vector<CollectiveAlgorithm> algorithms;
  std::optional<CollectiveAlgorithm> measured;
  double speed = 1; ///< of the executor's collectives, over the price
};

/// `CollectiveModel` for one number of bytes (of the whole tensor).
CollectiveCost collectiveCost(CollectiveWorkspace &workspace,
                              CollectiveKind kind, std::span<const int> devices,
                              int64_t bytes);
CollectiveCost collectiveCost(const Topology &topology, CollectiveKind kind,
                              std::span<const int> devices, int64_t bytes);

} // namespace soap

#endif // SOAP_COST_COLLECTIVECOST_H
