//===- HybridSimulation.cpp - Simulated hybrid plans ----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See HybridSimulation.h.
//
//===----------------------------------------------------------------------===//

#include "HybridSimulation.h"

#include "Transforms/Report/CompactIteration.h"
#include "Transforms/Report/SimulationReport.h"
#include "WriteHybrid.h"

#include "Analysis/LoopCorrespondence.h"
#include "Search/Hierarchical/MicrobatchGraph.h"
#include "Soap/Analysis/HostMemory.h"
#include "Soap/Analysis/Stages.h"
#include "Soap/Dialect/Soap/ReuseAttributes.h"
#include "Soap/Dialect/Soap/SoapDialect.h"
#include "Soap/Dialect/Soap/StageAttributes.h"
#include "Soap/Model/Reuse.h"
#include "Soap/Pipeline/Pipeline.h"
#include "Soap/Search/Frontier/FrontierSearch.h"

#include "mlir/IR/Diagnostics.h"

#include <algorithm>
#include <chrono>
#include <limits>

using namespace mlir;
using namespace mlir::soap;

namespace {

/// A timeline of some microbatches.
struct Timeline {
  int64_t makespanNs = 0;
  std::vector<int64_t> groupBytes;
  /// Time in which devices compute, mean of all, in ns.
  double busyNs = 0;
  int64_t tasks = 0;
};

class PlanSimulator {
public:
  PlanSimulator(const OpGraph &opGraph, const ::soap::Topology &topology,
                ::soap::HybridModel &model, bool offloads)
      : ofStep(opGraph), whole(topology), topology(topology), model(model),
        offloads(offloads),
        function(opGraph.ops.front()->getParentOfType<func::FuncOp>()),
        forwardOf(forwardNodesOf(opGraph)) {}

  ::soap::Expected<::soap::HybridSimulation>
  operator()(const ::soap::HybridPlan &plan,
             const ::soap::SecondsLeft &secondsLeft) {
    left = &secondsLeft;
    // Devices that the plan leaves idle are not looked at.
    int used = plan.shape.groups * plan.shape.width();
    if (used != topology.deviceCount())
      topology = used == whole.deviceCount()
                     ? whole
                     : ::soap::firstDevices(whole, used, /*limitBytes=*/-1);
    // A plan that is wrong is an error of the simulation, not of the pass.
    std::string text;
    ScopedDiagnosticHandler handler(
        function.getContext(), [&](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
            text = diagnostic.str();
          return success();
        });
    auto simulated = run(plan);
    if (!simulated && simulated.error().empty())
      return ::soap::Error{text};
    return simulated;
  }

private:
  const OpGraph &ofStep;
  const ::soap::Topology &whole;
  ::soap::Topology topology; ///< of the devices that the plan uses
  ::soap::HybridModel &model;
  bool offloads;
  func::FuncOp function;
  std::vector<int> forwardOf;
  const ::soap::SecondsLeft *left = nullptr; ///< of the plan that is simulated

  bool isOver() const { return (*left)() <= 0; }

  /// Emits an error.
  static ::soap::Error failed() { return {""}; }

  ::soap::Expected<::soap::HybridSimulation>
  run(const ::soap::HybridPlan &plan) {
    ::soap::Expected<::soap::HybridPlacement> placement =
        model.placeMicrobatch(plan, forwardOf);
    if (!placement)
      return placement.takeError();
    OwningOpRef<ModuleOp> copy =
        cast<ModuleOp>(function->getParentOfType<ModuleOp>()->clone());
    auto copied = copy->lookupSymbol<func::FuncOp>(function.getName());
    if (offloads && mlir::failed(offloadOptimizer(copied, "")))
      return failed();
    FailureOr<OpGraph> opGraph = buildOpGraph(copied);
    if (mlir::failed(opGraph))
      return failed();
    dropKeeps(copied);
    ::soap::Graph plain = opGraph->graph;
    for (const ::soap::KeptValue &kept : placement->keeps)
      ::soap::restoreValue(opGraph->graph, kept.value, kept.keep);
    writeKeeps(*opGraph);
    opGraph->graph = std::move(plain);
    if (mlir::failed(recomputeNodes(*opGraph, placement->isAgain)))
      return failed();
    opGraph = buildOpGraph(copied);
    if (mlir::failed(opGraph) ||
        mlir::failed(resolveHostMemory(*opGraph, copied, topology)))
      return failed();
    return simulate(plan, *opGraph, strategyOf(*opGraph, *placement),
                    stagesOf(*placement));
  }

  std::vector<StageEntry>
  stagesOf(const ::soap::HybridPlacement &placement) const {
    std::vector<StageEntry> stages;
    for (auto [first, devices] :
         llvm::zip_equal(placement.firsts, placement.devices))
      stages.push_back(
          {ofStep.graph.nodes[static_cast<size_t>(first)].whole.name, devices});
    return stages;
  }

  /// Ops have the order of the plain function; clones follow what they
  /// recompute.
  static ::soap::Strategy strategyOf(const OpGraph &opGraph,
                                     const ::soap::HybridPlacement &placement) {
    llvm::StringMap<size_t> byName;
    ::soap::Strategy strategy;
    size_t next = 0;
    for (auto [op, node] : llvm::zip_equal(opGraph.ops, opGraph.graph.nodes)) {
      if (auto of = op->getAttrOfType<StringAttr>(kRecomputeOf)) {
        strategy.push_back(placement.strategy[byName.at(of.getValue())]);
        continue;
      }
      byName[node.whole.name] = next;
      strategy.push_back(placement.strategy[next++]);
    }
    return strategy;
  }

  /// Of long iterations a few microbatches are simulated: with twice and three
  /// times as many as groups of devices, the pipeline is full, and from then on
  /// each more takes as long.
  ::soap::Expected<::soap::HybridSimulation>
  simulate(const ::soap::HybridPlan &plan, OpGraph &opGraph,
           const ::soap::Strategy &strategy,
           const std::vector<StageEntry> &stages) {
    int64_t groups = plan.shape.groups, all = plan.microbatches;
    int64_t few = std::max<int64_t>(2 * groups, 3),
            more = few + std::max<int64_t>(groups, 2);
    int64_t pieces =
        static_cast<int64_t>(opGraph.graph.nodes.size()) * plan.shape.unit();
    bool isLong =
        all > 2 * more && static_cast<double>(pieces * all) >
                              ::soap::piecesIn(::soap::PlanForm::Compact);
    ::soap::Graph whole = opGraph.graph;
    auto last =
        timelineOf(plan, opGraph, strategy, stages, isLong ? more : all);
    if (!last)
      return last.takeError();
    ::soap::HybridSimulation result;
    result.microbatches = isLong ? more : all;
    result.makespanNs = last->makespanNs;
    result.tasks = last->tasks;
    result.groupBytes = std::move(last->groupBytes);
    double busyNs = last->busyNs;
    if (isLong) {
      opGraph.graph = std::move(whole);
      auto before = timelineOf(plan, opGraph, strategy, stages, few);
      if (!before)
        return before.takeError();
      double steps =
          static_cast<double>(all - more) / static_cast<double>(more - few);
      result.makespanNs += std::llround(
          steps * static_cast<double>(last->makespanNs - before->makespanNs));
      busyNs += steps * (last->busyNs - before->busyNs);
      // Data of more samples is there from the start. What else grows is what
      // a pipeline that fills up holds, and does not go on to.
      int64_t ofData = dataBytes(plan.shape) * (all - more);
      for (size_t g = 0; g < result.groupBytes.size(); ++g) {
        auto grown = std::llround(
            steps * static_cast<double>(std::max<int64_t>(
                        result.groupBytes[g] - before->groupBytes[g], 0)));
        result.groupBytes[g] += std::min<int64_t>(grown, ofData);
      }
    }
    result.bubble = 1 - busyNs / static_cast<double>(result.makespanNs);
    return result;
  }

  /// Bytes of the data of a microbatch that a device may hold.
  int64_t dataBytes(const ::soap::HybridShape &shape) const {
    const ::soap::Graph &graph = ofStep.graph;
    std::vector<bool> hasSamples =
        ::soap::valuesOfSamples(graph, computeRoles(ofStep));
    int64_t bytes = 0;
    for (const ::soap::GraphInput &input : graph.inputs)
      if (input.updateNode < 0 && hasSamples[input.value])
        bytes += graph.values[input.value].bytes();
    return bytes / model.getStepBatch() * shape.samples;
  }

  /// Changes the graph.
  ::soap::Expected<Timeline> timelineOf(const ::soap::HybridPlan &plan,
                                        OpGraph &opGraph,
                                        const ::soap::Strategy &strategy,
                                        const std::vector<StageEntry> &stages,
                                        int64_t microbatches) {
    const ::soap::HybridShape &shape = plan.shape;
    std::vector<std::vector<::soap::Role>> roles = computeRoles(opGraph);
    if (::soap::MaybeError error =
            ::soap::scaleSamples(opGraph.graph, roles, model.getStepBatch(),
                                 microbatches * shape.data * shape.samples))
      return *error;
    constexpr auto schedule = PipelineSchedule::OneForwardOneBackward;
    FailureOr<std::optional<::soap::PassOrder>> order =
        readPassOrder(opGraph, strategy,
                      PipelineAttr::get(function.getContext(), microbatches,
                                        schedule, ArrayRef<int64_t>()),
                      topology, &stages);
    if (mlir::failed(order) || !*order)
      return failed();
    int64_t pieces = ::soap::countPieces(strategy, **order);
    auto mayBe = [&](::soap::PlanForm form) { // of all devices
      return pieces <= ::soap::maxPieces(form) &&
             static_cast<double>(pieces) <= ::soap::piecesIn(form, (*left)());
    };
    auto planned =
        PlannedPasses::make(opGraph.graph, strategy, **order, topology,
                            /*foldOnly=*/!mayBe(::soap::PlanForm::Compact),
                            [this] { return isOver(); });
    if (planned)
      return summarize(plan, **planned);
    if (isOver() || !mayBe(::soap::PlanForm::Written))
      return ::soap::Error{planned.error() + " (all devices have " +
                           std::to_string(pieces) + " pieces)"};
    ::soap::Expected<Simulation> simulated = simulatePasses(
        opGraph.graph, strategy, **order,
        ::soap::PipelineSchedule::OneForwardOneBackward, topology);
    if (!simulated)
      return simulated.takeError();
    return summarize(plan, *simulated);
  }

  void addBytes(const ::soap::HybridPlan &plan,
                const std::vector<int64_t> &bytes, Timeline &result) const {
    result.groupBytes.assign(static_cast<size_t>(plan.shape.groups), 0);
    auto width = static_cast<size_t>(plan.shape.width());
    for (size_t d = 0; d < width * result.groupBytes.size(); ++d) {
      int64_t &most = result.groupBytes[d / width];
      most = std::max(most, bytes[d]);
    }
  }

  Timeline summarize(const ::soap::HybridPlan &plan,
                     const Simulation &simulation) const {
    Timeline result;
    result.makespanNs = simulation.tasks.makespanNs;
    result.tasks = static_cast<int64_t>(simulation.tasks.tasks.size());
    addBytes(plan, simulation.memoryBytes, result);
    for (int64_t ns : simulation.busyNs)
      result.busyNs +=
          static_cast<double>(ns) / static_cast<double>(topology.deviceCount());
    return result;
  }

  Timeline summarize(const ::soap::HybridPlan &plan,
                     const PlannedPasses &planned) const {
    const ::soap::PassTimeline &timeline = planned.getTimeline();
    Timeline result;
    result.makespanNs = timeline.getMakespanNs();
    result.tasks = timeline.getTaskCount();
    addBytes(plan, timeline.peakBytes(), result);
    // Devices of other replicas are not simulated.
    std::vector<bool> computes(topology.devices.size());
    for (const ::soap::PassSpan &span : timeline.getPasses())
      computes[static_cast<size_t>(span.device)] = true;
    double busy = 0, devices = 0;
    for (size_t d = 0; d < computes.size(); ++d)
      if (computes[d]) {
        busy += static_cast<double>(timeline.busyNs()[d]);
        ++devices;
      }
    result.busyNs = devices > 0 ? busy / devices : 0;
    return result;
  }
};

} // namespace

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
                            ::soap::HybridModel &model, bool offloads) {
  options.simulate = simulatorOf(opGraph, topology, model, offloads);
  options.check = [&](const ::soap::HybridPlan &plan) {
    return whyRefused(opGraph, topology, model, plan);
  };
}

::soap::HybridSimulator
mlir::soap::simulatorOf(const OpGraph &opGraph,
                        const ::soap::Topology &topology,
                        ::soap::HybridModel &model, bool offloads) {
  return [simulator = std::make_shared<PlanSimulator>(opGraph, topology, model,
                                                      offloads)](
             const ::soap::HybridPlan &plan,
             const ::soap::SecondsLeft &secondsLeft) {
    return (*simulator)(plan, secondsLeft);
  };
}

::soap::SecondsLeft mlir::soap::secondsLeftOf(double limit, double passed) {
  using Clock = std::chrono::steady_clock;
  return [limit, passed, begin = Clock::now()] {
    std::chrono::duration<double> since = Clock::now() - begin;
    return limit > 0 ? limit - passed - since.count()
                     : std::numeric_limits<double>::infinity();
  };
}

AnomalyCheck mlir::soap::checkAnomaly(const FunctionProblem &target,
                                      ::soap::HybridModel &model, bool offloads,
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
  check.found = findAnomaly(
      target.topology, plan.makespanNs, busyNs,
      [&](const ::soap::Topology &slowed) -> std::optional<int64_t> {
        std::optional<int64_t> ns;
        if (secondsLeft() > 0)
          if (auto simulated = simulatorOf(target.opGraph, slowed, model,
                                           offloads)(plan, secondsLeft))
            ns = simulated->makespanNs;
        if (!ns && secondsLeft() <= 0)
          check.whyNot = ::soap::stoppedMessage;
        return ns;
      });
  return check;
}
