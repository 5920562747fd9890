//===- StagePasses.h - The passes of a graph's stages -----------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From stages and configs of one microbatch to the order in which devices do
// their passes. Functions of IR (Analysis/Stages.h) and searches, which have a
// graph alone, both go these steps.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_PIPELINE_STAGEPASSES_H
#define SOAP_PIPELINE_STAGEPASSES_H

#include "Soap/Model/Rewrite.h"
#include "Soap/Pipeline/Pipeline.h"
#include "Soap/Plan/PassOrder.h"

namespace soap {

/// Sets the loops over samples of passes. An error if a batch has fewer samples
/// than microbatches.
MaybeError findSampleLoops(const Graph &graph,
                           const std::vector<std::vector<Role>> &roles,
                           PassOrder &passes);

/// Sets the stages of nodes with loops over samples. `firsts` as for
/// `stagesOfNodes`. An error if an op is before the first stage.
MaybeError placeInStages(const Graph &graph, const std::vector<int> &forwardOf,
                         const std::vector<int> &firsts, PassOrder &passes);

/// An error if a pass is on a device that is none of its stage. Devices of
/// stages must be of the topology.
MaybeError checkStageDevices(const Graph &graph, const Strategy &strategy,
                             const std::vector<std::vector<int>> &stageDevices,
                             int deviceCount, const PassOrder &passes);

/// The passes of placed nodes, in the order of the schedule, unless `passes`
/// has an order, as `setRounds` gives it one (RoundPipeline.h). Nodes that run
/// once and follow from data alone run before all passes. An error if a stage
/// reads what another one computes again, if something with samples is kept in
/// one form, or if the schedule does not allow the stages. `inFlight` as for
/// `schedulePasses`.
MaybeError orderPasses(const Graph &graph, const StepFacts &facts,
                       PipelineSchedule schedule,
                       const std::vector<std::vector<int>> &stageDevices,
                       int deviceCount, const std::vector<int> &inFlight,
                       PassOrder &passes);

/// All of these steps.
Expected<PassOrder>
passesOfStages(const Graph &graph, const Strategy &strategy,
               const std::vector<std::vector<Role>> &roles,
               const StepFacts &facts, const std::vector<int> &firsts,
               const std::vector<std::vector<int>> &stageDevices,
               int64_t microbatches, PipelineSchedule schedule,
               int deviceCount);

} // namespace soap

#endif // SOAP_PIPELINE_STAGEPASSES_H
