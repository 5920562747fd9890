//===- Stages.cpp - The stages of a pipeline in a function ----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stages are ranges of forward ops in program order; gradients and updates
// belong to the stage of their op.
//
//===----------------------------------------------------------------------===//

#include "Soap/Analysis/Stages.h"

#include "LoopCorrespondence.h"
#include "Soap/Analysis/StepFacts.h"
#include "Soap/Dialect/Soap/StageAttributes.h"
#include "Soap/Pipeline/RoundPipeline.h"
#include "Soap/Pipeline/StagePasses.h"

using namespace mlir;
using namespace mlir::soap;

std::vector<int> mlir::soap::forwardNodesOf(const OpGraph &opGraph) {
  llvm::StringMap<int> nodes = nodesByName(opGraph);
  std::vector<int> result;
  for (size_t n = 0; n < opGraph.ops.size(); ++n)
    result.push_back(originOf(opGraph, nodes, static_cast<int>(n)).node);
  return result;
}

namespace {

/// Finds the ops with which stages begin in a function.
class FirstNodes {
public:
  FirstNodes(const OpGraph &opGraph, ArrayRef<StageEntry> stages)
      : graph(opGraph.graph), stages(stages), nodes(nodesByName(opGraph)),
        own(opGraph.ops.front()->getParentOfType<func::FuncOp>()) {}

  FailureOr<std::vector<int>> run() const {
    std::vector<int> firsts;
    bool isBeforeEmpty = false;
    for (auto [s, stage] : llvm::enumerate(stages)) {
      auto fail = [&, s = s, &stage = stage] {
        func::FuncOp function = own;
        return function.emitError()
               << "'@" << function.getName() << "': '" << SoapDialect::kPipeline
               << "': stage " << s << " begins with op '" << stage.first
               << "', ";
      };
      auto it = nodes.find(stage.first);
      bool isHere = it != nodes.end();
      int first = isHere ? it->second : firstBehind(stage.first);
      if (first < 0)
        return fail() << "which is not there";
      if (isHere && graph.nodes[static_cast<size_t>(first)].whole.phase !=
                        ::soap::Phase::Forward)
        return fail() << "expected an op of the forward pass";
      // A stage of which nothing is here begins where the next one does.
      if (!firsts.empty() &&
          (first < firsts.back() ||
           (first == firsts.back() && isHere && !isBeforeEmpty)))
        return fail() << "which is not behind the first op of the stage before";
      isBeforeEmpty = !isHere;
      firsts.push_back(first);
    }
    return firsts;
  }

private:
  const ::soap::Graph &graph;
  ArrayRef<StageEntry> stages;
  llvm::StringMap<int> nodes;
  func::FuncOp own;

  /// The first op of the forward pass behind `first`, by a function that has
  /// it, which is here, too; the number of nodes: all of these come before.
  /// -1: no function has it.
  int firstBehind(StringRef first) const {
    int found = -1;
    for (auto other : own->getParentOfType<ModuleOp>().getOps<func::FuncOp>()) {
      if (other == own || (found >= 0 && found < nodeCount()))
        continue;
      bool isBehind = false;
      other.walk([&](Operation *op) {
        auto name = op->getAttrOfType<StringAttr>(SoapDialect::kName);
        if (!name)
          return WalkResult::advance();
        if (name.getValue() == first) {
          isBehind = true;
          found = nodeCount();
        }
        auto it = isBehind ? nodes.find(name.getValue()) : nodes.end();
        if (it == nodes.end() ||
            graph.nodes[static_cast<size_t>(it->second)].whole.phase !=
                ::soap::Phase::Forward)
          return WalkResult::advance();
        found = it->second;
        return WalkResult::interrupt();
      });
    }
    return found;
  }
  int nodeCount() const { return static_cast<int>(graph.nodes.size()); }
};

} // namespace

FailureOr<std::vector<int>>
mlir::soap::firstNodesOf(const OpGraph &opGraph, ArrayRef<StageEntry> stages) {
  if (opGraph.ops.empty())
    return std::vector<int>(stages.size(), 0);
  return FirstNodes(opGraph, stages).run();
}

::soap::Expected<PlacedPipeline> mlir::soap::makePlacedPipeline(
    const ::soap::Graph &graph,
    const std::vector<std::vector<::soap::Role>> &roles,
    const ::soap::Strategy &strategy, PipelineAttr pipeline,
    const ::soap::CostModel &cost) {
  std::vector<int> deviceOf;
  for (const ::soap::Config &config : strategy)
    deviceOf.push_back(config.devices[0]);
  int64_t microbatches = pipeline.getMicrobatches();
  PlacedPipeline placed;
  std::vector<int> replicas(pipeline.getReplicas().begin(),
                            pipeline.getReplicas().end());
  if (replicas.empty()) {
    ::soap::Expected<::soap::Pipeline> made =
        ::soap::makePipeline(graph, roles, deviceOf, microbatches, cost);
    if (made) {
      placed.stages = std::move(*made);
      return placed;
    }
  } else {
    replicas.resize(static_cast<size_t>(cost.getTopology().deviceCount()), 1);
  }
  ::soap::Expected<::soap::RoundPipeline> rounds = ::soap::makeRoundPipeline(
      graph, roles, deviceOf, replicas, microbatches, cost);
  if (!rounds)
    return rounds.takeError();
  placed.rounds = std::move(*rounds);
  return placed;
}

namespace {

class StageReader {
public:
  StageReader(const OpGraph &opGraph, const ::soap::Strategy &strategy,
              PipelineAttr pipeline, const ::soap::Topology &topology,
              const std::vector<StageEntry> *given)
      : opGraph(opGraph), graph(opGraph.graph), strategy(strategy),
        pipeline(pipeline), topology(topology), roles(computeRoles(opGraph)),
        given(given) {}

  FailureOr<::soap::PassOrder> run() {
    passes.microbatches = pipeline.getMicrobatches();
    passes.stages.assign(graph.nodes.size(), -1);
    if (opGraph.ops.empty()) {
      passes.order.resize(static_cast<size_t>(topology.deviceCount()));
      return std::move(passes);
    }
    if (failed(findSampleLoops()) || failed(readStages()))
      return failure();
    if (!stages.empty()) {
      if (failed(placeInStages()) || failed(checkDevices()))
        return failure();
    } else if (failed(checkWhole()) || failed(placeOnDevices())) {
      return failure();
    }
    if (failed(report(::soap::orderPasses(
            graph, stepFactsOf(opGraph), schedule(), stageDevices,
            topology.deviceCount(), inFlight, passes))))
      return failure();
    return std::move(passes);
  }

private:
  const OpGraph &opGraph;
  const ::soap::Graph &graph;
  const ::soap::Strategy &strategy;
  PipelineAttr pipeline;
  const ::soap::Topology &topology;
  std::vector<std::vector<::soap::Role>> roles;
  ::soap::PassOrder passes;
  const std::vector<StageEntry> *given; ///< null: the stages of the module
  std::vector<StageEntry> stages;
  std::vector<std::vector<int>> stageDevices;
  std::vector<int> inFlight;

  InFlightDiagnostic emitError() const {
    auto function = opGraph.ops.front()->getParentOfType<func::FuncOp>();
    return function.emitError() << "'@" << function.getName() << "': '"
                                << SoapDialect::kPipeline << "': ";
  }
  InFlightDiagnostic emitError(size_t node) const {
    return emitError() << "op '" << graph.nodes[node].whole.name << "' ";
  }
  LogicalResult report(const ::soap::MaybeError &error) const {
    return error ? LogicalResult(emitError() << error->message) : success();
  }
  ::soap::PipelineSchedule schedule() const {
    std::string name = stringifyPipelineSchedule(pipeline.getSchedule()).str();
    return *::soap::findSchedule(name);
  }

  LogicalResult readStages() {
    if (given) {
      stages = *given;
      return success();
    }
    auto module = opGraph.ops.front()->getParentOfType<ModuleOp>();
    ::soap::Expected<std::vector<StageEntry>> entries =
        mlir::soap::readStages(module->getAttr(kStages));
    if (!entries)
      return emitError() << entries.error();
    stages = std::move(*entries);
    return success();
  }

  LogicalResult findSampleLoops() {
    return report(::soap::findSampleLoops(graph, roles, passes));
  }

  /// Without `soap.stages` an op is one piece; one that runs once may be on all
  /// devices that take turns.
  LogicalResult checkWhole() {
    for (auto [n, config] : llvm::enumerate(strategy)) {
      bool mayRepeat =
          !pipeline.getReplicas().empty() && passes.sampleLoops[n] < 0;
      if (config.devices.size() != 1 &&
          !(mayRepeat && config.piecesPerReplica() == 1))
        return emitError(n) << "is split in " << config.devices.size()
                            << " pieces, expected every op whole on one "
                               "device, or 'soap.stages'";
    }
    return success();
  }

  /// Stages of one device each, or the stages and the order of rounds.
  LogicalResult placeOnDevices() {
    ::soap::CostModel cost(topology);
    ::soap::Expected<PlacedPipeline> made =
        makePlacedPipeline(graph, roles, strategy, pipeline, cost);
    if (!made)
      return emitError() << made.error();
    if (made->rounds) {
      ::soap::setRounds(*made->rounds, schedule(), topology, passes);
      return success();
    }
    inFlight =
        ::soap::simulatePipeline(made->stages, schedule(), topology).inFlight;
    std::vector<int> stageOf(static_cast<size_t>(topology.deviceCount()), -1);
    for (auto [s, stage] : llvm::enumerate(made->stages.stages)) {
      stageDevices.push_back({stage.device});
      stageOf[static_cast<size_t>(stage.device)] = static_cast<int>(s);
    }
    for (auto [n, config] : llvm::enumerate(strategy))
      if (graph.nodes[n].whole.phase != ::soap::Phase::Update)
        passes.stages[n] = stageOf[static_cast<size_t>(config.devices[0])];
    return success();
  }

  LogicalResult placeInStages() {
    for (auto [s, stage] : llvm::enumerate(stages)) {
      stageDevices.push_back(stage.devices);
      for (int device : stage.devices)
        if (device >= topology.deviceCount())
          return emitError() << "stage " << s << " has device " << device
                             << ", which is not in the topology of "
                             << topology.deviceCount() << " devices";
    }
    FailureOr<std::vector<int>> firsts = firstNodesOf(opGraph, stages);
    if (failed(firsts))
      return failure();
    return report(
        ::soap::placeInStages(graph, forwardNodesOf(opGraph), *firsts, passes));
  }

  /// Passes run on the devices of their stage.
  LogicalResult checkDevices() {
    return report(::soap::checkStageDevices(graph, strategy, stageDevices,
                                            topology.deviceCount(), passes));
  }
};

} // namespace

FailureOr<::soap::PassOrder> mlir::soap::readPassOrder(
    const OpGraph &opGraph, const ::soap::Strategy &strategy,
    PipelineAttr pipeline, const ::soap::Topology &topology,
    const std::vector<StageEntry> *stages) {
  return StageReader(opGraph, strategy, pipeline, topology, stages).run();
}
