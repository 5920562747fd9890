//===- CompactIteration.h - Iterations of many devices ----------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The simulation and the report of an iteration whose tasks are not written
// out: of a pipeline one replica of each stage for all
// (Mesh/Symmetry/StageQuotient.h), or all devices, of the whole batch all
// devices.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_TRANSFORMS_REPORT_COMPACTITERATION_H
#define SOAP_LIB_TRANSFORMS_REPORT_COMPACTITERATION_H

#include "HybridComparison.h"
#include "PassReport.h"
#include "SchedulingAnomaly.h"
#include "StrategyComparison.h"
#include "TimelineLanes.h"
#include "TimelineReport.h"

#include "Soap/Mesh/Symmetry/PlannedPasses.h"

#include <optional>

namespace mlir::soap {

/// A simulated iteration whose tasks are not written out: a pipeline, or the
/// whole batch.
struct CompactIteration {
  SimulatedBy by = SimulatedBy::PassTimeline;
  /// Of the devices that are simulated; none: the whole batch.
  std::optional<PassReport> passes;
  /// Only of the whole batch on all devices.
  std::vector<::soap::PathStretch> path;
  int64_t makespanNs = 0;
  int64_t tasks = 0; ///< that are simulated
  /// Devices of a replica, and replicas of a stage that each of them stands
  /// for.
  int unit = 1, replicas = 1;
  /// By device. Devices of other replicas have at most the bytes of the
  /// corresponding one that is simulated, which are given here.
  std::vector<int64_t> memoryBytes;
  std::vector<int64_t> hostBytes; ///< the same in the memory of hosts
  /// The devices that are simulated, and where their time goes.
  std::vector<int> devices;
  std::vector<::soap::DeviceTimes> times; ///< by device of the topology
  /// Of all replicas.
  int64_t bytesMoved = 0, bytesBetweenMachines = 0, busiestLinkBytes = 0;
  std::array<int64_t, ::soap::tensorKindCount> bytesByKind{};
  /// Why replicas may differ, so that all devices are simulated; empty: they do
  /// not.
  std::string unfolded;
  /// Other strategies to compare with.
  std::vector<::soap::Baseline> presets;
  /// Slower links with which it would be shorter.
  AnomalyCheck anomaly;
  std::vector<ComparedStrategy> compared;
  std::vector<HybridRow> recipes;
};

/// Simulates configs of one microbatch. `foldOnly`: an error says why replicas
/// differ; else all devices are simulated then, if their pieces are not too
/// many. An error says why the passes do not run so. `lanes`: null, or gets all
/// tasks.
::soap::Expected<CompactIteration>
simulateCompact(const ::soap::Graph &graph, const ::soap::Strategy &strategy,
                const ::soap::PassOrder &order,
                ::soap::PipelineSchedule schedule,
                const ::soap::Topology &topology, bool foldOnly,
                TimelineLanes *lanes = nullptr);

/// Simulates the whole batch on all devices. An error if its pieces are too
/// many. `lanes`: null, or gets all tasks.
::soap::Expected<CompactIteration>
simulateWholeBatch(const ::soap::Graph &graph, const ::soap::Strategy &strategy,
                   const ::soap::Topology &topology,
                   TimelineLanes *lanes = nullptr);

ComparedStrategy summarizeRow(std::string name,
                              const CompactIteration &iteration,
                              const ::soap::Topology &topology);
/// JSON, docs/Looking.md.
std::string printReport(const CompactIteration &iteration,
                        const ::soap::Topology &topology);
void printSummary(const CompactIteration &iteration,
                  const ::soap::Topology &topology, llvm::raw_ostream &stream);

} // namespace mlir::soap

#endif // SOAP_LIB_TRANSFORMS_REPORT_COMPACTITERATION_H
