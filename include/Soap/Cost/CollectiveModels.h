//===- CollectiveModels.h - Collectives that a search meets -----*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keeps the cost models of collectives over lists of devices. Random configs
// ask for dozens of lists that were never seen before, but few of them differ
// in more than the numbers of devices: on a cluster, two devices share a board,
// a machine or neither. So models of small groups are kept by the pattern of
// their routes; in a uniform hierarchy, by the levels between the devices. The
// last lists are kept as well, in places whose memory is reused.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_COST_COLLECTIVEMODELS_H
#define SOAP_COST_COLLECTIVEMODELS_H

#include "Soap/Cost/CollectiveCost.h"
#include "Soap/Cost/TransferTable.h"
#include "Soap/Topology/RouteLevels.h"

#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace soap {

/// Prices collectives. Not safe from several threads.
class CollectiveModels {
public:
  /// Keeps references to a topology with routes, to where lists of resources
  /// are numbered, and to the levels of the topology.
  CollectiveModels(const Topology &topology, TransferTable &transfers,
                   const RouteLevels &levels);

  struct Price {
    int64_t ns = 1;
    int resources = -1; ///< number of the list in the transfer table
  };
  /// Of a collective of `bytes`; devices as in CollectiveCost.h.
  Price price(CollectiveKind kind, std::span<const int> devices, int64_t bytes);
  RouteSets &routeSets() { return workspace.routeSets(); }
  CollectiveWorkspace &getWorkspace() { return workspace; }
  /// Forgets all; to be called when lists of resources get other numbers.
  void clear();

private:
  /// The models that groups of devices with the same pattern of routes share.
  struct Pattern {
    std::optional<CollectiveModel> model;
    /// By algorithm: its links, as places in the list of the group's links.
    std::vector<std::vector<int>> links;
  };
  /// A list of devices.
  struct Group {
    CollectiveKind kind = CollectiveKind::AllReduce;
    std::vector<int> devices; ///< empty: none
    const Pattern *pattern = nullptr;
    Pattern own;            ///< of large groups
    std::vector<int> links; ///< in the order of the pattern
    /// By algorithm: number of its list, -1: not asked for yet.
    std::vector<int> resources;
  };

  const Topology &topology;
  TransferTable &transfers;
  const RouteLevels &levels;
  CollectiveWorkspace workspace;
  bool haveLevels; ///< say what groups have in common
  size_t maxForPattern;
  std::vector<int> classOf;  ///< by link: latency and bandwidth
  std::vector<Group> groups; ///< those met last, by hash
  std::unordered_map<std::u16string, Pattern> patterns;
  bool havePatterns = true; ///< numbers of classes and types fit into 16 bits
  // Of the group that is looked at, memory kept.
  std::u16string pattern;
  std::vector<int> links, placeOf, sortedDevices;
  std::vector<int> usedResources; ///< by an algorithm of the group

  const Pattern *patternOf(CollectiveKind kind, std::span<const int> devices);
  Group &groupOf(CollectiveKind kind, std::span<const int> devices);
  int resourcesOf(std::span<const int> places, std::span<const int> used);
  bool findPattern(CollectiveKind kind, std::span<const int> devices);
  void addLevels(std::span<const int> sorted);
  void addRoutes(std::span<const int> sorted);
  void addMachines(std::span<const int> sorted);
  void makePattern(CollectiveKind kind, std::span<const int> devices,
                   Pattern &result);
};

} // namespace soap

#endif // SOAP_COST_COLLECTIVEMODELS_H
