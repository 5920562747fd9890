//===- CollectiveGroup.h - Collectives that programs run as one -*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Regular collectives of a plan: those whose devices all do the same, or one of
// them is the root. A program has one op for such a collective, which names the
// group; the transport does the rest. Other collectives are messages, assembles
// and combines of their task.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_PLAN_COLLECTIVEGROUP_H
#define SOAP_PLAN_COLLECTIVEGROUP_H

#include "Soap/Plan/Plan.h"

#include <functional>
#include <optional>

namespace soap {

class PlanState;

/// The devices that take part in a regular collective, and their buffers in the
/// plan.
/// All-reduce and reduce-scatter: every member gives an input and gets an
/// output. Reduce: every member gives, the root gets. Both may also be spread:
/// some members give and some get (`isSpread`). All-gather: member i
/// gives piece i, all get the whole. Broadcast: member 0 is the root and gives,
/// the others get. Exchange: every member gives a part of its tile to each
/// member, itself among them, and gets one of each: an all-to-all.
struct CollectiveGroup {
  CollectiveKind kind = CollectiveKind::AllReduce;
  /// Devices, each once. Sums are folded in this order. Devices that
  /// only get a result come last.
  std::vector<int> members;
  /// Place among the members; -1 if there is none.
  int root = -1;
  /// Buffers by member; -1: none. Of `regularGroup`: places in its lists.
  std::vector<int> inputs, outputs;
  /// Of the whole tensor.
  int64_t elements = 0;

  /// A sum or another fold of which some members give nothing, or some that
  /// give get nothing: the root, which gives, folds, and broadcasts.
  bool isSpread() const;

  /// Place of a device, or -1.
  int placeOf(int device) const;
};

/// The group of a collective that reads tiles of some devices and writes tiles
/// of some; none if it is not regular. Of an exchange, devices alone do not
/// say: `isAllToAll`.
std::optional<CollectiveGroup>
regularGroup(CollectiveKind kind, const std::vector<int> &inputDevices,
             const std::vector<int> &outputDevices);

/// Whether every output is assembled from a part of every input, all of
/// them different: the regions of an exchange that programs run as one.
bool isAllToAll(const std::vector<Region> &inputs,
                const std::vector<Region> &outputs);

/// The group of a collective whose actions are not expanded; none if it is not
/// regular.
std::optional<CollectiveGroup> collectiveGroup(const Plan &plan,
                                               const PlanCollective &entry);

/// The plan that programs are written from: as `buildPlan` with expanded
/// collectives, but regular ones keep their actions, of kind `Collective`: sums
/// where `mayAdd(value)`, other folds unless they scatter.
Plan buildProgramPlan(const Graph &graph, const Strategy &strategy,
                      const Topology &topology,
                      const std::function<bool(int)> &mayAdd);

Plan buildProgramPlan(const PlanState &plan,
                      const std::function<bool(int)> &mayAdd);

/// Part `piece` of a sum of `elements` that n devices share out: as even as
/// possible; small ones are summed by the first device alone. It is what
/// the host's transports do, and how bytes are counted on any.
Interval sumSlice(int64_t elements, int64_t elementBytes, int64_t n,
                  int64_t piece);

/// A step of a program for a regular collective. There is one, or two where
/// libraries cannot fold with the combiner: the root (the first device of an
/// all-reduce) gathers all parts and folds them, and broadcasts the result; and
/// where the group is spread: contributors reduce to the root, which broadcasts
/// to the readers. A gather is `AllToAll` with a root, an exchange one
/// without.
struct CollectiveStep {
  CollectiveKind kind = CollectiveKind::AllReduce;
  int root = -1;            ///< place among the members; -1: none
  std::vector<int> members; ///< devices that take part in this step
};
std::vector<CollectiveStep> stepsOf(const CollectiveGroup &group,
                                    Combiner combiner);

/// Calls `visit(from, to, elements)`, places in the group, for all messages of
/// a regular collective of n devices. `pieceElements`: of the piece of each
/// member (all-gather, reduce-scatter); of an all-to-all without a root, what
/// member i gives to member j at place i * n + j; else empty.
void forEachMessage(
    CollectiveKind kind, int n, int root, int64_t elements,
    int64_t elementBytes, const std::vector<int64_t> &pieceElements,
    const std::function<void(int from, int to, int64_t elements)> &visit);

} // namespace soap

#endif // SOAP_PLAN_COLLECTIVEGROUP_H
