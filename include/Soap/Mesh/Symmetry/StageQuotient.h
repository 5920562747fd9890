//===- StageQuotient.h - One replica of each stage for all ------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plan of an iteration in microbatches, of one replica of each stage: its
// shards, what reaches and leaves them, and the collectives that they take part
// in. Replicas do the same, so the times of these tasks are the times of all
// (docs/Mesh.md has the conditions and the proof). It is planned by the rules
// of every plan (ValuePlanner.h), for one replica, or, where a value moves
// between replicas, for two that stand for all. The cost does not depend on the
// number of replicas.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_MESH_SYMMETRY_STAGEQUOTIENT_H
#define SOAP_MESH_SYMMETRY_STAGEQUOTIENT_H

#include "Soap/Mesh/PassTimeline.h"
#include "Soap/Mesh/Symmetry/QuotientState.h"
#include "Soap/Topology/Cluster.h"

#include <map>
#include <memory>
#include <set>
#include <tuple>

namespace soap {

/// A plan of replica 0 of every stage that `PassTimeline` reads. Devices and
/// links are the whole topology's; only the ones of these replicas are
/// occupied. Not safe from several threads.
class StageQuotient final : public QuotientState {
public:
  /// Keeps references. The cost model is one of the cluster's topology. The
  /// graph is one of `graphOfPasses` (PassReads.h) under the order that `set`
  /// gets.
  StageQuotient(const Graph &graph, const CostModel &cost,
                const Cluster &cluster);

  /// Plans configs of one microbatch, cut into the microbatches of the order.
  /// Returns why replicas may differ, so that the strategy has to be unfolded;
  /// empty: they do not. The plan is good for nothing otherwise. `isOver`:
  /// null, or ends it, with `stoppedMessage`.
  std::string set(const Strategy &next, const PassOrder &order,
                  const StopCheck &isOver = {});

  /// Devices of a replica, and replicas of a stage, once `set` has planned.
  int getUnit() const { return unit; }
  int getReplicas() const { return group / unit; }
  /// The corresponding device of replica 0.
  int firstOf(int device) const override {
    return device - device % group / unit * unit;
  }
  /// The boxes of its pieces.
  PieceBox boxes() const;
  /// Why the times may not hold on all replicas: a task that differs from
  /// replica to replica delays another one. Empty: they hold.
  std::string whyTimesDiffer(const PassTimeline &timeline) const;
  /// How many tasks of the whole plan a task stands for.
  int64_t multiplicityOf(int block, int index) const;
  /// Devices of a collective, of all replicas that it spans; empty: it is none,
  /// or one of a single replica, whose devices the value's plan has.
  const std::vector<int> &devicesOf(int block, int index) const;

private:
  /// The use of the replicas by one op: a digit of a loop's coordinate, or of
  /// the number of a replica.
  struct Spread {
    static constexpr int replicas = -1;
    int target = replicas;
    int64_t weight = 1; ///< of a step from replica to replica, in that number
    bool isEverywhere = false; ///< every device of some stages does the same
  };
  /// The use of the replicas by one tensor of an op.
  struct Layout {
    enum Kind { Replica, Partial, Cut } kind = Replica;
    /// By dim: how far the region moves from replica to replica.
    InlineVector<int64_t, 4> shifts;
    int slot = -1;
    const AccessMap *map = nullptr;
    int number = 0; ///< of the operand, or -1 - that of the result
  };
  struct Reading {
    const Reader *reader = nullptr; ///< null: a graph output
    Layout layout;
    bool isContributions = false;
  };
  struct Price {
    int64_t ns = 1;
    int resources = 0;         ///< number of the list of replica 0's
    std::vector<int> anywhere; ///< resources that it has on some replica
    bool isEven = true;        ///< it has them on every one
  };

  const Cluster &cluster;
  const Topology &topology;
  CollectiveWorkspace workspace;
  int group = 1, unit = 1;
  int64_t microbatches = 1; ///< that are planned
  std::vector<int> firstLinks;
  const Strategy *configs = nullptr;
  const PassOrder *passes = nullptr;
  const StopCheck *stop = nullptr; ///< of the plan that is made
  std::vector<Spread> spreads;     ///< by node
  /// By degrees of nodes with a loop over samples, and of others: nodes whose
  /// spreads were found. Many nodes have equal configs.
  std::map<std::pair<std::vector<int64_t>, bool>, std::vector<size_t>>
      knownSpreads;
  /// A collective of a list of devices.
  struct Known {
    CollectiveModel model;
    std::vector<Price> prices; ///< by algorithm, without times
  };
  using Group = std::pair<CollectiveKind, std::vector<int>>;
  std::map<Group, Known> known; ///< of the unit that is planned
  /// By block and index: the group of a collective of several replicas.
  std::map<std::pair<int, int>, const Group *> spanning;
  /// By geometries and maps: whether overlaps are the same for all replicas.
  std::map<std::tuple<const void *, int, const void *, int>, bool>
      knownOverlaps;

  int copyOf(int device) const override { return device % group / unit; }
  bool isOfFirst(int resource) const override;
  bool isOfAll(TaskRef task) const override {
    return spanning.count({task.block, task.index}) > 0;
  }
  bool isStopped();
  std::string tryUnit(int nextUnit, int64_t cutInto);
  std::string findGroups();
  // StageQuotientKernels.cpp
  void findSpread(size_t node);
  void checkEven(size_t node);
  Part partOf(int slot, int count);
  int targetOf(int slot) const;
  Layout layoutOf(int slot, const AccessMap &map, int value, bool isResult);
  void resolve(int slot);
  // StageQuotientValues.cpp
  bool sourceLayout(int value, Layout &layout, bool &isPreplaced);
  bool listReadings(int value, bool isCut, std::vector<Reading> &readings);
  std::vector<Region> regionsOfPieces(int value, const Layout &layout) const;
  bool areOverlapsAlike(const std::vector<Region> &mine, const Layout &a,
                        const std::vector<Region> &its, const Layout &b) const;
  bool checkOverlaps(int value, const Layout &a, const Layout &b);
  void planValue(int value);
  // StageQuotientTasks.cpp
  void checkTasks(int value);
  bool takeCollective(int value, size_t node, int index,
                      const std::vector<int> &holders,
                      const std::set<int> &outputs, PlannedTask &task,
                      PlannedCollective &collective) override;
  bool setPrice(int value, int index, PlannedTask &task,
                PlannedCollective &collective);
  bool setExchange(int value, int index, PlannedTask &task,
                   const PlannedCollective &collective);
  Known makeKnown(const Group &group);
  Price price(const Known &known, int64_t bytes) const;
};

} // namespace soap

#endif // SOAP_MESH_SYMMETRY_STAGEQUOTIENT_H
