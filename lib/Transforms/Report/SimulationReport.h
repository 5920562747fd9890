//===- SimulationReport.h - What a simulation says --------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A strategy priced, as JSON for programs and as a table for people.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_TRANSFORMS_REPORT_SIMULATIONREPORT_H
#define SOAP_LIB_TRANSFORMS_REPORT_SIMULATIONREPORT_H

#include "HybridComparison.h"
#include "PassReport.h"
#include "PipelineReport.h"
#include "SchedulingAnomaly.h"
#include "StrategyComparison.h"
#include "TimelineReport.h"

#include "Soap/Search/Problem/PricedStrategy.h"
#include "Soap/Simulator/Timeline.h"

#include "llvm/Support/raw_ostream.h"

#include <optional>

namespace mlir::soap {

/// A simulated strategy and what its timeline says. Partitioned IR has
/// tasks only, no plan.
struct Simulation : ::soap::PricedStrategy {
  SimulatedBy by = SimulatedBy::TaskGraph;
  std::vector<int> order;           ///< schedule: task ids
  std::vector<int64_t> busyNs;      ///< per device
  std::vector<int64_t> memoryBytes; ///< per device, at its peak
  std::vector<int64_t> hostBytes;   ///< per device, in its host's memory
  std::vector<int64_t> linkBytes;   ///< per link
  std::vector<::soap::Exchange> exchanges;
  std::vector<::soap::PathStretch> path;  ///< critical path
  std::vector<::soap::DeviceTimes> times; ///< per device
  /// By kind of tensor; only from a graph.
  std::optional<std::array<int64_t, ::soap::tensorKindCount>> bytesByKind;
  int64_t bytesMoved = 0, bytesBetweenMachines = 0;
  /// Strategies to compare with; may be empty.
  std::vector<::soap::Baseline> presets;
  /// Slower links with which it would be shorter.
  AnomalyCheck anomaly;
  /// The strategies of `compare`, in full; the same names are in `presets`.
  std::vector<ComparedStrategy> compared;
  /// Strategies among them that are hybrid plans, if this strategy is a
  /// pipeline.
  std::vector<HybridRow> recipes;
  /// Of an iteration that is a pipeline of microbatches.
  std::optional<PassReport> passes;
  /// Of one of these without `soap.stages`.
  std::optional<PlacementPrediction> prediction;
};

/// Plans, prices and simulates. Configs must be checked.
Simulation simulate(const ::soap::Graph &graph,
                    const ::soap::Strategy &strategy,
                    const ::soap::Topology &topology);

/// Builds and simulates the task graph of an iteration in microbatches, whose
/// configs say how one of them is split. An error says why it does not run so.
::soap::Expected<Simulation> simulatePasses(const ::soap::Graph &graph,
                                            const ::soap::Strategy &strategy,
                                            const ::soap::PassOrder &order,
                                            ::soap::PipelineSchedule schedule,
                                            const ::soap::Topology &topology);

/// Sums up the timeline of a simulated task graph: loads, bytes, critical path.
void summarizeTasks(Simulation &simulation, const ::soap::Topology &topology);

/// The line of what is moved, and how much of each kind if that is known.
void printMoved(int64_t bytes, int64_t betweenMachines,
                const std::array<int64_t, ::soap::tensorKindCount> *byKind,
                llvm::raw_ostream &stream);

/// The report of `--soap-simulate`, see docs/Looking.md.
std::string printReport(const ::soap::Graph &graph,
                        const Simulation &simulation,
                        const ::soap::Topology &topology);

/// Makespan, speedups, where the time goes, bytes, load and memory of devices,
/// exchanges.
void printSummary(const ::soap::Graph &graph, const Simulation &simulation,
                  const ::soap::Topology &topology, llvm::raw_ostream &stream);

} // namespace mlir::soap

#endif // SOAP_LIB_TRANSFORMS_REPORT_SIMULATIONREPORT_H
