//===- PipelineReport.h - What a simulated pipeline says --------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of the report and the summary of soap-simulate that is about
// placements as pipelines.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_TRANSFORMS_REPORT_PIPELINEREPORT_H
#define SOAP_LIB_TRANSFORMS_REPORT_PIPELINEREPORT_H

#include "PassReport.h"
#include "Transforms/Support/StrategySupport.h"

#include "Soap/Analysis/Stages.h"

#include "llvm/Support/JSON.h"

namespace mlir::soap {

/// Load and pace of a placement as a pipeline, from times of passes alone.
struct PlacementPrediction {
  PlacedPipeline pipeline;
  ::soap::PipelineResult stages; ///< of stages of one device each
  ::soap::RoundOrder rounds;     ///< of others
};

/// The samples of a batch, the most microbatches it can be split in: the least
/// extent of loops over samples.
int64_t samplesOfBatch(const FunctionProblem &target);

/// Of a strategy that is the placement of a pipeline (`readPassOrder`).
PlacementPrediction predictPlacement(PipelineAttr attribute,
                                     const FunctionProblem &target,
                                     const ::soap::Strategy &strategy);

/// The prediction, and bubble, memory and microbatches in flight of the
/// simulated passes. `memoryBytes`: peaks by device.
void printPipelineReport(llvm::json::OStream &json,
                         const PlacementPrediction &prediction,
                         const PassReport &passes,
                         const std::vector<int64_t> &memoryBytes,
                         const ::soap::Topology &topology);
void printPipelineSummary(const PlacementPrediction &prediction,
                          const PassReport &passes,
                          const std::vector<int64_t> &memoryBytes,
                          const ::soap::Topology &topology,
                          llvm::raw_ostream &stream);

} // namespace mlir::soap

#endif // SOAP_LIB_TRANSFORMS_REPORT_PIPELINEREPORT_H
