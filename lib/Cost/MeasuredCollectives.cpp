//===- MeasuredCollectives.cpp - Collectives as a profile has them --------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See MeasuredCollectives.h.
//
//===----------------------------------------------------------------------===//

#include "MeasuredCollectives.h"

#include "Soap/Profile/CollectiveCurve.h"
#include "Soap/Profile/ProfileModel.h"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <utility>

using namespace soap;

bool soap::knowsCollectives(const Profile &profile, const DeviceType &type) {
  return !profile.collectives.empty() &&
         (profile.device == type.name ||
          profile.linkBandwidthBytesPerSecond > 0);
}

/// The kind that was measured and whose time is taken for `kind`: pieces of a
/// broadcast follow each other as pieces of an all-gather do.
static CollectiveKind measuredKind(CollectiveKind kind) {
  if (kind == CollectiveKind::Broadcast)
    return CollectiveKind::AllGather;
  return kind == CollectiveKind::Reduce ? CollectiveKind::ReduceScatter : kind;
}

bool soap::hasMeasuredLinks(const Topology &topology, const Profile &profile) {
  return std::ranges::any_of(topology.links, [&](const Link &link) {
    return isMeasuredBandwidth(profile, link.bandwidthBytesPerSecond);
  });
}

namespace {

/// The machines of a group of devices.
struct MachineSplit {
  int machines = 1; ///< with devices of the group
  int most = 1;     ///< devices of the group in one of them
  int first = 0;    ///< the first device of a machine with so many
};

/// Prices by the measured collectives of a profile.
class MeasuredPrices {
public:
  MeasuredPrices(CollectiveWorkspace::Parts &workspace, CollectiveKind kind,
                 const std::vector<int> &devices)
      : workspace(workspace), topology(workspace.topology), kind(kind),
        devices(devices), type(topology.typeOf(devices.front())) {}

  /// Nothing, if the profile says nothing of such a group. `across`: what the
  /// links between machines take, of a group on several.
  std::optional<CollectiveAlgorithm>
  find(const std::function<void(CollectiveAlgorithm &)> &across) {
    if (!type.costs || kind == CollectiveKind::Exchange)
      return std::nullopt;
    const Profile &profile = type.costs->getProfile();
    if (!knowsCollectives(profile, type))
      return std::nullopt;
    for (int device : devices)
      if (&topology.typeOf(device) != &type)
        return std::nullopt;
    MachineSplit split = findMachines();
    CollectiveAlgorithm algorithm;
    // Several machines that were measured as such.
    auto count = static_cast<int>(devices.size());
    for (const CollectiveEntries &entries : profile.collectives)
      if (split.machines > 1 && entries.kind == kind &&
          entries.nodes == split.machines && entries.devices == count) {
        algorithm.name = "measured";
        algorithm.inside = std::make_shared<CollectiveCurve>(entries);
        return algorithm;
      }
    if (split.most < 2 ? !isMeasuredInside(profile)
                       : !hasMeasuredLinks(profile, split))
      return std::nullopt;
    // Cores share their caches: only as many as were measured.
    bool onlyMeasured = type.copiesOccupyReceiver;
    CollectiveKind measured = measuredKind(kind);
    if (onlyMeasured && measured != kind)
      return std::nullopt;
    std::optional<CollectiveCurve> curve = CollectiveCurve::find(
        profile, measured, std::max(split.most, 2), onlyMeasured);
    if (!curve || (onlyMeasured && split.machines > 1))
      return std::nullopt;
    algorithm.inside = std::make_shared<CollectiveCurve>(std::move(*curve));
    double inside = std::max(split.most, 2);
    if (split.machines == 1) {
      algorithm.name = "measured";
      if (measured != kind)
        algorithm.insideShare = linkShare(kind, count) /
                                linkShare(measured, static_cast<int>(inside));
      return algorithm;
    }
    // Bytes flow through machines and between them at once.
    algorithm.name = "machines";
    across(algorithm);
    if (split.most < 2)
      algorithm.insideShare = 0; // no link of a machine
    else if (kind == CollectiveKind::AllToAll)
      algorithm.insideShare =
          inside * inside / (static_cast<double>(count) * count);
    return algorithm;
  }

private:
  CollectiveWorkspace::Parts &workspace;
  const Topology &topology;
  CollectiveKind kind;
  const std::vector<int> &devices; ///< ascending
  const DeviceType &type;

  MachineSplit findMachines() const {
    const std::vector<int> &machineOf = workspace.machineOf();
    std::unordered_map<int, std::pair<int, int>> groups; // first, count
    MachineSplit split;
    for (int device : devices) {
      auto &group =
          groups.try_emplace(machineOf[static_cast<size_t>(device)], device, 0)
              .first->second;
      if (++group.second > split.most) {
        split.most = group.second;
        split.first = group.first;
      }
    }
    split.machines = static_cast<int>(groups.size());
    return split;
  }

  /// Whether devices of the group that share a machine are on links of the same
  /// bandwidth as in the measured one.
  bool hasMeasuredLinks(const Profile &profile,
                        const MachineSplit &split) const {
    if (profile.linkBandwidthBytesPerSecond <= 0)
      return true;
    const std::vector<int> &machineOf = workspace.machineOf();
    for (int device : devices) {
      if (device == split.first ||
          machineOf[static_cast<size_t>(device)] !=
              machineOf[static_cast<size_t>(split.first)])
        continue;
      double least = std::numeric_limits<double>::infinity();
      for (int link : topology.route(split.first, device))
        least = std::min(
            least,
            topology.links[static_cast<size_t>(link)].bandwidthBytesPerSecond);
      if (!isMeasuredBandwidth(profile, least))
        return false;
    }
    return true;
  }

  /// The same of a device alone in its machine: its own links.
  bool isMeasuredInside(const Profile &profile) const {
    return profile.linkBandwidthBytesPerSecond <= 0 ||
           std::ranges::any_of(topology.links, [&](const Link &link) {
             return link.from == devices.front() &&
                    isMeasuredBandwidth(profile, link.bandwidthBytesPerSecond);
           });
  }
};

} // namespace

std::optional<CollectiveAlgorithm> soap::measuredCollective(
    CollectiveWorkspace::Parts &workspace, CollectiveKind kind,
    const std::vector<int> &devices,
    const std::function<void(CollectiveAlgorithm &)> &across) {
  return MeasuredPrices(workspace, kind, devices).find(across);
}
