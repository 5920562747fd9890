//===- PlanHybrid.cpp - Stages, tensor and data parallelism ---------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass soap-plan-hybrid: searches hybrid plans, or prices one, and says
// what they cost.
//
//===----------------------------------------------------------------------===//

#include "HybridAlgorithm.h"
#include "HybridCheckpointFile.h"
#include "HybridChecks.h"
#include "HybridPresets.h"
#include "Transforms/Report/HybridReport.h"
#include "Transforms/Support/CheckedOptions.h"
#include "Transforms/Support/InterruptScope.h"
#include "Transforms/Support/OptionFile.h"
#include "WriteHybrid.h"

#include "Search/Report/SearchSummary.h"
#include "Soap/Analysis/Stages.h"
#include "Soap/Analysis/StepFacts.h"
#include "Soap/Analysis/TopologyAttr.h"
#include "Soap/Dialect/Soap/SoapDialect.h"
#include "Soap/Profile/ProfileModel.h"
#include "Soap/Transforms/Passes.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

namespace mlir::soap {
#define GEN_PASS_DEF_SOAPPLANHYBRID
#include "Soap/Transforms/Passes.h.inc"
} // namespace mlir::soap

using namespace mlir;
using namespace mlir::soap;

namespace {

struct PlanHybrid
    : CheckedOptions<mlir::soap::impl::SoapPlanHybridBase<PlanHybrid>> {
  using CheckedOptions::CheckedOptions;

  void runOnOperation() override {
    if (failed(run()))
      signalPassFailure();
  }

  LogicalResult run();
  /// Gives the plan that `plan` says its simulated figures.
  LogicalResult simulate(FunctionProblem &target, ::soap::HybridModel &model,
                         ::soap::HierarchicalResult &result);
  LogicalResult checkOptions();
  LogicalResult parsePlan(int devices, ::soap::HybridShape &shape,
                          std::optional<::soap::Recompute> &recompute,
                          bool &offload, bool &simulated);
};

} // namespace

LogicalResult PlanHybrid::parsePlan(int devices, ::soap::HybridShape &shape,
                                    std::optional<::soap::Recompute> &recompute,
                                    bool &offload, bool &simulated) {
  auto fail = [&](StringRef text, const char *expected) {
    return getOperation().emitError()
           << "option 'plan=" << text << "': expected " << expected;
  };
  constexpr const char *parts =
      "stages=N, chunks=N, tensor=N, context=N, data=N, experts=N, samples=N, "
      "zero=N, sequence, zigzag, overlap, offload, simulate or "
      "recompute=none|selective|whole";
  bool hasData = false;
  for (const std::string &part : plan) {
    auto [name, value] = StringRef(part).split('=');
    int64_t number = 0;
    if (name == "sequence" && value.empty()) {
      shape.sequence = true;
      continue;
    }
    if (name == "zigzag" && value.empty()) {
      shape.zigzag = true;
      continue;
    }
    if (name == "overlap" && value.empty()) {
      shape.overlap = true;
      continue;
    }
    if (name == "offload" && value.empty()) {
      offload = true;
      continue;
    }
    if (name == "simulate" && value.empty()) {
      simulated = true;
      continue;
    }
    if (name == "recompute") {
      for (::soap::Recompute level :
           {::soap::Recompute::None, ::soap::Recompute::Selective,
            ::soap::Recompute::Whole})
        if (value == ::soap::recomputeName(level))
          recompute = level;
      if (!recompute)
        return fail(part, "recompute=none, selective or whole");
      continue;
    }
    if (value.getAsInteger(10, number) || number < 0 || number > 1000000)
      return fail(part, parts);
    if (name == "stages")
      shape.groups = static_cast<int>(number);
    else if (name == "chunks")
      shape.chunks = static_cast<int>(number);
    else if (name == "tensor")
      shape.tensor = static_cast<int>(number);
    else if (name == "context")
      shape.context = static_cast<int>(number);
    else if (name == "experts")
      shape.experts = static_cast<int>(number);
    else if (name == "data") {
      shape.data = static_cast<int>(number);
      hasData = true;
    } else if (name == "samples")
      shape.samples = number;
    else if (name == "zero")
      shape.zero = static_cast<int>(number);
    else
      return fail(part, parts);
  }
  if (!hasData && shape.groups > 0 && shape.unit() > 0)
    shape.data = std::max(devices / shape.groups / shape.unit(), 1);
  return success();
}

LogicalResult PlanHybrid::simulate(FunctionProblem &target,
                                   ::soap::HybridModel &model,
                                   ::soap::HierarchicalResult &result) {
  ::soap::SecondsLeft secondsLeft =
      ::soap::secondsLeftOf(timeLimit, /*passed=*/0);
  using Clock = std::chrono::steady_clock;
  Clock::time_point begin = Clock::now();
  auto simulated =
      ::soap::simulatorOf(model, stepFactsOf(target.opGraph),
                          target.topology)(result.best, secondsLeft);
  if (!simulated)
    return getOperation().emitError("option 'plan=")
           << llvm::join(plan, ",") << "': " << simulated.error();
  ::soap::useSimulation(result.best, std::move(*simulated),
                        model.getMemoryBytes());
  result.simulated = 1;
  result.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  return success();
}

LogicalResult PlanHybrid::checkOptions() {
  ModuleOp module = getOperation();
  if (!(timeLimit >= 0 && timeLimit <= 1e9))
    return module.emitError("option 'time-limit=")
           << optionNumber(timeLimit.getValue())
           << "': expected seconds from 0 to 1e9";
  if (proposals < 0)
    return module.emitError("option 'proposals=")
           << proposals.getValue() << "': expected a number of at least 0";
  if (batch < 0)
    return module.emitError("option 'batch=")
           << batch.getValue() << "': expected a number of at least 0";
  if (!llvm::is_contained({"", "mini-parallelism", "profiling"}, mode))
    return module.emitError("option 'mode=")
           << mode.getValue() << "': expected mini-parallelism or profiling";
  if (!mode.empty() && (!plan.empty() || exhaustive))
    return module.emitError("option 'mode=")
           << mode.getValue() << "': expected no 'plan' and no 'exhaustive'";
  if (!checkpointFile.empty() && (!plan.empty() || !mode.empty()))
    return module.emitError("option 'checkpoint=")
           << checkpointFile.getValue()
           << "': expected no 'plan' and no 'mode'";
  if (pauseAfter < 0)
    return module.emitError("option 'pause-after=")
           << pauseAfter.getValue() << "': expected a number of at least 0";
  if (pauseAfter > 0 && checkpointFile.empty())
    return module.emitError("option 'pause-after=")
           << pauseAfter.getValue()
           << "': expected the option 'checkpoint=FILE', too";
  return failure(failed(checkOptionFile(module, "report", report)) ||
                 failed(checkOptionFile(module, "checkpoint", checkpointFile)));
}

LogicalResult PlanHybrid::run() {
  ModuleOp module = getOperation();
  if (failed(checkOptions()))
    return failure();
  FailureOr<::soap::Topology> resolved =
      resolveTopology(module, topology, profile, executor);
  if (failed(resolved))
    return failure();
  auto opened = openProblem(module, std::move(*resolved), function);
  if (failed(opened))
    return failure();
  FunctionProblem &target = **opened;
  if (!mode.empty())
    return countDevices(target, {timeLimit, proposals, report,
                                 /*exportFile=*/{}, summary,
                                 /*recompute=*/true, mode, batch});
  int devices = target.topology.deviceCount();
  remarkExecutor(target);
  auto model = ::soap::HybridModel::make(*target.problem, batch,
                                         forwardNodesOf(target.opGraph));
  if (!model)
    return target.function.emitError()
           << "has no hybrid plans: " << model.error();

  ::soap::OffloadSearch search;
  ::soap::HierarchicalResult &result = search.result;
  if (plan.empty()) {
    ::soap::HierarchicalOptions options;
    options.seconds = timeLimit;
    options.prices = proposals;
    options.exhaustive = exhaustive;
    ::soap::HybridRecord record;
    if (failed(useCheckpoint(target, **model, checkpointFile, pauseAfter,
                             record, options)))
      return failure();
    InterruptScope scope;
    options.stop = &InterruptScope::isInterrupted();
    search = searchHybridPlans(target, **model, options, batch);
    comparePresets(target, **model, result);
    if (result.best.exists() && !result.preset)
      remarkIfPriced(target.function, result);
  } else {
    ::soap::HybridShape shape;
    std::optional<::soap::Recompute> recompute;
    bool offload = false, simulated = false;
    if (failed(parsePlan(devices, shape, recompute, offload, simulated)))
      return failure();
    const ::soap::Executor &by = target.topology.executor;
    bool isUnknown = recompute == ::soap::Recompute::Selective && !by.selective;
    if (isUnknown || (offload && !by.offload))
      return module.emitError("option 'plan=")
             << llvm::join(plan, ",") << "': the executor '" << by.name
             << "' does not run "
             << (isUnknown ? "recompute=selective, expected none or whole"
                           : "offload");
    if (offload) {
      auto offloaded = ::soap::offloadedModel(
          *target.problem, forwardNodesOf(target.opGraph), batch);
      if (!offloaded)
        return module.emitError("option 'plan=")
               << llvm::join(plan, ",")
               << "': no plan with offload: " << offloaded.error();
      search.offloaded = std::move(*offloaded);
      search.usesOffload = true;
    }
    ::soap::HybridModel &priced = search.modelOf(**model);
    if (std::string message = priced.check(shape); !message.empty())
      return module.emitError("option 'plan=")
             << llvm::join(plan, ",") << "': " << message;
    result.best = priced.price(shape, recompute ? &*recompute : nullptr);
    result.complete = true;
    if (simulated && result.best.exists() &&
        failed(simulate(target, priced, result)))
      return failure();
  }
  ::soap::HybridModel &used = search.modelOf(**model);
  if (!result.best.exists() && !result.preset)
    return reportNoPlan(target, result);
  if (result.best.excessBytes > 0 && !result.preset) {
    // By its price it may fit, and not with what that may fall short of.
    bool isCertain = result.best.peakBytes > used.getMemoryBytes() ||
                     result.best.hostBytes > 0;
    target.function.emitWarning(isCertain ? "does not fit" : "may not fit")
        << " into the memory of topology '" << target.topology.name
        << "': the plan " << (isCertain ? "needs " : "may need ")
        << ::soap::describeBytes(result.best.excessBytes)
        << " more on a device";
  }

  AnomalyCheck anomaly;
  if ((summary || !report.empty()) && !result.preset)
    anomaly = checkAnomaly(target, used, result.best,
                           ::soap::secondsLeftOf(timeLimit, result.seconds));
  if (summary)
    llvm::errs() << printHybrid(result, used, target.topology, anomaly);
  if (!report.empty() &&
      failed(writeOptionFile(
          module, "report", report,
          printHybridReport(result, used, target.topology, anomaly))))
    return failure();
  if (result.preset)
    return writePreset(target, result);
  return failure(failed(writeHybrid(target, used, result.best)));
}
