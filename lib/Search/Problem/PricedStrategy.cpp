//===- PricedStrategy.cpp - A simulated strategy --------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See PricedStrategy.h.
//
//===----------------------------------------------------------------------===//

#include "Soap/Search/Problem/PricedStrategy.h"
#include "Soap/Memory/PeakMemory.h"
#include "Soap/Simulator/Algorithm1Simulator.h"

#include <cassert>

using namespace soap;

std::vector<int> PricedStrategy::schedule() const {
  return scheduleOrder(tasks);
}

std::vector<int64_t> PricedStrategy::peakBytes(const Graph &graph,
                                               const std::vector<int> &schedule,
                                               int deviceCount) const {
  assert(schedule.size() == tasks.tasks.size() && "every task once");
  return soap::peakBytes(graph, plan, actionOrder(plan, schedule), deviceCount);
}

int64_t PricedStrategy::bytesMoved() const {
  int64_t bytes = 0;
  for (const Task &task : tasks.tasks)
    bytes += task.bytes;
  return bytes;
}

PricedStrategy soap::pricePlan(const Graph &graph, Plan plan,
                               const CostModel &cost, bool names) {
  PricedStrategy priced;
  priced.plan = std::move(plan);
  priced.tasks = buildTaskGraph(graph, priced.plan, cost, names);
  simulateFull(priced.tasks);
  return priced;
}

PricedStrategy soap::priceStrategy(const Graph &graph, const Strategy &strategy,
                                   const CostModel &cost, bool names) {
  assert(strategy.size() == graph.nodes.size() && "a config a node");
  return pricePlan(graph, buildPlan(graph, strategy, cost.getTopology()), cost,
                   names);
}
