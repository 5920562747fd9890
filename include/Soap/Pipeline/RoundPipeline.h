//===- RoundPipeline.h - Pipelines of any placement -------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pipelines whose stages are not one device each: placements that are not
// contiguous, whose devices have several stages (the virtual devices of section
// 5.2 of Tarnawski et al., 2020), and stages that several devices share, each
// of which takes every r-th microbatch (appendix H there). Each device does its
// passes in the order of a schedule that repeats every round, which is as long
// as the greatest load; docs/Pipeline.md.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_PIPELINE_ROUNDPIPELINE_H
#define SOAP_PIPELINE_ROUNDPIPELINE_H

#include "Soap/Pipeline/Pipeline.h"
#include "Soap/Plan/PassOrder.h"

namespace soap {

/// Devices `first`, `first + 1`, ... of a topology that have the same stages.
struct RoundGroup {
  int first = 0;
  int replicas = 1;
  /// Once for an iteration, after all backward passes.
  int64_t updateNs = 0;
  /// Parameters, optimizer state, sums of gradients.
  int64_t weightBytes = 0;
};

/// Ops of one pass that a group does in one go for a microbatch.
struct RoundStage {
  int group = 0;
  bool backward = false;
  int64_t ns = 0;
  int nodes = 0;
  /// Its stage in an order of passes: the i-th forward stage of a group and its
  /// i-th last backward stage are one.
  int passStage = 0;
};

/// Stage `to` needs what stage `from` makes; `bytes` are sent if they are of
/// different groups.
struct RoundEdge {
  int from = 0, to = 0;
  int64_t bytes = 0;
};

struct RoundPipeline {
  std::vector<RoundGroup> groups;
  std::vector<RoundStage> stages; ///< edges go to later ones; forward first
  std::vector<RoundEdge> edges;
  std::vector<int> stageOf; ///< by node, -1: an update
  int64_t microbatches = 1;
};

/// The pipeline of any placement: the device of each node of a training step or
/// an inference. `replicas`: by device of the topology, with how many devices,
/// itself and those after it, it shares its nodes; empty: with none. An error
/// if a device after it has nodes of its own, or is not there.
Expected<RoundPipeline> makeRoundPipeline(
    const Graph &graph, const std::vector<std::vector<Role>> &roles,
    const std::vector<int> &deviceOf, const std::vector<int> &replicas,
    int64_t microbatches, const CostModel &cost);

struct RoundOrder {
  /// As in `PipelineResult`; of r devices that share a stage each has 1/r of
  /// its work.
  int64_t loadNs = 0;
  std::string bottleneck;
  /// The time that another microbatch adds to the iteration, in the mean of as
  /// many as devices take turns over.
  int64_t steadyNs = 0;
  /// By stage: rounds after the one in which a microbatch enters.
  std::vector<int64_t> rounds;
  /// By device of the topology: its passes, in their order.
  std::vector<std::vector<PipelinePass>> order;
};

/// With 1F1B a device's passes are in the order of the schedule of rounds; with
/// GPipe forward passes come before all backward passes, and both have a
/// schedule of their own.
RoundOrder orderRounds(const RoundPipeline &pipeline, PipelineSchedule schedule,
                       const Topology &topology);

/// Sets stages of nodes, turns of devices and the order of an order of passes,
/// whose loops are known.
void setRounds(const RoundPipeline &pipeline, PipelineSchedule schedule,
               const Topology &topology, PassOrder &passes);

} // namespace soap

#endif // SOAP_PIPELINE_ROUNDPIPELINE_H
