//===- ApplyStrategy.cpp - Strategies from files and presets --------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass soap-apply-strategy: writes a given strategy on a module.
//
//===----------------------------------------------------------------------===//

#include "Transforms/Recomputation/Recompute.h"
#include "Transforms/Report/StrategyExport.h"
#include "Transforms/Support/CheckedOptions.h"
#include "Transforms/Support/ProgramCheck.h"
#include "Transforms/Support/StrategySupport.h"

#include "Soap/Analysis/HostMemory.h"
#include "Soap/Analysis/TopologyAttr.h"
#include "Soap/Dialect/Soap/ReuseAttributes.h"
#include "Soap/Dialect/Soap/SoapDialect.h"
#include "Soap/Memory/HostMemory.h"
#include "Soap/Model/Reuse.h"
#include "Soap/Search/Presets/Presets.h"
#include "Soap/Transforms/Passes.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/DebugLog.h"

namespace mlir::soap {
#define GEN_PASS_DEF_SOAPAPPLYSTRATEGY
#include "Soap/Transforms/Passes.h.inc"
} // namespace mlir::soap

#define DEBUG_TYPE "soap-apply-strategy"

using namespace mlir;
using namespace mlir::soap;

namespace {

struct ApplyStrategy
    : CheckedOptions<mlir::soap::impl::SoapApplyStrategyBase<ApplyStrategy>> {
  using CheckedOptions::CheckedOptions;

  void runOnOperation() override {
    if (failed(run()))
      signalPassFailure();
  }

  LogicalResult run();
  FailureOr<::soap::Topology> chooseTopology(const ::soap::StrategyFile &file);
  FailureOr<::soap::Strategy> chooseStrategy(FunctionProblem &target,
                                             const ::soap::StrategyFile &file);
};

} // namespace

/// Option, module, then what the strategy was made for.
FailureOr<::soap::Topology>
ApplyStrategy::chooseTopology(const ::soap::StrategyFile &file) {
  ModuleOp module = getOperation();
  bool fromFile = topology.empty() && !file.topology.empty() &&
                  !module->hasAttr(SoapDialect::kTopology);
  FailureOr<::soap::Topology> chosen =
      resolveTopology(module, fromFile ? file.topology : topology.getValue(),
                      profile, executor);
  if (failed(chosen))
    return failure();
  if (auto error =
          ::soap::checkTopologyFingerprint(file, *chosen, strategy.getValue()))
    return module.emitError() << error->message;
  return chosen;
}

/// Recomputed ops that a file does not name have the config of their op.
static void followOriginals(const OpGraph &opGraph,
                            ::soap::StrategyFile &file) {
  llvm::StringMap<size_t> named;
  for (auto [i, config] : llvm::enumerate(file.configs))
    named[config.op] = i;
  for (auto [op, node] : llvm::zip_equal(opGraph.ops, opGraph.graph.nodes))
    if (auto of = op->getAttrOfType<StringAttr>(kRecomputeOf);
        of && !named.count(node.whole.name))
      if (auto it = named.find(of.getValue()); it != named.end()) {
        ::soap::NamedConfig config = file.configs[it->second];
        config.op = node.whole.name;
        file.configs.push_back(std::move(config));
      }
}

/// The graph restores afterwards what a recipe keeps in one form.
FailureOr<::soap::Strategy>
ApplyStrategy::chooseStrategy(FunctionProblem &target,
                              const ::soap::StrategyFile &file) {
  ModuleOp module = getOperation();
  if (!strategy.empty()) {
    ::soap::Expected<::soap::Strategy> resolved = ::soap::resolveStrategy(
        target.opGraph.graph, file, target.topology.deviceCount(), strategy);
    if (!resolved)
      return module.emitError() << resolved.error();
    return std::move(*resolved);
  }
  ::soap::Expected<::soap::NamedStrategy> made =
      ::soap::namedStrategy(preset, *target.problem);
  if (!made)
    return module.emitError()
           << "option 'preset=" << preset << "': " << made.error();
  for (const ::soap::KeptValue &kept : made->keeps)
    ::soap::restoreValue(target.opGraph.graph, kept.value, kept.keep);
  if (made->offload) {
    if (failed(offloadOptimizer(target.function, "")))
      return failure();
    if (auto error = ::soap::putOptimizerInHost(target.opGraph.graph))
      return module.emitError() << error->message;
    if (failed(resolveHostMemory(target.opGraph, target.function,
                                 target.topology)))
      return failure();
  }
  return std::move(made->strategy);
}

/// The pipeline of a strategy file.
static ModulePipeline pipelineOf(MLIRContext *context,
                                 const ::soap::NamedPipeline &pipeline) {
  SmallVector<int64_t> replicas(pipeline.replicas.begin(),
                                pipeline.replicas.end());
  ModulePipeline made = {
      PipelineAttr::get(context, pipeline.microbatches,
                        *symbolizePipelineSchedule(pipeline.schedule),
                        replicas),
      {}};
  for (const ::soap::NamedStage &stage : pipeline.stages)
    made.stages.push_back({stage.first, stage.devices});
  return made;
}

LogicalResult ApplyStrategy::run() {
  ModuleOp module = getOperation();
  if (strategy.empty() == preset.empty())
    return module.emitError()
           << "expected exactly one of the options 'strategy=FILE' and "
              "'preset=NAME'";
  ::soap::StrategyFile file;
  if (!strategy.empty()) {
    FailureOr<::soap::StrategyFile> read =
        readStrategyFile(module, "strategy", strategy);
    if (failed(read))
      return failure();
    file = std::move(*read);
  }
  FailureOr<::soap::Topology> deviceTopology = chooseTopology(file);
  if (failed(deviceTopology))
    return failure();
  for (auto other : module.getOps<func::FuncOp>())
    dropKeeps(other);
  if (file.recomputed) {
    FailureOr<func::FuncOp> chosen = chooseFunction(module, function);
    if (failed(chosen) || failed(recomputeNamed(*chosen, *file.recomputed)))
      return failure();
  }
  if (failed(chooseOffload(module, offload, function)))
    return failure();
  if (file.host && offload == "as-is") {
    FailureOr<func::FuncOp> chosen = chooseFunction(module, function);
    if (failed(chosen) ||
        failed(offloadNamed(*chosen, *file.host, strategy.getValue())))
      return failure();
  }
  auto opened = openProblem(module, std::move(*deviceTopology), function);
  if (failed(opened))
    return failure();
  FunctionProblem &target = **opened;
  followOriginals(target.opGraph, file);
  FailureOr<::soap::Strategy> result = chooseStrategy(target, file);
  if (failed(result) ||
      failed(checkPlacements(target.opGraph, target.topology.deviceCount())))
    return failure();
  LDBG() << "strategy of '" << target.function.getName() << "' from "
         << (strategy.empty() ? "preset " + preset : "file " + strategy);
  if (auto error =
          ::soap::applyKeeps(target.opGraph.graph, file, strategy.getValue()))
    return module.emitError() << error->message;
  // Presets are also what others are compared with, whether they fit or not.
  // Pipelines need less than the whole batch does: their simulation warns.
  if (!file.pipeline &&
      !checkMemory(target, neededBytes(target, *result),
                   strategy.empty() ? DiagnosticSeverity::Warning
                                    : DiagnosticSeverity::Error) &&
      !strategy.empty())
    return failure();
  if (!checkHostMemory(target, *result,
                       strategy.empty() ? DiagnosticSeverity::Warning
                                        : DiagnosticSeverity::Error) &&
      !strategy.empty())
    return failure();
  std::optional<ModulePipeline> pipeline;
  if (file.pipeline)
    pipeline = pipelineOf(module.getContext(), *file.pipeline);
  if (failed(writeModuleStrategy(module, target.opGraph, *result,
                                 target.topology,
                                 pipeline ? &*pipeline : nullptr)) ||
      failed(checkPrograms(module, target.topology)))
    return failure();
  if (exportFile.empty())
    return success();
  return exportStrategy(module, target.opGraph, *result, target.topology,
                        exportFile);
}
