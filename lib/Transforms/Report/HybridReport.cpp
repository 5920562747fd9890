//===- HybridReport.cpp - What is said of hybrid plans --------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See HybridReport.h.
//
//===----------------------------------------------------------------------===//

#include "HybridReport.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::soap;

namespace {

/// The figures of a plan that its user asks for.
struct PlanFigures {
  double milliseconds, samplesPerSecond, flopsPerDevice;
  /// Of the peak for products, by the model's floating-point operations (MFU):
  /// 0 to 1.
  double utilization;
};

} // namespace

static PlanFigures figuresOf(const ::soap::HybridPlan &plan,
                             ::soap::HybridModel &model, int devices) {
  double seconds = static_cast<double>(plan.makespanNs) * 1e-9;
  return {seconds * 1e3, static_cast<double>(model.getBatch()) / seconds,
          model.iterationFlops() / seconds / devices,
          model.iterationFlops() / seconds / devices /
              model.peakFlopsPerSecond()};
}

/// `9.52`, `41,200`.
static std::string rateText(double rate) {
  constexpr double large = 1000;
  std::string text;
  llvm::raw_string_ostream os(text);
  if (rate < large)
    os << llvm::format("%.4g", rate);
  else
    os << llvm::formatv("{0:N}", std::llround(rate));
  return text;
}

/// Shape, time and memory of a plan.
static llvm::json::Object shapeJson(const ::soap::HybridPlan &plan) {
  return llvm::json::Object{
      {"stages", plan.shape.groups},
      {"chunks", plan.shape.chunks},
      {"data", plan.shape.data},
      {"tensor", plan.shape.tensor},
      {"context", plan.shape.context},
      {"zigzag", plan.shape.zigzag},
      {"experts", plan.shape.experts},
      {"overlap", plan.shape.overlap},
      {"samples", plan.shape.samples},
      {"uneven", plan.isUneven},
      {"sequence", plan.shape.sequence},
      {"zero", plan.shape.zero},
      {"makespan_ns", plan.makespanNs},
      {"excess_bytes", plan.excessBytes},
      {"priced_ns", plan.pricedNs},
      {"priced_bytes", plan.pricedBytes},
      {"max_bytes", ::soap::maxBytes(plan)},
      {"simulated_microbatches", plan.simulatedMicrobatches},
      {"simulated_full", plan.simulatedFull}};
}

llvm::json::Object
mlir::soap::hybridPlanJson(const ::soap::HybridPlan &plan,
                           ::soap::HybridModel &model,
                           const ::soap::Topology &topology) {
  PlanFigures figures = figuresOf(plan, model, topology.deviceCount());
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
        {"host_bytes", stage.hostBytes},
        {"gradient_bytes", stage.gradientBytes},
        {"activation_bytes", stage.activationBytes},
        {"scratch_bytes", stage.scratchBytes}});
  llvm::json::Object json = shapeJson(plan);
  json["plan"] = ::soap::describe(plan);
  json["microbatches"] = plan.microbatches;
  json["bubble"] = plan.bubble;
  json["peak_bytes"] = plan.peakBytes;
  if (const ::soap::Executor &by = topology.executor; by.most > 0)
    json["makespan_range_ns"] = llvm::json::Array{
        std::llround(static_cast<double>(plan.makespanNs) * by.least),
        std::llround(static_cast<double>(plan.makespanNs) * by.most)};
  json["held_bytes"] = topology.executor.heldBytes(plan.peakBytes);
  json["host_bytes"] = plan.hostBytes;
  json["peak_bytes_by_group"] = llvm::json::Array(plan.groupBytes);
  json["samples_per_second"] = figures.samplesPerSecond;
  if (int64_t tokens = model.getTokensPerSample(); tokens > 0)
    json["tokens_per_second"] =
        figures.samplesPerSecond * static_cast<double>(tokens);
  json["flops_per_device_per_second"] = figures.flopsPerDevice;
  json["flops_utilization"] = figures.utilization;
  json["by_stage"] = std::move(stages);
  return json;
}

std::string mlir::soap::memoryCaveat(const ::soap::HybridPlan &plan,
                                     int64_t memoryBytes) {
  int64_t most = ::soap::maxBytes(plan);
  if (most <= memoryBytes || plan.peakBytes > memoryBytes)
    return "";
  return llvm::formatv("; may need {0:F1} GB", static_cast<double>(most) * 1e-9)
      .str();
}

std::string mlir::soap::printHybridPlan(const ::soap::HybridPlan &plan,
                                        ::soap::HybridModel &model,
                                        const ::soap::Topology &topology) {
  PlanFigures figures = figuresOf(plan, model, topology.deviceCount());
  std::string text;
  llvm::raw_string_ostream os(text);
  int64_t tokens = model.getTokensPerSample(),
          memoryBytes = topology.memoryBytes(0);
  const ::soap::Executor &executor = topology.executor;
  os << ::soap::describe(plan);
  if (int idle =
          topology.deviceCount() - plan.shape.groups * plan.shape.width())
    os << ", " << idle << (idle == 1 ? " device" : " devices") << " idle";
  os << llvm::format(": %.1f ms", figures.milliseconds);
  if (executor.most > 0)
    os << llvm::format(" (%.0f to %.0f)", figures.milliseconds * executor.least,
                       figures.milliseconds * executor.most);
  os << ", "
     << rateText(figures.samplesPerSecond *
                 static_cast<double>(std::max<int64_t>(tokens, 1)))
     << (tokens > 0 ? " tokens/s, " : " samples/s, ")
     << llvm::format("%.4g TFLOP/s a device (%.0f %% MFU), "
                     "bubble %.1f %%, %.1f of %.0f GB",
                     figures.flopsPerDevice * 1e-12, figures.utilization * 100,
                     plan.bubble * 100,
                     static_cast<double>(executor.heldBytes(plan.peakBytes)) *
                         1e-9,
                     static_cast<double>(topology.typeOf(0).memoryBytes) * 1e-9)
     << (plan.hostBytes > 0
             ? llvm::formatv(" and {0:F1} GB in host memory",
                             static_cast<double>(plan.hostBytes) * 1e-9)
                   .str()
             : "")
     << (plan.peakBytes > memoryBytes ? " (does not fit)" : "");
  if (!plan.isSimulated())
    os << " (priced, not simulated" << memoryCaveat(plan, memoryBytes) << ')';
  else if (plan.simulatedMicrobatches < plan.microbatches)
    os << " (" << plan.simulatedMicrobatches
       << (plan.simulatedFull ? " full" : "") << " microbatches simulated)";
  else if (plan.simulatedFull)
    os << " (full microbatches simulated)";
  return text;
}

std::string mlir::soap::printPreset(const ::soap::PresetResult &preset) {
  return llvm::formatv("preset {0}, the whole batch at once: {1:F1} ms, "
                       "{2:F1} GB, faster than the best hybrid plan",
                       preset.name,
                       static_cast<double>(preset.makespanNs) * 1e-6,
                       static_cast<double>(preset.peakBytes) * 1e-9)
      .str();
}

std::string mlir::soap::printHybrid(const ::soap::HierarchicalResult &result,
                                    ::soap::HybridModel &model,
                                    const ::soap::Topology &topology,
                                    const AnomalyCheck &anomaly) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (result.preset)
    os << printPreset(*result.preset) << '\n';
  if (!topology.executor.configs)
    os << "by " << topology.executor.name << ": ";
  if (result.best.exists())
    os << printHybridPlan(result.best, model, topology) << '\n';
  printAnomaly(anomaly, result.best.makespanNs, os);
  if (result.shapes > 0)
    os << llvm::format(
        "%d of %d shapes priced, %d plans simulated in %.2f s%s; "
        "the best of others:\n",
        static_cast<int>(result.priced), static_cast<int>(result.shapes),
        static_cast<int>(result.simulated), result.seconds,
        result.complete ? "" : " (the limit)");
  constexpr size_t shown = 8;
  for (size_t i = 1; i < std::min(result.others.size(), shown); ++i)
    os << "  " << printHybridPlan(result.others[i], model, topology) << '\n';
  return text;
}

LogicalResult
mlir::soap::reportNoPlan(const FunctionProblem &target,
                         const ::soap::HierarchicalResult &result) {
  func::FuncOp function = target.function;
  InFlightDiagnostic error =
      function.emitError("has no hybrid plan on topology '")
      << target.topology.name << "'";
  if (!result.whyRefused.empty())
    error << " of which programs can be made: " << result.whyRefused;
  return error;
}

void mlir::soap::remarkIfPriced(func::FuncOp function,
                                const ::soap::HierarchicalResult &result) {
  if (result.best.isSimulated())
    return;
  InFlightDiagnostic remark =
      function.emitRemark("the plan is priced, not simulated: ");
  if (result.whyPriced.empty())
    remark << "no time was left, expected a longer 'time-limit'";
  else
    remark << result.whyPriced;
}

std::string mlir::soap::printHybridReport(
    const ::soap::HierarchicalResult &result, ::soap::HybridModel &model,
    const ::soap::Topology &topology, const AnomalyCheck &anomaly) {
  llvm::json::Array all;
  for (const ::soap::HybridPlan &plan : result.all)
    all.push_back(shapeJson(plan));
  llvm::json::Array others;
  for (const ::soap::HybridPlan &other : result.others)
    others.push_back(hybridPlanJson(other, model, topology));
  llvm::json::Object json{{"version", 1},
                          {"algorithm", "hybrid"},
                          {"best_makespan_ns", result.best.makespanNs},
                          {"excess_bytes", result.best.excessBytes},
                          {"peak_bytes", result.best.peakBytes},
                          {"topology", topology.name},
                          {"executor", topology.executor.name},
                          {"devices", topology.deviceCount()},
                          {"batch", model.getBatch()},
                          {"segments", model.getSegmentCount()},
                          {"layers", model.getLayerCount()},
                          {"iteration_flops", model.iterationFlops()},
                          {"others", std::move(others)},
                          {"all", std::move(all)},
                          {"shapes", result.shapes},
                          {"priced", result.priced},
                          {"simulated", result.simulated},
                          {"seconds", result.seconds},
                          {"complete", result.complete}};
  if (result.best.exists())
    json["best"] = hybridPlanJson(result.best, model, topology);
  addAnomaly(json, anomaly);
  if (result.preset) {
    json["best_makespan_ns"] = result.preset->makespanNs;
    json["excess_bytes"] = 0;
    json["peak_bytes"] = result.preset->peakBytes;
    json["preset"] = result.preset->name;
  }
  return llvm::formatv("{0:2}", llvm::json::Value(std::move(json))).str() +
         "\n";
}
