//===- PlanHybrid.cpp - Stages, tensor and data parallelism ---------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass soap-plan-hybrid: searches hybrid plans, or prices one, and says
// what they cost.
//
//===----------------------------------------------------------------------===//

#include "CheckedOptions.h"
#include "InterruptScope.h"
#include "StrategySupport.h"

#include "Soap/Analysis/Stages.h"
#include "Soap/Analysis/TopologyAttr.h"
#include "Soap/Dialect/Soap/SoapDialect.h"
#include "Soap/Dialect/Soap/StageAttributes.h"
#include "Soap/Profile/ProfileModel.h"
#include "Soap/Search/Hierarchical/HierarchicalSearch.h"
#include "Soap/Transforms/Passes.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

#include <algorithm>
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
  LogicalResult checkOptions();
  LogicalResult slowKernels(::soap::Topology &of);
  LogicalResult writeReport(const FunctionProblem &target,
                            ::soap::HybridModel &model,
                            const ::soap::HierarchicalResult &result);
  LogicalResult write(FunctionProblem &target, ::soap::HybridModel &model,
                      const ::soap::HybridPlan &best);
  LogicalResult parsePlan(int devices, ::soap::HybridShape &shape,
                          std::optional<::soap::Recompute> &recompute);
};

/// What a plan means for its user.
struct PlanFigures {
  double milliseconds, samplesPerSecond, flopsPerDevice, gigabytes;
};

} // namespace

static PlanFigures figuresOf(const ::soap::HybridPlan &plan,
                             ::soap::HybridModel &model, int devices) {
  double seconds = static_cast<double>(plan.makespanNs) * 1e-9;
  return {seconds * 1e3, static_cast<double>(model.getBatch()) / seconds,
          model.iterationFlops() / seconds / devices,
          static_cast<double>(plan.peakBytes) * 1e-9};
}

static llvm::json::Object toJson(const ::soap::HybridPlan &plan,
                                 ::soap::HybridModel &model, int devices) {
  PlanFigures figures = figuresOf(plan, model, devices);
  llvm::json::Array stages;
  for (const ::soap::HybridStage &stage : plan.stages)
    stages.push_back(llvm::json::Object{
        {"first_segment", stage.firstSegment},
        {"segments", stage.segments},
        {"recompute", ::soap::recomputeName(stage.recompute)},
        {"forward_ns", stage.forwardNs},
        {"backward_ns", stage.backwardNs},
        {"exposed_ns", stage.exposedNs},
        {"update_ns", stage.updateNs},
        {"in_flight", stage.inFlight},
        {"parameter_bytes", stage.parameterBytes},
        {"state_bytes", stage.stateBytes},
        {"gradient_bytes", stage.gradientBytes},
        {"activation_bytes", stage.activationBytes},
        {"scratch_bytes", stage.scratchBytes}});
  return llvm::json::Object{
      {"plan", ::soap::describe(plan)},
      {"stages", plan.shape.groups},
      {"chunks", plan.shape.chunks},
      {"data", plan.shape.data},
      {"tensor", plan.shape.tensor},
      {"samples", plan.shape.samples},
      {"sequence", plan.shape.sequence},
      {"zero", plan.shape.zero},
      {"microbatches", plan.microbatches},
      {"makespan_ns", plan.makespanNs},
      {"bubble", plan.bubble},
      {"peak_bytes", plan.peakBytes},
      {"peak_bytes_by_group", llvm::json::Array(plan.groupBytes)},
      {"excess_bytes", plan.excessBytes},
      {"flops_per_device_per_second", figures.flopsPerDevice},
      {"by_stage", std::move(stages)}};
}

LogicalResult
PlanHybrid::parsePlan(int devices, ::soap::HybridShape &shape,
                      std::optional<::soap::Recompute> &recompute) {
  auto fail = [&](StringRef text, const char *expected) {
    return getOperation().emitError()
           << "option 'plan=" << text << "': expected " << expected;
  };
  bool hasData = false;
  for (const std::string &part : plan) {
    auto [name, value] = StringRef(part).split('=');
    int64_t number = 0;
    if (name == "sequence" && value.empty()) {
      shape.sequence = true;
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
      return fail(part, "stages=N, chunks=N, tensor=N, data=N, samples=N, "
                        "zero=N, sequence or recompute=none|selective|whole");
    if (name == "stages")
      shape.groups = static_cast<int>(number);
    else if (name == "chunks")
      shape.chunks = static_cast<int>(number);
    else if (name == "tensor")
      shape.tensor = static_cast<int>(number);
    else if (name == "data") {
      shape.data = static_cast<int>(number);
      hasData = true;
    } else if (name == "samples")
      shape.samples = number;
    else if (name == "zero")
      shape.zero = static_cast<int>(number);
    else
      return fail(part, "stages=N, chunks=N, tensor=N, data=N, samples=N, "
                        "zero=N, sequence or recompute=none|selective|whole");
  }
  if (!hasData && shape.groups > 0 && shape.tensor > 0)
    shape.data = std::max(devices / shape.groups / shape.tensor, 1);
  return success();
}

LogicalResult PlanHybrid::checkOptions() {
  ModuleOp module = getOperation();
  if (!(timeLimit >= 0 && timeLimit <= 1e9))
    return module.emitError("option 'time-limit=")
           << optionNumber(timeLimit.getValue())
           << "': expected seconds from 0 to 1e9";
  if (batch < 0)
    return module.emitError("option 'batch=")
           << batch.getValue() << "': expected a number of at least 0";
  if (!(kernelEfficiency > 0 && kernelEfficiency <= 10))
    return module.emitError("option 'kernel-efficiency=")
           << optionNumber(kernelEfficiency.getValue())
           << "': expected a number above 0 and at most 10";
  return checkOptionFile(module, "report", report);
}

/// All terms of a curve scale as 1 / efficiency, if peaks and launches do.
LogicalResult PlanHybrid::slowKernels(::soap::Topology &of) {
  if (kernelEfficiency == 1)
    return success();
  for (::soap::DeviceType &type : of.deviceTypes) {
    if (type.costs && type.costs->getProfile().device == type.name)
      return getOperation().emitError("option 'kernel-efficiency=")
             << optionNumber(kernelEfficiency.getValue()) << "': kernels of '"
             << type.name << "' were measured, expected devices without "
             << "measured times";
    for (auto &[dtype, rate] : type.flopsPerSecond)
      rate *= kernelEfficiency;
    type.memoryBandwidthBytesPerSecond *= kernelEfficiency;
    type.launchNs = std::max<int64_t>(
        std::llround(static_cast<double>(type.launchNs) / kernelEfficiency), 1);
  }
  return success();
}

/// The plan on the IR; a remark where no strategy says all of it.
LogicalResult PlanHybrid::write(FunctionProblem &target,
                                ::soap::HybridModel &model,
                                const ::soap::HybridPlan &best) {
  ModuleOp module = getOperation();
  ::soap::Expected<::soap::HybridPlacement> placement =
      model.place(best, forwardNodesOf(target.opGraph));
  if (!placement) {
    module.emitRemark("the plan is not written as a strategy: ")
        << placement.error();
    return success();
  }
  for (auto other : module.getOps<func::FuncOp>())
    dropKeeps(other);
  if (failed(writeModuleStrategy(module, target.opGraph, placement->strategy,
                                 target.topology)))
    return failure();
  if (llvm::any_of(best.stages, [](const ::soap::HybridStage &stage) {
        return stage.recompute != ::soap::Recompute::None;
      }))
    module.emitRemark("the strategy says nothing of what the plan "
                      "recomputes");
  if (best.microbatches == 1 && best.stages.size() == 1)
    return success();
  std::vector<StageEntry> entries;
  for (auto [first, devices] :
       llvm::zip_equal(placement->firsts, placement->devices))
    entries.push_back({target.opGraph.graph.nodes[first].whole.name, devices});
  module->setAttr(
      SoapDialect::kPipeline,
      PipelineAttr::get(module.getContext(), best.microbatches,
                        mlir::soap::PipelineSchedule::OneForwardOneBackward,
                        ArrayRef<int64_t>()));
  module->setAttr(kStages, makeStagesAttr(module.getContext(), entries));
  return success();
}

LogicalResult PlanHybrid::run() {
  ModuleOp module = getOperation();
  if (failed(checkOptions()))
    return failure();
  FailureOr<::soap::Topology> resolved =
      resolveTopology(module, topology, profile);
  if (failed(resolved) || failed(slowKernels(*resolved)))
    return failure();
  auto opened = openProblem(module, std::move(*resolved), function);
  if (failed(opened))
    return failure();
  FunctionProblem &target = **opened;
  int devices = target.topology.deviceCount();
  auto model = ::soap::HybridModel::make(*target.problem, batch);
  if (!model)
    return target.function.emitError()
           << "has no hybrid plans: " << model.error();

  ::soap::HierarchicalResult result;
  if (plan.empty()) {
    ::soap::HierarchicalOptions options;
    options.seconds = timeLimit;
    options.exhaustive = exhaustive;
    InterruptScope scope;
    options.stop = &InterruptScope::isInterrupted();
    result = ::soap::searchHybrid(**model, *target.problem, options);
  } else {
    ::soap::HybridShape shape;
    std::optional<::soap::Recompute> recompute;
    if (failed(parsePlan(devices, shape, recompute)))
      return failure();
    if (std::string message = (*model)->check(shape); !message.empty())
      return module.emitError("option 'plan=")
             << llvm::join(plan, ",") << "': " << message;
    result.best = (*model)->price(shape, recompute ? &*recompute : nullptr);
    result.complete = true;
  }
  if (!result.best.exists())
    return target.function.emitError("has no hybrid plan on topology '")
           << target.topology.name << "'";
  if (result.best.excessBytes > 0)
    target.function.emitWarning("does not fit into the memory of topology '")
        << target.topology.name << "': the plan needs "
        << result.best.excessBytes << " bytes more on a device";

  llvm::raw_ostream &os = llvm::errs();
  auto print = [&](const ::soap::HybridPlan &of) {
    PlanFigures figures = figuresOf(of, **model, devices);
    os << ::soap::describe(of) << ": "
       << llvm::format(
              "%.1f ms, %.4g samples/s, %.4g TFLOP/s a device, "
              "bubble %.1f %%, %.1f of %.0f GB",
              figures.milliseconds, figures.samplesPerSecond,
              figures.flopsPerDevice * 1e-12, of.bubble * 100,
              figures.gigabytes,
              static_cast<double>(target.topology.typeOf(0).memoryBytes) * 1e-9)
       << (of.excessBytes > 0 ? " (does not fit)" : "") << '\n';
  };
  if (summary) {
    print(result.best);
    if (plan.empty())
      os << llvm::format("%d of %d shapes in %.2f s%s; the best of others:\n",
                         static_cast<int>(result.priced),
                         static_cast<int>(result.shapes), result.seconds,
                         result.complete ? "" : " (the limit)");
    constexpr size_t shown = 8;
    for (size_t i = 1; i < std::min(result.others.size(), shown); ++i) {
      os << "  ";
      print(result.others[i]);
    }
  }
  if (!report.empty() && failed(writeReport(target, **model, result)))
    return failure();
  return write(target, **model, result.best);
}

LogicalResult
PlanHybrid::writeReport(const FunctionProblem &target,
                        ::soap::HybridModel &model,
                        const ::soap::HierarchicalResult &result) {
  int devices = target.topology.deviceCount();
  llvm::json::Array all;
  for (const ::soap::HybridPlan &plan : result.all)
    all.push_back(llvm::json::Object{{"stages", plan.shape.groups},
                                     {"chunks", plan.shape.chunks},
                                     {"data", plan.shape.data},
                                     {"tensor", plan.shape.tensor},
                                     {"samples", plan.shape.samples},
                                     {"sequence", plan.shape.sequence},
                                     {"zero", plan.shape.zero},
                                     {"makespan_ns", plan.makespanNs},
                                     {"excess_bytes", plan.excessBytes}});
  llvm::json::Array others;
  for (const ::soap::HybridPlan &other : result.others)
    others.push_back(toJson(other, model, devices));
  return writeOptionFile(
      getOperation(), "report", report,
      llvm::formatv("{0:2}", llvm::json::Value(llvm::json::Object{
                                 {"topology", target.topology.name},
                                 {"devices", devices},
                                 {"batch", model.getBatch()},
                                 {"segments", model.getSegmentCount()},
                                 {"layers", model.getLayerCount()},
                                 {"iteration_flops", model.iterationFlops()},
                                 {"best", toJson(result.best, model, devices)},
                                 {"others", std::move(others)},
                                 {"all", std::move(all)},
                                 {"shapes", result.shapes},
                                 {"priced", result.priced},
                                 {"seconds", result.seconds},
                                 {"complete", result.complete}}))
              .str() +
          "\n");
}
