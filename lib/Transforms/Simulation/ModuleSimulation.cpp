//===- ModuleSimulation.cpp - The strategy of a module, priced ------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ModuleSimulation.h.
//
//===----------------------------------------------------------------------===//

#include "ModuleSimulation.h"

#include "Transforms/Report/CompactIteration.h"

#include "Soap/Analysis/Stages.h"
#include "Soap/Dialect/Soap/SoapDialect.h"
#include "Soap/Dialect/Soap/StageAttributes.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::soap;

static ::soap::Expected<Simulation>
simulateOpByOp(const FunctionProblem &target, const ::soap::Strategy &strategy,
               const ::soap::PassOrder &order, PipelineAttr pipeline) {
  auto schedule = ::soap::findSchedule(
      stringifyPipelineSchedule(pipeline.getSchedule()).str());
  return simulatePasses(target.opGraph.graph, strategy, order, *schedule,
                        target.topology);
}

FailureOr<Simulation>
mlir::soap::simulateMicrobatches(ModuleOp module, const FunctionProblem &target,
                                 const ::soap::Strategy &strategy,
                                 PipelineAttr pipeline) {
  FailureOr<::soap::PassOrder> order =
      readPassOrder(target.opGraph, strategy, pipeline, target.topology);
  if (failed(order))
    return failure();
  ::soap::Expected<Simulation> simulated =
      simulateOpByOp(target, strategy, *order, pipeline);
  if (!simulated)
    return module.emitError()
           << "'" << SoapDialect::kPipeline << "': " << simulated.error();
  if (!module->hasAttr(kStages))
    simulated->prediction = predictPlacement(pipeline, target, strategy);
  return std::move(*simulated);
}

static std::string inMilliseconds(int64_t ns) {
  constexpr double nsPerMs = 1e6;
  return llvm::formatv("{0:F3} ms per iteration, simulated",
                       static_cast<double>(ns) / nsPerMs)
      .str();
}

FailureOr<std::string>
mlir::soap::describePrice(ModuleOp module, const FunctionProblem &target,
                          const ::soap::Strategy &strategy) {
  PipelineAttr pipeline = readPipeline(module->getAttr(SoapDialect::kPipeline));
  if (!pipeline)
    return inMilliseconds(target.problem->evaluate(strategy).makespanNs);
  std::string microbatches =
      llvm::formatv("{0} microbatches", pipeline.getMicrobatches()).str();
  auto stages = module->getAttrOfType<ArrayAttr>(kStages);
  if (!stages) {
    FailureOr<Simulation> simulation =
        simulateMicrobatches(module, target, strategy, pipeline);
    if (failed(simulation))
      return failure();
    return inMilliseconds(simulation->tasks.makespanNs) + ", " + microbatches;
  }
  microbatches += llvm::formatv(" through {0} stages", stages.size()).str();
  FailureOr<::soap::PassOrder> order =
      readPassOrder(target.opGraph, strategy, pipeline, target.topology);
  if (failed(order))
    return failure();
  // A folded plan takes least; some are simulated only as they are written out.
  // A plan that is too large for both can be drawn all the same.
  if (auto planned =
          ::soap::PlannedPasses::make(target.opGraph.graph, strategy, *order,
                                      target.topology, /*foldOnly=*/false))
    return inMilliseconds((*planned)->getTimeline().getMakespanNs()) + ", " +
           microbatches;
  if (auto simulation = simulateOpByOp(target, strategy, *order, pipeline))
    return inMilliseconds(simulation->tasks.makespanNs) + ", " + microbatches;
  return microbatches;
}
