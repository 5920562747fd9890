//===- PipelineReport.cpp - What a simulated pipeline says ----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See PipelineReport.h.
//
//===----------------------------------------------------------------------===//

#include "PipelineReport.h"

#include "Soap/Dialect/Soap/SoapDialect.h"
#include "Soap/Plan/PassOrder.h"

#include "llvm/Support/Format.h"

#include <limits>

using namespace mlir;
using namespace mlir::soap;

int64_t mlir::soap::samplesOfBatch(const FunctionProblem &target) {
  int64_t samples = std::numeric_limits<int64_t>::max();
  for (auto [node, roles] :
       llvm::zip_equal(target.opGraph.graph.nodes, target.problem->getRoles()))
    if (int loop = ::soap::sampleLoopOf(node.whole.space, roles); loop >= 0)
      samples = std::min(
          samples, node.whole.space.loops[static_cast<size_t>(loop)].extent);
  return samples;
}

FailureOr<PipelineSimulation>
mlir::soap::simulateModulePipeline(ModuleOp module, PipelineAttr attribute,
                                   const FunctionProblem &target,
                                   const ::soap::Strategy &strategy) {
  PipelineSimulation simulation;
  simulation.schedule = *::soap::findSchedule(
      stringifyPipelineSchedule(attribute.getSchedule()).str());
  int64_t microbatches = attribute.getMicrobatches();
  if (int64_t samples = samplesOfBatch(target); microbatches > samples)
    return module.emitError()
           << "'" << SoapDialect::kPipeline << "': expected at most as many "
           << "microbatches as the " << samples << " samples of a batch, got "
           << microbatches;
  std::vector<int> deviceOf;
  for (auto [node, config] :
       llvm::zip_equal(target.opGraph.graph.nodes, strategy)) {
    if (config.devices.size() != 1)
      return module.emitError()
             << "'" << SoapDialect::kPipeline << "': op '" << node.whole.name
             << "' is split in " << config.devices.size()
             << " pieces, expected every op whole on one device";
    deviceOf.push_back(config.devices[0]);
  }
  ::soap::CostModel cost(target.topology);
  std::vector<int> replicas;
  if (ArrayRef<int64_t> counts = attribute.getReplicas(); !counts.empty()) {
    replicas.assign(counts.begin(), counts.end());
    replicas.resize(target.topology.deviceCount(), 1);
  }
  if (replicas.empty()) {
    ::soap::Expected<::soap::Pipeline> pipeline =
        ::soap::makePipeline(target.opGraph.graph, target.problem->getRoles(),
                             deviceOf, microbatches, cost);
    if (pipeline) {
      simulation.pipeline = std::move(*pipeline);
      simulation.result = ::soap::simulatePipeline(
          simulation.pipeline, simulation.schedule, target.topology);
      return simulation;
    }
  }
  ::soap::Expected<::soap::RoundPipeline> pipeline = ::soap::makeRoundPipeline(
      target.opGraph.graph, target.problem->getRoles(), deviceOf, replicas,
      microbatches, cost);
  if (!pipeline)
    return module.emitError()
           << "'" << SoapDialect::kPipeline << "': " << pipeline.error();
  simulation.roundPipeline = std::move(*pipeline);
  simulation.roundResult = ::soap::simulateRounds(
      *simulation.roundPipeline, simulation.schedule, target.topology);
  return simulation;
}

std::vector<int64_t> PipelineSimulation::peakBytes(int devices) const {
  if (roundPipeline)
    return roundResult.peakBytes;
  std::vector<int64_t> bytes(devices);
  for (auto [s, stage] : llvm::enumerate(pipeline.stages))
    bytes[stage.device] = result.peakBytes[s];
  return bytes;
}

static void printRoundReport(llvm::json::OStream &json,
                             const PipelineSimulation &simulation,
                             const ::soap::Topology &topology) {
  const ::soap::RoundPipeline &pipeline = *simulation.roundPipeline;
  const ::soap::RoundResult &result = simulation.roundResult;
  json.attribute("schedule", ::soap::scheduleName(simulation.schedule));
  json.attribute("microbatches", pipeline.microbatches);
  json.attribute("load_ns", result.loadNs);
  json.attribute("steady_ns", result.steadyNs);
  json.attribute("bottleneck", result.bottleneck);
  json.attribute("bubble", result.bubble);
  json.attributeArray("groups", [&] {
    for (const ::soap::RoundGroup &group : pipeline.groups)
      json.object([&] {
        json.attribute("device", topology.devices[group.first].name);
        json.attribute("replicas", group.replicas);
        json.attribute("update_ns", group.updateNs);
        json.attribute("weight_bytes", group.weightBytes);
        json.attribute("peak_bytes", result.peakBytes[group.first]);
      });
  });
  json.attributeArray("stages", [&] {
    for (auto [s, stage] : llvm::enumerate(pipeline.stages))
      json.object([&, s = s, &stage = stage] {
        json.attribute(
            "device",
            topology.devices[pipeline.groups[stage.group].first].name);
        json.attribute("pass", stage.backward ? "backward" : "forward");
        json.attribute("ops", stage.nodes);
        json.attribute("ns", stage.ns);
        json.attribute("round", result.rounds[s]);
        json.attribute("in_flight", result.inFlight[s]);
      });
  });
}

static void printRoundSummary(const PipelineSimulation &simulation,
                              const ::soap::Topology &topology,
                              llvm::raw_ostream &stream) {
  const ::soap::RoundPipeline &pipeline = *simulation.roundPipeline;
  const ::soap::RoundResult &result = simulation.roundResult;
  constexpr double nsPerMs = 1e6, bytesPerMiB = 1 << 20;
  stream << llvm::format(
      "  pipeline of rounds: %s, %lld microbatches, %zu stages on %zu groups "
      "of devices, bubble %.1f %%\n"
      "  another microbatch takes %.3f ms; the slowest part, %s, works %.3f ms "
      "for one\n",
      ::soap::scheduleName(simulation.schedule),
      static_cast<long long>(pipeline.microbatches), pipeline.stages.size(),
      pipeline.groups.size(), 100 * result.bubble,
      static_cast<double>(result.steadyNs) / nsPerMs, result.bottleneck.c_str(),
      static_cast<double>(result.loadNs) / nsPerMs);
  for (auto [g, group] : llvm::enumerate(pipeline.groups)) {
    int stages = 0, nodes = 0;
    int64_t ns = 0;
    for (const ::soap::RoundStage &stage : pipeline.stages)
      if (stage.group == static_cast<int>(g)) {
        ++stages;
        nodes += stage.nodes;
        ns += stage.ns;
      }
    stream << llvm::format(
        "    %-10s x %d  %4d ops in %3d stages  %8.3f ms  "
        "%10.3f MiB\n",
        topology.devices[group.first].name.c_str(), group.replicas, nodes,
        stages, static_cast<double>(ns) / nsPerMs,
        static_cast<double>(result.peakBytes[group.first]) / bytesPerMiB);
  }
}

void mlir::soap::printPipelineReport(llvm::json::OStream &json,
                                     const PipelineSimulation &simulation,
                                     const ::soap::Topology &topology) {
  if (simulation.roundPipeline)
    return printRoundReport(json, simulation, topology);
  const ::soap::PipelineResult &result = simulation.result;
  json.attribute("schedule", ::soap::scheduleName(simulation.schedule));
  json.attribute("microbatches", simulation.pipeline.microbatches);
  json.attribute("load_ns", result.loadNs);
  json.attribute("steady_ns", result.steadyNs);
  json.attribute("bottleneck", result.bottleneck);
  json.attribute("bubble", result.bubble);
  json.attributeArray("stages", [&] {
    for (auto [s, stage] : llvm::enumerate(simulation.pipeline.stages))
      json.object([&, s = s, &stage = stage] {
        json.attribute("device", topology.devices[stage.device].name);
        json.attribute("ops", stage.nodes);
        json.attribute("forward_ns", stage.forwardNs);
        json.attribute("backward_ns", stage.backwardNs);
        json.attribute("update_ns", stage.updateNs);
        json.attribute("weight_bytes", stage.weightBytes);
        json.attribute("activation_bytes", stage.activationBytes);
        json.attribute("in_flight", result.inFlight[s]);
        json.attribute("peak_bytes", result.peakBytes[s]);
      });
  });
}

void mlir::soap::printPipelineSummary(const PipelineSimulation &simulation,
                                      const ::soap::Topology &topology,
                                      llvm::raw_ostream &stream) {
  if (simulation.roundPipeline)
    return printRoundSummary(simulation, topology, stream);
  const ::soap::PipelineResult &result = simulation.result;
  constexpr double nsPerMs = 1e6, bytesPerMiB = 1 << 20;
  stream << llvm::format(
      "  pipeline: %s, %lld microbatches, %zu stages, bubble %.1f %%\n"
      "  another microbatch takes %.3f ms; the slowest part, %s, works %.3f ms "
      "for one\n",
      ::soap::scheduleName(simulation.schedule),
      static_cast<long long>(simulation.pipeline.microbatches),
      simulation.pipeline.stages.size(), 100 * result.bubble,
      static_cast<double>(result.steadyNs) / nsPerMs, result.bottleneck.c_str(),
      static_cast<double>(result.loadNs) / nsPerMs);
  for (auto [s, stage] : llvm::enumerate(simulation.pipeline.stages))
    stream << llvm::format(
        "    stage %zu  %-10s %4d ops  forward %8.3f ms  backward %8.3f ms  "
        "%d in flight  %10.3f MiB\n",
        s, topology.devices[stage.device].name.c_str(), stage.nodes,
        static_cast<double>(stage.forwardNs) / nsPerMs,
        static_cast<double>(stage.backwardNs) / nsPerMs, result.inFlight[s],
        static_cast<double>(result.peakBytes[s]) / bytesPerMiB);
}
