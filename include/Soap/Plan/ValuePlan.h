//===- ValuePlan.h - How one value gets where it is needed ------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The communication plan of one value (docs/Plan.md): from the tiles that its
// producer writes to the tiles that its consumers read, by transfers, combines,
// assembles and fills. Depends on nothing but the configs of producer and
// consumers, so a search that changes one op plans only the values around it.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_PLAN_VALUEPLAN_H
#define SOAP_PLAN_VALUEPLAN_H

#include "Soap/Plan/KernelGeometry.h"

#include <span>

namespace soap {

/// Values that are moved anew for each microbatch of a pipeline, so that their
/// tiles need not be there in between: a round is a microbatch.
struct PlanRounds {
  int64_t count = 1;
  std::vector<bool> moves; ///< by value
  std::vector<int> loops;  ///< by node: the loop that is cut, -1: none
  /// The pieces of a device are the microbatches of a pipeline, which it
  /// computes one after the other: contributions are added up as they come, and
  /// no exchange joins the messages of many pieces.
  bool oneByOne = false;
};

/// Producer side of a value.
struct ValueSource {
  enum class Kind {
    None,      ///< no active kernel writes it
    Kernel,    ///< shards of a kernel
    Tiles,     ///< tiles of a graph input, present from the start
    Preplaced, ///< a graph input, present wherever it is needed
  } kind = Kind::None;
  const BlockSet *blocks = nullptr;
  std::span<const int> devices;       ///< by source (shard or tile)
  std::span<const ShardState> states; ///< by shard; of tiles empty
  int pieces = 1;                     ///< sources per replica
  /// Replicas are contributions (linear op in partial mode).
  bool partialMode = false;
  bool partial = false;
  bool ofProduct = false; ///< its kernel is a product
  Combiner combiner = Combiner::Sum;
  /// By source: its round (`PlanRounds`), whose contributions are reduced by
  /// themselves; empty: there are none.
  std::span<const int> rounds;
  /// Of a restored value (Reuse.h): its sources are tiles of what it restores,
  /// and what is made of them waits for shards of a kernel of the backward
  /// pass.
  bool isRestored = false;
  /// Readers of its sources wait for these shards, too.
  bool delaysReaders = false;
  std::span<const int> triggerDevices;       ///< by shard
  std::span<const ShardState> triggerStates; ///< by shard
};

/// One reader of a value: an operand of a kernel, or a graph output.
struct ValueUse {
  const NeedSet *needs = nullptr; ///< null: not active
  std::span<const int> devices;
  std::span<const ShardState> states; ///< empty: all shards read
  int pieces = 1;
  /// Reads its own tile of an updated parameter: source i for shard i.
  bool ownTile = false;
  /// In partial mode: each replica reads its share of the contributions.
  bool contributions = false;
  /// In partial mode, of a value that is not partial: replicas other than the
  /// first read zeros.
  bool zeroReplicas = false;
  /// Block of tasks of the kernel, -1: a graph output.
  int block = -1;
  /// By shard: the round (`PlanRounds`) whose tiles it reads, -1: none of them;
  /// empty: there are none.
  std::span<const int> rounds;
};

/// One step of the plan. Buffers are named by *references*: `r < sources` is a
/// source, `r - sources` else the action that writes it.
struct PlannedAction {
  ActionKind kind = ActionKind::Transfer;
  bool partial = false;
  int device = -1, source = -1;
  int region = -1; ///< of its output
  int firstInput = 0, inputCount = 0;
  int task = -1;
};

/// A task of a value, as simulators read it.
struct PlannedTask {
  int64_t durationNs = 1;
  /// A device, or, of tasks on several resources, -1 - number of a list.
  int resource = -1;
  int firstAction = 0;
  int collective = -1; ///< in `ValuePlan::collectives`
  int64_t bytes = 0;   ///< moved by a transfer
  int64_t packNs = 0;  ///< of its duration
};

/// A task of several devices: the first of its actions has all inputs, each of
/// them writes one output.
struct PlannedCollective {
  CollectiveKind kind = CollectiveKind::AllReduce;
  std::vector<int> devices; ///< ascending, but a root first
  int64_t bytes = 0; ///< of the whole tensor; of an exchange, of all messages
  /// Of devices that hold more than tiles while it runs: gathered pieces, or
  /// packed parts, that do not lie one after the other in a tile.
  Temporaries temporaries;
};

/// Task `index` of block `block`; see PlanState.h.
struct TaskRef {
  int block = -1, index = -1;
};

struct ValuePlan {
  int sources = 0;
  bool sourcesAreTasks = false;
  bool ofProduct = false; ///< its sources are what a product computes
  /// No tasks: shard i of every reader reads just what shard i of the writer
  /// has written, and of each shard the successors are in the order of readers.
  bool isInPlace = false;
  std::vector<PlannedAction> actions; ///< in dependency order, grouped by task
  std::vector<int> inputs;            ///< references
  std::vector<PlannedTask> tasks;
  std::vector<PlannedCollective> collectives;
  /// Per use, per shard: reference to the tile read, -1: none.
  std::vector<std::vector<int>> bindings;
  /// Bytes that its tasks move over each cut (LinkCuts.h); empty without tasks.
  std::vector<int64_t> passingBytes;
  /// Of graph inputs: the tiles (device, region), which are the sources; region
  /// -1: none.
  std::vector<std::pair<int, int>> tiles;
  /// Of a restored value: the slots (PlanState.h) whose shards are its
  /// sources, and whose shards its tasks wait for; -1: none.
  int sourceSlot = -1, triggerSlot = -1;
  /// Readers of its sources wait for shards of `triggerSlot`, too.
  bool delaysReaders = false;
  /// Tasks that wait for each source and task: `successors[start[i] .. start[i
  /// + 1])` with sources first, then tasks, then shards that tasks wait for.
  std::vector<int> successorStart;
  std::vector<TaskRef> successors;
  std::vector<int>
      predecessorCounts;  ///< by task, as often as successors name it
  std::vector<int> roots; ///< tasks without predecessors

  void clear();
};

} // namespace soap

#endif // SOAP_PLAN_VALUEPLAN_H
