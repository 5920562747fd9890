//===- Pipeline.h - Microbatches over stages --------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A placement as a pipeline: each device is a stage, a batch is split in
// microbatches, and stages work on different ones at a time. GPipe (Huang et
// al., 2019) runs all forward passes before the backward passes; 1F1B
// (Narayanan et al., PipeDream-Flush, 2021) alternates, with no more
// microbatches in flight than keep the slowest resource busy: p - s on stage s
// of p equal ones. The task graph is that of the simulator; docs/Pipeline.md.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_PIPELINE_PIPELINE_H
#define SOAP_PIPELINE_PIPELINE_H

#include "Soap/Model/Roles.h"
#include "Soap/Simulator/TaskGraph.h"
#include "Soap/Support/Error.h"

#include <optional>

namespace soap {

enum class PipelineSchedule {
  GPipe,
  OneForwardOneBackward,
  /// 1F1B in which a forward pass and the backward pass behind it run side by
  /// side: each computes while the other moves (docs/Pipeline.md).
  Overlapped
};
/// `gpipe`, `1f1b`, `1f1b-overlapped`.
const char *scheduleName(PipelineSchedule schedule);
std::optional<PipelineSchedule> findSchedule(const std::string &name);

/// The work of one device on one microbatch, in ns and bytes.
struct PipelineStage {
  int device = 0;
  int64_t forwardNs = 0, backwardNs = 0;
  /// Once for an iteration, after its last backward pass.
  int64_t updateNs = 0;
  /// Parameters, optimizer state, sums of gradients.
  int64_t weightBytes = 0;
  /// Bytes of the forward pass that the backward pass of a microbatch reads.
  int64_t activationBytes = 0;
  int nodes = 0; ///< ops
};

/// The bytes that a pass of a microbatch sends from one stage to another.
struct PipelineTransfer {
  int from = 0, to = 0; ///< numbers of stages
  bool backward = false;
  int64_t bytes = 0;
};

struct Pipeline {
  /// Forward values go from a stage to later ones, gradients to earlier ones.
  std::vector<PipelineStage> stages;
  std::vector<PipelineTransfer> transfers;
  int64_t microbatches = 1;
};

/// Time of a kernel for one microbatch on a device: of all loops over samples
/// the largest of `microbatches` pieces.
int64_t microbatchNs(const Graph &graph, const Kernel &kernel,
                     const std::vector<Role> &roles, int64_t microbatches,
                     const CostModel &cost, int device);
/// By value: whether it has a share of the samples, because the op that writes
/// it, or else one that reads it, goes over samples.
std::vector<bool> valuesOfSamples(const Graph &graph,
                                  const std::vector<std::vector<Role>> &roles);

/// By node, whether the backward pass of its stage may compute it again: all it
/// writes has samples and is read by its stage alone, and no op that follows
/// from data alone, and runs before all passes, needs it. `stages`: by node.
std::vector<bool> mayRecompute(const Graph &graph,
                               const std::vector<std::vector<Role>> &roles,
                               const std::vector<int> &stages);
/// By value: whether it is a graph input that stays on the devices that read
/// it: neither samples nor a parameter that an op updates, as the weights of a
/// model for inference.
std::vector<bool> frozenInputs(const Graph &graph,
                               const std::vector<std::vector<Role>> &roles);
/// Bytes of a value of one microbatch. Values have a share of the samples if
/// the op that writes them, or else one that reads them, goes over samples.
std::vector<int64_t>
microbatchBytes(const Graph &graph, const std::vector<std::vector<Role>> &roles,
                int64_t microbatches);

/// The pipeline of a placement: the device of each node of a training step (of
/// an inference, with no backward pass). `roles`: per node and loop. An error
/// if devices wait for each other in a circle (the placement is not
/// contiguous), or if a backward pass runs elsewhere than its order allows.
Expected<Pipeline> makePipeline(const Graph &graph,
                                const std::vector<std::vector<Role>> &roles,
                                const std::vector<int> &deviceOf,
                                int64_t microbatches, const CostModel &cost);

/// Tasks of one iteration: forward and backward pass of each microbatch on each
/// stage in the order of the schedule, transfers, updates.
TaskGraph buildPipelineTasks(const Pipeline &pipeline,
                             PipelineSchedule schedule,
                             const Topology &topology);

struct PipelineResult {
  TaskGraph tasks; ///< simulated
  /// Longest work of a device or link for one microbatch (section 5.3 of
  /// Tarnawski et al., 2020; of GPipe the longest forward work and the longest
  /// backward work): what a microbatch takes at least, once the pipeline is
  /// full.
  int64_t loadNs = 0;
  std::string bottleneck; ///< the resource that has it
  /// The time that another microbatch adds to the iteration.
  int64_t steadyNs = 0;
  /// Share of the iteration in which a stage computes nothing, mean of all.
  double bubble = 0;
  /// By stage: most microbatches in flight, and bytes with their activations.
  std::vector<int> inFlight;
  std::vector<int64_t> peakBytes;
};

PipelineResult simulatePipeline(const Pipeline &pipeline,
                                PipelineSchedule schedule,
                                const Topology &topology);

} // namespace soap

#endif // SOAP_PIPELINE_PIPELINE_H
