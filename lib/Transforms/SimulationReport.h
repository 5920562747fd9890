//===- SimulationReport.h - What a simulation says --------------*- C++ -*-===//
//
// A strategy priced, as JSON for programs and as a table for people.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_TRANSFORMS_SIMULATIONREPORT_H
#define SOAP_LIB_TRANSFORMS_SIMULATIONREPORT_H

#include "Soap/Core/Simulator.h"

#include "llvm/Support/raw_ostream.h"

namespace mlir::soap {

/// A simulated strategy.
struct Simulation {
  ::soap::Plan plan;
  ::soap::TaskGraph tasks;
  std::vector<int> order;         ///< schedule: task ids
  std::vector<int64_t> busyNs;    ///< per device
  std::vector<int64_t> peakBytes; ///< per device
  std::vector<int64_t> linkBytes; ///< per link
  std::vector<::soap::Exchange> exchanges;
};

/// Plans, prices and simulates. Configs must be checked.
Simulation simulate(const ::soap::Graph &graph,
                    const ::soap::Strategy &strategy,
                    const ::soap::Topology &topology);

/// Busy times and bytes of a task graph that is simulated already.
void summarizeTasks(Simulation &simulation, const ::soap::Topology &topology);

/// The report of `--soap-simulate`, see docs/Simulator.md.
std::string printReport(const ::soap::Graph &graph,
                        const Simulation &simulation,
                        const ::soap::Topology &topology);

/// Makespan, load and memory of devices, exchanges.
void printSummary(const ::soap::Graph &graph, const Simulation &simulation,
                  const ::soap::Topology &topology, llvm::raw_ostream &stream);

} // namespace mlir::soap

#endif // SOAP_LIB_TRANSFORMS_SIMULATIONREPORT_H
