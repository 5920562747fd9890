//===- DeltaSimulator.h - Simulation of a changed strategy ------*- C++ -*-===//
//
// What searches ask: the makespan of a strategy that differs from a known one
// in the configs of a few ops, as far as it is at most a limit. Simulation
// starts where the two timelines first differ, plans values only when it meets
// them, and stops when the makespan is proven to be above the limit; so a
// hopeless change costs a few values and a few hundred tasks. The same
// makespans as Algorithm 1 of the SOAP paper from nothing; docs/Simulator.md
// says why.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_CORE_DELTASIMULATOR_H
#define SOAP_CORE_DELTASIMULATOR_H

#include "Soap/Core/ProofGate.h"
#include "Soap/Core/StrategySimulator.h"
#include "Soap/Core/TaskBundle.h"

namespace soap {

/// Keeps a reference to a plan, and the timeline of its last commit.
class DeltaSimulator {
public:
  explicit DeltaSimulator(StrategyPlan &plan);

  /// Simulates the plan as it is, which must be finished and committed. Returns
  /// the makespan in ns; proposals differ from this.
  int64_t start();
  /// After `StrategyPlan::change`: plans what has changed, as far as it is met,
  /// and simulates. Returns the makespan if it is at most `limitNs`, and the
  /// plan is finished then; else a number above the limit, and
  /// `StrategyPlan::revert` must follow.
  int64_t propose(int64_t limitNs = std::numeric_limits<int64_t>::max());
  /// Keeps the timeline of the last proposal, whose makespan was returned.
  /// Before `StrategyPlan::commit`.
  void commit();
  /// Lists all tasks of the strategy that was simulated last, up to its
  /// makespan, with their starts as `readyNs`.
  void starts(std::vector<TaskQueue::Entry> &tasks);
  /// Tasks that the last call took from the queue.
  int64_t simulatedTasks() const { return simulated; }

private:
  static constexpr int never = std::numeric_limits<int>::max();
  /// What is known of a task since the last commit.
  struct Done {
    int64_t endNs = 0;
    int position = never; ///< among all tasks, in the order of the queue
  };
  /// Tasks that have become ready, and are not in the queue yet.
  struct Released {
    TaskBundle bundle;
    int64_t readyNs;
  };
  /// The state before a position.
  struct Checkpoint {
    int position = 0;
    int64_t makespanNs = 0; ///< of the tasks before
    std::vector<int64_t> freeNs, executedNs;
    std::vector<TaskQueue::Entry> queue;
  };

  StrategyPlan &plan;
  StrategySimulator simulator; ///< where copies occupy their receiver
  bool copiesOccupy = false;
  // Of the last commit.
  std::vector<std::vector<Done>> done; ///< by block
  std::vector<int> firstPosition;      ///< by block
  std::vector<Checkpoint> checkpoints;
  int taskCount = 0;
  ProofGate border{6}; ///< bounds from values around what has changed
  // Of the last proposal.
  size_t from = 0;                ///< the checkpoint that it started from
  std::vector<TaskBundle> popped; ///< in the order of the queue
  std::vector<int64_t> endsNs;    ///< of their tasks
  std::vector<Checkpoint> passed;
  size_t passedCount = 0; ///< entries of `passed` in use; memory is kept
  std::vector<int> replaced;
  // State of the run.
  uint64_t epoch = 0;
  int firstSimulated = 0; ///< position of the checkpoint
  std::vector<BlockRun> blocks;
  ResourceState resources;
  BundleKeys keys;
  TaskQueue queue; ///< of bundles
  std::vector<Released> released;
  int64_t simulated = 0;
  std::vector<uint64_t> stamped; ///< by block, in `commit`
  uint64_t stamp = 0;

  int firstDifference() const;
  void restore(int position);
  int64_t run(int64_t limitNs);
  BlockRun &touch(int block);
  void initialize(int block, BlockRun &state);
  bool isUntouched(int block) const;
  bool isDone(int block, int index, int64_t &readyNs) const;
  bool planValue(int value, int64_t limitNs);
  void addWaiting(int slot, size_t operand, std::vector<TaskRun> &tasks);
  bool planOperands(int block, int64_t limitNs);
  bool occupyDevices(const TaskBundle &bundle, int slot, int64_t readyNs,
                     int64_t limitNs);
  bool occupyResources(const TaskBundle &bundle, int value, int64_t readyNs,
                       int64_t limitNs);
  bool follow(int value, size_t node, std::span<const int64_t> ends,
              int64_t limitNs);
  void release(int block, int index, int64_t readyNs);
  void queueReleased();
  void takeCheckpoint(int64_t makespanNs);
};

} // namespace soap

#endif // SOAP_CORE_DELTASIMULATOR_H
