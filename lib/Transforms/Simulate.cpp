//===- Simulate.cpp - Price the strategy of a module ----------------------===//
//
// The pass soap-simulate: reads the configs of a function, simulates them and
// writes what came out.
//
//===----------------------------------------------------------------------===//

#include "SimulationReport.h"
#include "StrategySupport.h"

#include "Soap/Analysis/TopologyAttr.h"
#include "Soap/Dialect/Soap/SoapDialect.h"
#include "Soap/Transforms/Passes.h"

namespace mlir::soap {
#define GEN_PASS_DEF_SOAPSIMULATE
#include "Soap/Transforms/Passes.h.inc"
} // namespace mlir::soap

using namespace mlir;
using namespace mlir::soap;

namespace {

struct Simulate : mlir::soap::impl::SoapSimulateBase<Simulate> {
  using SoapSimulateBase::SoapSimulateBase;

  void runOnOperation() override {
    if (failed(run()))
      signalPassFailure();
    markAllAnalysesPreserved();
  }

  LogicalResult run();
  LogicalResult writeFiles(const ::soap::Graph &graph,
                           const Simulation &simulation,
                           const ::soap::Topology &deviceTopology);
};

} // namespace

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
  if (!trace.empty() &&
      failed(writeOptionFile(module, "trace", trace,
                             ::soap::printChromeTrace(simulation.tasks))))
    return failure();
  return success();
}

LogicalResult Simulate::run() {
  ModuleOp module = getOperation();
  FailureOr<::soap::Topology> deviceTopology =
      resolveTopology(module, topology);
  if (failed(deviceTopology))
    return failure();
  FailureOr<func::FuncOp> chosen = chooseFunction(module, function);
  if (failed(chosen))
    return failure();
  FailureOr<OpGraph> opGraph = buildOpGraph(*chosen);
  if (failed(opGraph))
    return failure();
  FailureOr<::soap::Strategy> strategy =
      readStrategy(*opGraph, deviceTopology->deviceCount());
  if (failed(strategy))
    return failure();

  Simulation simulation = simulate(opGraph->graph, *strategy, *deviceTopology);
  for (int device = 0; device < deviceTopology->deviceCount(); ++device) {
    int64_t capacity = deviceTopology->typeOf(device).memoryBytes;
    if (simulation.peakBytes[device] > capacity)
      chosen->emitWarning()
          << "'@" << chosen->getName() << "' needs "
          << simulation.peakBytes[device] << " bytes on device \""
          << deviceTopology->devices[device].name << "\", which has "
          << capacity;
  }
  if (summary)
    printSummary(opGraph->graph, simulation, *deviceTopology, llvm::errs());
  return writeFiles(opGraph->graph, simulation, *deviceTopology);
}
