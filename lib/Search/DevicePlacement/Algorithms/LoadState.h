//===- LoadState.h - Loads of devices under moves ---------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A non-contiguous split of units, whose loads follow as units move from device
// to device.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SEARCH_DEVICEPLACEMENT_ALGORITHMS_LOADSTATE_H
#define SOAP_LIB_SEARCH_DEVICEPLACEMENT_ALGORITHMS_LOADSTATE_H

#include "UnitGraph.h"

namespace soap::placement {

class LoadState {
public:
  LoadState(const Problem &problem, const Objective &objective,
            const UnitGraph &graph, std::vector<int> deviceOf);

  int deviceOf(int unit) const { return devices[unit]; }
  const std::vector<int> &deviceOfUnits() const { return devices; }
  int deviceCount() const { return static_cast<int>(costs.size()); }
  const UnitGraph &units() const { return graph; }
  bool isAllowed(int unit, int device) const {
    return graph.units[unit].acceleratable || device >= accelerators;
  }
  /// Units of a net on a device.
  int pinsOn(int net, int device) const {
    return counts[static_cast<size_t>(net) * costs.size() + device];
  }

  void move(int unit, int device);
  /// Computes everything again: sums that were updated often drift.
  void refresh();

  StageLoad load(int device) const { return costs[device].load(objective); }
  /// The greatest load; what is to be minimized where memory suffices.
  double value() const;
  bool fitsMemory() const;
  /// A smooth maximum of the loads (a p-norm), and a penalty for memory beyond
  /// that of accelerators: equal values are told apart by the other devices.
  double energy() const;
  /// The device of greatest load.
  int busiest() const;

private:
  const Problem &problem;
  const Objective &objective;
  const UnitGraph &graph;
  int accelerators;
  std::vector<int> devices; ///< per unit
  std::vector<int> counts;  ///< per net and device
  std::vector<StageCosts> costs;
  std::vector<double> memory;
  double memoryScale; ///< load per byte beyond the limit

  /// Adds a net's transfers to each device that pays them, times `sign`.
  void addNet(int net, double sign);
  void addTransfer(int net, int device, double factor);
  double norm(bool backward) const;
};

} // namespace soap::placement

#endif // SOAP_LIB_SEARCH_DEVICEPLACEMENT_ALGORITHMS_LOADSTATE_H
