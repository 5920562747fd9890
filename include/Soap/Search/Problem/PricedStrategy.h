//===- PricedStrategy.h - A simulated strategy ------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A strategy's communication plan and its task graph with simulated times. The
// searches, the reports and the partitioner price a strategy here, so all of
// them see the same actions, times and bytes.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_SEARCH_PROBLEM_PRICEDSTRATEGY_H
#define SOAP_SEARCH_PROBLEM_PRICEDSTRATEGY_H

#include "Soap/Cost/CostModel.h"
#include "Soap/Plan/Plan.h"
#include "Soap/Simulator/TaskGraph.h"

namespace soap {

/// Owns its plan and its tasks; refers to nothing.
struct PricedStrategy {
  Plan plan;
  TaskGraph tasks; ///< every task has its ready, start and end time in ns

  /// Task ids in simulated order.
  std::vector<int> schedule() const;
  /// The most bytes that each device holds at a time. `graph` is the one that
  /// was priced; `schedule` is that of this strategy.
  std::vector<int64_t> peakBytes(const Graph &graph,
                                 const std::vector<int> &schedule,
                                 int deviceCount) const;
  /// Bytes of all transfers and collectives.
  int64_t bytesMoved() const;
};

/// Builds the task graph of a plan and simulates it. `names`: whether tasks get
/// names, which only reports read.
PricedStrategy pricePlan(const Graph &graph, Plan plan, const CostModel &cost,
                         bool names);

/// Plans a strategy on the cost model's topology and simulates it. Configs must
/// be legal for that topology.
PricedStrategy priceStrategy(const Graph &graph, const Strategy &strategy,
                             const CostModel &cost, bool names);

} // namespace soap

#endif // SOAP_SEARCH_PROBLEM_PRICEDSTRATEGY_H
