//===- PlanState.h - The plan of a strategy as it is ------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The task graph of a strategy in a compact form: blocks of tasks, one per
// kernel and one per value, with their devices, durations and dependencies.
// This is what simulators and memory models read. StrategyPlan.h changes it,
// `buildPlan` (Plan.h) writes it out as actions on buffers.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_PLAN_PLANSTATE_H
#define SOAP_PLAN_PLANSTATE_H

#include "Soap/Cost/TransferTable.h"
#include "Soap/Plan/KernelGeometry.h"
#include "Soap/Plan/Plan.h"
#include "Soap/Plan/ValuePlan.h"
#include "Soap/Topology/LinkCuts.h"

#include <cassert>
#include <span>
#include <unordered_map>

namespace soap {

/// The shards of a kernel under its config.
struct KernelPlan {
  bool active = false;
  KernelGeometry *geometry = nullptr;
  int replicas = 1;
  std::vector<int> devices;       ///< by shard
  std::vector<ShardState> states; ///< by shard
  bool partialMode = false;
  std::vector<int64_t> durationNs;       ///< by shard
  int64_t shortestNs = 1, longestNs = 1; ///< of `durationNs`
  /// Every device computes one shard, and all shards last equally long.
  bool isUniform = false;

  int pieces() const {
    assert(geometry && "the kernel must be active");
    return geometry->pieces;
  }
  bool operator==(const KernelPlan &) const = default;
};

/// The plan of a strategy, read-only. Task (block, index) of a kernel's block
/// is shard `index`, unless its state is `Absent`; of a value's block it is
/// entry `index` of `ValuePlan::tasks`. Blocks are numbered in a topological
/// order, so (block, index) is the stable key of a task (docs/Simulator.md).
class PlanState {
public:
  PlanState(const PlanState &) = delete;
  PlanState &operator=(const PlanState &) = delete;

  const Strategy &getStrategy() const { return strategy; }
  const Graph &getGraph() const { return graph; }
  const CostModel &getCost() const { return cost; }
  const LinkCuts &getCuts() const { return cuts; }

  /// A kernel of the graph: a node, or one stage of it.
  struct Slot {
    int node = -1, stage = -1;
    const Kernel *kernel = nullptr;
    int kernelClass = -1; ///< KernelClass.h
    int block = -1;
  };
  /// The tasks of a slot, or of a value.
  struct Block {
    int slot = -1, value = -1;
  };
  /// A reader of a value: an operand of a slot, or a graph output.
  struct Reader {
    int slot = -1, operand = -1;
    int output = -1;
  };
  /// A kernel that may write a value: its slot, and the number of its result.
  using Producer = std::pair<int, int>;

  /// Slots in a topological order.
  const std::vector<Slot> &getSlots() const { return slots; }
  const std::vector<Block> &getBlocks() const { return blocks; }
  /// Slots of a node: the whole kernel first, then its stages.
  const std::vector<int> &slotsOf(int node) const { return slotsOfNode[node]; }
  const KernelPlan &kernelPlan(int slot) const { return kernels[slot]; }
  const ValuePlan &valuePlan(int value) const { return plans[value]; }
  /// Readers of a value, in the order of `ValuePlan::bindings`.
  const std::vector<Reader> &readersOf(int value) const {
    return valueInfo[value].readers;
  }
  const std::vector<Producer> &producersOf(int value) const {
    return valueInfo[value].producers;
  }
  /// The tile that each shard of a slot reads as an operand, and the tiles of a
  /// graph output: entries of `ValuePlan::bindings`.
  const std::vector<int> &bindingOf(int slot, int operand) const {
    assert(operand >= 0 &&
           static_cast<size_t>(operand) < operandPlaces[slot].size() &&
           "no such operand");
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
  /// a slot are listed: the plans of its results and of restored values.
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
  /// Whether the executor has the result of a slot as a view of its operand.
  bool isView(int slot) const;
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
  /// Shards that have no predecessors.
  const std::vector<int> &rootsOf(int slot) const { return roots[slot]; }
  /// Whether a block has tasks without predecessors, by block.
  const std::vector<uint8_t> &blocksWithRoots() const { return hasRoots; }
  /// Lists of resources of tasks on several.
  const ResourceLists &resourceLists() const {
    return transfers.resourceLists();
  }
  /// The resources of a task of a value (`PlannedTask::resource`): one, or a
  /// list. The span may point to its argument.
  std::span<const int> resourcesOf(const int &resource) const {
    if (resource >= 0)
      return {&resource, 1};
    return resourceLists()[-1 - resource];
  }
  /// Sum of the durations in ns of all tasks that occupy a resource; resources
  /// as in `makeResources`.
  const std::vector<int64_t> &loadNs() const { return load; }
  /// The part of kernels, by device.
  const std::vector<int64_t> &kernelLoadNs() const { return kernelLoad; }
  /// Bytes of all tiles of a device together, of each message once more on its
  /// sender, and of temporaries of collectives: an upper bound of its memory,
  /// whatever the order of tasks.
  const std::vector<int64_t> &tileBytes() const { return bytes; }
  /// Bytes that pass each cut of the topology (LinkCuts.h).
  const std::vector<int64_t> &passingBytes() const { return passing; }
  /// The movements that each microbatch of a pipeline makes anew.
  const PlanRounds &getRounds() const { return rounds; }
  /// Tasks of all blocks.
  int64_t taskCount() const;

protected:
  /// Numbers slots and blocks, without a strategy. Keeps references.
  PlanState(const Graph &graph, const CostModel &cost);
  ~PlanState() = default;

  struct ValueInfo {
    std::vector<Reader> readers;
    std::vector<Producer> producers;
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

  // Of the graph and the topology.
  const Graph &graph;
  const CostModel &cost;
  LinkCuts cuts;
  KernelClasses classes;
  std::vector<Slot> slots;
  std::vector<Block> blocks;
  std::vector<ValueInfo> valueInfo;
  std::unordered_map<int, const Restore *> restoreOf; ///< by value
  std::vector<std::vector<int>> fedBy;                ///< by slot: values
  std::vector<std::vector<int>> slotsOfNode; ///< whole first, then stages
  /// Places among the readers of a value: by slot and operand, by output.
  std::vector<std::vector<int>> operandPlaces;
  std::vector<int> outputPlaces;

  // Of the strategy. StrategyPlan keeps them in agreement.
  TransferTable transfers;
  GraphRegions regions;
  GeometryBuilder builder;
  std::vector<InputTiles> inputs;
  std::vector<OutputTiles> outputs;
  Strategy strategy;
  std::vector<KernelPlan> kernels;
  std::vector<ValuePlan> plans;
  std::vector<std::vector<int>> counts, roots; ///< by slot
  std::vector<uint8_t> hasRoots;               ///< by block
  std::vector<int64_t> kernelLoad, load, bytes;
  std::vector<int64_t> passing; ///< bytes, by cut
  PlanRounds rounds;

private:
  void enumerate();
};

/// The plan as actions on buffers; see Plan.h.
Plan buildPlan(const PlanState &plan, bool expandCollectives = false);

} // namespace soap

#endif // SOAP_PLAN_PLANSTATE_H
