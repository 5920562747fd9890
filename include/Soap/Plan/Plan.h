//===- Plan.h - Communication plan: actions on buffers ----------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one implementation of sharding and communication: a graph and its configs
// become actions on buffers. The simulator prices the actions
// (Simulator/TaskGraph.h), the partitioner writes them as IR
// (Transforms/Partition): what is simulated is what runs.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_PLAN_PLAN_H
#define SOAP_PLAN_PLAN_H

#include "Soap/Cost/CollectiveCost.h"
#include "Soap/Model/Graph.h"
#include "Soap/Topology/Topology.h"

#include <array>

namespace soap {

/// A packed tile of a value on a device.
struct Buffer {
  int value = -1;
  int device = -1;
  Region region;
  int action =
      -1; ///< that writes it; -1: a graph input, present from the start
  bool partial = false;
  int viewOf = -1; ///< the buffer whose memory it is; -1: it has its own
};

enum class ActionKind {
  Compute,
  Fill,
  Assemble,
  Combine,
  Transfer,
  Collective
};

/// Stable sort key of an action: (block of a kernel or value, task in it, step
/// of the task), see PlanState.h; unique in a plan, independent of the order
/// of construction and of the history of a search.
using TaskKey = std::array<int64_t, 3>;

/// One op of the partitioned program.
/// Compute:  inputs = one buffer per kernel operand (-1: empty tile), outputs =
/// one per result, each exactly the region of the shard. Fill:     the neutral
/// value of a shard whose operand tile is empty, or zeros for a replica in
/// partial mode; no inputs. Assemble: output tile from inputs on the same
/// device (each contributes its intersection). Combine:  output tile folded
/// from partial inputs on the same device, in order; each contains the output's
/// region. Transfer: the output's region of inputs[0] (on `sourceDevice`) to
/// `device`.
struct Action {
  ActionKind kind = ActionKind::Compute;
  int device = -1;           ///< where it runs; of a transfer: the receiver
  int sourceDevice = -1;     ///< of a transfer
  int node = -1, stage = -1; ///< Compute and Fill of a shard: node of the
                             ///< graph, stage (-1: whole)
  int64_t shard = -1;        ///< index in the config of the kernel
  LoopBox box;               ///< Compute
  Combiner combiner = Combiner::Sum;
  double fillValue = 0;
  std::vector<int> inputs, outputs;
  TaskKey key{};
  int task = -1; ///< number of the task that it is part of
};

/// Bytes that devices need besides tiles.
struct DeviceBytes {
  int device = -1;
  int64_t bytes = 0;
};
using Temporaries = std::vector<DeviceBytes>;

/// A task that is one operation of several devices.
struct PlanCollective {
  int task = -1;
  CollectiveKind kind = CollectiveKind::AllReduce;
  std::vector<int> devices; ///< a root comes first
  /// Of the whole tensor, as in CollectiveCost.h; of an exchange, of all
  /// messages.
  int64_t bytes = 0;
  std::vector<Message> messages; ///< of an exchange
  Temporaries temporaries;       ///< see PlannedCollective
  /// All messages together, sent point to point: n devices move n - 1 times the
  /// tensor, in an all-reduce twice that.
  int64_t traffic() const {
    if (kind == CollectiveKind::Exchange)
      return bytes;
    return bytes * (static_cast<int64_t>(devices.size()) - 1) *
           (kind == CollectiveKind::AllReduce ? 2 : 1);
  }
};

/// Where a graph output or an updated parameter ends.
struct PlanOutput {
  int value = -1;
  std::vector<int> buffers;
};

struct Plan {
  std::vector<Buffer> buffers;
  std::vector<Action> actions; ///< in dependency order, tasks together
  /// First action of each task, then the number of actions. What one shard
  /// sends to one device is one task; otherwise every action is one.
  std::vector<int> taskStart;
  std::vector<PlanCollective> collectives; ///< by task number
  std::vector<std::vector<int>> inputs;    ///< per graph input: its buffers
  std::vector<PlanOutput> outputs;         ///< per graph output
  /// Tasks (second) that wait for one of which they read nothing (first):
  /// values that are restored (Reuse.h) wait for the backward pass.
  std::vector<std::pair<int, int>> waits;
  /// Per graph input: buffers (aligned with `inputs`) that replace it, for
  /// updated parameters; else empty.
  std::vector<std::vector<int>> updates;
};

/// Actions in the order of their tasks.
std::vector<int> actionOrder(const Plan &plan,
                             const std::vector<int> &taskOrder);

/// The kernel that a Compute action runs.
const Kernel &kernelOf(const Graph &graph, const Action &action);

/// Neutral value of a combiner (0, -inf, +inf); of `Moments` and `Softmax` the
/// first statistic decides: 0, -inf.
double neutralValue(Combiner combiner);

/// Builds the plan. Configs must have passed `checkConfig`. `topology` decides
/// which replica is nearest, and whether there are collectives.
/// `expandCollectives`: their actions are messages, assembles and combines,
/// which belong to the task of the collective.
Plan buildPlan(const Graph &graph, const Strategy &strategy,
               const Topology &topology, bool expandCollectives = false);

/// Naming of collectives in a plan: which transfers and combines of one value
/// form an all-reduce, reduce-scatter, all-gather, all-to-all, broadcast, halo
/// exchange, or stay point to point.
enum class ExchangePattern {
  PointToPoint,
  AllReduce,
  ReduceScatter,
  AllGather,
  AllToAll,
  Broadcast,
  HaloExchange,
  Reduce,
  Exchange
};
struct Exchange {
  int value = -1;
  ExchangePattern pattern = ExchangePattern::PointToPoint;
  std::vector<int> devices;
  int64_t bytes = 0; ///< over all transfers
};
std::vector<Exchange> classifyExchanges(const Graph &graph, const Plan &plan);
const char *patternName(ExchangePattern pattern);

} // namespace soap

#endif // SOAP_PLAN_PLAN_H
