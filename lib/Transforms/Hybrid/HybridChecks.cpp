//===- HybridChecks.cpp - What IR says of hybrid plans --------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See HybridChecks.h.
//
//===----------------------------------------------------------------------===//

#include "HybridChecks.h"

#include "WriteHybrid.h"

#include "Soap/Analysis/StepFacts.h"
#include "Soap/Dialect/Soap/SumAttribute.h"
#include "Soap/Search/Frontier/FrontierSearch.h"
#include "Soap/Search/Hierarchical/HybridSimulator.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace mlir::soap;

void mlir::soap::remarkExecutor(const FunctionProblem &target) {
  const ::soap::Executor &executor = target.topology.executor;
  if (executor.configs)
    return;
  func::FuncOp function = target.function;
  bool sumsInF32 = false, isNarrow = false;
  function.walk([&](Operation *op) {
    sumsInF32 |= op->hasAttr(kSumType);
    for (Type type : op->getResultTypes())
      isNarrow |= getElementTypeOrSelf(type).isBF16();
  });
  if (isNarrow && sumsInF32 != (executor.gradientSums == "f32"))
    function.emitRemark() << "the step sums gradients in "
                          << (sumsInF32 ? "f32" : "bf16")
                          << ", and the executor '" << executor.name << "' in "
                          << executor.gradientSums
                          << ": expected 'gradient-sums="
                          << executor.gradientSums
                          << "' of --soap-build-training-step";
}

/// Why programs cannot be made of a plan as it is written; none: they can, or
/// no strategy says it.
static ::soap::MaybeError whyRefused(const OpGraph &opGraph,
                                     const ::soap::Topology &topology,
                                     ::soap::HybridModel &model,
                                     const ::soap::HybridPlan &plan) {
  // No strategy says it: nothing is written.
  if (model.getBatch() != model.getStepBatch())
    return std::nullopt;
  auto function = opGraph.ops.front()->getParentOfType<func::FuncOp>();
  std::string text;
  ScopedDiagnosticHandler handler(
      function.getContext(), [&](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
          text = diagnostic.str();
        return success();
      });
  OwningOpRef<ModuleOp> copy =
      cast<ModuleOp>(function->getParentOfType<ModuleOp>()->clone());
  auto copied = copy->lookupSymbol<func::FuncOp>(function.getName());
  FailureOr<OpGraph> ofCopy = buildOpGraph(copied);
  if (failed(ofCopy))
    return ::soap::Error{text};
  FunctionProblem target{topology, copied, std::move(*ofCopy), std::nullopt};
  if (failed(writeHybrid(target, model, plan)))
    return ::soap::Error{text};
  return std::nullopt;
}

void mlir::soap::judgePlans(::soap::HierarchicalOptions &options,
                            const OpGraph &opGraph,
                            const ::soap::Topology &topology,
                            ::soap::HybridModel &model) {
  options.simulate = ::soap::simulatorOf(model, stepFactsOf(opGraph), topology);
  options.check = [&](::soap::HybridModel &of, const ::soap::HybridPlan &plan) {
    return whyRefused(opGraph, topology, of, plan);
  };
}

::soap::OffloadSearch mlir::soap::searchHybridPlans(
    const FunctionProblem &target, ::soap::HybridModel &model,
    const ::soap::HierarchicalOptions &options, int64_t batch) {
  ::soap::HierarchicalOptions own = options;
  judgePlans(own, target.opGraph, target.topology, model);
  return ::soap::searchWithOffload(model, stepFactsOf(target.opGraph), own,
                                   batch);
}

AnomalyCheck mlir::soap::checkAnomaly(const FunctionProblem &target,
                                      ::soap::HybridModel &model,
                                      const ::soap::HybridPlan &plan,
                                      const ::soap::SecondsLeft &secondsLeft) {
  AnomalyCheck check;
  if (!plan.isSimulated())
    return check;
  if (!mayLookForAnomaly(plan.simulatedTasks)) {
    check.whyNot = std::to_string(plan.simulatedTasks) + " tasks";
    return check;
  }
  // The mean of all devices is no more than what the busiest one computes.
  auto busyNs = static_cast<int64_t>((1 - plan.bubble) *
                                     static_cast<double>(plan.makespanNs));
  ::soap::StepFacts facts = stepFactsOf(target.opGraph);
  check.found = findAnomaly(
      target.topology, plan.makespanNs, busyNs,
      [&](const ::soap::Topology &slowed) -> std::optional<int64_t> {
        std::optional<int64_t> ns;
        if (secondsLeft() > 0)
          if (auto simulated =
                  ::soap::simulatorOf(model, facts, slowed)(plan, secondsLeft))
            ns = simulated->makespanNs;
        if (!ns && secondsLeft() <= 0)
          check.whyNot = ::soap::stoppedMessage;
        return ns;
      });
  return check;
}
