//===- SchedulingAnomaly.h - Shorter with slow links ------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A simulator that takes tasks in the order in which they become ready has
// anomalies (Graham, 1966): where a transfer ends earlier, others come in
// another order, and the last task may end later. No machine is faster for
// slower cables, so a report says where its time is of that kind.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_TRANSFORMS_REPORT_SCHEDULINGANOMALY_H
#define SOAP_LIB_TRANSFORMS_REPORT_SCHEDULINGANOMALY_H

#include "Soap/Plan/SimulationBudget.h"
#include "Soap/Topology/Topology.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace mlir::soap {

/// Slower links with which an iteration is simulated as shorter.
struct SchedulingAnomaly {
  std::string links; ///< "half the bandwidth between machines"
  int64_t makespanNs = 0;
};

/// The anomaly that a report names, if any.
struct AnomalyCheck {
  std::optional<SchedulingAnomaly> found;
  /// "5690201 tasks": why none was looked for; empty: one was, or no one asks.
  std::string whyNot;
};

/// Whether an iteration of so many tasks is simulated again for every report.
inline bool mayLookForAnomaly(int64_t tasks) {
  return static_cast<double>(tasks) <=
         ::soap::piecesIn(::soap::PlanForm::Compact);
}

/// The time of an iteration on a topology that differs in links alone; none if
/// it cannot be simulated.
using TimeOnTopology =
    std::function<std::optional<int64_t>(const ::soap::Topology &)>;

/// Simulates an iteration with slower links: those between machines where there
/// are several, else all, once with half their bandwidth and once with a
/// hundred times their latency. The shortest time is an anomaly if it is at
/// least 0.5 % below `makespanNs`. `busiestNs`: how long some device computes:
/// where that is nearly all of the time, no links make it shorter, and nothing
/// is simulated.
std::optional<SchedulingAnomaly> findAnomaly(const ::soap::Topology &topology,
                                             int64_t makespanNs,
                                             int64_t busiestNs,
                                             const TimeOnTopology &simulate);

/// A line: the anomaly, or that none was looked for; else nothing.
void printAnomaly(const AnomalyCheck &check, int64_t makespanNs,
                  llvm::raw_ostream &stream);
/// The attribute `scheduling_anomaly`, or `anomalies_looked_for`: false.
void addAnomaly(llvm::json::Object &json, const AnomalyCheck &check);
void printAnomaly(llvm::json::OStream &json, const AnomalyCheck &check);
/// "with half the bandwidth between machines it is simulated as 0.9 % shorter
/// (3399.120 ms)".
std::string describeAnomaly(const SchedulingAnomaly &anomaly,
                            int64_t makespanNs);

} // namespace mlir::soap

#endif // SOAP_LIB_TRANSFORMS_REPORT_SCHEDULINGANOMALY_H
