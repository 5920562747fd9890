//===- StrategyPlan.h - Plan of a strategy, changed op by op ----*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The task graph of a strategy in the compact form that searches change and
// simulators run: blocks of tasks, one per kernel and one per value. Changing
// the configs of some ops plans only the values that they touch. `buildPlan`
// (Plan.h) writes the same plan out as actions on buffers.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_PLAN_STRATEGYPLAN_H
#define SOAP_PLAN_STRATEGYPLAN_H

#include "Soap/Plan/ValuePlanner.h"
#include "Soap/Topology/LinkCuts.h"

#include <limits>
#include <map>
#include <memory>

namespace soap {

/// The shards of a kernel under its config.
struct KernelPlan {
  bool active = false;
  KernelGeometry *geometry = nullptr;
  int replicas = 1;
  std::vector<int> devices;
  std::vector<ShardState> states; ///< by shard
  bool partialMode = false;
  std::vector<int64_t> durationNs; ///< by shard
  int64_t shortestNs = 1, longestNs = 1;
  /// Every device computes one shard, all of them for as long.
  bool isUniform = false;

  int pieces() const { return geometry->pieces; }
  bool operator==(const KernelPlan &) const = default;
};

/// Tasks of a strategy. Task (block, index) of a kernel's block is shard
/// `index` (where its state is not `Absent`), of a value's block entry `index`
/// of its `ValuePlan::tasks`. Blocks are numbered in a topological order, so
/// that (block, index) is the stable key of a task (docs/Simulator.md).
class StrategyPlan {
public:
  /// Keeps references.
  StrategyPlan(const Graph &graph, const CostModel &cost);
  StrategyPlan(const StrategyPlan &) = delete;
  StrategyPlan &operator=(const StrategyPlan &) = delete;

  /// Plans a whole strategy. Configs must have passed `checkConfig`.
  void set(const Strategy &strategy);
  /// Gives some nodes other configs. Kernels have them at once, values are
  /// planned by `finish`: between the two, `loadBoundNs` may show that the
  /// strategy is not worth planning.
  void change(std::span<const int> nodes, std::span<const Config> configs);
  /// With nothing pending: sets `ns` to what kernels of all nodes but some take
  /// of each device at least, whatever configs those nodes get.
  void loadWithoutNs(std::span<const int> nodes, std::vector<int64_t> &ns);
  /// Adds what the shards of a node take at least under a config to the entry
  /// of `ns` that its list of devices names. Keeps what it computes.
  void addShardNs(int node, const Config &config, std::vector<int64_t> &ns);
  /// Plans the values around what changed. Gives up, and returns false, as soon
  /// as the makespan is known to be above the limit; `revert` must follow then.
  bool finish(int64_t limitNs = std::numeric_limits<int64_t>::max());
  /// First half of `finish`, for simulators that plan as they go
  /// (DeltaSimulator.h): decides what shards do, and plans values that no
  /// kernel writes, or that may have tasks without predecessors. The others are
  /// *pending*: their plans are still those of before, without their loads.
  /// Returns false, as `finish`.
  bool prepare(int64_t limitNs);
  /// Values that are planned again between `prepare` and `finish`.
  const std::vector<int> &valuesToPlan() const { return dirtyValues; }
  bool isPending(int value) const { return valueDirty[value]; }
  bool hasPendingOperands(int slot) const { return pendingOperands[slot] > 0; }
  /// Plans a pending value. Returns false, as `finish`.
  bool planPending(int value, int64_t limitNs);
  /// After `prepare`: plans pending values between kernels that have changed
  /// and others, and returns false as soon as paths and the work after them
  /// show that the makespan is above the limit.
  bool planBorder(int64_t limitNs);
  /// After `prepare`: whether tasks without predecessors can be among those of
  /// kernels with pending operands. Pending values have no such tasks.
  bool mayHavePendingRoots() const { return pendingRoots; }
  /// After `prepare`: whether a task of a changed block had no predecessors.
  bool hadChangedRoots() const { return changedRoots; }
  /// Kernels that are not those of the last commit.
  const std::vector<int> &changedKernels() const { return savedKernelList; }
  bool isKernelChanged(int slot) const { return kernelSaved[slot]; }
  /// Values that have been planned since.
  const std::vector<int> &changedValues() const { return savedValueList; }
  /// Keeps the changes since the last commit, which must have been finished.
  void commit();
  /// Undoes them, finished or not.
  void revert();

  /// Between `change` and `finish`: a lower bound of the makespan from the
  /// kernels of each device. Replicas of linear ops may turn out to have
  /// nothing to do; they are looked for only where a first look is above the
  /// limit.
  int64_t loadBoundNs(int64_t limitNs);
  /// Between `change` and `finish`: a lower bound of the makespan from paths
  /// through changed kernels, and from what must pass the cuts of the topology
  /// (LinkCuts.h). Returns the first that is above the limit. Takes
  /// microseconds, planning takes far more.
  int64_t boundNs(int64_t limitNs = std::numeric_limits<int64_t>::max());
  /// Lower bound of the time from the end of any shard of a slot to the end of
  /// the iteration; 0 if neither `boundNs` nor `findPaths` was called since the
  /// last change.
  int64_t tailNs(int slot) const { return pathsAreValid ? tails[slot] : 0; }
  /// Computes heads and tails of all slots: the longest paths through kernels,
  /// without any waiting for resources.
  void findPaths();
  /// Sum of the durations of all tasks that occupy a resource; resources as in
  /// `makeResources`.
  const std::vector<int64_t> &loadNs() const { return load; }
  /// Bytes of all tiles of a device together, and of each message once more on
  /// its sender: what it needs at most, whatever the order of tasks.
  const std::vector<int64_t> &tileBytes() const { return bytes; }

  /// What was computed for configs that are not used any more is kept as long
  /// as it takes about so many bytes, for searches meet the same configs again.
  size_t mostCacheBytes = size_t(256) << 20;

  const Strategy &getStrategy() const { return strategy; }
  const Graph &getGraph() const { return graph; }
  const CostModel &getCost() const { return cost; }

  /// A kernel of the graph: a node, or one stage of it.
  struct Slot {
    int node = -1, stage = -1;
    const Kernel *kernel = nullptr;
    int kernelClass = -1; ///< KernelClass.h
    int block = -1;
  };
  /// What a block holds: a slot, or a value.
  struct Block {
    int slot = -1, value = -1;
  };
  struct Reader {
    int slot = -1, operand = -1; ///< or
    int output = -1;             ///< number of a graph output
  };

  const std::vector<Slot> &getSlots() const { return slots; }
  const std::vector<Block> &getBlocks() const { return blocks; }
  const KernelPlan &kernelPlan(int slot) const { return kernels[slot]; }
  const ValuePlan &valuePlan(int value) const { return plans[value]; }
  /// Readers of a value, in the order of `ValuePlan::bindings`.
  const std::vector<Reader> &readersOf(int value) const {
    return valueInfo[value].readers;
  }
  /// The tile that each shard of a slot reads as an operand, and the tiles of a
  /// graph output: entries of `ValuePlan::bindings`.
  const std::vector<int> &bindingOf(int slot, int operand) const {
    return plans[slots[slot].kernel->operands[operand]]
        .bindings[operandPlaces[slot][operand]];
  }
  const std::vector<int> &outputBinding(int output) const {
    return plans[graph.outputs[output].value].bindings[outputPlaces[output]];
  }
  int blockOf(int value) const { return valueInfo[value].block; }
  int inputOf(int value) const { return valueInfo[value].input; }
  /// The active slot that writes a value, -1: none.
  int producerOf(int value) const;
  Combiner combinerOf(int value) const;
  /// Regions of a value by number.
  const RegionTable &regionsOf(int value) const { return regions.table(value); }
  /// Calls `visit(plan, node)` for each place at which successors of a shard of
  /// a slot are listed: those of its results and of restored values.
  template <typename Visit>
  void forEachFed(int slot, int shard, Visit visit) const {
    for (int value : slots[slot].kernel->results)
      visit(plans[value], static_cast<size_t>(shard));
    for (int value : fedBy[slot]) {
      const ValuePlan &plan = plans[value];
      if (plan.sourceSlot == slot && plan.sourcesAreTasks)
        visit(plan, static_cast<size_t>(shard));
      if (plan.triggerSlot == slot)
        visit(plan, static_cast<size_t>(plan.sources) + plan.tasks.size() +
                        static_cast<size_t>(shard));
    }
  }
  /// The buffer of what it restores that a source of a restored value is: a
  /// reference in the plan of that value.
  int keptReference(int value, int source) const;
  const Restore *restoreOfValue(int value) const {
    auto it = restoreOf.find(value);
    return it == restoreOf.end() ? nullptr : it->second;
  }
  /// Tiles of a graph output: devices, in the order of its binding.
  const std::vector<int> &outputDevices(int output) const {
    return outputs[output].devices;
  }
  /// Number of predecessors of each shard, as often as successors name it.
  const std::vector<int> &predecessorCounts(int slot) const {
    return counts[slot];
  }
  /// Whether they are known: between `prepare` and `finish`, not of the readers
  /// of values that are planned again.
  bool isCounted(int slot) const { return !countsDirty[slot]; }
  /// Shards that have no predecessors.
  const std::vector<int> &rootsOf(int slot) const { return roots[slot]; }
  /// Whether a block has tasks without predecessors, by block.
  const std::vector<uint8_t> &blocksWithRoots() const { return hasRoots; }
  /// Lists of resources of tasks on several.
  const ResourceLists &resourceLists() const {
    return transfers.resourceLists();
  }
  /// Blocks whose tasks or edges are not those of the last commit, sorted.
  std::vector<int> changedBlocks() const;
  /// Tasks of all blocks.
  int64_t taskCount() const;

private:
  struct ValueInfo {
    std::vector<Reader> readers;
    std::vector<std::pair<int, int>> producers; ///< (slot, result)
    int input = -1;
    int block = -1;
  };
  struct OutputTiles {
    NeedSet needs;
    std::vector<int> devices;
  };
  struct InputTiles {
    BlockSet blocks;
    std::vector<int> devices;
  };

  const Graph &graph;
  const CostModel &cost;
  TransferTable transfers;
  LinkCuts cuts;
  GraphRegions regions;
  KernelClasses classes;
  GeometryBuilder builder;
  ValuePlanner planner;
  std::vector<Slot> slots;
  std::vector<Block> blocks;
  std::vector<ValueInfo> valueInfo;
  std::unordered_map<int, const Restore *> restoreOf; ///< by value
  std::vector<std::vector<int>> fedBy;                ///< by slot: values
  std::vector<ShardState> restoredStates; ///< of the source that is looked at
  std::vector<std::vector<int>> slotsOfNode; ///< whole first, then stages
  std::vector<int> linearSlots; ///< whose replicas may have nothing to do
  /// Places among the readers of a value: by slot and operand, by output.
  std::vector<std::vector<int>> operandPlaces;
  std::vector<int> outputPlaces;
  std::vector<std::unordered_map<std::vector<int64_t>,
                                 std::unique_ptr<KernelGeometry>, VectorHash>>
      geometries; ///< by class of kernels
  /// Blocks of own tiles of updated parameters: (geometry, operand).
  std::map<std::pair<const KernelGeometry *, int>, BlockSet> ownTiles;
  size_t geometryBytes = 0; ///< about
  std::vector<InputTiles> inputs;
  std::vector<OutputTiles> outputs;

  Strategy strategy;
  std::vector<KernelPlan> kernels;
  std::vector<ValuePlan> plans;
  std::vector<std::vector<int>> counts, roots; ///< by slot
  std::vector<uint8_t> hasRoots;               ///< by block
  std::vector<int64_t> kernelLoad, load, bytes;
  std::vector<int64_t> passing; ///< bytes, by cut
  /// By slot: lower bounds of the start of any shard, of the start of the last
  /// shard, and of what follows the end of any shard.
  std::vector<int64_t> heads, lateHeads, tails;
  /// What they need of a slot, packed: they are found for every proposal.
  struct PathNode {
    int64_t shortestNs = 1;
    /// By operand and by result, of the first 64: whether every piece touches
    /// some of it.
    uint64_t readsSome = 0, writesSome = 0;
    uint64_t readsAll = 0; ///< by operand: every element is in some piece
    /// By result: all pieces contribute to the same block.
    uint64_t sumsAll = 0;
    bool active = false;
    bool allCompute = false;
    bool isSingle = false;  ///< no replicas
    bool isUniform = false; ///< as KernelPlan::isUniform
  };
  /// From a writer to a reader of the same value.
  struct PathEdge {
    int from, to;
    int result, operand;
    int delay; ///< its place in `delays`
    /// Whether every shard of the reader waits for some shard of the writer,
    /// whether every shard of the writer is waited for, and whether every shard
    /// of the reader waits for every shard of the writer.
    bool inHeads = false, inTails = false, isJoin = false;
  };
  std::vector<PathNode> pathNodes; ///< by slot
  /// Those into slot i are
  /// `pathEdges[firstPathEdge[i] .. firstPathEdge[i + 1])`.
  std::vector<PathEdge> pathEdges;
  std::vector<int> firstPathEdge;
  std::vector<std::vector<int>> pathEdgesFrom; ///< by slot: their numbers
  /// How long shards wait for an operand after it is written, at least: every
  /// shard, and the last one.
  struct Delay {
    int64_t ns = 0, lateNs = 0;
    bool operator==(const Delay &) const = default;
  };
  /// By operand of a slot, from `firstDelay[slot]` on.
  std::vector<Delay> delays;
  std::vector<int> firstDelay;
  struct SavedDelay {
    int place; ///< in `delays`
    Delay delay;
  };
  /// What they were, in the order of changes: before those that hold until
  /// `forgetBounds`, and at the last commit.
  std::vector<SavedDelay> delayed, savedDelays;
  /// All slots, sorted by (head, slot) when `sortByHead` was called last.
  std::vector<std::pair<int64_t, int>> byHead;
  /// After `boundNs`: what is known to pass cuts in the end, and for which
  /// values of `bounded` only `leastBytes` (by value) is known of that.
  std::vector<int64_t> expected;
  std::vector<int> bounded;
  std::vector<std::vector<int64_t>> leastBytes;
  bool pathsAreValid = false;
  /// The result of the last `pathBoundNs`, and by how much it may have grown.
  int64_t pathNs = 0;
  std::vector<uint8_t> mayBePartial; ///< by slot: in partial mode, perhaps
  // What was there at the last commit, of what has changed.
  std::vector<KernelPlan> savedKernels;
  std::vector<ValuePlan> savedPlans;
  std::vector<std::vector<int>> savedCounts, savedRoots;
  std::vector<int64_t> savedKernelLoad, savedLoad, savedBytes, savedPassing;
  bool loadsSaved = false;
  std::vector<std::pair<int, Config>> savedConfigs;
  std::vector<bool> kernelSaved, valueSaved, countsSaved;
  std::vector<int> savedKernelList, savedValueList, savedCountList;
  // Work lists of one change.
  std::vector<bool> kernelDirty, countsDirty;
  std::vector<uint8_t> valueDirty;
  std::vector<int> dirtyKernels, dirtyValues;
  bool isPrepared = false, pendingRoots = false, changedRoots = false;
  std::vector<int> pendingOperands; ///< by slot
  std::vector<bool> isLeftOut;      ///< by slot, in `loadWithoutNs` only

  void enumerate();
  void trimCaches();
  KernelGeometry *geometryOf(int slot, const std::vector<int64_t> &degrees);
  void activate(int slot, const Config *config);
  bool resolve(int slot);
  bool findCopies(int value, ValueSource &source, int &slot);
  ValueSource restoredSource(const Restore &restore, int &sourceSlot,
                             int &triggerSlot);
  ValueSource sourceOf(int value);
  ValueUse useOf(int value, const Reader &reader);
  int64_t planValue(int value);
  void saveCounts(int slot);
  void countPredecessors(int slot);
  bool mayBeFilled(int value) const;
  bool waitsForTasks(int slot) const;
  void addKernelLoad(int slot, int64_t sign);
  int64_t addLoad(int value, int64_t sign);
  void subtractUncertain(int slot, std::vector<int64_t> &total) const;
  /// What must get to one reader of a value; see `addArrivals`.
  struct Arrival {
    const RegionTable *table;
    int64_t elementBytes, contributions;
    const KernelPlan *writer, *reader;
    const TileSets *written, *read;
    std::vector<int64_t> bytes; ///< by cut
    /// Of the luckiest shard, and of the unluckiest one.
    double delayNs, lateNs;
    double exchangeNs;  ///< of one exchange, if it is one
    int waitingDevices; ///< that lack some of what they read
    /// Tiles that may be put together from whole blocks of their readers: how
    /// many elements they have, and how many shards read them.
    struct Gathered {
      int64_t elements, readers;
    };
    std::vector<Gathered> gathered;
    bool isAsMuch(const Arrival &other) const;
  };
  /// Of the proposal that is looked at, the first `arrivalCount`.
  std::vector<Arrival> arrivals;
  size_t arrivalCount = 0;
  size_t arrivalOf(RegionTable &table, int64_t elementBytes,
                   int64_t contributions, const KernelPlan &writer,
                   const TileSets &written, const KernelPlan &reader,
                   const TileSets &read);
  void findArrival(RegionTable &table, Arrival &arrival) const;
  int64_t addArrivals(int value, std::vector<int64_t> &most);
  bool mayGather(std::span<const size_t> numbers) const;
  void findPartial();
  void listPathEdges();
  void updatePathNode(int slot);
  void updatePathEdge(PathEdge &edge);
  void updatePaths(const std::vector<int> &changed);
  void findHeads();
  void findTails();
  int64_t setDelay(int place, const Delay &delay);
  void sortByHead();
  int64_t pathBoundNs();
  int64_t addDelays(int value, bool isFinal);
  void dropDelays(int value);
  bool coversDevices(const std::vector<int> &devices);
  void forgetBounds();
  bool mayPass(int value, int64_t limitNs);
  void expect(const std::vector<int64_t> &before,
              const std::vector<int64_t> &now);
  void resolveDirty();
  void touch(int value);
  void placeOutput(int output);
};

/// The plan as actions on buffers; see Plan.h.
Plan buildPlan(const StrategyPlan &plan, bool expandCollectives = false);

} // namespace soap

#endif // SOAP_PLAN_STRATEGYPLAN_H
