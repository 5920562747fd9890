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
#include "Soap/Plan/PassOrder.h"

namespace mlir::soap {

/// By node, the node whose gradient or update it computes, -1: none.
std::vector<int> forwardNodesOf(const OpGraph &opGraph);

/// The passes of a pipeline whose ops have the configs of one microbatch.
/// Without `soap.stages` every op is whole on one device, and every device is a
/// stage. None: a pipeline of rounds (docs/Pipeline.md), which is not run in
/// microbatches. Emits an error where stages do not cover the ops, an op is on
/// devices of another stage, a batch has fewer samples than microbatches, or
/// the schedule does not allow it. `stages` null: the stages of the module.
FailureOr<std::optional<::soap::PassOrder>>
readPassOrder(const OpGraph &opGraph, const ::soap::Strategy &strategy,
              PipelineAttr pipeline, const ::soap::Topology &topology,
              const std::vector<StageEntry> *stages = nullptr);

} // namespace mlir::soap

#endif // SOAP_ANALYSIS_STAGES_H
