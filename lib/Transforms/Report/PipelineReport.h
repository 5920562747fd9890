//===- PipelineReport.h - What a simulated pipeline says --------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of the report and the summary of soap-simulate that is about
// microbatches and stages.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_TRANSFORMS_REPORT_PIPELINEREPORT_H
#define SOAP_LIB_TRANSFORMS_REPORT_PIPELINEREPORT_H

#include "Transforms/Support/StrategySupport.h"

#include "Soap/Pipeline/RoundPipeline.h"

#include "llvm/Support/JSON.h"

namespace mlir::soap {

/// A pipeline as a module has it, and how it runs.
struct PipelineSimulation {
  ::soap::PipelineSchedule schedule;
  ::soap::Pipeline pipeline;
  ::soap::PipelineResult result;
  /// Instead of these, where devices share stages, or have several.
  std::optional<::soap::RoundPipeline> roundPipeline;
  ::soap::RoundResult roundResult;

  ::soap::TaskGraph &tasks() {
    return roundPipeline ? roundResult.tasks : result.tasks;
  }
  /// By device.
  std::vector<int64_t> peakBytes(int devices) const;
};

/// The samples of a batch, the most microbatches it can be split in: the least
/// extent of loops over samples.
int64_t samplesOfBatch(const FunctionProblem &target);

/// Simulates the pipeline that `soap.pipeline` of a module and a strategy make.
/// Devices that share stages (`replicas` there), and placements that are not
/// contiguous, are pipelines of rounds. An error if some op is not whole on one
/// device, or there are more microbatches than samples.
FailureOr<PipelineSimulation>
simulateModulePipeline(ModuleOp module, PipelineAttr attribute,
                       const FunctionProblem &target,
                       const ::soap::Strategy &strategy);

void printPipelineReport(llvm::json::OStream &json,
                         const PipelineSimulation &simulation,
                         const ::soap::Topology &topology);
void printPipelineSummary(const PipelineSimulation &simulation,
                          const ::soap::Topology &topology,
                          llvm::raw_ostream &stream);

} // namespace mlir::soap

#endif // SOAP_LIB_TRANSFORMS_REPORT_PIPELINEREPORT_H
