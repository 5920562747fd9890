//===- StrategyExport.cpp - Strategies written to files -------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See StrategyExport.h.
//
//===----------------------------------------------------------------------===//

#include "StrategyExport.h"

#include "SimulationReport.h"
#include "Transforms/Support/OptionFile.h"

#include "Soap/Analysis/HostMemory.h"
#include "Soap/Dialect/Soap/ReuseAttributes.h"
#include "Soap/Dialect/Soap/SoapDialect.h"
#include "Soap/Dialect/Soap/StageAttributes.h"

using namespace mlir;
using namespace mlir::soap;

FailureOr<::soap::StrategyFile>
mlir::soap::makeStrategyFile(ModuleOp module, const OpGraph &opGraph,
                             const ::soap::Strategy &strategy,
                             const ::soap::Topology &topology) {
  ::soap::StrategyFile file =
      ::soap::toStrategyFile(opGraph.graph, strategy, topology);
  for (Operation *op : opGraph.ops)
    if (auto of = op->getAttrOfType<StringAttr>(kRecomputeOf)) {
      if (!file.recomputed)
        file.recomputed.emplace();
      file.recomputed->push_back(of.str());
    }
  if (!opGraph.inputs.empty())
    if (std::vector<std::string> names = hostArguments(cast<func::FuncOp>(
            opGraph.inputs.front().getOwner()->getParentOp()));
        !names.empty())
      file.host = std::move(names);
  PipelineAttr attribute =
      readPipeline(module->getAttr(SoapDialect::kPipeline));
  if (!attribute)
    return file;
  ::soap::NamedPipeline &pipeline = file.pipeline.emplace();
  pipeline.microbatches = attribute.getMicrobatches();
  pipeline.schedule = stringifyPipelineSchedule(attribute.getSchedule()).str();
  pipeline.replicas.assign(attribute.getReplicas().begin(),
                           attribute.getReplicas().end());
  ::soap::Expected<std::vector<StageEntry>> stages =
      readStages(module->getAttr(kStages));
  if (!stages)
    return module.emitError() << "'" << kStages << "': " << stages.error();
  for (const StageEntry &stage : *stages)
    pipeline.stages.push_back({stage.first, stage.devices});
  return file;
}

LogicalResult mlir::soap::exportStrategy(ModuleOp module,
                                         const OpGraph &opGraph,
                                         const ::soap::Strategy &strategy,
                                         const ::soap::Topology &topology,
                                         StringRef path) {
  FailureOr<::soap::StrategyFile> file =
      makeStrategyFile(module, opGraph, strategy, topology);
  if (failed(file))
    return failure();
  if (!file->pipeline) {
    Simulation simulation = simulate(opGraph.graph, strategy, topology);
    for (int task : simulation.order)
      file->schedule.push_back(simulation.tasks.tasks[task].name);
  }
  return writeOptionFile(module, "export", path,
                         ::soap::printStrategyFile(*file));
}
