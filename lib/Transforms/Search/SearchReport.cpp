//===- SearchReport.cpp - What a search tells its user --------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See SearchReport.h.
//
//===----------------------------------------------------------------------===//

#include "SearchReport.h"

#include "Soap/Dialect/Soap/SoapDialect.h"
#include "Soap/Memory/PlanMemory.h"
#include "Soap/Plan/StrategyPlan.h"
#include "Soap/Search/Evaluator/StrategyEvaluator.h"
#include "Soap/Search/Presets/Presets.h"
#include "Soap/Search/Report/Explain.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/JSON.h"

#include <cassert>
#include <map>

using namespace mlir;
using namespace mlir::soap;

PlannedResult mlir::soap::planResult(const FunctionProblem &target,
                                     const ::soap::Strategy &strategy) {
  assert(strategy.size() == target.opGraph.graph.nodes.size() &&
         "a config a node");
  ::soap::CostModel cost(target.topology);
  ::soap::StrategyPlan plan(target.opGraph.graph, cost);
  plan.set(strategy);
  PlannedResult planned;
  planned.tasks = plan.taskCount();
  for (int64_t bytes : ::soap::peakBytes(plan))
    planned.peakBytes = std::max(planned.peakBytes, bytes);
  return planned;
}

/// The strategy that the ops of a module have; none if ops have no config or
/// one that is not legal on the topology.
static std::optional<::soap::Strategy>
currentStrategy(FunctionProblem &target) {
  if (target.opGraph.ops.empty() ||
      !llvm::all_of(target.opGraph.ops, [](Operation *op) {
        return op->hasAttr(SoapDialect::kConfig);
      }))
    return std::nullopt;
  // A strategy for another topology is none to compare with, and no error.
  ScopedDiagnosticHandler quiet(target.function.getContext(),
                                [](Diagnostic &) { return success(); });
  FailureOr<::soap::Strategy> strategy =
      readStrategy(target.opGraph, target.topology.deviceCount());
  if (failed(strategy))
    return std::nullopt;
  return std::move(*strategy);
}

SearchReferences mlir::soap::priceReferences(FunctionProblem &target) {
  const ::soap::ParallelizationProblem &problem = *target.problem;
  ::soap::StrategyEvaluator evaluator(problem);
  auto price = [&](const char *name, const ::soap::Strategy &strategy) {
    return ::soap::priceBaseline(name, problem, evaluator, strategy);
  };
  SearchReferences references;
  if (std::optional<::soap::Strategy> current = currentStrategy(target))
    references.before = price("the module's strategy", *current);
  else
    references.before = price("one device", ::soap::singleStrategy(problem));
  references.dataParallel =
      price("data parallelism", ::soap::dataParallelStrategy(problem));
  return references;
}

std::string mlir::soap::printSearchReport(const FunctionProblem &target,
                                          const SearchOutcome &outcome,
                                          const SearchReportOptions &options) {
  const ::soap::ParallelizationProblem &problem = *target.problem;
  const ::soap::McmcResult &result = outcome.result;
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::json::OStream json(stream, 2);
  json.object([&] {
    json.attribute("version", 1);
    json.attribute("best_makespan_ns", result.bestEvaluation.makespanNs);
    // Bytes beyond the memory of devices: with any, it is not a solution.
    json.attribute("excess_bytes", result.bestEvaluation.excessBytes);
    json.attributeObject("initial", [&] {
      llvm::StringMap<int> used; // a start may be given twice
      for (auto [name, makespan] :
           llvm::zip_equal(result.initialNames, result.initialNs)) {
        int count = ++used[name];
        json.attribute(count > 1 ? name + "#" + std::to_string(count) : name,
                       makespan);
      }
    });
    json.attribute("groups", static_cast<int64_t>(problem.getGroups().size()));
    json.attribute("ops",
                   static_cast<int64_t>(problem.getGraph().nodes.size()));
    json.attribute("proposals", result.proposals);
    json.attribute("accepted", result.accepted);
    json.attribute("proposals_per_second",
                   result.seconds > 0 ? result.proposals / result.seconds : 0);
    json.attribute("seconds", result.seconds);
    json.attribute("tasks", options.planned.tasks);
    json.attribute("peak_bytes", options.planned.peakBytes);
    const ::soap::EvaluatorStatistics &counts = result.statistics;
    auto share = [&](int64_t count) {
      return static_cast<double>(count) / static_cast<double>(counts.proposals);
    };
    json.attribute("resimulated_tasks_per_proposal",
                   counts.proposals > 0
                       ? llvm::json::Value(share(counts.simulatedTasks))
                       : llvm::json::Value(nullptr));
    if (counts.proposals > 0 && options.hasBounds) {
      // Copies occupy their receiver, or values are restored.
      json.attribute("simulated_in_full", share(counts.simulatedInFull));
      // By the first bound that proved them too slow.
      json.attributeObject("pruned_unsimulated", [&] {
        json.attribute("load", share(counts.prunedByLoad));
        json.attribute("transfers", share(counts.prunedByTransfers));
        json.attribute("planned", share(counts.prunedByPlan));
      });
    }
    json.attribute("optimal", result.optimal);
    json.attribute("bound_ns", result.boundNs);
    json.attribute("seed", options.seed);
    json.attribute("interrupted", options.interrupted);
    // In an order that does not depend on hashes.
    std::map<std::string, llvm::json::Value> more;
    for (auto &[key, value] : outcome.report)
      more.emplace(key.str(), value);
    for (auto &[key, value] : more)
      json.attribute(key, value);
    json.attributeArray("curve", [&] {
      for (const ::soap::McmcPoint &point : result.curve)
        json.object([&] {
          json.attribute("seconds", point.seconds);
          json.attribute("proposals", point.proposals);
          json.attribute("best_ns", point.bestNs);
        });
    });
  });
  stream << '\n';
  return text;
}

std::string mlir::soap::printSearchSummary(const FunctionProblem &target,
                                           const SearchOutcome &outcome,
                                           const PlannedResult &planned,
                                           const SearchReferences &references,
                                           bool interrupted) {
  const ::soap::McmcResult &result = outcome.result;
  ::soap::SearchSummary summary;
  summary.function = func::FuncOp(target.function).getName().str();
  summary.topology = target.topology.name;
  summary.timeNs = result.bestEvaluation.makespanNs;
  summary.memoryBytes = planned.peakBytes;
  summary.before = references.before;
  summary.dataParallel = references.dataParallel;
  summary.proposals = result.proposals;
  summary.points = outcome.points;
  summary.seconds = result.seconds;
  summary.optimal = result.optimal;
  summary.boundNs = result.boundNs;
  summary.interrupted = interrupted;
  return ::soap::describeSearch(summary);
}

void mlir::soap::emitSearchRemarks(const FunctionProblem &target,
                                   const ::soap::McmcResult &result) {
  func::FuncOp function = target.function;
  if (!function.getContext()->getRemarkEngine())
    return;
  auto options = [&](StringRef name) {
    return remark::RemarkOpts::name(name)
        .category("soap-auto-parallel")
        .function(function.getName());
  };
  const ::soap::EvaluatorStatistics &counts = result.statistics;
  remark::analysis(function.getLoc(), options("Search"))
      << remark::metric("Proposals", result.proposals)
      << remark::metric("Accepted", result.accepted)
      << remark::metric("PrunedByLoad", counts.prunedByLoad)
      << remark::metric("PrunedByTransfers", counts.prunedByTransfers)
      << remark::metric("PrunedByPlan", counts.prunedByPlan)
      << remark::metric("SimulatedTasks", counts.simulatedTasks);
  for (const ::soap::OpGroup &group : target.problem->getGroups()) {
    const ::soap::Kernel &leader =
        target.opGraph.graph.nodes[group.leader].whole;
    remark::passed(target.opGraph.ops[group.leader]->getLoc(),
                   options("Config"))
        << remark::metric("Op", leader.name)
        << remark::metric("OpsOfGroup", group.nodes.size())
        << remark::metric(
               "Config",
               ::soap::describeConfig(leader.space, result.best[group.leader]));
  }
}
