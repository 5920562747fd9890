//===- HybridAlgorithm.cpp - Hybrid plans in soap-auto-parallel -----------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See HybridAlgorithm.h.
//
//===----------------------------------------------------------------------===//

#include "HybridAlgorithm.h"

#include "HybridCheckpointFile.h"
#include "HybridChecks.h"
#include "HybridPresets.h"
#include "Transforms/Report/HybridReport.h"
#include "Transforms/Report/StrategyExport.h"
#include "Transforms/Support/InterruptScope.h"
#include "Transforms/Support/OptionFile.h"
#include "WriteHybrid.h"

#include "Search/Report/SearchSummary.h"
#include "Soap/Analysis/HostMemory.h"
#include "Soap/Analysis/Stages.h"
#include "Soap/Analysis/StepFacts.h"
#include "Soap/Search/Problem/SomeDevices.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::soap;

std::unique_ptr<::soap::HybridModel>
mlir::soap::modelForHybrid(const FunctionProblem &target, std::string &why) {
  constexpr int fewLayers = 4;
  if (target.topology.deviceCount() < 2) {
    why = "there is one device";
    return nullptr;
  }
  auto model = ::soap::HybridModel::make(*target.problem, /*batch=*/0,
                                         forwardNodesOf(target.opGraph));
  if (!model) {
    why = model.error();
    return nullptr;
  }
  if ((*model)->getRepeatedLayerCount() < fewLayers) {
    why = "fewer than " + std::to_string(fewLayers) + " layers repeat";
    return nullptr;
  }
  return std::move(*model);
}

bool mlir::soap::hasManyDevices(const ::soap::Topology &topology) {
  constexpr int fewDevices = 16;
  return topology.deviceCount() > fewDevices;
}

std::vector<std::pair<std::string, ::soap::Strategy>>
mlir::soap::hybridStarts(const FunctionProblem &target,
                         ::soap::HybridModel &model) {
  constexpr size_t maxStarts = 3;
  std::vector<::soap::HybridPlan> plans;
  int devices = target.topology.deviceCount();
  for (int tensor = 2; tensor <= devices; ++tensor) {
    if (devices % tensor != 0)
      continue;
    int data = devices / tensor;
    for (bool sequence : {false, true})
      for (int zero : {0, 1}) {
        ::soap::HybridShape shape{
            /*groups=*/1, data,
            tensor,
            /*chunks=*/1, (model.getBatch() + data - 1) / data,
            sequence,     zero};
        if (!model.check(shape).empty())
          continue;
        constexpr ::soap::Recompute none = ::soap::Recompute::None;
        if (::soap::HybridPlan plan = model.price(shape, &none); plan.exists())
          plans.push_back(std::move(plan));
      }
  }
  std::stable_sort(
      plans.begin(), plans.end(),
      [](const auto &a, const auto &b) { return ::soap::isBetter(a, b); });
  std::vector<std::pair<std::string, ::soap::Strategy>> starts;
  for (const ::soap::HybridPlan &plan : plans) {
    if (starts.size() == maxStarts)
      break;
    ::soap::Expected<::soap::HybridPlacement> placement =
        model.place(plan, forwardNodesOf(target.opGraph));
    if (placement && placement->keeps.empty())
      starts.emplace_back(::soap::describe(plan),
                          std::move(placement->strategy));
  }
  return starts;
}

/// Writes a plan on the ops, and to a strategy file if it has a name.
static LogicalResult writePlan(FunctionProblem &target,
                               ::soap::HybridModel &model,
                               const ::soap::HybridPlan &plan,
                               const std::string &exportFile) {
  FailureOr<::soap::Strategy> written = writeHybrid(target, model, plan);
  if (failed(written))
    return failure();
  if (exportFile.empty())
    return success();
  // Recomputed ops have made another graph.
  FailureOr<OpGraph> opGraph = buildOpGraph(target.function);
  if (failed(opGraph) ||
      failed(resolveHostMemory(*opGraph, target.function, target.topology)))
    return failure();
  FailureOr<::soap::Strategy> strategy =
      readStrategy(*opGraph, target.topology.deviceCount());
  if (failed(strategy))
    return failure();
  auto module = target.function->getParentOfType<ModuleOp>();
  return exportStrategy(module, *opGraph, *strategy, target.topology,
                        exportFile);
}

LogicalResult mlir::soap::runHybrid(FunctionProblem &target,
                                    std::unique_ptr<::soap::HybridModel> model,
                                    const HybridPassOptions &options) {
  constexpr double defaultSeconds = 10;
  remarkExecutor(target);
  if (!model) {
    auto made = ::soap::HybridModel::make(*target.problem, /*batch=*/0,
                                          forwardNodesOf(target.opGraph));
    if (!made)
      return target.function.emitError()
             << "has no hybrid plans: " << made.error();
    model = std::move(*made);
  }
  ::soap::HierarchicalOptions search;
  search.prices = options.prices;
  search.seconds = options.seconds == 0 && options.prices == 0
                       ? defaultSeconds
                       : options.seconds;
  search.recompute = options.recompute;
  ::soap::HybridRecord record;
  if (failed(useCheckpoint(target, *model, options.checkpoint,
                           options.pauseAfter, record, search)))
    return failure();
  InterruptScope scope;
  search.stop = &InterruptScope::isInterrupted();
  ::soap::OffloadSearch found = searchHybridPlans(target, *model, search);
  comparePresets(target, *model, found.result);
  return finishHybrid(
      target, found.modelOf(*model), found.result,
      ::soap::secondsLeftOf(search.seconds, found.result.seconds), options);
}

LogicalResult mlir::soap::finishHybrid(FunctionProblem &target,
                                       ::soap::HybridModel &model,
                                       const ::soap::HierarchicalResult &result,
                                       const ::soap::SecondsLeft &secondsLeft,
                                       const HybridPassOptions &options) {
  auto module = target.function->getParentOfType<ModuleOp>();
  if (!result.best.exists() && !result.preset)
    return reportNoPlan(target, result);
  AnomalyCheck anomaly;
  if ((options.summary || !options.report.empty()) && !result.preset)
    anomaly = checkAnomaly(target, model, result.best, secondsLeft);
  if (!options.report.empty() &&
      failed(writeOptionFile(
          module, "report", options.report,
          printHybridReport(result, model, target.topology, anomaly))))
    return failure();
  if (result.preset) {
    if (options.summary)
      llvm::errs() << "@" << target.function.getName() << " on "
                   << target.topology.name << ", "
                   << printPreset(*result.preset) << '\n';
    return writePreset(target, result, options.exportFile);
  }
  if (result.best.excessBytes > 0) {
    InFlightDiagnostic error = target.function.emitError();
    // By its price the plan may fit, and not with what that may fall short of.
    const ::soap::HybridPlan &best = result.best;
    int64_t most = ::soap::maxBytes(best);
    int64_t memory = model.getMemoryBytes();
    bool mayFit = best.peakBytes <= memory && most > memory;
    error << "'@" << target.function.getName()
          << (mayFit ? "' may not fit" : "' does not fit")
          << " into the memory of topology '" << target.topology.name
          << "': the best plan found "
          << (mayFit ? "is priced, not simulated, and may need " : "needs ")
          << ::soap::describeBytes(mayFit ? most : best.peakBytes)
          << " on a device, "
          << ::soap::describeBytes(
                 best.excessBytes -
                 (best.peakBytes > memory ? most - best.peakBytes : 0))
          << " more than it has";
    if (result.complete)
      return error << "; expected devices with more 'memory_bytes' or a "
                      "smaller model";
    return error << "; the search ended after " << result.priced << " of "
                 << result.shapes << " shapes: expected a larger '"
                 << (options.prices > 0 ? "proposals" : "time-limit")
                 << "', devices with more 'memory_bytes' or a smaller model";
  }
  remarkIfPriced(target.function, result);
  if (options.summary) {
    llvm::errs() << "@" << target.function.getName() << " on "
                 << target.topology.name << ", a hybrid plan: "
                 << printHybridPlan(result.best, model, target.topology)
                 << '\n';
    printAnomaly(anomaly, result.best.makespanNs, llvm::errs());
  }
  return writePlan(target, model, result.best, options.exportFile);
}

LogicalResult mlir::soap::countDevices(FunctionProblem &target,
                                       const HybridPassOptions &pass) {
  auto module = target.function->getParentOfType<ModuleOp>();
  std::vector<int> counts = ::soap::deviceCounts(target.topology);
  InterruptScope scope;
  ::soap::HierarchicalOptions options;
  options.recompute = pass.recompute;
  options.stop = &InterruptScope::isInterrupted();
  options.seconds = pass.seconds / static_cast<double>(counts.size());
  options.prices = pass.prices;
  llvm::json::Array rows;
  std::unique_ptr<::soap::HybridModel> last;
  // The last one with states of the optimizer in the memory of the host.
  std::vector<std::unique_ptr<::soap::OffloadedModel>> offloaded;
  ::soap::HybridModel *used = nullptr; ///< by which `best` is priced
  // A model keeps references to its problem and topology.
  std::vector<std::unique_ptr<::soap::Topology>> topologies;
  std::vector<std::unique_ptr<::soap::ParallelizationProblem>> problems;
  ::soap::HybridPlan best;
  options.simulations = 2;
  ::soap::StepFacts facts = stepFactsOf(target.opGraph);
  int64_t leastExcess = 0;
  for (int count : counts) {
    topologies.push_back(std::make_unique<::soap::Topology>(
        ::soap::firstDevices(target.topology, count, /*limitBytes=*/-1)));
    problems.push_back(std::make_unique<::soap::ParallelizationProblem>(
        target.opGraph.graph, *topologies.back(), target.problem->getGroups(),
        target.problem->getRoles()));
    auto model =
        ::soap::HybridModel::make(*problems.back(), pass.batch,
                                  forwardNodesOf(target.opGraph), last.get());
    if (!model)
      return target.function.emitError()
             << "has no hybrid plans: " << model.error();
    judgePlans(options, target.opGraph, *topologies.back(), **model);
    ::soap::OffloadSearch found = ::soap::searchWithOffload(
        **model, facts, options, pass.batch,
        offloaded.empty() ? nullptr : offloaded.back().get());
    ::soap::HierarchicalResult &result = found.result;
    last = std::move(*model);
    used = last.get();
    if (found.offloaded) {
      offloaded.push_back(std::move(found.offloaded));
      if (found.usesOffload)
        used = offloaded.back()->model.get();
    }
    bool fits = result.best.exists() && result.best.excessBytes == 0;
    if (pass.summary)
      llvm::errs() << llvm::format("%5d  ", count)
                   << (result.best.exists()
                           ? printHybridPlan(result.best, *used,
                                             *topologies.back())
                           : "no plan")
                   << '\n';
    if (result.best.exists()) {
      rows.push_back(llvm::json::Object{
          {"devices", count},
          {"best", hybridPlanJson(result.best, *used, *topologies.back())}});
      leastExcess = result.best.excessBytes;
    }
    best = fits ? std::move(result.best) : ::soap::HybridPlan();
    if ((fits && pass.mode == "mini-parallelism") ||
        InterruptScope::isInterrupted())
      break;
  }
  if (!pass.report.empty() &&
      failed(writeOptionFile(
          module, "report", pass.report,
          llvm::formatv("{0:2}", llvm::json::Value(llvm::json::Object{
                                     {"topology", target.topology.name},
                                     {"mode", pass.mode},
                                     {"rows", std::move(rows)}}))
                  .str() +
              "\n")))
    return failure();
  if (!best.exists())
    return target.function.emitError("does not fit into the memory of "
                                     "topology '")
           << target.topology.name << "': with "
           << (InterruptScope::isInterrupted() ? "the devices looked at so far"
                                               : "all devices")
           << " the best plan needs " << ::soap::describeBytes(leastExcess)
           << " more on a device";
  return writePlan(target, *used, best, pass.exportFile);
}
