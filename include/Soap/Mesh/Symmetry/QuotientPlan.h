//===- QuotientPlan.h - The plan of one machine for all ---------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plan of a mesh strategy on the first machine of a cluster: its shards,
// what reaches and leaves them, and the collectives that it takes part in.
// Machines do the same under such a strategy, so the times of these tasks are
// the times of all (docs/Mesh.md has the conditions and the proof). It is
// planned by the rules of every plan (ValuePlanner.h), on one machine, or,
// where a value moves between machines, on two or four that stand for all. The
// cost does not depend on the number of machines.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_MESH_SYMMETRY_QUOTIENTPLAN_H
#define SOAP_MESH_SYMMETRY_QUOTIENTPLAN_H

#include "Soap/Mesh/Symmetry/QuotientModel.h"
#include "Soap/Mesh/Symmetry/QuotientState.h"

#include <memory>
#include <set>

namespace soap {

/// A plan of machine 0 that simulators and memory models read as any other. Its
/// topology is `QuotientModel::getReducedTopology`, of which only devices and
/// links of machine 0 are occupied. `passingBytes` is not kept. Not safe from
/// several threads.
class QuotientPlan final : public QuotientState {
public:
  /// Keeps references.
  QuotientPlan(const Graph &graph, QuotientModel &model);

  /// Plans a strategy, whose configs must have passed `checkMeshConfig`.
  /// Returns why machines may differ under it, so that the strategy has to be
  /// unfolded; empty: they do not. The plan is good for nothing otherwise.
  std::string set(const MeshStrategy &next);

  /// After a simulation: whether tasks that differ from machine to machine,
  /// which bring graph outputs to their devices, have delayed no other task, so
  /// that the times hold on all machines. `times` come from
  /// `StrategySimulator::timeline`.
  bool areTimesEven(const std::vector<std::vector<TaskTimes>> &times) const;

private:
  /// The use of one axis by one tensor of an op.
  struct AxisAccess {
    enum Kind { Replica, Partial, Cut } kind = Replica;
    /// By dim of the tensor: how far the region moves with a step along the
    /// axis. Of axes inside of machines: not 0 where it moves.
    InlineVector<int64_t, 4> shifts;
  };
  struct Layout {
    std::vector<AxisAccess> axes; ///< by axis of the mesh
    /// By dim: all points of the op together touch every index.
    InlineVector<uint8_t, 4> covers;
  };
  struct Reading {
    const Reader *reader = nullptr;
    Layout layout;
    bool isContributions = false;
  };

  QuotientModel &model;
  int perMachine;
  size_t acrossAxes = 0; ///< they come first
  /// Collectives of all machines: block and index.
  std::set<std::pair<int, int>> spanning;
  const MeshStrategy *configs = nullptr;
  /// Axes along which the value that was planned last is on two machines, those
  /// of one type together.
  std::vector<std::vector<size_t>> plannedTypes;

  int copyOf(int device) const override { return device / perMachine; }
  int firstOf(int device) const override { return device % perMachine; }
  bool isOfAll(TaskRef task) const override;

  // QuotientKernels.cpp
  Mesh meshOn(const std::vector<bool> &isTwofold) const;
  bool isSpread(size_t axis) const {
    return axis < acrossAxes && model.getMesh().axes[axis].size > 1;
  }
  Part partOf(int slot, const std::vector<bool> &isTwofold);
  int targetOf(int slot, size_t axis) const;
  Layout layoutOf(int slot, const AccessMap &map, int value, bool isResult);
  void activate(int slot);
  void resolve(int slot);

  // QuotientValues.cpp
  bool sourceLayout(int value, Layout &layout, bool &isPreplaced);
  bool listReadings(int value, bool isCut, std::vector<Reading> &readings);
  void planValue(int value);
  /// Plans a value on two machines along some axes.
  void planOnTwofold(int value, const std::vector<bool> &isTwofold);
  bool checkDims(int value, const Layout &source, const Layout &read);
  bool findTwofold(int value, const Layout &source,
                   const std::vector<Reading> &readings,
                   std::vector<bool> &isTwofold, int64_t &machines,
                   std::vector<std::vector<size_t>> &types);
  void countPredecessors(int slot);
  // QuotientMachines.cpp
  bool takeCollective(int value, size_t node, int index,
                      const std::vector<int> &holders,
                      const std::set<int> &outputs, PlannedTask &task,
                      PlannedCollective &collective) override;
  bool setPrice(int value, int index, PlannedTask &task,
                PlannedCollective &collective);
};

/// Time and memory of a mesh strategy.
struct MeshPrice {
  int64_t makespanNs = 0;
  /// The largest of all devices: that of machine 0, which has all that others
  /// have, and the graph outputs.
  int64_t peakBytes = 0;
  int64_t tasks = 0; ///< that were simulated
  /// Why the strategy was unfolded; empty: it was not.
  std::string unfolded;
};

/// Prices strategies over one mesh: by the quotient plan where machines do the
/// same, by the plan of all devices where they may not. The numbers are the
/// same. Keeps references.
class MeshPricer {
public:
  /// `model` null: all strategies are unfolded.
  MeshPricer(const Graph &graph, const Topology &topology, const Mesh &mesh,
             QuotientModel *model);
  MeshPrice price(const MeshStrategy &strategy);

private:
  const Graph &graph;
  const Topology &topology;
  const Mesh &mesh;
  std::unique_ptr<QuotientPlan> quotient;
};

} // namespace soap

#endif // SOAP_MESH_SYMMETRY_QUOTIENTPLAN_H
