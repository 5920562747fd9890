//===- ProgramCheck.cpp - Can programs be made of a module? ---------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ProgramCheck.h.
//
//===----------------------------------------------------------------------===//

#include "ProgramCheck.h"

#include "Soap/Analysis/HostMemory.h"
#include "Soap/Analysis/Stages.h"

#include <set>

using namespace mlir;
using namespace mlir::soap;

SmallVector<func::FuncOp> mlir::soap::functionsWithPrograms(ModuleOp module) {
  SmallVector<func::FuncOp> functions;
  for (func::FuncOp function : module.getOps<func::FuncOp>())
    if (!function.isExternal() &&
        !function.getBody().getOps<IterationSpaceOpInterface>().empty())
      functions.push_back(function);
  return functions;
}

FailureOr<PlacedFunction>
mlir::soap::readPlacedFunction(func::FuncOp function,
                               const ::soap::Topology &topology) {
  FailureOr<OpGraph> opGraph = buildOpGraph(function);
  if (failed(opGraph) ||
      failed(resolveHostMemory(*opGraph, function, topology)))
    return failure();
  FailureOr<::soap::Strategy> strategy =
      readStrategy(*opGraph, topology.deviceCount());
  if (failed(strategy))
    return failure();
  PlacedFunction placed{
      std::move(*opGraph), std::move(*strategy), {}, std::nullopt};
  if (auto module = function->getParentOfType<ModuleOp>())
    placed.pipeline = readPipeline(module->getAttr(SoapDialect::kPipeline));
  if (!placed.pipeline)
    return placed;
  FailureOr<::soap::PassOrder> order =
      readPassOrder(placed.opGraph, placed.strategy, placed.pipeline, topology);
  if (failed(order))
    return failure();
  placed.passes = std::move(*order);
  return placed;
}

/// As many microbatches as fill the pipeline, with which passes wait for each
/// other as with all: a divisor, so that what a microbatch holds stays whole.
static int64_t fewMicrobatches(const ::soap::PassOrder &passes) {
  std::set<int> stages(passes.stages.begin(), passes.stages.end());
  auto count = static_cast<int64_t>(stages.size());
  for (int64_t few = 2 * count; few < passes.microbatches; few += 1)
    if (passes.microbatches % few == 0)
      return few;
  return passes.microbatches;
}

/// Passes that read of each other's samples, or wait for each other.
static LogicalResult checkPasses(func::FuncOp function, PlacedFunction &placed,
                                 const ::soap::Topology &topology) {
  ::soap::PassOrder *passes = &*placed.passes;
  FailureOr<::soap::PassOrder> fewer;
  if (int64_t few = fewMicrobatches(*passes); few < passes->microbatches) {
    // Interleaved stages need a multiple of the groups: then all are looked at.
    ScopedDiagnosticHandler quiet(function.getContext(),
                                  [](Diagnostic &) { return success(); });
    fewer = readPassOrder(placed.opGraph, placed.strategy,
                          PipelineAttr::get(function.getContext(), few,
                                            placed.pipeline.getSchedule(),
                                            placed.pipeline.getReplicas()),
                          topology);
    if (succeeded(fewer))
      passes = &*fewer;
  }
  if (static_cast<double>(::soap::countPieces(placed.strategy, *passes)) >
      ::soap::piecesIn(::soap::PlanForm::Written))
    return success();
  ::soap::Expected<::soap::Plan> plan =
      ::soap::buildPipelinePlan(placed.opGraph.graph, placed.strategy, *passes,
                                topology, /*mayAdd=*/nullptr);
  if (plan)
    return success();
  return function.emitError("'@")
         << function.getName() << "': '" << SoapDialect::kPipeline
         << "': " << plan.error();
}

LogicalResult mlir::soap::checkPrograms(ModuleOp module,
                                        const ::soap::Topology &topology) {
  for (func::FuncOp function : functionsWithPrograms(module)) {
    FailureOr<PlacedFunction> placed = readPlacedFunction(function, topology);
    if (failed(placed) ||
        (placed->passes && failed(checkPasses(function, *placed, topology))))
      return failure();
  }
  return success();
}
