//===- StageSet.h - A set of units that grows one by one --------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The costs of a device that holds a set of units, updated as units join and
// leave in the order of a stack; what the dynamic programs enumerate.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SEARCH_DEVICEPLACEMENT_ALGORITHMS_STAGESET_H
#define SOAP_LIB_SEARCH_DEVICEPLACEMENT_ALGORITHMS_STAGESET_H

#include "UnitGraph.h"

#include <cassert>

namespace soap::placement {

/// Sums over a set of units. `cut` are the transfers of nets that the set
/// holds in part; `fixed` are the transfers of nets with units that can never
/// join.
struct StageSums {
  double acceleratorForward = 0, acceleratorBackward = 0;
  double cpuTime = 0, cpuForward = 0;
  double memoryBytes = 0, trainedBytes = 0;
  double cutForward = 0, cutBackward = 0;
  double fixedForward = 0, fixedBackward = 0;
  bool acceleratable = true;

  StageLoad acceleratorLoad(const Objective &objective, int replicas) const {
    StageCosts costs{acceleratorForward, acceleratorBackward, cutForward,
                     cutBackward};
    return replicatedLoad(costs.load(objective), objective, trainedBytes,
                          replicas);
  }
  /// No superset has a smaller load.
  double acceleratorBound(const Objective &objective) const {
    StageCosts costs{acceleratorForward, acceleratorBackward, fixedForward,
                     fixedBackward};
    return costs.load(objective).total();
  }
  StageLoad cpuLoad(const Objective &objective) const {
    if (objective.schedule == Schedule::GPipe)
      return {cpuForward, cpuTime - cpuForward};
    return {cpuTime, 0};
  }
};

class StageSet {
public:
  explicit StageSet(const UnitGraph &graph)
      : graph(graph), inside(graph.nets.size()), outside(graph.nets.size()) {}

  const StageSums &sums() const { return stack.back(); }
  size_t size() const { return members.size(); }

  /// The units of a net that can never join, in any set from now on; the set
  /// must be empty.
  void addOutside(int unit) {
    assert(members.empty() && "the set must be empty");
    changeOutside(unit, 1);
  }
  void removeOutside(int unit) {
    assert(members.empty() && "the set must be empty");
    changeOutside(unit, -1);
  }

  void push(int unit) {
    StageSums next = stack.back();
    const Unit &joined = graph.units[unit];
    next.acceleratorForward += joined.acceleratorForward;
    next.acceleratorBackward += joined.acceleratorBackward;
    next.cpuTime += joined.cpuTime();
    next.cpuForward += joined.cpuForward;
    next.memoryBytes += joined.memoryBytes;
    next.trainedBytes += joined.trainedBytes;
    next.acceleratable &= joined.acceleratable;
    for (int net : graph.netsOf[unit]) {
      const Net &costs = graph.nets[net];
      if (inside[net]++ == 0) {
        next.cutForward += costs.forward;
        next.cutBackward += costs.backward;
        if (outside[net] > 0) {
          next.fixedForward += costs.forward;
          next.fixedBackward += costs.backward;
        }
      } else if (inside[net] == static_cast<int>(graph.pins[net].size())) {
        next.cutForward -= costs.forward;
        next.cutBackward -= costs.backward;
      }
    }
    stack.push_back(next);
    members.push_back(unit);
  }

  void pop() {
    assert(!members.empty() && "nothing was pushed");
    for (int net : graph.netsOf[members.back()])
      --inside[net];
    members.pop_back();
    stack.pop_back();
  }

  void clear() {
    while (!members.empty())
      pop();
  }

private:
  const UnitGraph &graph;
  std::vector<int> inside, outside; ///< per net, units
  std::vector<StageSums> stack{1};
  std::vector<int> members;

  void changeOutside(int unit, int change) {
    for (int net : graph.netsOf[unit])
      outside[net] += change;
  }
};

} // namespace soap::placement

#endif // SOAP_LIB_SEARCH_DEVICEPLACEMENT_ALGORITHMS_STAGESET_H
