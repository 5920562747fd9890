//===- HybridPresets.cpp - Presets beside hybrid plans --------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See HybridPresets.h.
//
//===----------------------------------------------------------------------===//

#include "HybridPresets.h"

#include "Transforms/Report/StrategyExport.h"
#include "Transforms/Support/ProgramCheck.h"

#include "Soap/Plan/SimulationBudget.h"
#include "Soap/Search/Presets/FewerDevices.h"
#include "Soap/Search/Presets/Presets.h"

#include <algorithm>

using namespace mlir;
using namespace mlir::soap;

void mlir::soap::comparePresets(const FunctionProblem &target,
                                const ::soap::HybridModel &model,
                                ::soap::HierarchicalResult &result) {
  const ::soap::ParallelizationProblem &problem = *target.problem;
  size_t pieces = problem.getGraph().nodes.size() *
                  static_cast<size_t>(target.topology.deviceCount());
  // A search that was stopped before it has simulated anything ends at once.
  bool isStopped = result.best.exists() && result.best.excessBytes == 0 &&
                   !result.best.isSimulated();
  if (!target.topology.executor.configs ||
      static_cast<double>(pieces) >
          ::soap::piecesIn(::soap::PlanForm::Written) ||
      isStopped || model.getBatch() != model.getStepBatch())
    return;
  for (const auto &[name, strategy] :
       ::soap::presetStartsOnAnyDevices(problem)) {
    ::soap::Evaluation evaluation = problem.evaluate(strategy);
    int64_t known =
        result.preset ? result.preset->makespanNs : result.best.makespanNs;
    bool hasOther =
        result.preset || (result.best.exists() && result.best.excessBytes == 0);
    if (evaluation.excessBytes > 0 ||
        (hasOther && evaluation.makespanNs >= known))
      continue;
    std::vector<int64_t> bytes = neededBytes(target, strategy);
    result.preset = {name, evaluation.makespanNs,
                     *std::max_element(bytes.begin(), bytes.end())};
  }
}

LogicalResult mlir::soap::writePreset(FunctionProblem &target,
                                      const ::soap::HierarchicalResult &result,
                                      const std::string &exportFile) {
  auto module = target.function->getParentOfType<ModuleOp>();
  ::soap::Expected<::soap::Strategy> strategy =
      ::soap::presetStrategy(result.preset->name, *target.problem);
  if (!strategy)
    return module.emitError() << strategy.error();
  if (failed(writeModuleStrategy(module, target.opGraph, *strategy,
                                 target.topology)) ||
      failed(checkPrograms(module, target.topology)))
    return failure();
  if (exportFile.empty())
    return success();
  return exportStrategy(module, target.opGraph, *strategy, target.topology,
                        exportFile);
}
