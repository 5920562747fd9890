//===- PipelineReport.cpp - What a simulated pipeline says ----------------===//
//
// See PipelineReport.h.
//
//===----------------------------------------------------------------------===//

#include "PipelineReport.h"

#include "Soap/Dialect/Soap/SoapDialect.h"

#include "llvm/Support/Format.h"

using namespace mlir;
using namespace mlir::soap;

FailureOr<PipelineSimulation>
mlir::soap::simulateModulePipeline(ModuleOp module, DictionaryAttr attribute,
                                   const FunctionProblem &target,
                                   const ::soap::Strategy &strategy) {
  PipelineSimulation simulation;
  // The dialect has checked the attribute.
  simulation.schedule = *::soap::findSchedule(
      attribute.getAs<StringAttr>("schedule").getValue().str());
  int64_t microbatches = attribute.getAs<IntegerAttr>("microbatches").getInt();
  std::vector<int> deviceOf;
  for (auto [node, config] :
       llvm::zip_equal(target.opGraph.graph.nodes, strategy)) {
    if (config.devices.size() != 1)
      return module.emitError()
             << "'" << SoapDialect::kPipeline << "': op '" << node.whole.name
             << "' is cut in " << config.devices.size()
             << " pieces, expected every op whole on one device";
    deviceOf.push_back(config.devices[0]);
  }
  ::soap::Expected<::soap::Pipeline> pipeline = ::soap::makePipeline(
      target.opGraph.graph, target.problem->getRoles(), deviceOf, microbatches,
      ::soap::CostModel(target.topology));
  if (!pipeline)
    return module.emitError()
           << "'" << SoapDialect::kPipeline << "': " << pipeline.error();
  simulation.pipeline = std::move(*pipeline);
  simulation.result = ::soap::simulatePipeline(
      simulation.pipeline, simulation.schedule, target.topology);
  return simulation;
}

void mlir::soap::printPipelineReport(llvm::json::OStream &json,
                                     const PipelineSimulation &simulation,
                                     const ::soap::Topology &topology) {
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
