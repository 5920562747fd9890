//===- PipelineReport.h - What a simulated pipeline says --------*- C++ -*-===//
//
// The part of the report and the summary of soap-simulate that is about
// microbatches and stages.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_TRANSFORMS_PIPELINEREPORT_H
#define SOAP_LIB_TRANSFORMS_PIPELINEREPORT_H

#include "StrategySupport.h"

#include "Soap/Core/Pipeline.h"

#include "llvm/Support/JSON.h"

namespace mlir::soap {

/// A pipeline as a module has it, and how it runs.
struct PipelineSimulation {
  ::soap::PipelineSchedule schedule;
  ::soap::Pipeline pipeline;
  ::soap::PipelineResult result;
};

/// Simulates the pipeline that `soap.pipeline` of a module and a strategy make.
/// An error if some op is not whole on one device, or stages have no order.
FailureOr<PipelineSimulation>
simulateModulePipeline(ModuleOp module, DictionaryAttr attribute,
                       const FunctionProblem &target,
                       const ::soap::Strategy &strategy);

void printPipelineReport(llvm::json::OStream &json,
                         const PipelineSimulation &simulation,
                         const ::soap::Topology &topology);
void printPipelineSummary(const PipelineSimulation &simulation,
                          const ::soap::Topology &topology,
                          llvm::raw_ostream &stream);

} // namespace mlir::soap

#endif // SOAP_LIB_TRANSFORMS_PIPELINEREPORT_H
