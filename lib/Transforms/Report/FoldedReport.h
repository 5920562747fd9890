//===- FoldedReport.h - A simulation of classes of devices ------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The report of --soap-simulate for thousands of devices: the plan in its
// compact form, folded (Simulator/FoldedPlan.h), without writing out every
// task.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_TRANSFORMS_REPORT_FOLDEDREPORT_H
#define SOAP_LIB_TRANSFORMS_REPORT_FOLDEDREPORT_H

#include "SchedulingAnomaly.h"
#include "Search/Report/Baseline.h"
#include "Simulator/FoldedPlan.h"
#include "Soap/Simulator/Timeline.h"

#include "llvm/Support/raw_ostream.h"

namespace mlir::soap {

struct FoldedSimulation {
  ::soap::FoldedPlan folded; ///< simulated
  /// Per class of devices (a resource of the folded graph), the most that any
  /// of them needs: bytes of all tiles, or, where that is more than a device
  /// has, the peak.
  std::vector<int64_t> memoryBytes;
  std::vector<int64_t> hostBytes; ///< the most in the memory of their hosts
  std::string hostLack;           ///< why that is too much; empty: it is not
  std::vector<::soap::PathStretch> path; ///< critical path
  /// Strategies to compare with; may be empty.
  std::vector<::soap::Baseline> presets;
  /// Slower links with which it would be shorter.
  AnomalyCheck anomaly;
};

/// Plans, folds and simulates. Configs must be checked.
FoldedSimulation simulateFolded(const ::soap::Graph &graph,
                                const ::soap::Strategy &strategy,
                                const ::soap::Topology &topology);
/// JSON, docs/Looking.md.
std::string printFoldedReport(const FoldedSimulation &simulation,
                              const ::soap::Topology &topology);
void printFoldedSummary(const FoldedSimulation &simulation,
                        const ::soap::Topology &topology,
                        llvm::raw_ostream &stream);

} // namespace mlir::soap

#endif // SOAP_LIB_TRANSFORMS_REPORT_FOLDEDREPORT_H
