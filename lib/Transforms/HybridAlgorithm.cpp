//===- HybridAlgorithm.cpp - Hybrid plans in soap-auto-parallel -----------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See HybridAlgorithm.h.
//
//===----------------------------------------------------------------------===//

#include "HybridAlgorithm.h"

#include "HybridSupport.h"
#include "InterruptScope.h"

#include "Search/Report/SearchSummary.h"

using namespace mlir;
using namespace mlir::soap;

std::unique_ptr<::soap::HybridModel>
mlir::soap::modelForHybrid(const FunctionProblem &target) {
  constexpr int fewDevices = 16, fewLayers = 4;
  if (target.topology.deviceCount() <= fewDevices)
    return nullptr;
  auto model = ::soap::HybridModel::make(*target.problem);
  if (!model || (*model)->getRepeatedLayerCount() < fewLayers)
    return nullptr;
  return std::move(*model);
}

LogicalResult mlir::soap::runHybrid(FunctionProblem &target,
                                    std::unique_ptr<::soap::HybridModel> model,
                                    const HybridPassOptions &options) {
  constexpr double defaultSeconds = 10;
  auto module = target.function->getParentOfType<ModuleOp>();
  if (!model) {
    auto made = ::soap::HybridModel::make(*target.problem);
    if (!made)
      return target.function.emitError()
             << "has no hybrid plans: " << made.error();
    model = std::move(*made);
  }
  ::soap::HierarchicalOptions search;
  double seconds = options.seconds == 0 ? defaultSeconds : options.seconds;
  search.seconds = seconds;
  search.recompute = options.recompute;
  InterruptScope scope;
  search.stop = &InterruptScope::isInterrupted();
  ::soap::HierarchicalResult result =
      ::soap::searchHybrid(*model, *target.problem, search);
  if (!result.best.exists())
    return target.function.emitError("has no hybrid plan on topology '")
           << target.topology.name << "'";
  if (!options.report.empty() &&
      failed(
          writeOptionFile(module, "report", options.report,
                          printHybridReport(result, *model, target.topology))))
    return failure();
  if (result.best.excessBytes > 0)
    return target.function.emitError()
           << "'@" << target.function.getName()
           << "' does not fit into the memory of topology '"
           << target.topology.name << "': the best plan found needs "
           << ::soap::describeBytes(result.best.peakBytes) << " on a device, "
           << ::soap::describeBytes(result.best.excessBytes)
           << " more than it has; expected devices with more 'memory_bytes', a "
              "smaller model or a longer search";
  if (options.summary)
    llvm::errs() << "@" << target.function.getName() << " on "
                 << target.topology.name << ", a hybrid plan: "
                 << printHybridPlan(result.best, *model, target.topology)
                 << '\n';
  FailureOr<::soap::Strategy> written =
      writeHybrid(target, *model, result.best);
  if (failed(written))
    return failure();
  if (options.exportFile.empty())
    return success();
  // Recomputed ops have made another graph.
  FailureOr<OpGraph> opGraph = buildOpGraph(target.function);
  if (failed(opGraph))
    return failure();
  FailureOr<::soap::Strategy> strategy =
      readStrategy(*opGraph, target.topology.deviceCount());
  if (failed(strategy))
    return failure();
  return exportStrategy(module, *opGraph, *strategy, target.topology,
                        options.exportFile);
}
