//===- Simulate.cpp - Price the strategy of a module ----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass soap-simulate: reads the configs of a function, simulates them and
// writes what came out.
//
//===----------------------------------------------------------------------===//

#include "ModuleSimulation.h"
#include "Transforms/Recomputation/Recompute.h"
#include "Transforms/Report/CompactIteration.h"
#include "Transforms/Report/SimulationReport.h"
#include "Transforms/Report/TimelineLanes.h"
#include "Transforms/Support/CheckedOptions.h"
#include "Transforms/Support/OptionFile.h"
#include "Transforms/Support/StrategySupport.h"

#include "Soap/Analysis/HostMemory.h"
#include "Soap/Analysis/PartitionedGraph.h"
#include "Soap/Analysis/ProgramMemory.h"
#include "Soap/Analysis/SharedOps.h"
#include "Soap/Analysis/Stages.h"
#include "Soap/Analysis/StepFacts.h"
#include "Soap/Analysis/TopologyAttr.h"
#include "Soap/Dialect/Soap/ReuseAttributes.h"
#include "Soap/Dialect/Soap/SoapDialect.h"
#include "Soap/Dialect/Soap/StageAttributes.h"
#include "Soap/Memory/HostMemory.h"
#include "Soap/Memory/PeakMemory.h"
#include "Soap/Plan/StrategyPlan.h"
#include "Soap/Search/Evaluator/StrategyEvaluator.h"
#include "Soap/Search/Hierarchical/HybridOffload.h"
#include "Soap/Search/Presets/Presets.h"
#include "Soap/Simulator/StrategySimulator.h"
#include "Soap/Transforms/Passes.h"

#include "llvm/Support/DebugLog.h"

namespace mlir::soap {
#define GEN_PASS_DEF_SOAPSIMULATE
#include "Soap/Transforms/Passes.h.inc"
} // namespace mlir::soap

#define DEBUG_TYPE "soap-simulate"

using namespace mlir;
using namespace mlir::soap;

namespace {

/// A gradient that thousands of devices share is millions of messages.
constexpr int maxWrittenOut = 64;

struct Simulate : CheckedOptions<mlir::soap::impl::SoapSimulateBase<Simulate>> {
  using CheckedOptions::CheckedOptions;

  void runOnOperation() override {
    if (failed(run()))
      signalPassFailure();
    markAllAnalysesPreserved();
  }

  LogicalResult run();
  LogicalResult runPartitioned(ArrayAttr programs,
                               const ::soap::Topology &deviceTopology);
  /// Whether the iteration would be shorter on slower links. Nothing is looked
  /// for where no summary and no report is written.
  AnomalyCheck lookForAnomaly(const ::soap::Topology &deviceTopology,
                              int64_t makespanNs, int64_t tasks,
                              const std::vector<::soap::DeviceTimes> &times,
                              const TimeOnTopology &simulate);
  LogicalResult addPresets(const FunctionProblem &target,
                           std::vector<::soap::Baseline> &presets,
                           std::vector<ComparedStrategy> *compared,
                           std::vector<HybridRow> *recipes = nullptr);
  ::soap::Expected<CompactIteration>
  foldWholeBatch(const FunctionProblem &target,
                 const ::soap::Strategy &strategy);
  ::soap::Expected<CompactIteration>
  planWholeBatch(const FunctionProblem &target,
                 const ::soap::Strategy &strategy);
  LogicalResult runPipeline(const FunctionProblem &target,
                            const ::soap::Strategy &strategy,
                            PipelineAttr pipeline);
  LogicalResult reportCompact(const FunctionProblem &target,
                              CompactIteration &simulation);
  bool drawsTimeline() const { return !timeline.empty() && !listsTimeline(); }
  bool listsTimeline() const {
    return llvm::StringRef(timeline.getValue()).ends_with(".json");
  }
  /// Where its tasks go; null: no file is written of them.
  TimelineLanes *startLanes(const ::soap::Topology &deviceTopology) {
    if (!listsTimeline())
      return nullptr;
    return &lanes.emplace(deviceTopology);
  }
  LogicalResult writeTimeline(const PassReport *passes, SimulatedBy by,
                              int64_t makespanNs,
                              const ::soap::Topology &deviceTopology);
  void warnWithoutTimeline();
  LogicalResult writeFiles(const ::soap::Graph &graph,
                           const Simulation &simulation,
                           const ::soap::Topology &deviceTopology);

  std::optional<TimelineLanes> lanes;
  const FunctionProblem *opened = nullptr;
  const ::soap::Strategy *configs = nullptr;
};

} // namespace

/// `passes`: null, or of a pipeline. The other outputs are written without a
/// drawing all the same.
LogicalResult Simulate::writeTimeline(const PassReport *passes, SimulatedBy by,
                                      int64_t makespanNs,
                                      const ::soap::Topology &deviceTopology) {
  if (lanes) {
    if (opened)
      lanes->addOps(opened->opGraph.graph, *configs,
                    opened->problem->getRoles());
    return writeOptionFile(getOperation(), "timeline", timeline,
                           lanes->print(by, makespanNs, passes));
  }
  if (!passes)
    warnWithoutTimeline();
  else if (drawsTimeline())
    return writeOptionFile(
        getOperation(), "timeline", timeline,
        drawPasses(*passes, deviceTopology, makespanNs,
                   drawingTitle(getOperation(), deviceTopology.name)));
  return success();
}

void Simulate::warnWithoutTimeline() {
  if (!timeline.empty())
    getOperation().emitWarning("option 'timeline=")
        << timeline
        << "': nothing is written: expected a plan with stages that runs in "
           "microbatches";
}

LogicalResult Simulate::writeFiles(const ::soap::Graph &graph,
                                   const Simulation &simulation,
                                   const ::soap::Topology &deviceTopology) {
  ModuleOp module = getOperation();
  if (!report.empty() &&
      failed(writeOptionFile(module, "report", report,
                             printReport(graph, simulation, deviceTopology))))
    return failure();
  if (!taskGraph.empty() &&
      failed(writeOptionFile(module, "task-graph", taskGraph,
                             ::soap::printTaskGraph(simulation.tasks))))
    return failure();
  if (TimelineLanes *wanted = startLanes(deviceTopology)) {
    // Partitioned IR has no plan whose tiles could be followed.
    if (!simulation.order.empty())
      ::soap::followMemory(
          graph, simulation.plan, simulation.tasks, simulation.order,
          deviceTopology.deviceCount(),
          wanted->startCourse(graph, simulation.tasks.makespanNs));
    wanted->add(graph, simulation.tasks);
  }
  if (failed(writeTimeline(simulation.passes ? &*simulation.passes : nullptr,
                           simulation.by, simulation.tasks.makespanNs,
                           deviceTopology)))
    return failure();
  if (trace.empty())
    return success();
  // Partitioned IR has no plan whose tiles could be followed.
  std::vector<std::vector<::soap::MemoryPoint>> memory;
  if (!simulation.order.empty())
    memory =
        ::soap::memoryOverTime(graph, simulation.plan, simulation.tasks,
                               simulation.order, deviceTopology.deviceCount());
  return writeOptionFile(module, "trace", trace,
                         ::soap::printChromeTrace(simulation.tasks, memory));
}

/// A named strategy, priced, with a row of the table if one is wanted.
static ::soap::Baseline priceNamed(const FunctionProblem &target,
                                   const std::string &name,
                                   const ::soap::NamedStrategy &named,
                                   std::vector<ComparedStrategy> *compared) {
  if (!compared && named.keeps.empty() && !named.offload) {
    ::soap::StrategyEvaluator evaluator(*target.problem);
    return ::soap::priceBaseline(name, *target.problem, evaluator,
                                 named.strategy);
  }
  ::soap::Graph graph = target.opGraph.graph;
  for (const ::soap::KeptValue &kept : named.keeps)
    ::soap::restoreValue(graph, kept.value, kept.keep);
  // Both were tried when the recipe was read.
  if (named.offload)
    if (!::soap::putOptimizerInHost(graph))
      (void)::soap::resolveHostMemory(graph, target.topology);
  Simulation simulation = simulate(graph, named.strategy, target.topology);
  ::soap::Baseline baseline;
  baseline.name = name;
  baseline.makespanNs = simulation.tasks.makespanNs;
  baseline.splits = ::soap::splitsOps(named.strategy);
  ::soap::setNeeded(baseline, target.topology, simulation.memoryBytes);
  if (compared) {
    compared->push_back(summarizeRow(name, simulation, target.topology));
    compared->back().splits = baseline.splits;
  }
  return baseline;
}

/// A hybrid plan as a baseline.
static ::soap::Baseline baselineOf(const HybridRow &row) {
  ::soap::Baseline baseline;
  baseline.name = row.name;
  baseline.plan = ::soap::describe(row.plan);
  baseline.makespanNs = row.plan.makespanNs;
  if (int64_t most = ::soap::maxBytes(row.plan); most > row.memoryBytes) {
    baseline.neededBytes = most;
    baseline.memoryBytes = row.memoryBytes;
  }
  return baseline;
}

/// A strategy that does not fit with the whole batch at once may fit in
/// microbatches, and with layers that are computed again. Where it does, that
/// is the baseline.
static void fitBaseline(const FunctionProblem &target,
                        ::soap::Baseline &baseline) {
  auto model = ::soap::HybridModel::make(*target.problem, /*batch=*/0,
                                         forwardNodesOf(target.opGraph));
  if (!model)
    return;
  auto row = priceRecipe(baseline.name, **model, target.topology);
  if (!row || !*row)
    return;
  simulateRecipe(**row, **model,
                 ::soap::simulatorOf(**model, stepFactsOf(target.opGraph),
                                     target.topology));
  if (::soap::Baseline fitting = baselineOf(**row); fitting.fits()) {
    fitting.name += " to fit";
    baseline = std::move(fitting);
  }
}

/// Simulates the strategies to compare with, if the summary or the report is
/// written. `compared`, which may be null, gets rows for those that the option
/// names; `recipes`, if this is a pipeline, those that are hybrid plans.
LogicalResult Simulate::addPresets(const FunctionProblem &target,
                                   std::vector<::soap::Baseline> &presets,
                                   std::vector<ComparedStrategy> *compared,
                                   std::vector<HybridRow> *recipes) {
  if (compare.empty())
    compared = nullptr;
  std::vector<std::string> names(compare.begin(), compare.end());
  if (names.empty() && target.topology.deviceCount() > maxWrittenOut)
    return success();
  if (names.empty())
    names = {"data-parallel", "expert"};
  if (names == std::vector<std::string>{"none"})
    return success();
  // Values that the module's strategy keeps, or has in hosts, are no part of
  // the others. Recipes decide by themselves what they recompute.
  const FunctionProblem *plain = &target;
  OwningOpRef<ModuleOp> copy;
  std::unique_ptr<FunctionProblem> reopened;
  bool hasHost = !hostArguments(func::FuncOp(target.function)).empty();
  bool hasClones =
      recipes && llvm::any_of(target.opGraph.ops, [](Operation *op) {
        return op->hasAttr(kRecomputeOf);
      });
  if (!target.opGraph.graph.restores.empty() || hasHost || hasClones) {
    copy = getOperation().clone();
    for (auto other : copy->getOps<func::FuncOp>()) {
      dropKeeps(other);
      dropHostMemory(other);
      if (recipes)
        dropRecomputation(other);
    }
    auto opened = openProblem(*copy, target.topology,
                              func::FuncOp(target.function).getName());
    if (failed(opened))
      return failure();
    reopened = std::move(*opened);
    plain = reopened.get();
  }
  std::unique_ptr<::soap::HybridModel> model;
  if (recipes && !compare.empty())
    if (auto made = ::soap::HybridModel::make(*plain->problem, /*batch=*/0,
                                              forwardNodesOf(plain->opGraph)))
      model = std::move(*made);
  std::unique_ptr<::soap::OffloadedModel> offloaded;
  for (const std::string &name : names) {
    std::string recipe = name;
    ::soap::HybridModel *used = model.get();
    if (used && ::soap::takeOffload(recipe)) {
      if (!offloaded) {
        auto made = ::soap::offloadedModel(*plain->problem,
                                           forwardNodesOf(plain->opGraph));
        if (!made)
          return getOperation().emitError()
                 << "option 'compare=" << name << "': recipe '" << name
                 << "': " << made.error();
        offloaded = std::move(*made);
      }
      used = offloaded->model.get();
    }
    if (used)
      if (auto row = priceRecipe(recipe, *used, plain->topology)) {
        if (!*row)
          return getOperation().emitError()
                 << "option 'compare=" << name << "': " << row->error();
        (*row)->name = name;
        if (summary || !report.empty())
          simulateRecipe(**row, *used,
                         ::soap::simulatorOf(*used, stepFactsOf(plain->opGraph),
                                             plain->topology));
        recipes->push_back(std::move(**row));
        continue;
      }
    ::soap::Expected<::soap::NamedStrategy> named =
        ::soap::namedStrategy(name, *plain->problem);
    if (!named)
      return getOperation().emitError()
             << "option 'compare=" << name << "': " << named.error()
             << ", or none";
    if (!summary && report.empty())
      continue;
    presets.push_back(priceNamed(*plain, name, *named, compared));
    if (compare.empty() && !presets.back().fits())
      fitBaseline(*plain, presets.back());
  }
  return success();
}

AnomalyCheck
Simulate::lookForAnomaly(const ::soap::Topology &deviceTopology,
                         int64_t makespanNs, int64_t tasks,
                         const std::vector<::soap::DeviceTimes> &times,
                         const TimeOnTopology &simulate) {
  if ((!summary && report.empty()) || anomalies == "never" ||
      (anomalies == "auto" && llvm::is_contained(compare, "none")))
    return {};
  AnomalyCheck check;
  if (anomalies == "auto" && !mayLookForAnomaly(tasks)) {
    check.whyNot = std::to_string(tasks) + " tasks";
    return check;
  }
  int64_t busiestNs = 0;
  for (const ::soap::DeviceTimes &of : times)
    busiestNs = std::max(busiestNs, of.computeNs + of.movementNs);
  check.found = findAnomaly(deviceTopology, makespanNs, busiestNs, simulate);
  return check;
}

/// The time of the passes of a pipeline by topology; none where they are not
/// simulated without being written out.
static TimeOnTopology timeOfPasses(const ::soap::Graph &graph,
                                   const ::soap::Strategy &strategy,
                                   const ::soap::PassOrder &order,
                                   bool foldOnly) {
  return [&graph, &strategy, &order, foldOnly](
             const ::soap::Topology &topology) -> std::optional<int64_t> {
    auto planned =
        ::soap::PlannedPasses::make(graph, strategy, order, topology, foldOnly);
    if (!planned)
      return std::nullopt;
    return (*planned)->getTimeline().getMakespanNs();
  };
}

/// A strategy for the whole batch as a pipeline of one stage and one
/// microbatch. An error says why replicas may differ.
::soap::Expected<CompactIteration>
Simulate::foldWholeBatch(const FunctionProblem &target,
                         const ::soap::Strategy &strategy) {
  const ::soap::Graph &graph = target.opGraph.graph;
  auto first = llvm::find_if(graph.nodes, [](const ::soap::GraphNode &node) {
    return node.whole.phase == ::soap::Phase::Forward;
  });
  if (first == graph.nodes.end())
    return ::soap::Error{"no op is of a forward pass"};
  if (llvm::any_of(graph.restores, [](const ::soap::Restore &restore) {
        return !restore.delaysReaders;
      }))
    return ::soap::Error{"values are kept ('soap.keep')"};
  StageEntry stage{first->whole.name, {}};
  for (int device = 0; device < target.topology.deviceCount(); ++device)
    stage.devices.push_back(device);
  std::vector<StageEntry> stages = {std::move(stage)};
  // A plan without a pipeline is simulated otherwise.
  std::string why;
  ScopedDiagnosticHandler handler(&getContext(), [&](Diagnostic &diagnostic) {
    why = diagnostic.str();
    return success();
  });
  FailureOr<::soap::PassOrder> order =
      readPassOrder(target.opGraph, strategy,
                    PipelineAttr::get(&getContext(), /*microbatches=*/1,
                                      PipelineSchedule::OneForwardOneBackward,
                                      ArrayRef<int64_t>()),
                    target.topology, &stages);
  if (failed(order))
    return ::soap::Error{why};
  ::soap::Expected<CompactIteration> simulated = simulateCompact(
      graph, strategy, *order, ::soap::PipelineSchedule::OneForwardOneBackward,
      target.topology,
      /*foldOnly=*/true, startLanes(target.topology));
  if (simulated)
    simulated->anomaly = lookForAnomaly(
        target.topology, simulated->makespanNs, simulated->tasks,
        simulated->times,
        timeOfPasses(graph, strategy, *order, /*foldOnly=*/true));
  return simulated;
}

/// The compact plan of all devices.
::soap::Expected<CompactIteration>
Simulate::planWholeBatch(const FunctionProblem &target,
                         const ::soap::Strategy &strategy) {
  const ::soap::Graph &graph = target.opGraph.graph;
  ::soap::Expected<CompactIteration> simulated = simulateWholeBatch(
      graph, strategy, target.topology, startLanes(target.topology));
  if (simulated)
    simulated->anomaly =
        lookForAnomaly(target.topology, simulated->makespanNs, simulated->tasks,
                       simulated->times, [&](const ::soap::Topology &slowed) {
                         ::soap::CostModel cost(slowed);
                         ::soap::StrategyPlan plan(graph, cost);
                         plan.set(strategy);
                         return ::soap::StrategySimulator(plan).makespan();
                       });
  return simulated;
}

LogicalResult Simulate::run() {
  ModuleOp module = getOperation();
  bool writesTasks = !taskGraph.empty() || !trace.empty();
  if (fold != "auto" && fold != "always" && fold != "never")
    return module.emitError("option 'fold=")
           << fold << "': expected auto, always or never";
  if (anomalies != "auto" && anomalies != "always" && anomalies != "never")
    return module.emitError("option 'anomalies=")
           << anomalies << "': expected auto, always or never";
  if (fold == "always" && writesTasks)
    return module.emitError("option 'fold=always': a folded simulation has no "
                            "task graph or trace of all tasks to write");
  if (!module->hasAttr(SoapDialect::kPrograms) &&
      failed(checkHasStrategy(module, function)))
    return failure();
  FailureOr<::soap::Topology> deviceTopology =
      resolveTopology(module, topology, profile, executor);
  if (failed(deviceTopology))
    return failure();
  if (auto programs = module->getAttrOfType<ArrayAttr>(SoapDialect::kPrograms))
    return runPartitioned(programs, *deviceTopology);
  auto problem = openProblem(module, std::move(*deviceTopology), function);
  if (failed(problem))
    return failure();
  FunctionProblem &target = **problem;
  const ::soap::Graph &graph = target.opGraph.graph;
  FailureOr<::soap::Strategy> strategy =
      readStrategy(target.opGraph, target.topology.deviceCount());
  if (failed(strategy))
    return failure();

  opened = &target;
  configs = &*strategy;
  LDBG() << "simulating '" << target.function.getName()
         << "': " << graph.nodes.size() << " ops on "
         << target.topology.deviceCount() << " devices";
  if (PipelineAttr pipeline =
          readPipeline(module->getAttr(SoapDialect::kPipeline)))
    return runPipeline(target, *strategy, pipeline);
  bool isTooLarge = ::soap::countPieces(*strategy) >
                    ::soap::maxPieces(::soap::PlanForm::Written);
  if (fold == "always" ||
      (fold == "auto" && isTooLarge && !writesTasks && !drawsTimeline())) {
    ::soap::Expected<CompactIteration> simulated =
        foldWholeBatch(target, *strategy);
    if (simulated)
      return reportCompact(target, *simulated);
    if (fold == "always")
      return module.emitError("option 'fold=always': ") << simulated.error();
  }
  if (fold == "auto" && !writesTasks &&
      (isTooLarge || target.topology.deviceCount() > maxWrittenOut)) {
    ::soap::Expected<CompactIteration> simulated =
        planWholeBatch(target, *strategy);
    if (!simulated)
      return module.emitError() << simulated.error();
    return reportCompact(target, *simulated);
  }
  Simulation simulation = simulate(graph, *strategy, target.topology);
  checkMemory(target, simulation.memoryBytes, DiagnosticSeverity::Warning);
  checkHostMemory(target, *strategy, DiagnosticSeverity::Warning);
  simulation.anomaly =
      lookForAnomaly(target.topology, simulation.tasks.makespanNs,
                     static_cast<int64_t>(simulation.tasks.tasks.size()),
                     simulation.times, [&](const ::soap::Topology &slowed) {
                       return ::soap::priceStrategy(graph, *strategy,
                                                    ::soap::CostModel(slowed),
                                                    /*names=*/false)
                           .tasks.makespanNs;
                     });
  if (failed(addPresets(target, simulation.presets, &simulation.compared)))
    return failure();
  if (summary)
    printSummary(graph, simulation, target.topology, llvm::errs());
  return writeFiles(graph, simulation, target.topology);
}

/// The time of a pipeline as its programs run it; none, without an error, if it
/// cannot be simulated.
static std::optional<int64_t>
timeOfMicrobatches(ModuleOp module, const FunctionProblem &target,
                   const ::soap::Strategy &strategy, PipelineAttr pipeline,
                   const ::soap::Topology &topology) {
  ScopedDiagnosticHandler handler(module.getContext(),
                                  [](Diagnostic &) { return success(); });
  FunctionProblem other{topology, target.function, target.opGraph,
                        std::nullopt};
  other.problem.emplace(other.opGraph.graph, other.topology,
                        target.problem->getGroups(),
                        target.problem->getRoles());
  FailureOr<Simulation> simulated =
      simulateMicrobatches(module, other, strategy, pipeline);
  if (failed(simulated))
    return std::nullopt;
  return simulated->tasks.makespanNs;
}

LogicalResult Simulate::runPipeline(const FunctionProblem &target,
                                    const ::soap::Strategy &strategy,
                                    PipelineAttr pipeline) {
  const ::soap::Graph &graph = target.opGraph.graph;
  FailureOr<::soap::PassOrder> order =
      readPassOrder(target.opGraph, strategy, pipeline, target.topology);
  if (failed(order))
    return failure();
  bool hasStages = getOperation()->hasAttr(kStages);
  bool writesTasks = !taskGraph.empty() || !trace.empty();
  bool hasManyPieces = ::soap::countPieces(strategy, *order) >
                       ::soap::maxPieces(::soap::PlanForm::Written);
  // Devices of a placement do not fold.
  bool isLarge = hasManyPieces ||
                 (hasStages && target.topology.deviceCount() > maxWrittenOut);
  if ((fold == "always" && hasStages) ||
      (fold == "auto" && isLarge && !writesTasks)) {
    // A plan that does not fold, and is not too large, is written out.
    bool foldOnly = fold == "always" || !hasManyPieces;
    ::soap::Expected<CompactIteration> simulated = simulateCompact(
        graph, strategy, *order,
        *::soap::findSchedule(
            stringifyPipelineSchedule(pipeline.getSchedule()).str()),
        target.topology, foldOnly, startLanes(target.topology));
    if (simulated) {
      simulated->anomaly = lookForAnomaly(
          target.topology, simulated->makespanNs, simulated->tasks,
          simulated->times, timeOfPasses(graph, strategy, *order, foldOnly));
      return reportCompact(target, *simulated);
    }
    if (fold == "always" || hasManyPieces)
      return getOperation().emitError()
             << "'" << SoapDialect::kPipeline << "': " << simulated.error();
  }
  FailureOr<Simulation> simulated =
      simulateMicrobatches(getOperation(), target, strategy, pipeline);
  if (failed(simulated))
    return failure();
  Simulation &simulation = *simulated;
  checkMemory(target, simulation.memoryBytes, DiagnosticSeverity::Warning);
  checkHostMemory(target, strategy, DiagnosticSeverity::Warning);
  // A compact plan takes least; some are simulated only as they are written
  // out.
  TimeOnTopology compact, written = [&](const ::soap::Topology &slowed) {
    return timeOfMicrobatches(getOperation(), target, strategy, pipeline,
                              slowed);
  };
  if (hasStages)
    compact = timeOfPasses(graph, strategy, *order, /*foldOnly=*/false);
  simulation.anomaly =
      lookForAnomaly(target.topology, simulation.tasks.makespanNs,
                     static_cast<int64_t>(simulation.tasks.tasks.size()),
                     simulation.times, [&](const ::soap::Topology &slowed) {
                       std::optional<int64_t> ns;
                       if (compact)
                         ns = compact(slowed);
                       return ns ? ns : written(slowed);
                     });
  if (failed(addPresets(target, simulation.presets, &simulation.compared,
                        hasStages ? &simulation.recipes : nullptr)))
    return failure();
  if (summary)
    printSummary(graph, simulation, target.topology, llvm::errs());
  return writeFiles(graph, simulation, target.topology);
}

LogicalResult Simulate::reportCompact(const FunctionProblem &target,
                                      CompactIteration &simulation) {
  const ::soap::Topology &deviceTopology = target.topology;
  checkMemory(target, simulation.memoryBytes, DiagnosticSeverity::Warning);
  if (std::string lack =
          ::soap::describeHostLack(deviceTopology, simulation.hostBytes);
      !lack.empty())
    getOperation().emitWarning()
        << "'@" << func::FuncOp(target.function).getName() << "' needs "
        << lack;
  bool isPipeline = simulation.passes.has_value();
  if (failed(addPresets(target, simulation.presets,
                        isPipeline ? &simulation.compared : nullptr,
                        isPipeline ? &simulation.recipes : nullptr)))
    return failure();
  if (summary)
    printSummary(simulation, deviceTopology, llvm::errs());
  if (!report.empty() &&
      failed(writeOptionFile(getOperation(), "report", report,
                             printReport(simulation, deviceTopology))))
    return failure();
  return writeTimeline(simulation.passes ? &*simulation.passes : nullptr,
                       simulation.by, simulation.makespanNs, deviceTopology);
}

/// Partitioned IR is priced from its programs and rank table alone; exchanges
/// have no names any more.
LogicalResult Simulate::runPartitioned(ArrayAttr programs,
                                       const ::soap::Topology &deviceTopology) {
  ModuleOp module = getOperation();
  std::string wanted = function.empty() ? "train_step" : function.getValue();
  DictionaryAttr entry;
  for (Attribute attribute : programs) {
    auto candidate = cast<DictionaryAttr>(attribute);
    if (!entry || candidate.getAs<StringAttr>("entry") == wanted)
      entry = candidate;
  }
  if (!entry ||
      (!function.empty() && entry.getAs<StringAttr>("entry") != wanted))
    return module.emitError("option 'function=")
           << wanted << "' names no entry of '" << SoapDialect::kPrograms
           << "'";
  // Programs with all their ops; the module stays as it is.
  OwningOpRef<ModuleOp> inlined;
  if (hasSharedOps(module)) {
    inlined = module.clone();
    module = *inlined;
    if (failed(inlineSharedOps(module)))
      return failure();
  }
  FailureOr<::soap::TaskGraph> tasks =
      rebuildTaskGraph(module, entry, deviceTopology);
  if (failed(tasks))
    return failure();
  Simulation simulation;
  simulation.by = SimulatedBy::Programs;
  simulation.tasks = std::move(*tasks);
  FailureOr<std::vector<int64_t>> peaks =
      programPeakBytes(module, entry, deviceTopology.deviceCount());
  if (failed(peaks))
    return failure();
  simulation.memoryBytes = std::move(*peaks);
  summarizeTasks(simulation, deviceTopology);
  simulation.anomaly = lookForAnomaly(
      deviceTopology, simulation.tasks.makespanNs,
      static_cast<int64_t>(simulation.tasks.tasks.size()), simulation.times,
      [&](const ::soap::Topology &slowed) -> std::optional<int64_t> {
        FailureOr<::soap::TaskGraph> again =
            rebuildTaskGraph(module, entry, slowed);
        if (failed(again))
          return std::nullopt;
        return again->makespanNs;
      });
  if (summary)
    printSummary(::soap::Graph(), simulation, deviceTopology, llvm::errs());
  return writeFiles(::soap::Graph(), simulation, deviceTopology);
}
