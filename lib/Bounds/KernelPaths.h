//===- KernelPaths.h - Bounds from paths through kernels --------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lower bounds from the longest paths through the kernels of a plan: when a
// shard of a kernel can start at the earliest (its head), and how long the
// iteration goes on after it at least (its tail). Values count as delays
// between kernels, as far as something is known of them. docs/Simulator.md has
// the formulas, and says why they hold.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_BOUNDS_KERNELPATHS_H
#define SOAP_LIB_BOUNDS_KERNELPATHS_H

#include "Soap/Plan/StrategyPlan.h"

namespace soap {

/// Keeps a reference to a plan, whose changes it must be told.
class KernelPaths {
public:
  explicit KernelPaths(StrategyPlan &plan);

  /// Lower bounds in ns of the time between the end of an operand's writer and
  /// the start of its reader: minimum and maximum over the shards of the
  /// reader.
  struct Delay {
    int64_t minNs = 0, maxNs = 0;
    bool operator==(const Delay &) const = default;
  };

  /// Kernels have changed, and their tiles are known.
  void update(std::span<const int> slots);
  /// Finds the slots that may be in partial mode (`mayBePartial`). The other
  /// functions need it after a change of kernels.
  void findPartial();
  bool mayBePartial(int slot) const { return partial[slot] != 0; }
  void findHeads();
  void findTails();
  void clearTails();
  /// By slot: lower bound in ns of the time from the end of any shard to the
  /// end of the iteration.
  const std::vector<int64_t> &getTails() const { return tails; }
  /// Lower bound of the makespan from paths through the touched kernels of the
  /// plan with what is known of delays, and from the work that devices have
  /// left when the last of it can start: all that starts at some head or later
  /// takes a device together at least as long from there. Finds heads.
  int64_t boundNs();

  /// Where the delay of an operand of a slot is.
  int placeOf(int slot, int operand) const {
    return firstDelay[slot] + operand;
  }
  /// Sets a delay until `forgetDelays`. Returns by how much it grows.
  int64_t setDelay(int place, const Delay &delay);
  /// Sets the delays of all readers of a value to the delays of its plan, if
  /// these are longer: of the tasks that bring what a shard reads, one after
  /// the other. They hold until `forgetDelays`, or are final until the commit.
  /// Returns by how much they grow together.
  int64_t addDelays(int value, bool isFinal);
  /// A value is planned again: its delays are unknown until then.
  void dropDelays(int value);
  /// Takes back what was set or dropped since the last call.
  void forgetDelays();
  /// Final delays stay, or become the last commit's again.
  void commitDelays() { savedDelays.clear(); }
  void revertDelays();

private:
  /// A kernel, packed: paths are found for every proposal.
  struct Node {
    int64_t shortestNs = 1;
    /// By operand and by result, of the first 64: every piece touches some of
    /// it.
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
  struct Edge {
    int from, to;
    int result, operand;
    int delay;            ///< its place in `delays`
    bool inHeads = false; ///< each shard of the reader waits for some shard
    bool inTails = false; ///< some shard waits for each shard of the writer
    bool isJoin = false;  ///< each shard waits for all shards of the writer
  };
  struct SavedDelay {
    int place;
    Delay delay;
  };

  StrategyPlan &plan;
  std::vector<int> linearSlots; ///< whose replicas may have nothing to do
  std::vector<uint8_t> partial; ///< by slot: in partial mode, perhaps
  std::vector<Node> nodes;      ///< by slot
  /// The edges into slot i are `edges[firstEdge[i] .. firstEdge[i + 1])`.
  std::vector<Edge> edges;
  std::vector<int> firstEdge;
  std::vector<std::vector<int>> edgesFrom; ///< by slot: their numbers
  /// By operand of a slot, from `firstDelay[slot]` on.
  std::vector<Delay> delays;
  std::vector<int> firstDelay;
  /// Former delays, in the order of changes: before those that hold until
  /// `forgetDelays`, and at the last commit.
  std::vector<SavedDelay> changedDelays, savedDelays;
  /// By slot: lower bounds of the start of any shard, of the start of the last
  /// shard, and of the time after the end of any shard.
  std::vector<int64_t> heads, lastHeads, tails;
  /// All slots, sorted by (head, slot) when `sortByHead` was called last.
  std::vector<std::pair<int64_t, int>> byHead;
  // Memory of `sortByHead`, `boundNs` and `addDelays`.
  std::vector<std::pair<int64_t, int>> keptHeads, movedHeads;
  std::vector<int64_t> deviceWork; ///< beyond what all devices have
  std::vector<int64_t> chainNs;    ///< by task of a value

  void listEdges();
  void updateNode(int slot);
  void updateEdge(Edge &edge);
  void sortByHead();
};

} // namespace soap

#endif // SOAP_LIB_BOUNDS_KERNELPATHS_H
