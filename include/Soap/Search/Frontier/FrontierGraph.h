//===- FrontierGraph.h - A model as a cost graph ----------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a parallelization problem to what frontier tracking works on: a node per
// group of ops with its candidate configs, an edge per pair of groups that
// share values. Times follow OptCNN's model (nothing overlaps); memory is
// what one device holds at a position of the program, because what a training
// step holds over time is what its capacity is about, not the sum of all it
// ever holds.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_SEARCH_FRONTIER_FRONTIERGRAPH_H
#define SOAP_SEARCH_FRONTIER_FRONTIERGRAPH_H

#include "Soap/Model/Reuse.h"
#include "Soap/Search/Frontier/FrontierTracking.h"
#include "Soap/Search/Problem/ParallelizationProblem.h"

#include <functional>
#include <map>
#include <optional>

namespace soap {

/// Restrictions that make the spaces of others of that of TensorOpt (section
/// 5.1).
enum class FrontierSpace {
  All,
  OptCnn, ///< samples and loops of results, nothing computed twice
  ToFu,   ///< everything split over all devices, nothing computed twice
  Mesh,   ///< see `FrontierGraphOptions::meshSamples`
};

struct FrontierGraphOptions {
  /// The first so many devices are used; they should be alike.
  int devices = 1;
  /// Candidates per group; beyond these the best of each restricted space, an
  /// eighth (of each mesh a sixteenth) as many, and the configs of `known`.
  int maxConfigs = 16;
  int threads = 1;
  FrontierSpace space = FrontierSpace::All;
  /// Mesh-TensorFlow's restrictions: all devices are one mesh of `meshSamples`
  /// rows; samples are split over its rows everywhere, or nowhere if there is
  /// one row, and of every op at most one other loop over its columns.
  int meshSamples = 1;
  /// Whether values may be kept in one form only (tensor reuse, Reuse.h).
  bool reuse = true;
  /// Asked now and then.
  std::function<bool()> stopped = [] { return false; };
  /// Strategies whose configs are candidates where they are on the first
  /// devices.
  std::vector<Strategy> known;
};

/// A restricted space, as in `FrontierGraphOptions`.
struct FrontierRestriction {
  FrontierSpace space;
  int meshSamples;
};

/// The restricted spaces whose best candidates are candidates of the whole
/// space, too: OptCNN's, ToFu's and every mesh of so many devices.
std::vector<FrontierRestriction> frontierRestrictions(int devices);

/// Positions of a program, numbers of nodes, both included.
struct Lifetime {
  int from = 0, to = 0;
};

class FrontierGraph {
public:
  /// Prices candidates; keeps a reference. `isComplete` says whether it was
  /// stopped.
  FrontierGraph(const ParallelizationProblem &problem,
                FrontierGraphOptions options);

  bool isComplete() const { return complete; }
  const std::vector<std::vector<Config>> &getConfigs() const { return configs; }
  /// Tables of pairs of groups, and how many of them had to be computed.
  int64_t pairCount() const { return static_cast<int64_t>(pairs.size()); }
  int64_t pricedPairs() const { return priced; }

  /// The graph of one of `frontierRestrictions` with otherwise the same options
  /// and without known strategies. Nothing is priced again. None if a group has
  /// no config there. Only of a graph of the whole space.
  std::optional<FrontierGraph> restrictedTo(size_t restriction) const;

  /// The cost graph with what is held at a position. `tied`: time steps of a
  /// layer (groups that read the same weights) have one config, and are one
  /// node.
  FrontierProblem problemAt(int position, bool tied) const;
  /// All of it with memory over time (docs/CostGraph.md): nodes of groups come
  /// first, in their order, and hold what is there throughout. What is held for
  /// a time is a node that costs nothing and has to agree with its group, or
  /// with the pair of groups between which it is copied.
  CostGraph lifetimeGraph(std::optional<int64_t> capacity) const;
  /// The config of each group from that of each node of `problemAt`.
  std::vector<int> untie(const std::vector<int> &choice, bool tied) const;
  /// How values of each pair of groups are kept, from the alternative of each
  /// edge of `problemAt(position, tied)`.
  std::vector<Keep> keepsOf(const std::vector<int> &alternative, int position,
                            bool tied) const;

  // Of a config for each group:
  Strategy strategy(const std::vector<int> &choice) const;
  /// The most that the first device holds, and where. `keeps`: by pair, empty:
  /// both forms everywhere.
  MemoryPeak peakOf(const std::vector<int> &choice,
                    const std::vector<Keep> &keeps = {}) const;
  /// The entries of `keeps` for values that have copies.
  std::vector<KeptValue> keptValues(const std::vector<int> &choice,
                                    const std::vector<Keep> &keeps) const;
  /// Where the forward pass ends.
  int turningPoint() const;

private:
  /// Bytes are by config and value.
  struct Alone {
    std::vector<int64_t> timesNs, sourceBytes, copyBytes;
    std::vector<int> values;
    std::vector<Lifetime> sourceLives, copyLives; ///< by value
    /// By value: its source is counted by the one pair that reads it.
    std::vector<bool> isMoved;
  };
  /// A value of a pair that may be kept in one form: until when both passes
  /// read it, and from when on, as it was written and as it was read.
  struct Reusable {
    bool before = false, after = false;
    int writer = -1;  ///< group
    size_t place = 0; ///< among the values of its writer
    Lifetime source;  ///< all of it; the forward and the backward pass:
    Lifetime earlySource, lateSource, earlyCopy, lateCopy;
  };
  struct Pair {
    int first, second;
    std::vector<int64_t> timesNs, copyBytes, movingNs;
    std::vector<int> values;
    std::vector<Lifetime> lives;     ///< by value
    std::vector<Reusable> reusables; ///< by value
  };

  const ParallelizationProblem &problem;
  FrontierGraphOptions options;
  bool complete = false;
  int64_t priced = 0;
  std::vector<std::vector<Config>> configs; ///< by group
  std::vector<Alone> alone;                 ///< by group
  /// By group: equal for groups that differ in names alone.
  std::vector<size_t> kindOf;
  /// By kind and restriction: which of all candidates are of it.
  std::map<size_t, std::vector<std::vector<size_t>>> placesOf;
  std::vector<Pair> pairs;
  /// By restriction and group: places of configs that are of it.
  std::vector<std::vector<std::vector<size_t>>> restricted;
  /// By group: the first group that it is tied to, its number among those.
  std::vector<size_t> layerOf, layerNumber;

  // By value: where it is written (0: an input), and last read by each group.
  std::vector<int> writtenAt;
  std::vector<bool> isInput, isOutput;
  std::vector<std::vector<std::pair<int, int>>> lastReads;

  void findLifetimes();
  int lastRead(int value, int group = -1) const;
  Lifetime sourceLife(int value) const;
  Lifetime copyLife(int value, int group) const;
  bool priceGroups();
  void findLayers();
  std::vector<size_t> placesIn(FrontierSpace space, int meshSamples,
                               size_t group,
                               const std::vector<Config> &all) const;
  void cutConfigs(size_t group, const std::vector<size_t> &places);
  void keepCandidates(const std::vector<size_t> &groups);
  bool pricePairs();
  int64_t heldAt(const Alone &group, size_t config, int position) const;
  void findReusables();
  Lifetime passReads(int value, int group, bool backward) const;
  int64_t sourceBytesOf(const Pair &pair, size_t value, size_t entry) const;
  template <typename Visit>
  void forEachHeld(const Pair &pair, size_t entry, Keep keep,
                   Visit visit) const;
  std::vector<Keep> keepsAt(const Pair &pair, int position) const;
  EdgeAlternative edgeAt(const Pair &pair, int position, Keep keep) const;
};

/// Candidates of a group before any is priced: degrees that divide the number
/// of devices together, over at most three loops, on the first devices; with
/// replicas only if all devices are used.
std::vector<Config> frontierCandidates(const ParallelizationProblem &problem,
                                       int group,
                                       const FrontierGraphOptions &options);

/// Of candidates with these times and bytes the `most` that are worth looking
/// at, ascending: those that none dominates first, then those that only they
/// dominate, and so on; of the last that are too many, some at equal distances.
std::vector<size_t> bestCandidates(const std::vector<int64_t> &timesNs,
                                   const std::vector<int64_t> &bytes,
                                   size_t most);

} // namespace soap

#endif // SOAP_SEARCH_FRONTIER_FRONTIERGRAPH_H
