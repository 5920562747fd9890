//===- UnitGraph.h - A placement problem, contracted ------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The graph that solvers work on: nodes that must or may well share a device
// are one unit, and a producer with its consumers is one net. The load of a set
// of units is the load of its nodes.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SEARCH_DEVICEPLACEMENT_ALGORITHMS_UNITGRAPH_H
#define SOAP_LIB_SEARCH_DEVICEPLACEMENT_ALGORITHMS_UNITGRAPH_H

#include "Search/DevicePlacement/Rows.h"
#include "Soap/Search/DevicePlacement/Solution.h"

namespace soap::placement {

/// Nodes that share a device.
struct Unit {
  double acceleratorForward = 0, acceleratorBackward = 0;
  double cpuForward = 0, cpuBackward = 0;
  double memoryBytes = 0, trainedBytes = 0;
  bool acceleratable = true;

  double acceleratorTime() const {
    return acceleratorForward + acceleratorBackward;
  }
  double cpuTime() const { return cpuForward + cpuBackward; }
  void add(const Unit &other);
};

/// The transfers of each accelerator that holds some but not all units of the
/// net.
struct Net {
  double forward = 0, backward = 0;
  int producer = 0; ///< a unit; any of several if there are no hosts
  double total() const { return forward + backward; }
};

struct UnitGraph {
  std::vector<Unit> units;
  std::vector<int> unitOf; ///< per node
  std::vector<Net> nets;
  Rows pins;   ///< units per net, two or more
  Rows netsOf; ///< nets per unit
  /// The order in which a contiguous split's stages come; units are numbered in
  /// such an order. Empty rows if the objective does not ask for one.
  Rows successors, predecessors;

  /// Contracts color classes; if `ordered`, also cycles of forward edges
  /// between them (with mirrored edges of classes that have backward nodes
  /// alone); then nodes that cost nothing into their only neighbour. No optimum
  /// is lost.
  UnitGraph(const Problem &problem, const Objective &objective, bool ordered);

  size_t size() const { return units.size(); }
  Placement placement(const std::vector<int> &deviceOfUnit) const;
  std::vector<int> devicesOfUnits(const Placement &placement) const;

private:
  void number(const Problem &problem, std::vector<int> rootOf,
              const std::vector<std::pair<int, int>> &order);
  void collectUnits(const Problem &problem);
  void collectNets(const Problem &problem, bool keepProducers);
};

} // namespace soap::placement

#endif // SOAP_LIB_SEARCH_DEVICEPLACEMENT_ALGORITHMS_UNITGRAPH_H
