//===- CollectiveModels.h - Collectives that a search meets -----*- C++ -*-===//
//
// Random configs ask for collectives over lists of devices that were never seen
// before, dozens for each. Few of them differ in more than the numbers of
// devices: on a cluster, two devices share a board, a machine or neither. So
// models of small groups are kept by the pattern of their routes.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_CORE_COLLECTIVEMODELS_H
#define SOAP_CORE_COLLECTIVEMODELS_H

#include "Soap/Core/CollectiveCost.h"
#include "Soap/Core/TransferTable.h"
#include "Soap/Core/VectorHash.h"

#include <algorithm>
#include <span>
#include <unordered_map>
#include <vector>

namespace soap {

/// Prices collectives. Not safe from several threads.
class CollectiveModels {
public:
  /// Keeps references to a topology with routes and to where lists of resources
  /// are numbered.
  CollectiveModels(const Topology &topology, TransferTable &transfers);

  struct Price {
    int64_t ns = 1;
    int resources = -1; ///< number of the list in the transfer table
  };
  /// Of a collective of `bytes`; devices as in CollectiveCost.h.
  Price price(CollectiveKind kind, std::span<const int> devices, int64_t bytes);
  /// Forgets all; to be called when lists of resources get other numbers.
  void clear() {
    models.clear();
    patterns.clear();
  }

private:
  /// What groups of devices with routes alike have in common.
  struct Pattern {
    CollectiveModel model;
    /// By algorithm: its links, as places in the list of the group's links.
    std::vector<std::vector<int>> links;
  };
  struct Model {
    const Pattern *pattern = nullptr;
    std::vector<int> links; ///< of the group, in the order of the pattern
    /// By algorithm: number of its list, -1: not asked for yet.
    std::vector<int> resources;
  };
  struct Key {
    CollectiveKind kind;
    std::vector<int> devices;
  };
  /// A key that owns nothing, to look up.
  struct View {
    CollectiveKind kind;
    std::span<const int> devices;
    View(CollectiveKind kind, std::span<const int> devices)
        : kind(kind), devices(devices) {}
    View(const Key &key) : kind(key.kind), devices(key.devices) {}
  };
  struct Hash {
    using is_transparent = void;
    size_t operator()(View key) const {
      return VectorHash()(key.devices) + static_cast<size_t>(key.kind);
    }
  };
  struct Equal {
    using is_transparent = void;
    bool operator()(View a, View b) const {
      return a.kind == b.kind && std::ranges::equal(a.devices, b.devices);
    }
  };

  const Topology &topology;
  TransferTable &transfers;
  std::vector<int> classOf; ///< by link: latency and bandwidth
  std::unordered_map<Key, Model, Hash, Equal> models;
  std::unordered_map<std::vector<int>, Pattern, VectorHash> patterns;
  // Of the group that is looked at, memory kept.
  std::vector<int> pattern, links, placeOf;

  Model &modelOf(CollectiveKind kind, std::span<const int> devices);
  void findPattern(CollectiveKind kind, std::span<const int> devices);
  Pattern makePattern(CollectiveKind kind, std::span<const int> devices);
};

} // namespace soap

#endif // SOAP_CORE_COLLECTIVEMODELS_H
