//===- Stages.h - The stages of a pipeline in a function --------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From `soap.pipeline` and the configs of a function to passes: which stage an
// op belongs to, which of its loops is cut into microbatches, and in which
// order devices do their passes.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_ANALYSIS_STAGES_H
#define SOAP_ANALYSIS_STAGES_H

#include "Soap/Analysis/OpGraph.h"
#include "Soap/Dialect/Soap/SoapDialect.h"
#include "Soap/Dialect/Soap/StageAttributes.h"
#include "Soap/Pipeline/RoundPipeline.h"
#include "Soap/Plan/PassOrder.h"

namespace mlir::soap {

/// By node, the node whose gradient or update it computes, -1: none.
std::vector<int> forwardNodesOf(const OpGraph &opGraph);

/// By stage, the node with which it begins. A function may lack the op that
/// begins a stage, as one in f32 lacks casts of weights and `@forward` lacks
/// the loss: then the stage begins with the next op that it has; the number of
/// nodes: it has none. A stage all of whose ops are missing begins where the
/// next one does. Emits an error if no function of the module has the op, if it
/// is not of the forward pass, or not behind that of the stage before.
FailureOr<std::vector<int>> firstNodesOf(const OpGraph &opGraph,
                                         ArrayRef<StageEntry> stages);

/// A placement, op by op, as a pipeline.
struct PlacedPipeline {
  ::soap::Pipeline stages; ///< of one device each
  /// Instead of `stages`, where devices share stages, or have several.
  std::optional<::soap::RoundPipeline> rounds;
};

/// The pipeline of ops whole on devices: the first one of each config. An error
/// if devices cannot share as `pipeline` says.
::soap::Expected<PlacedPipeline>
makePlacedPipeline(const ::soap::Graph &graph,
                   const std::vector<std::vector<::soap::Role>> &roles,
                   const ::soap::Strategy &strategy, PipelineAttr pipeline,
                   const ::soap::CostModel &cost);

/// The passes of a pipeline whose ops have the configs of one microbatch.
/// Without `soap.stages` every op is whole on one device, and
/// `makePlacedPipeline` makes the stages. Emits an error where stages do not
/// cover the ops, an op is on devices of another stage, a batch has fewer
/// samples than microbatches, or the schedule does not allow it. `stages` null:
/// the stages of the module.
FailureOr<::soap::PassOrder>
readPassOrder(const OpGraph &opGraph, const ::soap::Strategy &strategy,
              PipelineAttr pipeline, const ::soap::Topology &topology,
              const std::vector<StageEntry> *stages = nullptr);

} // namespace mlir::soap

#endif // SOAP_ANALYSIS_STAGES_H
