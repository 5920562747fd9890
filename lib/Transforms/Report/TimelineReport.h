//===- TimelineReport.h - What all reports of simulations say ---*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each part of a report is printed in one place, whichever simulator its
// numbers come from.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_TRANSFORMS_REPORT_TIMELINEREPORT_H
#define SOAP_LIB_TRANSFORMS_REPORT_TIMELINEREPORT_H

#include "Soap/Simulator/Timeline.h"
#include "Soap/Topology/Topology.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::soap {

/// Which path a time comes from. docs/Simulator.md has a table of them.
enum class SimulatedBy {
  TaskGraph,    ///< the plan, all tasks written out
  Programs,     ///< the programs of partitioned IR
  CompactPlan,  ///< the plan, its tasks not written out
  PassTimeline, ///< microbatches of a compact plan
};
/// `task graph`, `programs`, `compact plan`, `pass timeline`.
llvm::StringRef simulatorName(SimulatedBy by);

/// `compute`, `movement`, `transfer`.
const char *className(::soap::TaskClass taskClass);

/// JSON: `simulator`.
void printSimulator(llvm::json::OStream &json, SimulatedBy by);
/// The first line of all summaries: the time, the tasks, and where they come
/// from.
void printMakespan(SimulatedBy by, int64_t makespanNs, int64_t tasks,
                   llvm::raw_ostream &stream);

/// The critical path. JSON: `critical_path_by_op`, largest first, and
/// `critical_path`.
void printPath(llvm::json::OStream &json,
               llvm::ArrayRef<::soap::PathStretch> path);
void printPath(llvm::ArrayRef<::soap::PathStretch> path, int64_t makespanNs,
               llvm::raw_ostream &stream);

/// `part` of `whole`; of nothing 0.
double shareOf(int64_t part, int64_t whole);

/// Most devices of which the summary has a line each.
inline constexpr int maxListedDevices = 16;

/// Of each device, or of those with the most and the least, the share of the
/// iteration in which it is busy, and its peak memory. `hostBytes`: empty, or
/// by device.
void printDevices(const ::soap::Topology &topology,
                  llvm::ArrayRef<int64_t> busyNs,
                  llvm::ArrayRef<int64_t> memoryBytes,
                  llvm::ArrayRef<int64_t> hostBytes, int64_t makespanNs,
                  llvm::raw_ostream &stream);

} // namespace mlir::soap

#endif // SOAP_LIB_TRANSFORMS_REPORT_TIMELINEREPORT_H
