//===- PassReport.h - What the passes of a pipeline take --------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Of a simulated iteration in microbatches: when each device does each pass,
// and what stages take.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_TRANSFORMS_REPORT_PASSREPORT_H
#define SOAP_LIB_TRANSFORMS_REPORT_PASSREPORT_H

#include "Soap/Mesh/PassTimeline.h"
#include "Soap/Pipeline/Pipeline.h"
#include "Soap/Plan/PassOrder.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::soap {

using PassTimes = ::soap::PassSpan;

struct StageReport {
  std::vector<int> devices;
  int ops = 0;
  /// Work of a pass on the device that it keeps longest.
  int64_t forwardNs = 0, backwardNs = 0;
  /// Most microbatches whose forward pass has begun and whose backward pass has
  /// not ended.
  int inFlight = 0;
  int64_t peakBytes = 0; ///< of the device that needs most
};

struct PassReport {
  ::soap::PipelineSchedule schedule;
  int64_t microbatches = 1;
  std::vector<StageReport> stages;
  std::vector<PassTimes> passes; ///< by device, then by start
  /// Share of the iteration in which a device of a stage computes nothing, mean
  /// of all.
  double bubble = 0;

  /// 0: no op of a stage has passes.
  int inFlightOf(int stage) const {
    auto s = static_cast<size_t>(stage);
    return s < stages.size() ? stages[s].inFlight : 0;
  }
};

/// `tasks` are simulated; `memoryBytes`: peaks by device.
PassReport reportPasses(const ::soap::Graph &graph,
                        const ::soap::PassOrder &order,
                        ::soap::PipelineSchedule schedule,
                        const ::soap::Plan &plan,
                        const ::soap::TaskGraph &tasks,
                        const std::vector<int64_t> &memoryBytes);

/// The same of passes that are known. `busyNs`: by device.
PassReport reportPasses(const ::soap::PassOrder &order,
                        ::soap::PipelineSchedule schedule,
                        std::vector<PassTimes> passes,
                        const std::vector<int64_t> &busyNs, int64_t makespanNs,
                        const std::vector<int64_t> &memoryBytes);

void printPassReport(llvm::json::OStream &json, const PassReport &report,
                     const ::soap::Topology &topology);
void printPassSummary(const PassReport &report,
                      const ::soap::Topology &topology,
                      llvm::raw_ostream &stream);
/// A row for each device, a box for each pass with the number of its
/// microbatch: forward and backward in two colours.
std::string drawPasses(const PassReport &report,
                       const ::soap::Topology &topology, int64_t makespanNs,
                       const std::string &title);

} // namespace mlir::soap

#endif // SOAP_LIB_TRANSFORMS_REPORT_PASSREPORT_H
