//===- Algorithm2Simulator.h - The paper's delta simulation -----*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Algorithm 2 of the FlexFlow paper (delta simulation), made exact. After a
// change of a strategy it gives new times only to the tasks whose times may
// have changed. Its times equal the times of Algorithm 1, task by task. Names
// and line numbers are the paper's. docs/Simulator.md says why it is exact, and
// why searches use DeltaSimulator.h instead.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_SIMULATOR_ALGORITHM2SIMULATOR_H
#define SOAP_SIMULATOR_ALGORITHM2SIMULATOR_H

#include "Soap/Simulator/StrategySimulator.h"

namespace soap {

/// Keeps a reference to a plan, and the committed timeline. A proposal is
/// written beside the timeline, so that refusing one costs nothing.
///
///     simulator.start();                      // after StrategyPlan::set
///     plan.change(...); plan.finish();
///     simulator.propagate();
///     simulator.commit(); plan.commit();      // in this order
///     // or: plan.revert();
class Algorithm2Simulator {
public:
  explicit Algorithm2Simulator(const StrategyPlan &plan);

  /// Simulates the plan, which must have no uncommitted changes, from nothing.
  /// Returns the makespan in ns.
  int64_t start();
  /// Algorithm 2. The plan's uncommitted changes must have been finished.
  /// Returns the makespan in ns if it is at most `limitNs`. Otherwise it
  /// returns a number above the limit as soon as a task ends after the limit.
  int64_t propagate(int64_t limitNs = std::numeric_limits<int64_t>::max());
  /// Makes the last proposal, propagated to its end, the committed timeline.
  /// Must be called before `StrategyPlan::commit`.
  void commit();

  /// Times of every task after `start`, `commit`, or `propagate` to its end:
  /// `times[block][index]`, as by `StrategySimulator::timeline`.
  void timeline(std::vector<std::vector<TaskTimes>> &times) const;
  /// Tasks that the last call of `propagate` gave a start and an end, or
  /// updated and found unchanged.
  int64_t simulatedTasks() const { return simulated; }

private:
  /// The order of tasks on a resource: by ready time, then by key. Deferred
  /// tasks have `deferredBit` in their ready time, so they come last.
  struct Position {
    int64_t ready; ///< ready time, with `deferredBit` if it is deferred
    uint64_t key;  ///< block, index
    bool operator==(const Position &) const = default;
    bool operator<(const Position &other) const {
      return ready != other.ready ? ready < other.ready : key < other.key;
    }
    bool operator>(const Position &other) const { return other < *this; }
  };
  static constexpr int64_t deferredBit = int64_t(1) << 62;

  /// A task of the committed timeline.
  struct CommittedTask {
    int64_t ready = 0; ///< as in `Position`
    int64_t startNs = 0, endNs = 0;
    int64_t durationNs = 0; ///< exeTime
    int resource = 0;       ///< as in `PlannedTask`
    bool exists = false;
    bool marked = false; ///< a deferred copy
  };
  /// Where a task of the proposal is.
  enum class State : uint8_t {
    Kept,        ///< at its committed position, perhaps with another start
    Unscheduled, ///< at no position: it is new, or its old one is wrong
    Scheduled,   ///< at a new position, which is final
    Removed      ///< not in the proposal
  };
  /// The new times of a task in the proposal. It is void if its epoch is not
  /// the proposal's.
  struct Change {
    uint64_t epoch = 0;
    int64_t ready = 0; ///< as in `Position`
    int64_t startNs = 0, endNs = 0;
    int64_t enqueuedAt = -1; ///< the last position in `updateQueue`
    int unscheduledPreds = 0;
    State state = State::Kept;
    /// Its predecessors are others than before, or have other times.
    bool isStale = false;
  };
  /// The tasks of a resource, the paper's device. The sweep has passed the
  /// committed tasks before `next`.
  struct ResourceQueue {
    std::vector<Position> tasks; ///< committed, sorted
    int64_t endNs = 0;           ///< of the last committed task
    uint64_t epoch = 0;          ///< what follows is void in other epochs
    size_t next = 0;
    int64_t keptEndNs = 0;           ///< of the last kept task before `next`
    int64_t scheduledEndNs = 0;      ///< of the last task of `scheduled`
    std::vector<Position> scheduled; ///< by the proposal, sorted
    bool isReordered = false;        ///< tasks have come or gone
  };

  const StrategyPlan &plan;
  StrategySimulator simulator; ///< for `start`
  bool copiesOccupy = false;
  uint64_t epoch = 0;
  int64_t simulated = 0, limitNs = 0, makespanNs = 0;
  bool exceeded = false;
  std::vector<std::vector<CommittedTask>> committed; ///< by block
  std::vector<std::vector<Change>> changes; ///< by block, at least as long
  std::vector<ResourceQueue> queues;        ///< by resource
  std::vector<uint64_t> touched;            ///< tasks with a change, by key
  std::vector<int> touchedQueues;
  std::vector<Position> updateQueue; ///< line 2: a heap, the first one on top
  /// Tasks that occupy no resource: committed, and scheduled by the proposal.
  std::vector<uint64_t> unqueued, scheduledUnqueued;
  /// Deferred copies of the proposal, by block. Null where copies occupy links
  /// alone.
  const std::vector<std::vector<uint8_t>> *marks = nullptr;

  static int blockOf(uint64_t key) { return static_cast<int>(key >> 32); }
  static int indexOf(uint64_t key) {
    return static_cast<int>(key & 0xffffffff);
  }
  static uint64_t keyOf(int block, int index) {
    return static_cast<uint64_t>(block) << 32 | static_cast<uint32_t>(index);
  }
  CommittedTask &committedOf(uint64_t key) {
    return committed[blockOf(key)][indexOf(key)];
  }
  Change &changeOf(uint64_t key);
  ResourceQueue &queueOf(int resource);
  bool isKept(uint64_t key) const;
  int64_t endOf(uint64_t key) const;
  template <typename Visit>
  void forEachPredecessor(uint64_t key, Visit visit);
  template <typename Visit>
  void forEachSuccessor(uint64_t key, Visit visit);
  int taskSlots(int block) const;
  CommittedTask plannedTask(int block, int index) const;
  bool isMarked(uint64_t key) const;

  void updateTaskGraph();
  void compareTasks(std::vector<uint64_t> &unscheduled,
                    std::vector<uint64_t> &stale);
  void enqueue(uint64_t key, int64_t ready);
  void updateTask(Position position);
  int64_t readyTimeOf(uint64_t key);
  int64_t preTaskEndNs(ResourceQueue &queue, Position position);
  void leaveQueues(uint64_t key);
  void unschedule(uint64_t key);
  void holdSuccessors(uint64_t key);
  void schedule(Position position);
  void updateStartTime(Position position);
  void enqueueSuccessors(uint64_t key, bool wasUnscheduled, bool isDifferent);
  void enqueueNextTask(int resource, Position position, int64_t oldEndNs,
                       int64_t newEndNs);
  void mergeQueues();
};

} // namespace soap

#endif // SOAP_SIMULATOR_ALGORITHM2SIMULATOR_H
