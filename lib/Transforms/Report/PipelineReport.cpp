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

PlacementPrediction
mlir::soap::predictPlacement(PipelineAttr attribute,
                             const FunctionProblem &target,
                             const ::soap::Strategy &strategy) {
  ::soap::Expected<PlacedPipeline> placed = makePlacedPipeline(
      target.opGraph.graph, target.problem->getRoles(), strategy, attribute,
      ::soap::CostModel(target.topology));
  assert(placed && "a placement whose passes have been read");
  ::soap::PipelineSchedule schedule = *::soap::findSchedule(
      stringifyPipelineSchedule(attribute.getSchedule()).str());
  PlacementPrediction prediction;
  prediction.pipeline = std::move(*placed);
  if (const auto &rounds = prediction.pipeline.rounds)
    prediction.rounds = ::soap::orderRounds(*rounds, schedule, target.topology);
  else
    prediction.stages = ::soap::simulatePipeline(prediction.pipeline.stages,
                                                 schedule, target.topology);
  return prediction;
}

static void printRoundReport(llvm::json::OStream &json,
                             const PlacementPrediction &prediction,
                             const PassReport &passes,
                             const std::vector<int64_t> &memoryBytes,
                             const ::soap::Topology &topology) {
  const ::soap::RoundPipeline &pipeline = *prediction.pipeline.rounds;
  json.attributeArray("groups", [&] {
    for (const ::soap::RoundGroup &group : pipeline.groups)
      json.object([&] {
        json.attribute("device", topology.devices[group.first].name);
        json.attribute("replicas", group.replicas);
        json.attribute("update_ns", group.updateNs);
        json.attribute("weight_bytes", group.weightBytes);
        json.attribute("peak_bytes", memoryBytes[group.first]);
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
        json.attribute("round", prediction.rounds.rounds[s]);
        json.attribute("in_flight", passes.inFlightOf(stage.passStage));
      });
  });
}

static void printRoundSummary(const PlacementPrediction &prediction,
                              const std::vector<int64_t> &memoryBytes,
                              const ::soap::Topology &topology,
                              llvm::raw_ostream &stream) {
  const ::soap::RoundPipeline &pipeline = *prediction.pipeline.rounds;
  constexpr double nsPerMs = 1e6, bytesPerMiB = 1 << 20;
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
        static_cast<double>(memoryBytes[group.first]) / bytesPerMiB);
  }
}

void mlir::soap::printPipelineReport(llvm::json::OStream &json,
                                     const PlacementPrediction &prediction,
                                     const PassReport &passes,
                                     const std::vector<int64_t> &memoryBytes,
                                     const ::soap::Topology &topology) {
  const ::soap::PipelineResult &result = prediction.stages;
  const ::soap::RoundOrder &rounds = prediction.rounds;
  bool isOfRounds = prediction.pipeline.rounds.has_value();
  json.attribute("schedule", ::soap::scheduleName(passes.schedule));
  json.attribute("microbatches", passes.microbatches);
  json.attribute("load_ns", isOfRounds ? rounds.loadNs : result.loadNs);
  json.attribute("steady_ns", isOfRounds ? rounds.steadyNs : result.steadyNs);
  json.attribute("bottleneck",
                 isOfRounds ? rounds.bottleneck : result.bottleneck);
  json.attribute("bubble", passes.bubble);
  if (isOfRounds)
    return printRoundReport(json, prediction, passes, memoryBytes, topology);
  json.attributeArray("stages", [&] {
    for (auto [s, stage] : llvm::enumerate(prediction.pipeline.stages.stages))
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

void mlir::soap::printPipelineSummary(const PlacementPrediction &prediction,
                                      const PassReport &passes,
                                      const std::vector<int64_t> &memoryBytes,
                                      const ::soap::Topology &topology,
                                      llvm::raw_ostream &stream) {
  const ::soap::PipelineResult &result = prediction.stages;
  const ::soap::RoundOrder &rounds = prediction.rounds;
  const auto &ofRounds = prediction.pipeline.rounds;
  const auto &stages = prediction.pipeline.stages.stages;
  constexpr double nsPerMs = 1e6, bytesPerMiB = 1 << 20;
  stream << llvm::format("  pipeline%s: %s, %lld microbatches, %zu stages",
                         ofRounds ? " of rounds" : "",
                         ::soap::scheduleName(passes.schedule),
                         static_cast<long long>(passes.microbatches),
                         ofRounds ? ofRounds->stages.size() : stages.size());
  if (ofRounds)
    stream << llvm::format(" on %zu groups of devices",
                           ofRounds->groups.size());
  stream << llvm::format(
      ", bubble %.1f %%\n"
      "  another microbatch takes %.3f ms; the slowest part, %s, works %.3f ms "
      "for one\n",
      100 * passes.bubble,
      static_cast<double>(ofRounds ? rounds.steadyNs : result.steadyNs) /
          nsPerMs,
      (ofRounds ? rounds.bottleneck : result.bottleneck).c_str(),
      static_cast<double>(ofRounds ? rounds.loadNs : result.loadNs) / nsPerMs);
  if (ofRounds)
    return printRoundSummary(prediction, memoryBytes, topology, stream);
  for (auto [s, stage] : llvm::enumerate(stages))
    stream << llvm::format(
        "    stage %zu  %-10s %4d ops  forward %8.3f ms  backward %8.3f ms  "
        "%d in flight  %10.3f MiB\n",
        s, topology.devices[stage.device].name.c_str(), stage.nodes,
        static_cast<double>(stage.forwardNs) / nsPerMs,
        static_cast<double>(stage.backwardNs) / nsPerMs, result.inFlight[s],
        static_cast<double>(result.peakBytes[s]) / bytesPerMiB);
}
