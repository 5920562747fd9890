//===- ModuleDrawing.cpp - The strategy of a module as SVG ----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From IR to the drawing of the search library.
//
//===----------------------------------------------------------------------===//

#include "Soap/Transforms/ModuleDrawing.h"

#include "ModuleSimulation.h"
#include "StageDrawing.h"
#include "Transforms/Report/StrategyExport.h"
#include "Transforms/Support/StrategySupport.h"

#include "Soap/Analysis/Stages.h"
#include "Soap/Dialect/Soap/SoapDialect.h"
#include "Soap/Dialect/Soap/StageAttributes.h"
#include "Soap/Plan/StrategyFile.h"
#include "Soap/Search/Report/StrategyDrawing.h"

using namespace mlir;
using namespace mlir::soap;

/// Stages of several devices, in microbatches.
static FailureOr<std::string> drawPipeline(ModuleOp module,
                                           const FunctionProblem &target,
                                           const ::soap::Strategy &strategy,
                                           PipelineAttr pipeline) {
  FailureOr<::soap::PassOrder> order =
      readPassOrder(target.opGraph, strategy, pipeline, target.topology);
  if (failed(order))
    return failure();
  FailureOr<std::string> price = describePrice(module, target, strategy);
  if (failed(price))
    return failure();
  std::string title = drawingTitle(module, target.topology.name) + ", @" +
                      func::FuncOp(target.function).getName().str() + ": " +
                      *price;
  return drawStages(target, strategy, *order,
                    pipeline.getSchedule() == PipelineSchedule::GPipe ? "GPipe"
                                                                      : "1F1B",
                    title);
}

/// The problem of a function whose ops have configs.
static FailureOr<std::unique_ptr<FunctionProblem>>
openPlanned(ModuleOp module, StringRef topology, StringRef profile,
            StringRef function) {
  if (failed(checkHasStrategy(module, function)))
    return failure();
  if (topology.empty() && !module->hasAttr(SoapDialect::kTopology))
    return module.emitError(
        "has no topology: give '--topology=NAME' (for example "
        "'--topology=cpu-4'), or set the module attribute 'soap.topology'");
  return openProblem(module, topology, profile, function);
}

FailureOr<std::string> mlir::soap::printModuleStrategy(ModuleOp module,
                                                       StringRef topology,
                                                       StringRef profile,
                                                       StringRef function) {
  auto opened = openPlanned(module, topology, profile, function);
  if (failed(opened))
    return failure();
  FunctionProblem &target = **opened;
  FailureOr<::soap::Strategy> strategy =
      readStrategy(target.opGraph, target.topology.deviceCount());
  if (failed(strategy))
    return failure();
  FailureOr<::soap::StrategyFile> file =
      makeStrategyFile(module, target.opGraph, *strategy, target.topology);
  if (failed(file))
    return failure();
  return ::soap::printStrategyFile(*file);
}

FailureOr<std::string> mlir::soap::drawModuleStrategy(ModuleOp module,
                                                      StringRef topology,
                                                      StringRef profile,
                                                      StringRef function) {
  auto opened = openPlanned(module, topology, profile, function);
  if (failed(opened))
    return failure();
  FunctionProblem &target = **opened;
  FailureOr<::soap::Strategy> strategy =
      readStrategy(target.opGraph, target.topology.deviceCount());
  if (failed(strategy))
    return failure();
  PipelineAttr pipeline = readPipeline(module->getAttr(SoapDialect::kPipeline));
  if (pipeline && module->hasAttr(kStages))
    return drawPipeline(module, target, *strategy, pipeline);
  FailureOr<std::string> price = describePrice(module, target, *strategy);
  if (failed(price))
    return failure();
  std::string title = drawingTitle(module, target.topology.name) + ", @" +
                      target.function.getName().str() + ": " + *price;
  return ::soap::drawStrategy(*target.problem, *strategy, title);
}
