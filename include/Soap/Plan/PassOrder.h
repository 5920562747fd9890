//===- PassOrder.h - Microbatches in a plan ---------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A microbatch is a piece of the sample loop. The ops of a stage have configs
// for one microbatch; cut into microbatches they are configs that name their
// devices once for each. A pass is what a stage computes of one microbatch,
// forward or backward; each device does its passes one after the other, which
// the plan says by waits (docs/Pipeline.md).
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_PLAN_PASSORDER_H
#define SOAP_PLAN_PASSORDER_H

#include "Soap/Model/Roles.h"
#include "Soap/Plan/Plan.h"
#include "Soap/Plan/SimulationBudget.h"
#include "Soap/Support/Error.h"

#include <functional>

namespace soap {

/// The work of a stage on one microbatch, in one direction.
struct PipelinePass {
  int stage = 0;
  int64_t microbatch = 0;
  bool backward = false;
  auto operator<=>(const PipelinePass &) const = default;
};

/// The passes of a pipeline. Nodes without a stage or a sample loop run once:
/// updates, sums of gradients, constants.
struct PassOrder {
  int64_t microbatches = 1;
  /// By node: its stage, -1: none.
  std::vector<int> stages;
  /// By node: the loop over samples that is cut, -1: none.
  std::vector<int> sampleLoops;
  /// By device: its passes, in their order.
  std::vector<std::vector<PipelinePass>> order;
  /// By stage: how many devices take turns. Of r devices, of which configs name
  /// the first, the i-th has microbatches i, i + r, ... Empty: none do.
  std::vector<int> replicas;
  /// Whether two passes that follow each other, one forward and one backward,
  /// of different microbatches, run side by side.
  bool overlaps = false;

  bool runsOnce(int node) const {
    return stages[node] < 0 || sampleLoops[node] < 0;
  }
  /// How many devices behind the one of its config a node's device is.
  int turnOf(int node, int64_t microbatch) const {
    if (replicas.empty())
      return 0;
    return static_cast<int>(microbatch % replicas[stages[node]]);
  }
};

/// The loop over samples that microbatches cut, -1: none. Where several loops
/// have that role, as the dims of rows that samples and steps make together, it
/// is the first of more than one iteration.
int sampleLoopOf(const IterationSpace &space, const std::vector<Role> &roles);

/// By node, the stage of its forward op: the last one whose first node, of
/// `firsts` (ascending), is not behind it; -1: the op is before all of them.
/// `forwardOf`: by node, the node whose gradient or update it computes, -1:
/// none. Sums of gradients and the like are where the first of their operands
/// comes from.
std::vector<int> stagesOfNodes(const Graph &graph,
                               const std::vector<int> &forwardOf,
                               const std::vector<int> &firsts);

/// The strategy of all microbatches, from configs for one: the degree of the
/// sample loop times the microbatches, microbatch outermost, on the same
/// devices each time, or on those whose turn it is.
Strategy cutIntoMicrobatches(const Strategy &strategy, const PassOrder &passes);

/// The pass that a piece of a kernel belongs to; none: it runs once.
std::optional<PipelinePass> passOf(const Graph &graph, const PassOrder &passes,
                                   const Action &action);

/// Pieces of all ops. A plan has at most `maxPieces` (SimulationBudget.h).
int64_t countPieces(const Strategy &strategy);
/// The same in all microbatches, of configs for one microbatch.
int64_t countPieces(const Strategy &strategy, const PassOrder &passes);

/// The plan of configs for one microbatch under an order of passes, as
/// `buildPlan` (`mayAdd` null) or `buildProgramPlan` make it, with waits by
/// which every device does its passes in their order (lib/Plan/PassWaits.h). An
/// error if a pass reads of another microbatch, or if passes wait for each
/// other in a circle.
Expected<Plan> buildPipelinePlan(const Graph &graph, const Strategy &strategy,
                                 const PassOrder &passes,
                                 const Topology &topology,
                                 const std::function<bool(int)> *mayAdd);

} // namespace soap

#endif // SOAP_PLAN_PASSORDER_H
