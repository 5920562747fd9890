//===- DeltaSimulator.h - Simulation of a changed strategy ------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Delta simulation, for searches: the makespan of a strategy that differs from
// the committed one in the configs of a few ops, if it is at most a limit.
// Simulation starts where the two timelines first differ, reuses segments of
// the committed one, plans values when it meets them, and stops when the
// makespan is proven to be above the limit. Makespans are as in Algorithm 1
// of the FlexFlow paper; docs/Simulator.md has the proof, and says where this
// falls back to Algorithm 1.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_SIMULATOR_DELTASIMULATOR_H
#define SOAP_SIMULATOR_DELTASIMULATOR_H

#include "Soap/Bounds/MakespanBounds.h"
#include "Soap/Bounds/ProofGate.h"
#include "Soap/Simulator/DeltaTimeline.h"
#include "Soap/Simulator/StrategySimulator.h"
#include "Soap/Simulator/TaskRunPool.h"

#include <functional>

namespace soap {

/// Keeps references to a plan and to its bounds, and the timeline of the plan's
/// last commit.
class DeltaSimulator {
public:
  /// Simulations start from checkpoints, and reused segments lie between them.
  /// The minimum distance of two checkpoints, in tasks.
  static constexpr int minTasksBetween = 64;
  DeltaSimulator(StrategyPlan &plan, MakespanBounds &bounds,
                 int tasksBetween = minTasksBetween);

  /// Simulates the plan as it is, which must be finished and committed. Returns
  /// the makespan in ns; proposals differ from this.
  int64_t start();
  /// After `StrategyPlan::change`: plans what has changed, as far as it is met,
  /// and simulates. Returns the makespan if it is at most `limitNs`, and the
  /// plan is finished then; else a number above the limit, and
  /// `StrategyPlan::revert` must follow.
  int64_t propose(int64_t limitNs = std::numeric_limits<int64_t>::max());
  /// Asked now and then by `propose` with a limit: where it returns true, a
  /// number above the limit is returned that proves nothing.
  std::function<bool()> shouldStop;
  /// Whether the last proposal ended so.
  bool wasStopped() const { return isStopped; }
  /// Whether every proposal is simulated by Algorithm 1 on its whole plan.
  bool usesFullSimulation() const { return fallsBack; }
  /// Keeps the timeline of the last proposal, whose makespan was returned.
  /// Before `StrategyPlan::commit`.
  void commit();
  /// Takes over what another simulator has found of a proposal that is within
  /// its limit, instead of simulating it: both have started and committed the
  /// same. `commit` may follow as soon as the plan has been changed alike and
  /// is finished. The other one must not be used meanwhile.
  void copyProposal(const DeltaSimulator &other);
  /// Lists all tasks of the strategy that was simulated last, up to its
  /// makespan, with their starts as `readyNs`.
  void starts(std::vector<TaskQueue::Entry> &tasks);
  /// Tasks that the last call took from the queue.
  int64_t simulatedTasks() const { return simulated; }

private:
  static constexpr int never = DeltaTimeline::never;
  using Done = DeltaTimeline::Done;
  using Progress = DeltaTimeline::Progress;
  using Resource = DeltaTimeline::Resource;
  using Checkpoint = DeltaTimeline::Checkpoint;
  using Segment = DeltaTimeline::Segment;
  /// Tasks that have become ready, and are not in the queue yet.
  struct Released {
    TaskBundle bundle;
    int64_t readyNs;
  };
  /// Where the tasks of a changed block are: all ahead of the run, or all over.
  enum class Change : uint8_t { None, Ahead, Over };
  /// The state of a block in a run, in one cache line: made when the
  /// first of its tasks is touched.
  struct alignas(64) BlockState {
    uint64_t epoch = 0; ///< the part of a run that this belongs to
    TaskRun *tasks;     ///< in `pool`
    const int *devices; ///< of a kernel, by shard
    const int64_t *durationNs;
    const PlannedTask *planned; ///< of a value
    int64_t latestNs; ///< ends of shards after this prove the limit exceeded
    int value;        ///< what its tasks write, -1: not one value
    int node;         ///< where successors of its first task are listed
    int simulated;    ///< tasks of it, in this part
    bool mayWaitForPending; ///< its tasks may wait for values to be planned
  };
  /// The state of a planned value in a run.
  struct alignas(64) ValueState {
    enum class Waiting : uint8_t { ForAll, ForSome, ForNothing };
    uint64_t epoch = 0;
    const int *start; ///< as `ValuePlan::successorStart`
    const TaskRef *successors;
    const std::vector<int> *bindings;
    int sources;
    int writer, block; ///< blocks of tasks, -1: none
    /// The tasks that readers have to wait for.
    Waiting waiting;
    bool isInPlace;
  };

  StrategyPlan &plan;
  MakespanBounds &bounds;
  int tasksBetween;            ///< checkpoints, at least
  StrategySimulator simulator; ///< if `fallsBack`
  /// Copies of some device occupy the receiver, or values are restored: falls
  /// back to `simulator`.
  bool fallsBack = false;
  std::vector<int> firstOperand;  ///< by slot, in `operandPlaces`
  std::vector<int> operandPlaces; ///< among the bindings of the value
  std::vector<int> onlyWriter;    ///< by value: its block, -1: one of several
  DeltaTimeline timeline;         ///< of the last commit
  DeltaTimeline::Record record;   ///< of the last proposal
  ProofGate boundaryGate{6};      ///< for `planBoundaryValues`
  // State of the run. It has parts, each of which starts from a checkpoint.
  uint64_t epoch = 0;
  int firstSimulated = 0;       ///< position of the checkpoint
  int64_t firstSimulatedNs = 0; ///< nothing became ready before, in its time
  int64_t shiftNs = 0;          ///< what times are greater by now
  int positionOffset = 0;       ///< positions, less tasks simulated
  size_t partTasks = 0, partPopped = 0; ///< simulated in parts before
  /// At the start of the part: makespan of the tasks before, now and then.
  int64_t partMakespanNs = 0, oldMakespanNs = 0;
  size_t target = 0;    ///< the checkpoint whose state may be met next
  uint64_t awaited = 0; ///< its next task
  uint64_t runNumber = 0;
  std::vector<TaskQueue::Entry> entries; ///< memory
  int64_t limitNs = 0;
  bool isHopeless = false; ///< a planned value has shown it
  bool isStopped = false;
  TaskRunPool pool;
  std::vector<BlockState> blocks;
  std::vector<ValueState> values;
  std::vector<Resource> resources;
  BundleKeys keys;
  TaskQueue queue;                ///< of bundles
  std::vector<Change> changes;    ///< by block
  std::vector<int> changedBlocks; ///< that have one
  std::vector<int> changedValues;
  std::vector<uint64_t> changedIn; ///< by value: the last run in which it was
  std::vector<uint64_t> touchedIn; ///< by block: in which it was touched
  std::vector<Released> released;
  int64_t simulated = 0;

  bool mustStop() {
    isStopped = shouldStop && limitNs != std::numeric_limits<int64_t>::max() &&
                shouldStop();
    return isStopped;
  }
  int firstDifference() const;
  void replace(int block);
  void restore(int position);
  int64_t run();
  BlockState &touch(int block) {
    BlockState &state = blocks[static_cast<size_t>(block)];
    if (state.epoch != epoch)
      initialize(block, state);
    return state;
  }
  void initialize(int block, BlockState &state);
  void initializeKernel(int block, int slot, BlockState &state);
  void initializeValue(int value, BlockState &state);
  bool isDone(int block, int index, int64_t &readyNs) const;
  bool isUntouched(int block) const;
  bool isOver(int block) const;
  bool readsPast(int slot) const;
  int nextPosition() const {
    return positionOffset + static_cast<int>(record.tasks);
  }
  int64_t boundOfLoads() const;
  // Convergence.cpp
  struct Convergence;
  void listChanges();
  void await(size_t checkpoint);
  void awaitNext();
  bool reusesSegment(const TaskQueue::Entry &entry, int64_t makespanNs);
  bool converges(const TaskQueue::Entry &entry, Convergence &found);
  bool settle(int block, size_t present, Convergence &found);
  bool settleKernels(Convergence &found);
  bool settleValues(Convergence &found);
  bool isShifted(const Convergence &found) const;
  void reuse(const Convergence &found, int64_t makespanNs);
  const ValueState &stateOf(int value) {
    if (values[value].epoch != epoch)
      setState(value);
    return values[value];
  }
  void setState(int value);
  bool planValue(int value);
  void addWaiting(int slot, size_t operand, TaskRun *tasks);
  bool planOperands(int block);
  bool occupyAllAt(std::span<const int> numbers, int64_t durationNs,
                   int64_t readyNs, int64_t &endNs);
  bool occupy(const BlockState &state, int index, int64_t readyNs,
              int64_t &endNs);
  bool occupyAll(const TaskBundle &bundle, const BlockState &state,
                 int64_t readyNs, int64_t *endsNs, int &count);
  std::span<const int> resultsOf(int block) const {
    return plan.getSlots()[plan.getBlocks()[block].slot].kernel->results;
  }
  bool countPredecessor(int block, const BlockState &state, TaskRun &task,
                        int64_t endNs);
  bool visitValue(int value);
  bool releaseSuccessors(int value, size_t node, int64_t endNs);
  bool releaseSuccessors(int value, size_t node, std::span<const int64_t> ends);
  void release(int block, int index, int64_t readyNs);
  void queueReleased();
  void takeCheckpoint(int64_t makespanNs);
};

} // namespace soap

#endif // SOAP_SIMULATOR_DELTASIMULATOR_H
