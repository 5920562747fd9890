//===- ValuePlanner.h - Plans how values get to readers ---------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes the communication plan of one value at a time. The files in lib/Plan:
//
// - ValuePlanner.cpp: the order of the steps;
// - ValueOverlaps.cpp: which tiles overlap;
// - ValueMovement.cpp: how complete pieces move;
// - ValueContributions.cpp: how sums are made;
// - ValueActions.cpp: what each step costs.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_PLAN_VALUEPLANNER_H
#define SOAP_PLAN_VALUEPLANNER_H

#include "Soap/Cost/CollectiveModels.h"
#include "Soap/Cost/ExchangeLoads.h"
#include "Soap/Cost/TransferTable.h"
#include "Soap/Plan/ValuePlan.h"
#include "Soap/Topology/LinkCuts.h"

#include <memory>
#include <span>
#include <unordered_map>

namespace soap {

/// Plans values. Keeps caches; not safe from several threads.
class ValuePlanner {
public:
  /// Keeps references.
  ValuePlanner(const CostModel &cost, TransferTable &transfers,
               const LinkCuts &cuts);
  ~ValuePlanner();

  /// Plans a value into `plan`, whose memory is reused. `block` is the value's
  /// block of tasks.
  void plan(ShapeRegions &regions, int64_t elementBytes,
            const ValueSource &source, std::span<const ValueUse> uses,
            int block, ValuePlan &plan);

  /// In partial mode: sets the entries of shards whose replicas have
  /// contributions to what the shards need.
  void findContributors(ShapeRegions &regions, const ValueSource &source,
                        const ValueUse &use, std::vector<bool> &contributes);

  /// Up to so many messages of a complete value are sent one by one, each as
  /// soon as it can be; more are one exchange, where there are collectives.
  static constexpr int64_t fewMessages = 8;
  bool hasCollectives() const { return collectives; }

  /// Where the devices that are planned for stand for more (QuotientPlan.h):
  /// `times` messages are sent in truth for each `per` that are planned.
  struct Multiplicity {
    int64_t times = 1, per = 1;
  };
  /// Of the values that are planned next.
  Multiplicity multiplicity;

  /// The pieces of the devices come one by one (`PlanRounds`).
  bool oneByOne = false;

  /// About how many bytes its caches take.
  size_t cacheBytes() const { return overlapBytes; }
  void clearCaches();

private:
  /// Blocks that each piece of a reader overlaps.
  struct Overlaps {
    struct Entry {
      int block, region;
    };
    std::vector<int> start;
    std::vector<Entry> entries;
  };
  /// A block that a region overlaps: how much of it.
  struct Common {
    int block;
    bool whole; ///< the whole block
    int64_t elements;
    /// Whether the part lies in one piece in the block, and in the region; of
    /// `commonBlocks`.
    bool isRunOfBlock = true, isRunOfRegion = true;
  };
  struct Part {
    int block, region;
    int first, count; ///< buffers, in `partBuffers`
  };
  struct Tile {
    int region, reference;
  };
  struct Need {
    int region;
    const NeedSet *set;
    int piece;
    int reference;            ///< of the tile, once it is there
    const Overlaps *overlaps; ///< made when asked for
  };
  const Overlaps &overlapsOf(Need &need) {
    if (!need.overlaps)
      need.overlaps = &overlaps(*source->blocks, *need.set);
    return *need.overlaps;
  }
  struct OnDevice {
    std::vector<Need> needs;
    std::vector<Part> parts; ///< block -1: of whatever blocks it overlaps
    std::vector<Tile> tiles;
  };

  const CostModel &cost;
  TransferTable &transfers;
  const LinkCuts &cuts;
  int deviceCount;
  std::vector<OnDevice> byDevice;
  std::vector<int> usedDevices;
  std::vector<int> partBuffers;
  /// Sources by (block, contribution).
  std::vector<int> sourceStart, sourceList;
  std::vector<int> replicaOn; ///< by device, -1: none
  std::vector<bool> isRead;   ///< by source, in `exchangeAll`
  int contributions = 1;
  std::unordered_map<const ShapeRegions *,
                     std::unordered_map<uint64_t, Overlaps>>
      overlapCache;
  /// By number of the set of blocks, and region.
  std::unordered_map<const ShapeRegions *,
                     std::unordered_map<uint64_t, std::vector<Common>>>
      commonCache;
  size_t overlapBytes = 0; ///< of both
  struct NumbersHash {
    size_t operator()(const std::vector<int> &numbers) const {
      uint64_t h = numbers.size();
      for (int number : numbers)
        h = (h ^ static_cast<uint32_t>(number)) * 0x9E3779B97F4A7C15u;
      return h ^ h >> 32;
    }
  };
  struct Costs {
    std::vector<int64_t> fill, assemble; ///< by device type x region
    std::unordered_map<uint64_t, int64_t> combine;
    /// Where copies cost by their runs, by device type, region, and what it is
    /// made of; then of messages.
    std::unordered_map<std::vector<int>, int64_t, NumbersHash> assembleOf, pack;
  };
  std::unordered_map<const ShapeRegions *, Costs> costCache;
  RouteLevels levels;
  CollectiveModels models;
  bool collectives;            ///< the devices of the topology have them
  std::vector<bool> knowsRuns; ///< by device type: CostModel::knowsRuns
  ExchangeLoads exchanged;
  struct Scratch; ///< ValuePlannerScratch.h
  std::unique_ptr<Scratch> scratch;

  // The value being planned.
  ShapeRegions *regions = nullptr;
  RegionTable *table = nullptr;
  int64_t elementBytes = 4;
  const ValueSource *source = nullptr;
  ValuePlan *out = nullptr;
  std::unordered_map<uint64_t, Overlaps> *overlapsOfShape = nullptr;
  std::unordered_map<uint64_t, std::vector<Common>> *commonOfShape = nullptr;
  Costs *costs = nullptr;

  const Overlaps &overlaps(const BlockSet &blocks, const NeedSet &needs);
  void addGridOverlaps(const BlockSet &blocks, int need, Overlaps &result);
  void begin(ShapeRegions &regions, const ValueSource &source);
  void listSources();
  bool isInPlace(std::span<const ValueUse> uses) const;
  void planInPlace(std::span<const ValueUse> uses);
  std::span<const int> replicas(int block, int contribution) const;
  void sortNeeds(std::vector<Need> &needs);
  void collectNeeds(std::span<const ValueUse> uses, int round);
  static bool isInRound(const ValueUse &use, int shard, int round);
  static std::vector<int> roundsOf(std::span<const ValueUse> uses);
  void moveRound(std::span<const ValueUse> uses, int round);
  void bind(std::span<const ValueUse> uses, int round);
  /// The blocks that a region overlaps.
  const std::vector<Common> &commonBlocks(const BlockSet &blocks, int need);
  void findCommonBlocks(const BlockSet &blocks, int need,
                        std::vector<Common> &result);
  int64_t countCommonBlocks(const BlockSet &blocks, int need);
  void gatherAll();
  /// Tiles that a device lacks, as wide as it needs them.
  struct Wanted {
    int device, region;
  };
  void listWanted(std::vector<Wanted> &wanted, int64_t &messages);
  bool exchangeAll();
  bool exchange(std::span<const Wanted> wanted);
  void exchangeByRounds(std::span<const Wanted> wanted);
  int64_t exchangeRegion(int region, std::span<const int> readers,
                         std::vector<int> &sources, std::vector<int> &devices);
  Temporaries exchangeTemporaries(std::span<const Wanted> wanted,
                                  std::span<const int> sources);
  void sendAll();
  void reduceBlock(int block,
                   std::span<const std::pair<int, std::vector<int>>> groups);
  bool reduceInRounds(int block,
                      std::span<const std::pair<int, std::vector<int>>> groups);
  int addCollective(CollectiveKind kind, std::vector<int> devices,
                    int64_t bytes);
  Temporaries temporariesOf(CollectiveKind kind) const;
  static bool holds(const Part &part, int block) {
    return part.block == block || part.block < 0;
  }
  /// A tile, unless the device has one of the same region.
  static void addTile(OnDevice &place, int region, int reference);
  /// A part of a block that is on a device from now on.
  void arrive(int device, int block, int region, int reference);
  /// Buffers by the device that holds them.
  using BySource = std::vector<std::pair<int, InlineVector<int, 2>>>;
  /// Contributions to a block, in order, each from the replica that is nearest
  /// to a device; only those that `keep(sources, contribution)` takes.
  template <typename Keep>
  BySource contributionsBySource(int block, int device, Keep keep);
  BySource contributionsBySource(int block, int device);
  void combineAll();
  void combineGroup(int block, int region, std::span<const int> devices);
  int combineSlice(int block, int device, int region);
  int fold(int device, int region, const BySource &bySource, bool partial);
  void placeWhereNeeded();
  int materialize(OnDevice &place, int device, Need &need);
  int gatherContributions(const ValueUse &use, int shard);
  void listReplicas(const ValueUse &use, int piece);
  int assignedReplica(const ValueUse &use, std::span<const int> sources,
                      int contribution) const;
  int nearest(std::span<const int> replicas, int device);
  int regionOf(int reference) const;
  int addAction(ActionKind kind, int device, int from, int region,
                std::span<const int> inputs, bool partial, bool newTask = true);
  int64_t localNs(ActionKind kind, int device, int region,
                  std::span<const int> inputs);
  bool isInput(int reference) const;
  CopyPart partOf(int reference, int region, bool isMessage);
  int64_t assembleNs(int device, int region, std::span<const int> inputs);
  int64_t packNs(int device, int reference, int region);
  template <typename Visit>
  void forEachTrigger(std::span<const ValueUse> uses, int block,
                      Visit visit) const;
  void link(std::span<const ValueUse> uses, int block);
};

} // namespace soap

#endif // SOAP_PLAN_VALUEPLANNER_H
