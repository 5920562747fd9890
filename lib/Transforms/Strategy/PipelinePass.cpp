//===- PipelinePass.cpp - Pipeline stages over groups of devices ----------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass soap-pipeline: cuts the forward ops into ranges of about equal cost,
// gives each range a group of devices, and splits its ops there as a preset
// would split a model of its own.
//
//===----------------------------------------------------------------------===//

#include "Analysis/LoopCorrespondence.h"
#include "Transforms/Recomputation/Recompute.h"
#include "Transforms/Report/PipelineReport.h"
#include "Transforms/Report/StrategyExport.h"
#include "Transforms/Support/CheckedOptions.h"
#include "Transforms/Support/ProgramCheck.h"
#include "Transforms/Support/StrategySupport.h"

#include "Soap/Analysis/HostMemory.h"
#include "Soap/Analysis/OpGroups.h"
#include "Soap/Analysis/Stages.h"
#include "Soap/Analysis/TopologyAttr.h"
#include "Soap/Dialect/Soap/ReuseAttributes.h"
#include "Soap/Dialect/Soap/SoapDialect.h"
#include "Soap/Dialect/Soap/StageAttributes.h"
#include "Soap/Pipeline/Pipeline.h"
#include "Soap/Search/DevicePlacement/StageCuts.h"
#include "Soap/Search/Presets/Presets.h"
#include "Soap/Search/Problem/SomeDevices.h"
#include "Soap/Transforms/Passes.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Format.h"

namespace mlir::soap {
#define GEN_PASS_DEF_SOAPPIPELINE
#include "Soap/Transforms/Passes.h.inc"
} // namespace mlir::soap

using namespace mlir;
using namespace mlir::soap;

namespace {

struct PipelinePass
    : CheckedOptions<mlir::soap::impl::SoapPipelineBase<PipelinePass>> {
  using CheckedOptions::CheckedOptions;

  void runOnOperation() override {
    if (failed(run()))
      signalPassFailure();
  }

  LogicalResult run();
  LogicalResult checkOptions(const FunctionProblem &target);
  FailureOr<::soap::StageCuts>
  cutStages(std::unique_ptr<FunctionProblem> &target);
  FailureOr<::soap::NamedStrategy>
  placeStages(const FunctionProblem &target, const ::soap::StageCuts &cuts,
              std::vector<StageEntry> &entries);
};

} // namespace

LogicalResult PipelinePass::checkOptions(const FunctionProblem &target) {
  auto fail = [&](const char *option, const auto &value,
                  const std::string &expected) -> LogicalResult {
    return getOperation().emitError() << "option '" << option << "=" << value
                                      << "': expected " << expected;
  };
  int devices = target.topology.deviceCount();
  if (stages < 1 || stages > devices || devices % stages != 0)
    return fail("stages", stages.getValue(),
                "a number that divides the " + std::to_string(devices) +
                    " devices");
  if (chunks < 1)
    return fail("chunks", chunks.getValue(), "a number of at least 1");
  if (!symbolizePipelineSchedule(schedule))
    return fail("schedule", schedule.getValue(),
                "1f1b, 1f1b-overlapped or gpipe");
  int64_t samples = samplesOfBatch(target);
  if (microbatches < 1 || microbatches > samples)
    return fail("microbatches", microbatches.getValue(),
                "a number from 1 to the " + std::to_string(samples) +
                    " samples of a batch");
  if (chunks > 1 && schedule != "gpipe" && microbatches % stages != 0)
    return fail("microbatches", microbatches.getValue(),
                "a multiple of the " + std::to_string(stages) +
                    " groups of devices: their chunks are interleaved");
  return success();
}

/// The preset's config of every op on the devices of its stage.
FailureOr<::soap::NamedStrategy>
PipelinePass::placeStages(const FunctionProblem &target,
                          const ::soap::StageCuts &cuts,
                          std::vector<StageEntry> &entries) {
  const ::soap::Graph &graph = target.opGraph.graph;
  int devices = target.topology.deviceCount() / static_cast<int>(stages);
  ::soap::Topology group =
      ::soap::firstDevices(target.topology, devices, /*limitBytes=*/-1);
  ::soap::ParallelizationProblem inner(
      graph, group, target.problem->getGroups(), target.problem->getRoles());
  ::soap::Expected<::soap::NamedStrategy> strategy =
      ::soap::namedStrategy(inside, inner);
  if (!strategy)
    return getOperation().emitError()
           << "option 'inside=" << inside << "': " << strategy.error();
  for (auto [s, first] : llvm::enumerate(cuts.firsts)) {
    StageEntry &entry = entries.emplace_back();
    entry.first = graph.nodes[static_cast<size_t>(first)].whole.name;
    for (int d = 0; d < devices; ++d)
      entry.devices.push_back(
          static_cast<int>(s % static_cast<size_t>(stages)) * devices + d);
  }
  for (auto [config, stage] : llvm::zip_equal(strategy->strategy, cuts.stages))
    for (int &device : config.devices)
      device = entries[static_cast<size_t>(stage)]
                   .devices[static_cast<size_t>(device)];
  return std::move(*strategy);
}

/// The recomputed ops that their stages may compute again; all of them: nothing
/// is to change.
static std::vector<std::string>
recomputedInStages(const FunctionProblem &target,
                   const std::vector<int> &stages) {
  const OpGraph &opGraph = target.opGraph;
  const ::soap::Graph &graph = opGraph.graph;
  std::vector<bool> mayBeRecomputed =
      ::soap::mayRecompute(graph, target.problem->getRoles(), stages);
  llvm::StringSet<> leaves;
  std::vector<int> writers(graph.values.size(), -1);
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    auto own = opGraph.ops[n]->getAttrOfType<StringAttr>(kRecomputeOf);
    if (!own && !mayBeRecomputed[n])
      leaves.insert(graph.nodes[n].whole.name);
    for (int value : graph.nodes[n].whole.operands)
      if (int writer = writers[static_cast<size_t>(value)];
          writer >= 0 && stages[static_cast<size_t>(writer)] != stages[n])
        leaves.insert(opGraph.ops[static_cast<size_t>(writer)]
                          ->getAttrOfType<StringAttr>(kRecomputeOf)
                          .getValue());
    if (own)
      for (int value : graph.nodes[n].whole.results)
        writers[static_cast<size_t>(value)] = static_cast<int>(n);
  }
  std::vector<std::string> names;
  for (size_t n = 0; n < graph.nodes.size(); ++n)
    if (auto of = opGraph.ops[n]->getAttrOfType<StringAttr>(kRecomputeOf);
        of && !leaves.contains(of.getValue()))
      names.push_back(of.str());
  return names;
}

/// Recomputes only these ops, as far as that saves something without others.
static LogicalResult recomputeOnly(func::FuncOp function,
                                   const std::vector<std::string> &names) {
  dropRecomputation(function);
  FailureOr<OpGraph> opGraph = buildOpGraph(function);
  if (failed(opGraph))
    return failure();
  ForwardPass pass(*opGraph);
  std::vector<bool> chosen(opGraph->graph.nodes.size());
  for (auto [n, node] : llvm::enumerate(opGraph->graph.nodes))
    if (llvm::is_contained(names, node.whole.name))
      chosen[n] = true;
  return failure(failed(recompute(pass, pass.findUseful(chosen))));
}

/// Cuts the forward ops. What passes between stages, or is of all microbatches
/// together, is not recomputed: fewer clones may be cut otherwise.
FailureOr<::soap::StageCuts>
PipelinePass::cutStages(std::unique_ptr<FunctionProblem> &target) {
  ModuleOp module = getOperation();
  for (;;) {
    auto opened = openProblem(module, topology, profile, function);
    if (failed(opened))
      return failure();
    target = std::move(*opened);
    if (failed(checkOptions(*target)))
      return failure();
    ::soap::Expected<::soap::StageCuts> cuts = ::soap::cutIntoStages(
        *target->problem, forwardNodesOf(target->opGraph),
        static_cast<int>(stages * chunks), microbatches,
        target->topology.deviceCount() / static_cast<int>(stages));
    if (!cuts)
      return module.emitError()
             << "option 'stages=" << stages.getValue() << "': " << cuts.error();
    std::vector<std::string> names = recomputedInStages(*target, cuts->stages);
    if (names.size() == recomputedOps(target->function).size())
      return std::move(*cuts);
    if (failed(recomputeOnly(target->function, names)))
      return failure();
  }
}

LogicalResult PipelinePass::run() {
  ModuleOp module = getOperation();
  for (auto other : module.getOps<func::FuncOp>())
    dropKeeps(other);
  if (failed(chooseOffload(module, offload, function)))
    return failure();
  std::unique_ptr<FunctionProblem> opened;
  FailureOr<::soap::StageCuts> cuts = cutStages(opened);
  if (failed(cuts))
    return failure();
  FunctionProblem &target = *opened;
  auto count = static_cast<int>(stages * chunks);
  std::vector<StageEntry> entries;
  FailureOr<::soap::NamedStrategy> strategy =
      placeStages(target, *cuts, entries);
  if (failed(strategy))
    return failure();
  for (const ::soap::KeptValue &kept : strategy->keeps)
    ::soap::restoreValue(target.opGraph.graph, kept.value, kept.keep);
  if (strategy->offload && failed(offloadOptimizer(target.function, "")))
    return failure();
  ModulePipeline pipeline = {
      PipelineAttr::get(module.getContext(), microbatches,
                        *symbolizePipelineSchedule(schedule),
                        ArrayRef<int64_t>()),
      entries};
  if (failed(writeModuleStrategy(module, target.opGraph, strategy->strategy,
                                 target.topology, &pipeline)) ||
      failed(checkPrograms(module, target.topology)))
    return failure();
  if (!exportFile.empty() &&
      failed(exportStrategy(module, target.opGraph, strategy->strategy,
                            target.topology, exportFile)))
    return failure();
  if (!summary)
    return success();
  llvm::errs() << llvm::format(
      "%d pipeline stages on %s, %s of %lld microbatches, %s inside:\n", count,
      target.topology.name.c_str(), schedule.c_str(),
      static_cast<long long>(microbatches), inside.c_str());
  for (auto [s, entry] : llvm::enumerate(entries)) {
    std::string devices = std::to_string(entry.devices.front());
    if (entry.devices.size() > 1)
      devices = "s " + devices + " to " + std::to_string(entry.devices.back());
    else
      devices = " " + devices;
    llvm::errs() << llvm::format(
        "  stage %zu  device%s  from %s: %.1f %% of the work\n", s,
        devices.c_str(), entry.first.c_str(), 100 * cuts->shares[s]);
  }
  return success();
}
