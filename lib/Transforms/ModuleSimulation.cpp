//===- ModuleSimulation.cpp - The strategy of a module, priced ------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ModuleSimulation.h.
//
//===----------------------------------------------------------------------===//

#include "ModuleSimulation.h"

#include "Soap/Analysis/Stages.h"
#include "Soap/Dialect/Soap/SoapDialect.h"
#include "Soap/Dialect/Soap/StageAttributes.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::soap;

FailureOr<Simulation>
mlir::soap::simulateMicrobatches(ModuleOp module, const FunctionProblem &target,
                                 const ::soap::Strategy &strategy,
                                 PipelineAttr pipeline) {
  FailureOr<std::optional<::soap::PassOrder>> order =
      readPassOrder(target.opGraph, strategy, pipeline, target.topology);
  if (failed(order))
    return failure();
  Simulation simulation;
  if (*order) {
    ::soap::Expected<Simulation> simulated = simulatePasses(
        target.opGraph.graph, strategy, **order,
        *::soap::findSchedule(
            stringifyPipelineSchedule(pipeline.getSchedule()).str()),
        target.topology);
    if (!simulated)
      return module.emitError()
             << "'" << SoapDialect::kPipeline << "': " << simulated.error();
    simulation = std::move(*simulated);
  }
  if (module->hasAttr(kStages))
    return simulation;
  FailureOr<PipelineSimulation> simulated =
      simulateModulePipeline(module, pipeline, target, strategy);
  if (failed(simulated))
    return failure();
  if (*order) {
    simulated->result.bubble = simulation.passes->bubble;
  } else {
    simulation.tasks = std::move(simulated->tasks());
    simulation.memoryBytes =
        simulated->peakBytes(target.topology.deviceCount());
    summarizeTasks(simulation, target.topology);
  }
  simulation.pipeline = std::move(*simulated);
  return simulation;
}

FailureOr<std::string>
mlir::soap::describePrice(ModuleOp module, const FunctionProblem &target,
                          const ::soap::Strategy &strategy) {
  constexpr double nsPerMs = 1e6;
  constexpr const char *text = "{0:F3} ms per iteration, simulated";
  PipelineAttr pipeline = readPipeline(module->getAttr(SoapDialect::kPipeline));
  if (!pipeline)
    return llvm::formatv(text,
                         static_cast<double>(
                             target.problem->evaluate(strategy).makespanNs) /
                             nsPerMs)
        .str();
  FailureOr<Simulation> simulation =
      simulateMicrobatches(module, target, strategy, pipeline);
  if (failed(simulation))
    return failure();
  std::string stages;
  if (auto list = module->getAttrOfType<ArrayAttr>(kStages))
    stages = llvm::formatv(" through {0} stages", list.size()).str();
  return llvm::formatv(text, static_cast<double>(simulation->tasks.makespanNs) /
                                 nsPerMs)
             .str() +
         llvm::formatv(", {0} microbatches{1}", pipeline.getMicrobatches(),
                       stages)
             .str();
}
