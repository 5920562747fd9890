//===- StrategyPlan.h - Plan of a strategy, changed op by op ----*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Changes the plan of a strategy as a transaction: some nodes get other
// configs, the values around them are planned again and nothing else, and the
// change is committed or reverted. PlanState.h is what can be read of a plan,
// MakespanBounds.h bounds the makespan of a change before it is planned.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_PLAN_STRATEGYPLAN_H
#define SOAP_PLAN_STRATEGYPLAN_H

#include "Soap/Plan/PlanState.h"
#include "Soap/Plan/ValuePlanner.h"

#include <cassert>
#include <limits>
#include <map>
#include <memory>

namespace soap {

/// Is told of each step of a transaction, to keep what it derives from a plan
/// in agreement with it (MakespanBounds.h).
class PlanObserver {
public:
  /// `change` has given these kernels their new configs. Their tiles are known.
  virtual void kernelsChanged(std::span<const int> slots) = 0;
  /// The plan of a value holds no longer; `valuePlan` is still the old one.
  virtual void valueDropped(int value) = 0;
  /// A dropped value has been planned. Returns false if the makespan is known
  /// to be above the limit.
  virtual bool valuePlanned(int value, int64_t limitNs) = 0;
  /// The same, where `finish` has a limit and all pending values are planned
  /// one after the other.
  virtual bool valueFinished(int value, int64_t limitNs) = 0;
  /// All values are planned; the ones of `changedValues` have changed.
  virtual void finished() = 0;
  virtual void committed() = 0;
  /// The kernels of the plan are as at the last commit again; these had
  /// changed.
  virtual void reverted(std::span<const int> slots) = 0;

protected:
  ~PlanObserver() = default;
};

/// A plan with at most one transaction:
///
///     plan.set(strategy);              // planned and committed
///     plan.change(nodes, configs);     // kernels have the new configs
///     plan.finish();                   // values are planned, too
///     plan.commit();                   // or plan.revert()
///
/// Not safe from several threads.
class StrategyPlan : public PlanState {
public:
  /// Keeps references.
  StrategyPlan(const Graph &graph, const CostModel &cost);

  /// Before `set`: which values are moved in rounds, and whether pieces come
  /// one by one.
  void setRounds(PlanRounds next) {
    assert(strategy.empty() && "must be called before `set`");
    assert(next.count > 0 && "at least one round");
    planner.oneByOne = next.oneByOne;
    rounds = std::move(next);
  }
  /// Plans a whole strategy and commits it. Configs must have passed
  /// `checkConfig`.
  void set(const Strategy &strategy);
  /// Gives some nodes other configs. Kernels have them at once, values are
  /// planned by `finish`.
  void change(std::span<const int> nodes, std::span<const Config> configs);
  /// Plans the values around what changed. Gives up, and returns false, as soon
  /// as the makespan is known to be above the limit; `revert` must follow then.
  bool finish(int64_t limitNs = std::numeric_limits<int64_t>::max());
  /// First half of `finish`, for simulators that plan as they go
  /// (DeltaSimulator.h): decides what shards do, and plans values that no
  /// kernel writes, or that may have tasks without predecessors. The others are
  /// *pending*: their plans are still the old ones, without their loads.
  /// Returns false, as `finish`.
  bool prepare(int64_t limitNs);
  /// Plans a pending value. Returns false, as `finish`.
  bool planPending(int value, int64_t limitNs);
  /// Keeps the changes since the last commit, which must have been finished.
  void commit();
  /// Undoes them, finished or not.
  void revert();

  /// Values that are planned again between `prepare` and `finish`.
  const std::vector<int> &valuesToPlan() const { return dirtyValues; }
  bool isPending(int value) const { return valueDirty[value]; }
  bool hasPendingOperands(int slot) const { return pendingOperands[slot] > 0; }
  /// After `change`: kernels with another config; after `prepare`, also those
  /// whose states have changed, and readers of values that are planned again.
  const std::vector<int> &touchedKernels() const { return dirtyKernels; }
  /// After `prepare`: whether tasks without predecessors can be among tasks of
  /// kernels with pending operands. Pending values have no such tasks.
  bool mayHavePendingRoots() const { return pendingRoots; }
  /// After `prepare`: whether a task of a changed block had no predecessors.
  bool hadChangedRoots() const { return changedRoots; }
  /// Whether `predecessorCounts` of a slot are known: between `prepare` and
  /// `finish`, not of the readers of values that are planned again.
  bool isCounted(int slot) const { return !countsDirty[slot]; }
  /// Kernels that differ from the last commit.
  const std::vector<int> &changedKernels() const { return savedKernelList; }
  bool isKernelChanged(int slot) const { return kernelSaved[slot]; }
  /// Values that have been planned since the last commit.
  const std::vector<int> &changedValues() const { return savedValueList; }
  /// Blocks whose tasks or edges differ from the last commit, sorted.
  std::vector<int> changedBlocks() const;

  /// The geometry of a slot under some degrees, without tiles and regions. It
  /// is kept; the pointer holds until `trimCaches`.
  KernelGeometry *geometryOf(int slot, const std::vector<int64_t> &degrees);
  /// Regions of a value, to which more may be added.
  RegionTable &regionTableOf(int value) { return regions.table(value); }
  /// Makes room where caches take more than `maxCacheBytes`. There must be no
  /// transaction.
  void trimCaches();
  /// Results for configs that are not used any more are kept up to about so
  /// many bytes, because searches meet the same configs again.
  size_t maxCacheBytes = size_t(256) << 20;
  /// At most one observer; null: none. It must outlive its use here.
  void setObserver(PlanObserver *next) { observer = next; }

private:
  ValuePlanner planner;
  PlanObserver *observer = nullptr;
  // Memory of `findCopies`, `planValue`, `coversDevices` and `resolve`.
  std::vector<ShardState> restoredStates;
  std::vector<ValueUse> valueUses;
  std::vector<bool> isNamedDevice, contributes;
  std::vector<std::unordered_map<std::vector<int64_t>,
                                 std::unique_ptr<KernelGeometry>, VectorHash>>
      geometries; ///< by class of kernels
  /// Blocks of own tiles of updated parameters: (geometry, operand).
  std::map<std::pair<const KernelGeometry *, int>, BlockSet> ownTiles;
  size_t geometryBytes = 0; ///< about
  /// By slot, the rounds of its shards under a geometry.
  std::map<int, std::pair<const KernelGeometry *, std::vector<int>>>
      roundsOfSlots;

  // The values of the last commit, of everything that has changed since.
  std::vector<KernelPlan> savedKernels;
  std::vector<ValuePlan> savedPlans;
  std::vector<std::vector<int>> savedCounts, savedRoots;
  std::vector<int64_t> savedKernelLoad, savedLoad, savedBytes, savedPassing;
  bool loadsSaved = false;
  std::vector<std::pair<int, Config>> savedConfigs;
  std::vector<bool> kernelSaved, valueSaved, countsSaved;
  std::vector<int> savedKernelList, savedValueList, savedCountList;
  // Work lists of one transaction.
  std::vector<bool> kernelDirty, countsDirty;
  std::vector<uint8_t> valueDirty;
  std::vector<int> dirtyKernels, dirtyValues;
  bool isPrepared = false, pendingRoots = false, changedRoots = false;
  std::vector<int> pendingOperands; ///< by slot

  // StrategyPlan.cpp: the transaction
  void resolveDirty();
  void touch(int value);
  void saveCounts(int slot);
  void countPredecessors(int slot);
  bool mayBeFilled(int value) const;
  bool waitsForTasks(int slot) const;
  // PlanKernels.cpp
  void activate(int slot, const Config *config);
  bool resolve(int slot);
  void addKernelLoad(int slot, int64_t sign);
  bool coversDevices(const std::vector<int> &devices);
  // PlanValues.cpp
  bool findCopies(int value, ValueSource &source, int &slot);
  ValueSource restoredSource(const Restore &restore, int &sourceSlot,
                             int &triggerSlot);
  std::span<const int> roundsOf(int value, int slot);
  ValueSource sourceOf(int value);
  ValueUse useOf(int value, const Reader &reader);
  int64_t planValue(int value);
  int64_t addLoad(int value, int64_t sign);
  void placeOutput(int output);
};

} // namespace soap

#endif // SOAP_PLAN_STRATEGYPLAN_H
