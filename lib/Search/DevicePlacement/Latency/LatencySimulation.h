//===- LatencySimulation.h - One sample on many devices ---------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The events of one sample's way through a split. Searches ask it for many
// splits of one problem, so it keeps its tables. What they find is judged by
// `evaluateLatency`, which shares nothing with it.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SEARCH_DEVICEPLACEMENT_LATENCY_LATENCYSIMULATION_H
#define SOAP_LIB_SEARCH_DEVICEPLACEMENT_LATENCY_LATENCYSIMULATION_H

#include "Search/DevicePlacement/Rows.h"
#include "Soap/Search/DevicePlacement/Latency.h"

#include <functional>
#include <limits>
#include <queue>

namespace soap::placement {

class LatencySimulation {
public:
  explicit LatencySimulation(const Problem &problem);

  /// The latency, or infinity if subgraphs wait for each other in a circle or
  /// it is above `limit`.
  double run(const LatencyPlacement &placement,
             double limit = std::numeric_limits<double>::infinity());

private:
  /// A subgraph of an accelerator, or a node of a CPU.
  struct Task {
    double duration = 0;
    int waiting = 0; ///< edges from tasks that are not done
    int next = -1;   ///< the accelerator's next subgraph
    bool onCpu = false;
    int firstNode = -1; ///< the others follow in `nextNode`
  };
  using Event = std::pair<double, int>; ///< time and task
  using EventQueue =
      std::priority_queue<Event, std::vector<Event>, std::greater<>>;

  const Problem &problem;
  Rows successors;
  std::vector<Task> tasks;
  std::vector<int> taskOf, nextNode; ///< per node
  std::vector<int> seen; ///< per task, the last producer that was charged
  EventQueue running, queued;
  int freeCpus = 0;

  void makeTasks(const LatencyPlacement &placement);
  void chargeTransfers();
  void makeReady(int task, double now);
  void complete(int task, double now);
  void startCpus(double now);
};

} // namespace soap::placement

#endif // SOAP_LIB_SEARCH_DEVICEPLACEMENT_LATENCY_LATENCYSIMULATION_H
