//===- QuotientState.h - Shared by all quotient plans -----------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The base of plans of one machine (QuotientPlan.h) and of one replica of each
// stage (StageQuotient.h). Here a *copy* is a machine, or a replica: all copies
// do the same, and copy 0 is planned. A value that moves between copies is
// planned on a few that stand for all, and then restricted to copy 0.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_MESH_SYMMETRY_QUOTIENTSTATE_H
#define SOAP_MESH_SYMMETRY_QUOTIENTSTATE_H

#include "Soap/Mesh/Symmetry/PieceGeometries.h"
#include "Soap/Plan/PlanState.h"
#include "Soap/Plan/ValuePlanner.h"
#include "Soap/Simulator/StrategySimulator.h"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace soap {

/// Not safe from several threads.
class QuotientState : public PlanState {
public:
  /// A task that differs from copy to copy.
  struct Uneven {
    TaskRef task;
    std::vector<int> resources; ///< that it may occupy on some copy
  };
  const std::vector<Uneven> &getUneven() const { return uneven; }

protected:
  /// Keeps references. `copyName`: what a copy is called in reasons.
  QuotientState(const Graph &graph, const CostModel &cost,
                const char *copyName);
  ~QuotientState() = default;

  /// A kernel on some copies.
  struct Part {
    KernelGeometry *geometry = nullptr;
    int replicas = 1;
    std::vector<int> devices;
    std::vector<ShardState> states;
    std::vector<int> rounds; ///< by shard; empty: there are none
  };
  /// Makes the part of a slot on the copies that a value is planned on.
  using PartMaker = std::function<Part(int slot)>;
  /// The operand or result of a slot that holds the tiles of a value.
  struct Access {
    int slot = -1;
    const AccessMap *map = nullptr;
    bool isResult = false;
  };

  /// The number of the copy that a device belongs to.
  virtual int copyOf(int device) const = 0;
  /// The corresponding device of copy 0.
  virtual int firstOf(int device) const = 0;
  /// Whether a resource is occupied by copy 0 alone.
  virtual bool isOfFirst(int) const { return true; }
  /// Whether a task of a value is a single one of all copies.
  virtual bool isOfAll(TaskRef task) const = 0;
  /// Makes a collective of `planned` that of all copies, on the resources of
  /// copy 0. `node`: of its task, in the numbering of `successorStart`;
  /// `index`: the number that its task gets; `holders`: devices of what it
  /// reads; `outputs`: devices that read it. Returns false with a reason where
  /// copies differ.
  virtual bool takeCollective(int value, size_t node, int index,
                              const std::vector<int> &holders,
                              const std::set<int> &outputs, PlannedTask &task,
                              PlannedCollective &collective) = 0;

  const char *copyName;
  ValuePlanner planner;
  PieceGeometries geometries;
  std::vector<Uneven> uneven;
  /// Why copies may differ; empty: they do not.
  std::string reason;
  // The value that was planned last, on several copies.
  ValuePlan planned;
  Part plannedSource;
  std::vector<Part> plannedUses; ///< by reader

  bool isFirst(int device) const { return copyOf(device) == 0; }
  const std::string &nameOf(int value) const {
    return graph.values[static_cast<size_t>(value)].name;
  }
  /// Devices by copy, as the corresponding ones of copy 0, ascending.
  using Members = std::map<int, std::vector<int>>;
  Members membersOf(const std::vector<int> &devices) const;

  /// Forgets the strategy before.
  void clear();
  /// An output without a config is where its writer's first shard is.
  void placeOutputs();
  /// A task that one which differs from copy to copy delays, and that one;
  /// none: the times hold on all copies.
  std::optional<std::pair<TaskRef, TaskRef>>
  findDelayed(const std::function<TaskTimes(TaskRef)> &timesOf) const;

  // QuotientState.cpp: kernels
  /// A loop of the whole kernel in the kernel of a slot; -1: it has none such.
  int loopOf(const Slot &slot, int loop) const;
  /// A part of shards `pieces`, at coordinates of the loops of the whole kernel
  /// cut into `degrees`. It has the states of its pieces.
  Part makePart(int slot, Config pieces, std::vector<int64_t> degrees,
                PieceGeometries::Coordinates coords);
  /// Gives a slot its shards on copy 0.
  void setKernel(int slot, Part part);
  void addKernelLoad(int slot);
  bool isContributed(int value) const;

  // QuotientState.cpp: values
  /// The value of which a value is tiles: itself, or what it restores.
  int rootOf(int value) const {
    const Restore *restore = restoreOfValue(value);
    return restore ? restore->of : value;
  }
  /// `partOf`: empty for copy 0 alone. Both refer to `part`.
  ValueSource sourceOf(int value, const PartMaker &partOf, Part &part);
  ValueUse useOf(int value, const Reader &reader, const PartMaker &partOf,
                 Part &part);
  /// The tiles that a value is made of; none: there are no such. `isPreplaced`:
  /// they are wherever they are needed.
  std::optional<Access> sourceAccess(int value, bool &isPreplaced) const;
  /// The readers that take part in moving a value: all but an update that has a
  /// tile of its own. Returns false with a reason where an output is gathered.
  bool listReaders(int value, bool isCut, std::vector<const Reader *> &readers);
  void planOn(int value, const PartMaker &partOf, ValuePlan &plan);
  void addLoad(int value);
  /// Every task is one of a single device.
  static bool isLocal(const ValuePlan &plan);

  // QuotientRestriction.cpp
  /// Whether all planned copies take part in the same tasks in the same order,
  /// as resources take them in the order of keys. `mayRootsDiffer`: the root of
  /// a collective may be one more member.
  bool isInOrder(bool mayRootsDiffer) const;
  /// Makes `planned` the plan of a value on copy 0.
  void restrict(int value, bool mayRootsDiffer);

private:
  std::map<std::pair<const KernelGeometry *, int>, BlockSet> ownTiles;

  bool readsOwnTile(int value, const Reader &reader) const;
  void setRounds(int value, int slot, const KernelGeometry &geometry,
                 size_t shards, Part &part) const;
};

} // namespace soap

#endif // SOAP_MESH_SYMMETRY_QUOTIENTSTATE_H
